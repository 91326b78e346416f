"""Ranked lists: HitRate and recall at K, repeats, short and empty lists."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoring.options import BadOption, read_options
from scoring.tracks import get_kind
from tests.support.kinds import check, codes, gold_refused, items_refused, score, the_problem

TAXONOMY = "concept\ttype\nus-gaap:Revenues\tmonetaryItemType\nus-gaap:Assets\tmonetaryItemType\n"


def track(pairs: list[tuple[list[str], Any]]) -> tuple[list[Any], list[Any], list[Any]]:
    """(gold names, ranking) → items, gold, run."""
    items = [{"id": str(n)} for n in range(len(pairs))]
    gold = [{"id": str(n), "answers": pair[0]} for n, pair in enumerate(pairs)]
    return items, gold, [{"id": str(n), "ranking": pair[1]} for n, pair in enumerate(pairs)]


def scores(pairs: list[tuple[list[str], Any]], k: str = "1,5,10") -> dict[str, float]:
    return score("ranked_list", *track(pairs), k=k).scores


def test_the_largest_k_ranks() -> None:
    kind = get_kind("ranked_list")
    options = read_options(kind, {"k": "5,1,200,20"})
    assert kind.primary_for(options).key == "hit_rate_200"
    assert list(scores([(["a"], ["a"])], "20,5")) == ["hit_rate_20", "hit_rate_5", "recall_5", "recall_20"]
    report = score("ranked_list", *track([(["a"], ["a"])]), k="20,5")
    assert report.signature == "ranked_list.1|m:hit_rate_20|agg:item-mean|k:5,20|gold:local|n:1"


def test_hit_rate_is_one_hit_and_recall_a_share() -> None:
    found = scores([(["営業収益", "إيرادات"], ["資産", "営業収益", "έσοδα", "إيرادات"])], "1,2,3,4")
    assert [found[f"hit_rate_{k}"] for k in (1, 2, 3, 4)] == [0, 1, 1, 1]
    assert [found[f"recall_{k}"] for k in (1, 2, 3, 4)] == [0, 0.5, 0.5, 1]


def test_position_k_counts_and_k_plus_one_does_not() -> None:
    names = [f"c{n}" for n in range(1, 8)]
    found = scores([(["c5"], names), (["c6"], names)], "4,5,6")
    assert [found[f"hit_rate_{k}"] for k in (4, 5, 6)] == [0, 0.5, 1]


def test_a_repeat_counts_at_its_first_position_with_a_warning() -> None:
    items, gold, run = track([(["b"], ["a", "a", "a", "b"])])
    problem = the_problem(check("ranked_list", items, run))
    assert problem.code == "W504"
    assert '"a" stands 3 times' in problem.message
    assert score("ranked_list", items, gold, run, k="2").scores["hit_rate_2"] == 1


def test_an_empty_list_is_a_miss_with_a_warning() -> None:
    items, gold, run = track([(["a"], []), (["a"], ["a"])])
    assert the_problem(check("ranked_list", items, run)).code == "W505"
    report = score("ranked_list", items, gold, run)
    assert report.scores["hit_rate_1"] == 0.5
    assert report.diagnostics["empty_rate"] == 0.5


@pytest.mark.parametrize(
    ("ranking", "code"),
    [
        ("a", "E302"),
        ({"a": 1}, "E302"),
        (None, "E302"),
        (["a", 1], "E302"),
        (["a", ["b"]], "E302"),
        (["a", " "], "E303"),
        (["x" * 20_001], "E403"),
        (["a\u200b"], "W503"),
    ],
)
def test_what_a_ranking_may_hold(ranking: Any, code: str) -> None:
    items, _, run = track([(["a"], ranking)])
    assert the_problem(check("ranked_list", items, run)).code == code


@pytest.mark.parametrize(
    "name",
    [
        "Revenues",
        "us-gaap_Revenues",
        "US-GAAP:Revenues",
        "us-gaap:revenues",
        "usgaap:Revenues",
        "us-gaap: Revenues",
    ],
)
def test_a_taxonomy_refuses_loose_spellings_with_the_fix(name: str) -> None:
    items, _, run = track([(["a"], [name])])
    problem = the_problem(check("ranked_list", items, run, taxonomy=TAXONOMY))
    assert problem.code == "E408"
    assert problem.hint is not None
    assert '"us-gaap:Revenues"' in problem.hint


def test_a_name_outside_the_taxonomy_is_a_warning_each_time() -> None:
    items, _, run = track([(["a"], ["us-gaap:Cash"]), (["a"], ["us-gaap:Cash", "us-gaap:Assets"])])
    assert codes(check("ranked_list", items, run, taxonomy=TAXONOMY)) == ["W506", "W506"]


def test_candidates_are_known_names() -> None:
    items = [{"id": "0", "candidates": ["Net sales", "Cost of sales"]}]
    checked = check("ranked_list", items, [{"id": "0", "ranking": ["net Sales", "Other income"]}])
    assert the_problem(checked).hint == 'Did you mean "Net sales"? Prefix, colon and case count.'


def test_items_and_gold_are_checked() -> None:
    assert items_refused("ranked_list", [{"id": "0", "candidates": ["a", "a"]}])
    for answers in ([], [""], [1]):
        assert gold_refused("ranked_list", [{"id": "0"}], [{"id": "0", "answers": answers}])


@pytest.mark.parametrize("k", ["0", "-1", "a", "1,,2", "", "1.5", ",".join(map(str, range(1, 40)))])
def test_a_k_that_is_none(k: str) -> None:
    with pytest.raises(BadOption, match="k cannot be"):
        read_options(get_kind("ranked_list"), {"k": k})


NAMES = st.lists(st.sampled_from("abcdefg"), max_size=9)


@given(st.lists(st.tuples(st.sets(st.sampled_from("abcdefg"), min_size=1), NAMES), min_size=1, max_size=8))
def test_laws(pairs: list[tuple[set[str], list[str]]]) -> None:
    found = scores([(sorted(gold), ranking) for gold, ranking in pairs], "1,2,4,9")
    assert all(0 <= value <= 1 for value in found.values())
    for below, above in ((1, 2), (2, 4), (4, 9)):
        assert found[f"hit_rate_{below}"] <= found[f"hit_rate_{above}"]
        assert found[f"recall_{below}"] <= found[f"recall_{above}"]
    for k in (1, 2, 4, 9):
        assert found[f"recall_{k}"] <= found[f"hit_rate_{k}"]
    perfect = scores([(sorted(gold), sorted(gold)) for gold, _ in pairs], "9")
    assert perfect == {"hit_rate_9": 1, "recall_9": 1}
