"""Tagging end to end: exact triplets, macro over concepts, what is lost at which stage."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support.kinds import check, codes, gold_refused, score, the_problem

KIND = "tagging"
TAXONOMY = "concept\tlabel\nus-gaap:Revenues\t…\nus-gaap:Assets\t…\n"


def fact(text: str, tag: str, type_name: str = "monetaryItemType") -> dict[str, str]:
    return {"Fact": text, "Type": type_name, "Tag": tag}


def report_of(*pairs: tuple[Any, Any]) -> Any:
    items = [{"id": str(n), "context": "…", "structure": "text"} for n in range(len(pairs))]
    gold = [{"id": str(n), "facts": pair[0]} for n, pair in enumerate(pairs)]
    run = [
        {"id": str(n), "invalid": "format"} if pair[1] is None else {"id": str(n), "facts": pair[1]}
        for n, pair in enumerate(pairs)
    ]
    return score(KIND, items, gold, run)


def test_macro_is_the_mean_over_concepts_and_micro_pools_triplets() -> None:
    """A: 2 of 2 right; B: 0 of 1, answered as C. Worked out by hand."""
    gold = [fact("1", "x:A"), fact("2", "x:A"), fact("3", "x:B")]
    run = [fact("1", "x:A"), fact("2", "x:A"), fact("3", "x:C")]
    assert report_of((gold, run)).scores == pytest.approx(
        {
            "macro_f1": 1 / 3,
            "macro_precision": 1 / 3,
            "macro_recall": 1 / 3,
            "micro_f1": 2 / 3,
            "micro_precision": 2 / 3,
            "micro_recall": 2 / 3,
        }
    )


def test_every_part_of_a_triplet_counts() -> None:
    gold = [fact("1", "x:A")]
    for wrong in (fact("2", "x:A"), fact("1", "x:B"), fact("1", "x:A", "sharesItemType")):
        assert set(report_of((gold, [wrong])).scores.values()) == {0}


def test_nothing_on_both_sides_is_nought() -> None:
    assert set(report_of(([], [])).scores.values()) == {0}


def test_micro_precision_is_the_pipelines_accuracy_and_stages_show_the_loss() -> None:
    gold = [fact("1", "x:A"), fact("2", "x:B"), fact("3", "x:C"), fact("4", "x:D")]
    run = [fact("1", "x:A"), fact("2", "x:X"), fact("3", "x:C", "sharesItemType"), fact("9", "x:D")]
    report = report_of((gold, run))
    assert report.scores["micro_precision"] == 0.25
    assert [row[:2] for row in report.diagnostics["stages"]["rows"]] == [
        ["Fact", 0.75],
        ["Fact, Type", 0.5],
        ["Fact, Type, Tag", 0.25],
    ]


def test_bands_of_gold_frequency_and_types() -> None:
    gold = [fact(str(n), "x:Head") for n in range(5)] + [fact("7", "x:Tail", "sharesItemType")]
    found = report_of((gold, gold[:5])).breakdowns
    assert {name: cell["macro_recall"] for name, cell in found["gold_frequency"].items()} == {
        "head": 1,
        "tail": 0,
    }
    assert {name: cell["micro_f1"] for name, cell in found["Type"].items()} == {
        "monetaryItemType": 1,
        "sharesItemType": 0,
    }


def test_an_invalid_answer_counts_as_nothing() -> None:
    gold = [fact("1", "x:A")]
    assert report_of((gold, gold), (gold, None)).scores == report_of((gold, gold), (gold, [])).scores


ITEMS = [{"id": "0", "context": "…"}]


def checked(facts: Any, **options: str) -> Any:
    return check(KIND, ITEMS, [{"id": "0", "facts": facts}], **options)


def test_tags_are_checked_as_concepts() -> None:
    assert the_problem(checked([{"Fact": "1", "Type": "sharesItemType"}])).code == "E301"
    assert the_problem(checked([fact("1", "Revenues")])).code == "E408"
    problem = the_problem(checked([fact("1", "revenues")], taxonomy=TAXONOMY))
    assert problem.hint == 'Did you mean "us-gaap:Revenues"? Prefix, colon and case count.'
    assert codes(checked([fact("1", "us-gaap:Sales")], taxonomy=TAXONOMY)) == ["W506"]
    assert the_problem(checked([fact("1", "x:A", "SharesItemType")])).code == "E401"
    assert gold_refused(KIND, ITEMS, [{"id": "0", "facts": [fact("1", "Revenues")]}])


FACTS = st.lists(
    st.builds(fact, st.sampled_from("123"), st.sampled_from(["x:A", "x:B", "x:売上"])), max_size=5
)


@given(st.lists(st.tuples(FACTS, FACTS), min_size=1, max_size=6))
def test_laws(pairs: list[tuple[Any, Any]]) -> None:
    found = report_of(*pairs).scores
    assert all(0 <= value <= 1 for value in found.values())
    swapped = report_of(*((run, gold) for gold, run in pairs)).scores
    assert swapped["macro_precision"] == pytest.approx(found["macro_recall"])
    assert swapped["micro_recall"] == pytest.approx(found["micro_precision"])
    assert report_of(*reversed(pairs)).scores == found
    if any(gold for gold, _ in pairs):
        assert set(report_of(*((gold, gold) for gold, _ in pairs)).scores.values()) == {1}
