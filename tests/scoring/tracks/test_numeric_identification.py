"""Numeric identification: pooled sets of facts, empty sides, faults with their fix, the real subset."""

from __future__ import annotations

import csv
import json
import time
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoring.report import Report
from scoring.tracks.facts import TYPES, numbers_in
from tests.support.kinds import check, codes, gold_refused, items_refused, score, the_problem
from tests.support.shared import shared_path

KIND = "numeric_identification"


def fact(text: Any, type_name: Any = "monetaryItemType") -> dict[str, Any]:
    return {"Fact": text, "Type": type_name}


def report_of(*pairs: tuple[Any, Any]) -> Report:
    """(gold facts, answered facts or None for invalid) → report."""
    items = [{"id": str(n), "context": "…", "structure": "text"} for n in range(len(pairs))]
    gold = [{"id": str(n), "facts": pair[0]} for n, pair in enumerate(pairs)]
    run = [
        {"id": str(n), "invalid": "format"} if pair[1] is None else {"id": str(n), "facts": pair[1]}
        for n, pair in enumerate(pairs)
    ]
    return score(KIND, items, gold, run)


def scores(*pairs: tuple[Any, Any]) -> tuple[float, float, float]:
    found = report_of(*pairs).scores
    return found["precision"], found["recall"], found["f1"]


def test_facts_are_sets_pooled_over_items() -> None:
    assert scores(([fact("1"), fact("2")], [fact("1"), fact("1"), fact("3")]), ([fact("4")], [])) == (
        0.5,
        pytest.approx(1 / 3),
        pytest.approx(0.4),
    )


def test_empty_sides() -> None:
    assert scores(([], []), ([], [])) == (1, 1, 1)
    assert scores(([], [fact("1")])) == (0, 1, 0)
    assert scores(([fact("1")], [])) == (0, 0, 0)


def test_facts_compare_as_they_are() -> None:
    gold = [fact("1234"), fact("—"), fact("two", "integerItemType")]
    assert scores((gold, [fact("1,234"), fact("0"), fact("2", "integerItemType")])) == (0, 0, 0)
    assert scores((gold, gold)) == (1, 1, 1)
    assert scores(([fact("5")], [fact("5", "percentItemType")])) == (0, 0, 0)


def test_mean_item_f1_and_empty_items() -> None:
    found = report_of(([], []), ([], [fact("1")]), ([fact("1")], [fact("1"), fact("2")]), ([], None))
    assert found.diagnostics["mean_item_f1"] == pytest.approx((1 + 0 + 2 / 3 + 0) / 4)
    assert found.diagnostics["empty_items"]["rows"] == [["answered with nothing", 1], ["in all", 3]]


def test_by_type() -> None:
    gold = [fact("1"), fact("2", "percentItemType")]
    cells = report_of((gold, [fact("1"), fact("2", "sharesItemType")])).breakdowns["Type"]
    assert cells == {
        "monetaryItemType": {"n": 1, "f1": 1, "precision": 1, "recall": 1},
        "sharesItemType": {"n": 0, "f1": 0, "precision": 0, "recall": 1},
        "percentItemType": {"n": 1, "f1": 0, "precision": 0, "recall": 0},
    }


ITEMS = [{"id": "0", "context": "…"}]


def checked(facts: Any) -> Any:
    return check(KIND, ITEMS, [{"id": "0", "facts": facts}])


@pytest.mark.parametrize(
    ("facts", "code", "says"),
    [
        ([fact(10.6)], "E302", '"Fact" must be a string, found a number (10.6)'),
        ([fact("46", None)], "E302", '"Type" must be a string, found null'),
        ([fact("46", "MonetaryItemType")], "E401", '"MonetaryItemType" is not one of: integerItemType'),
        ([{"Fact": "46"}], "E301", "Type is missing"),
        ([{"fact": "46", "Type": "monetaryItemType"}], "E301", "Fact is missing"),
        ([{"Value": "46", "Type": "monetaryItemType"}], "E301", "Fact is missing"),
        ({"result": [fact("46")]}, "E304", "must be a list, found an object"),
        ({}, "E304", "must be a list, found an object"),
        ('```json\n{"result": []}\n```', "E305", "found a string that holds one"),
        ('[{"Fact": "46"}]', "E305", "found a string that holds one"),
        ("none", "E302", "found a string"),
        (None, "E302", "found null"),
        (["46"], "E302", "Fact 1 must be an object, found a string"),
        ([fact(" ")], "E303", '"Fact" is blank'),
        ([fact("4" * 20_001)], "E403", "20001 characters, 20000 at most"),
    ],
)
def test_refused_with_the_fix(facts: Any, code: str, says: str) -> None:
    problem = the_problem(checked(facts)) if code != "E301" else next(iter(checked(facts).problems))
    assert problem.code == code
    assert says in problem.message
    assert problem.hint or problem.expected


