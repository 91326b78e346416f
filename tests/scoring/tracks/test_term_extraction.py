"""Term extraction: the worked examples of tracks.md, maximal terms, white space, laws."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support.kinds import check, codes, gold_refused, score, the_problem

G1 = [["連結貸借対照表", "貸借対照表"], ["減損損失"]]


def track(pairs: list[tuple[Any, Any]]) -> tuple[list[Any], list[Any], list[Any]]:
    """(gold terms, answered terms or None for invalid) → items, gold, run."""
    items = [{"id": str(n), "note": "注記"} for n in range(len(pairs))]
    gold = [{"id": str(n), "terms": pair[0]} for n, pair in enumerate(pairs)]
    run = [
        {"id": str(n), "invalid": "format"} if pair[1] is None else {"id": str(n), "terms": pair[1]}
        for n, pair in enumerate(pairs)
    ]
    return items, gold, run


def scores(*pairs: tuple[Any, Any]) -> dict[str, float]:
    return score("term_extraction", *track(list(pairs))).scores


@pytest.mark.parametrize(
    ("pairs", "hit_rates", "f1", "f1_corpus_set"),
    [
        ([(G1, G1)], (0.3333, 1, 1), 1, 1),
        ([(G1, [["減損損失"], ["貸借対照表", "連結貸借対照表"]])], (0.3333, 1, 1), 1, 1),
        ([([], [["のれん"]]), (G1, G1)], (0.3333, 1, 1), 0.8, 0.8),
        ([([["減損損失"]], [["減損損失"]]), ([["減損損失"]], [])], (0.5, 0.5, 0.5), 0.6667, 1),
        ([(G1, [["貸借対照表"], ["減損損失"]])], (0.3333, 0.6667, 0.6667), 0.5, 0.5),
    ],
)
def test_worked_examples(
    pairs: list[tuple[Any, Any]], hit_rates: tuple[float, ...], f1: float, f1_corpus_set: float
) -> None:
    found = scores(*pairs)
    assert tuple(round(found[f"hit_rate_{k}"], 4) for k in (1, 5, 10)) == hit_rates
    assert round(found["f1"], 4) == f1
    assert round(found["f1_corpus_set"], 4) == f1_corpus_set


def test_nothing_on_both_sides_is_nought() -> None:
    assert set(scores(([], []), ([], [])).values()) == {0}


def test_items_without_gold_are_skipped_and_counted() -> None:
    report = score("term_extraction", *track([([], []), (G1, G1), ([], [["減損"]])]))
    assert report.diagnostics["skipped_items"] == 2
    assert report.scores["hit_rate_10"] == 1


def test_a_runs_maximal_term_is_the_longest_of_its_group() -> None:
    assert scores(([["貸借対照表"]], [["照表", "貸借対照表", "対照"]]))["f1"] == 1
    assert scores(([["固定資産"]], [["流動負債", "固定資産"]]))["f1"] == 0
    assert scores(([["固定資産"]], [["固定資産", "流動負債"]]))["f1"] == 1


def test_golds_maximal_term_is_the_first_of_its_group() -> None:
    assert scores(([["資産", "固定資産"]], [["資産"]]))["f1"] == 1


def test_terms_compare_without_white_space_and_without_folding() -> None:
    assert scores(([["ＥＢＩＴＤＡ 倍率"]], [["ＥＢＩＴＤＡ\u3000倍 率"]]))["f1"] == 1
    assert scores(([["ＥＢＩＴＤＡ"]], [["EBITDA"]]))["f1"] == 0
    assert scores(([["が"]], [["か\u3099"]]))["f1"] == 0


@pytest.mark.parametrize("term", ["goodwill", "υπεραξία", "商誉", "شهرة المحل", "साख"])
def test_five_scripts(term: str) -> None:
    assert scores(([[term]], [[term]]))["f1"] == 1
    assert scores(([[term]], [[term + term]]))["f1"] == 0


def test_hit_rate_within_maximal_terms() -> None:
    """As the paper's prose has it: each gold group against the run's group of the same maximal term."""
    report = score("term_extraction", *track([(G1, [["貸借対照表", "連結貸借対照表"], ["減損"]])]))
    rows = report.diagnostics["hit_curve"]["rows"]
    assert [row[2] for row in rows] == [pytest.approx(value) for value in (0.25, 0.5, 0.5)]
    assert [row[1] for row in rows] == [pytest.approx(value) for value in (1 / 3, 2 / 3, 2 / 3)]


def test_an_invalid_answer_counts_as_nothing() -> None:
    assert scores((G1, None), (G1, G1)) == scores((G1, []), (G1, G1))


def test_slices_and_scripts() -> None:
    report = score("term_extraction", *track([(G1, G1), ([["減損"]], [["リース資産"]])]))
    assert {name: cell["f1"] for name, cell in report.breakdowns["nesting"].items()} == {"2": 1, "1": 0}
    assert report.diagnostics["script_mix"]["rows"] == [["Han", 3, 0.75], ["Han + kana", 1, 0.25]]
    assert report.diagnostics["found_by_script"]["rows"] == [["Han", 4, 0.75]]


@pytest.mark.parametrize(
    ("terms", "code"),
    [
        ("減損", "E302"),
        (None, "E302"),
        (["減損"], "E302"),
        ([{"maximal": "減損"}], "E302"),
        ([["減損", 1]], "E302"),
        ([["減損", ["損"]]], "E302"),
        ([[]], "E307"),
        ([["減損"], []], "E307"),
        ([[""]], "E303"),
        ([["\u3000"]], "E303"),
        ([["損" * 20_001]], "E403"),
        ([["減損\u200b"]], "W503"),
        ([["減損", "減 損"]], "W504"),
    ],
)
def test_what_terms_may_hold(terms: Any, code: str) -> None:
    items, _, _ = track([(G1, [])])
    assert the_problem(check("term_extraction", items, [{"id": "0", "terms": terms}])).code == code


def test_an_empty_list_is_an_answer() -> None:
    items, _, run = track([(G1, [])])
    assert codes(check("term_extraction", items, run)) == []


def test_gold_is_checked() -> None:
    for terms in ([[]], [""], [[""]]):
        assert gold_refused("term_extraction", [{"id": "0", "note": "注記"}], [{"id": "0", "terms": terms}])


WORDS = st.sampled_from(["減損", "減損損失", "固定資産", "資産", "のれん"])
GROUPS = st.lists(st.lists(WORDS, min_size=1, max_size=3), max_size=4)


@given(st.lists(st.tuples(GROUPS, GROUPS), min_size=1, max_size=6))
def test_laws(pairs: list[tuple[Any, Any]]) -> None:
    found = scores(*pairs)
    assert all(0 <= value <= 1 for value in found.values())
    assert found["hit_rate_1"] <= found["hit_rate_5"] <= found["hit_rate_10"]
    assert scores(*reversed(pairs)) == found


@given(
    st.lists(
        st.lists(st.sets(WORDS, min_size=1).map(lambda group: sorted(group, key=len)[::-1]), max_size=4),
        min_size=1,
        max_size=5,
    )
)
def test_a_perfect_run_scores_one(golds: list[Any]) -> None:
    found = scores(*((gold, gold) for gold in golds))
    whole = 1 if any(golds) else 0
    assert {found[key] for key in ("f1", "precision", "recall", "f1_corpus_set", "hit_rate_10")} == {whole}
