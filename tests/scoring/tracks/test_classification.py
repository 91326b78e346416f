"""Classification: closed lists compared exactly, macro-F1 over labels in gold or run."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoring.tracks import get_kind
from tests.support.kinds import check, gold_refused, items_refused, read_items, score, the_problem

LABELS = ["up", "down", "上昇", "άνοδος", "صعود"]


def track(pairs: list[tuple[str, Any]]) -> tuple[list[Any], list[Any], list[Any]]:
    """(gold label, answered label or None for invalid) → items, gold, run."""
    items = [{"id": str(n), "labels": LABELS} for n in range(len(pairs))]
    gold = [{"id": str(n), "label": pair[0]} for n, pair in enumerate(pairs)]
    run = [
        {"id": str(n), "invalid": "format"} if pair[1] is None else {"id": str(n), "label": pair[1]}
        for n, pair in enumerate(pairs)
    ]
    return items, gold, run


def test_macro_f1_goes_over_labels_in_gold_or_run() -> None:
    pairs = [("up", "up"), ("up", "up"), ("up", "down"), ("上昇", "上昇")]
    scores = score("classification", *track(pairs)).scores
    assert scores["accuracy"] == 0.75
    assert scores["macro_f1"] == pytest.approx((0.8 + 0 + 1) / 3)


def test_an_invalid_answer_is_wrong_and_adds_no_label() -> None:
    scores = score("classification", *track([("up", "up"), ("down", None)])).scores
    assert scores == {"accuracy": 0.5, "macro_f1": 0.5}


@pytest.mark.parametrize("label", ["Up", " up", "up ", "UP", "\uff55\uff50"])
def test_case_and_space_are_hinted_at(label: str) -> None:
    items, _, _ = track([("up", "up")])
    problem = the_problem(check("classification", items, [{"id": "0", "label": label}]))
    assert problem.code == "E401"
    assert problem.hint == 'Write it exactly as "up": case and spaces count.'


def test_an_unlisted_label_names_the_list() -> None:
    items, _, _ = track([("up", "up")])
    problem = the_problem(check("classification", items, [{"id": "0", "label": "sideways"}]))
    assert problem.code == "E401"
    assert problem.message.startswith('The label "sideways" is not one of: "up", "down", "上昇"')
    assert problem.hint is None


def test_items_and_gold_are_checked() -> None:
    for labels in ([], ["a"], ["a", "a"], ["a", ""], ["a", 1]):
        assert "different, non-blank" in items_refused("classification", [{"id": "0", "labels": labels}])[0]
    items, _, _ = track([("up", "up")])
    assert "is not one of" in gold_refused("classification", items, [{"id": "0", "label": "sideways"}])[0]


def test_chance_is_the_mean_over_lists() -> None:
    items = [{"id": "a", "labels": ["x", "y"]}, {"id": "b", "labels": ["x", "y", "z", "w"]}]
    assert get_kind("classification").chance(read_items("classification", items)) == 0.375


def test_many_labels_share_a_last_row() -> None:
    labels = [f"label {n:02}" for n in range(30)]
    items = [{"id": label, "labels": labels} for label in labels]
    same = [{"id": label, "label": label} for label in labels]
    confusion = score("classification", items, same, same).diagnostics["confusion"]
    assert confusion["labels"][-1] == "(other)"
    assert len(confusion["rows"]) == 20
    assert sum(map(sum, confusion["rows"])) == 30
    assert confusion["rows"][-1][-1] == 11


@given(
    st.lists(st.tuples(st.sampled_from(LABELS), st.sampled_from([*LABELS, None])), min_size=1, max_size=30)
)
def test_bounds_and_perfection(pairs: list[tuple[str, Any]]) -> None:
    scores = score("classification", *track(pairs)).scores
    assert all(0 <= value <= 1 for value in scores.values())
    perfect = all(gold == label for gold, label in pairs)
    assert (scores["accuracy"] == 1) == perfect == (scores["macro_f1"] == 1)