def test_hints() -> None:
    assert (
        the_problem(checked([fact("4", "monetaryitemtype")])).hint
        == 'Write it exactly as "monetaryItemType".'
    )
    assert the_problem(checked({"result": []})).hint.startswith('Send the list inside "result" itself')
    first = next(iter(checked([{"fact": "46", "Type": "monetaryItemType"}]).problems))
    assert first.hint == 'Rename "fact" to "Fact".'


@pytest.mark.parametrize("text", ["1,234", "$ 46", "12.5%", "(500)", "500)"])
def test_unclean_facts_raise_one_warning(text: str) -> None:
    found = checked([fact(text), fact(text + "0")])
    assert found.run is not None
    assert codes(found) == ["W507"]
    assert "and 1 more" in next(iter(found.problems)).message


def test_invisible_characters_and_unused_fields_are_warnings() -> None:
    assert codes(checked([fact("4\u200b")])) == ["W503"]
    assert codes(checked([{**fact("4"), "Tag": "us-gaap:Assets"}])) == ["W501"]
    assert codes(checked([])) == []


def test_items_and_gold_are_checked() -> None:
    assert items_refused(KIND, [{"id": "0", "context": "…", "structure": "list"}])
    assert "not one of" in gold_refused(KIND, ITEMS, [{"id": "0", "facts": [fact("1", "number")]}])[0]


def test_numbers_of_a_context() -> None:
    text = '<td width="40">$ 1,234.5</td> in 2024 (or 4.9 %), B2B, 1.234 and 1,234.5'
    assert list(numbers_in(text)) == ["1234.5", "2024", "4.9", "1.234"]


FACTS = st.lists(
    st.builds(fact, st.sampled_from(["1", "2", "—", "三"]), st.sampled_from(TYPES[:2])), max_size=5
)


@given(st.lists(st.tuples(FACTS, FACTS), min_size=1, max_size=6))
def test_laws(pairs: list[tuple[Any, Any]]) -> None:
    precision, recall, f1 = scores(*pairs)
    assert 0 <= f1 <= 1
    if any(gold for gold, _ in pairs) and any(run for _, run in pairs):
        assert scores(*((run, gold) for gold, run in pairs)) == (recall, precision, f1)
    assert scores(*((gold, gold) for gold, _ in pairs)) == (1, 1, 1)
    assert scores(*reversed(pairs)) == (precision, recall, f1)


def real_golds() -> list[Any]:
    with shared_path("data/fintagging/FinNI-eval-subset.csv").open(encoding="utf-8", newline="") as source:
        return [json.loads(row["answer"])["result"] for row in csv.DictReader(source)]


def real(change: Any) -> tuple[Any, dict[str, float]]:
    """(hits, predicted, gold) and scores when gold edited by `change` is the run."""
    golds = real_golds()
    assert len(golds) == 200
    assert sum(not gold for gold in golds) == 84
    report = report_of(*((gold, change(gold)) for gold in golds))
    return tuple(map(sum, zip(*report.tallies.values(), strict=True))), report.scores


def test_the_real_subset_with_every_type_monetary() -> None:
    totals, found = real(lambda gold: [fact(one["Fact"]) for one in gold])
    assert totals == (1936, 2143, 2145)
    assert round(found["f1"], 6) == 0.902985


def test_the_real_subset_with_every_other_fact() -> None:
    totals, found = real(lambda gold: gold[::2])
    assert totals[0] == 1140
    assert round(found["f1"], 6) == 0.694064


def test_the_real_subset_with_no_facts_and_with_gold() -> None:
    assert real(lambda gold: [])[1]["f1"] == 0
    assert real(lambda gold: gold)[1] == {"f1": 1, "precision": 1, "recall": 1}


def test_a_bomb_of_a_name_costs_no_more_than_its_length() -> None:
    """Marks of two classes, in the order that takes longest to put right."""
    bomb = "a" + 25_000 * "\u0315" + 25_000 * "\u0300"
    started = time.process_time()
    assert codes(checked([{bomb: 1, "Type": "monetaryItemType"}])) == ["E301", "W501"]
    assert time.process_time() - started < 1
