from __future__ import annotations

import json

import numpy as np
import pytest

from scoring.evaluate import evaluate
from scoring.records import Gold, Items, Run
from scoring.statistics.compare import compare, compare_reports
from scoring.tracks.base import Kind, Resampling, Score
from tests.scoring.statistics.toys import (
    BY_GROUP,
    BY_ITEM,
    Mean,
    OnlyMarked,
    cells_tally,
    items_of,
    macro_f1_of_cells,
    runs_of,
)

NO_UNIT = Resampling("none", reason="not reported: groups share issuers")


class MacroF1(Kind):
    name = "cells"
    scores = (Score("macro_f1", "Macro-F1", "F1", ""),)

    def scores_of(self, total, options):
        return {"macro_f1": macro_f1_of_cells(total)}


class Letters(Mean):
    """Right or wrong, from references and answers."""

    def tally(self, item, prepared, answer, options):
        return (float(prepared == answer), 1.0)


def right(*outcomes):
    return [(float(one), 1.0) for one in outcomes]


def graded(n=200, gap=0.02, seed=0):
    stream = np.random.default_rng(seed)
    shared = stream.normal(0.5, 0.1, n)
    a, b = shared + stream.normal(0, 0.1, n), shared + stream.normal(0, 0.1, n)
    b += gap - (b - a).mean()
    return [[(float(value), 1.0) for value in run] for run in (a, b)]


def test_a_difference_with_interval_and_verdict():
    found = compare(Mean(BY_ITEM), {}, items_of(200), *graded(gap=0.05), names=("old", "new"))
    assert found.difference == pytest.approx(0.05)
    assert found.score_b - found.score_a == found.difference
    assert 0 < found.low < 0.05 < found.high
    assert found.p < 0.01
    assert found.p_randomization < 0.01
    assert (found.settled, found.reason, found.method) == (True, "", "percentile")
    assert (
        found.verdict
        == f"new is better by 5.00, interval {100 * found.low:.2f}..{100 * found.high:.2f}: settled"
    )
    assert found.signature == "ci:item200x10000|seed:13"
    assert found.mcnemar is None
    assert found.wins + found.losses + found.ties == found.n == 200
    json.dumps(found.to_json(), allow_nan=False)


def test_a_small_difference_is_not_settled_and_reads_from_the_better_side():
    a, b = graded(gap=0.004)
    one = compare(Mean(BY_ITEM), {}, items_of(200), a, b)
    other = compare(Mean(BY_ITEM), {}, items_of(200), b, a)
    assert one.verdict.startswith("B is better by 0.40, interval -")
    assert one.verdict.endswith(": not settled")
    assert other.verdict == one.verdict.replace("B is", "A is")
    assert (other.wins, other.losses, other.p) == (one.losses, one.wins, one.p)


def test_where_lower_is_better():
    found = compare(
        Mean(BY_ITEM, higher_is_better=False), {}, items_of(200), *graded(gap=0.05), resamples=300
    )
    assert found.verdict.startswith("A is better by 5.00, interval ")
    assert found.losses > found.wins


def test_right_or_wrong_brings_mcnemar():
    a, b = right(*[1] * 20, *[0] * 12), right(*[1] * 18, *[0] * 2, *[1] * 9, *[0] * 3)
    found = compare(Mean(BY_ITEM), {}, items_of(32), a, b, resamples=300)
    assert found.mcnemar == {"only_a": 2, "only_b": 9, "p": 2 * (1 + 11 + 55) / 2**11}
    assert (found.wins, found.losses, found.ties) == (9, 2, 21)


def test_macro_f1_is_not_right_or_wrong_though_each_item_is():
    a, b = (
        [{(gold, run): 1.0} for gold, run in pairs]
        for pairs in ([(0, 0), (1, 0)] * 10, [(0, 1), (1, 1)] * 10)
    )
    assert compare(MacroF1(), {}, items_of(20), a, b, resamples=50).mcnemar is None


def test_macro_f1_that_happens_to_be_the_share_of_right_items_is_still_macro_f1():
    outcomes = [(0, 0)] * 5 + [(0, 1)] * 5 + [(1, 1)] * 5 + [(1, 0)] * 5
    run = [{outcome: 1.0} for outcome in outcomes]
    found = compare(MacroF1(), {}, items_of(20), run, list(run), resamples=50)
    assert found.score_a == 0.5
    assert found.mcnemar is None


def test_without_a_unit_there_is_the_reason_and_an_exploratory_test():
    a, b = right(*[1] * 5, *[0] * 15), right(*[1] * 13, *[0] * 7)
    found = compare(Mean(NO_UNIT), {}, items_of(20), a, b)
    assert (found.low, found.high, found.p, found.p_randomization, found.settled) == (None,) * 5
    assert found.signature == ""
    assert found.verdict == (
        "B is better by 40.00 (exact McNemar p = 0.0078, exploratory); "
        "interval not reported: groups share issuers"
    )


def test_equal_runs_score_the_same():
    a = right(*[1, 0] * 10)
    found = compare(Mean(BY_ITEM), {}, items_of(20), a, list(a), resamples=100)
    assert found.verdict == "A and B score the same, interval 0.00..0.00: not settled"
    assert (found.p, found.mcnemar["p"], found.ties) == (1, 1, 20)


def test_clusters_widen_the_interval():
    stream = np.random.default_rng(0)
    gain = stream.normal(0.02, 0.1, 50)[np.arange(200) % 50]
    a, b = ([(float(value), 1.0) for value in run] for run in (np.full(200, 0.5), 0.5 + gain))
    items = items_of(200, clusters=50)
    by_item, by_group = (compare(Mean(unit), {}, items, a, b) for unit in (BY_ITEM, BY_GROUP))
    assert (by_group.high - by_group.low) / (by_item.high - by_item.low) == pytest.approx(2, abs=0.2)


def test_open_labels_and_items_outside_the_primary():
    a, b = runs_of(cells_tally, 2, 60)
    assert compare(MacroF1(), {}, items_of(60), a, b, resamples=200).low is not None
    items = [{**item, "primary": place < 40} for place, item in enumerate(items_of(60))]
    whole, part = graded(60)
    assert compare(OnlyMarked(BY_ITEM), {}, items, whole, part, resamples=100).n == 40


def test_reports_are_compared_by_item():
    items = Items({f"i{place}": {"id": f"i{place}"} for place in range(12)}, "")
    gold = Gold(dict.fromkeys(items.records, "A"), "")
    runs = [Run(dict.fromkeys(items.records, letter), "", 12) for letter in ("B", "A")]
    kind = Letters(BY_ITEM)
    kind.takes_invalid = False
    reports = [evaluate(kind, items, gold, run) for run in runs]
    reports[1] = reports[1]._replace(tallies=dict(reversed(reports[1].tallies.items())))
    found = compare_reports(kind, {}, items, *reports, names=("none", "all"), resamples=100)
    assert (found.wins, found.difference, found.mcnemar["only_b"]) == (12, 1.0, 12)
    assert found.verdict == "all is better by 100.00, interval 100.00..100.00: settled"
