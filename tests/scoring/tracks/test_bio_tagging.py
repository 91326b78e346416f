"""BIO tagging: tokens without O, lenient spans, lengths, labels out of line."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoring.metrics.spans import spans_of
from tests.support.kinds import check, codes, gold_refused, items_refused, score, the_problem

KIND = "bio_tagging"


def report_of(*pairs: tuple[str, str | None]) -> Any:
    """(gold labels, answered labels or None for invalid), labels separated by spaces → report."""
    items = [{"id": str(n), "tokens": pair[0].split()} for n, pair in enumerate(pairs)]
    gold = [{"id": str(n), "labels": pair[0].split()} for n, pair in enumerate(pairs)]
    run = [
        {"id": str(n), "invalid": "format"} if pair[1] is None else {"id": str(n), "labels": pair[1].split()}
        for n, pair in enumerate(pairs)
    ]
    return score(KIND, items, gold, run)


def test_worked_example_of_a_span_cut_short() -> None:
    found = report_of(("B-A I-A O B-B", "B-A O O B-B")).scores
    assert [round(found[f"micro_{key}"], 4) for key in ("precision", "recall", "f1")] == [1, 0.6667, 0.8]
    assert round(found["macro_f1"], 4) == 0.6667
    assert (found["span_micro_f1"], found["span_macro_f1"]) == (0.5, 0.5)


def test_worked_example_of_a_span_too_many() -> None:
    found = report_of(("B-A O", "B-A B-C")).scores
    assert [round(found[f"micro_{key}"], 4) for key in ("precision", "recall", "f1")] == [0.5, 1, 0.6667]
    assert found["macro_f1"] == 0.5


def test_all_outside_on_both_sides_is_nought() -> None:
    assert set(report_of(("O O", "O O")).scores.values()) == {0}


def test_an_invalid_answer_has_no_labels() -> None:
    assert report_of(("B-A O", None)).scores == report_of(("B-A O", "O O")).scores


@pytest.mark.parametrize(
    ("labels", "spans"),
    [
        ("B-A I-A O B-A", [("A", 0, 2), ("A", 3, 4)]),
        ("I-A I-A", [("A", 0, 2)]),
        ("B-A B-A", [("A", 0, 1), ("A", 1, 2)]),
        ("B-A I-B I-B", [("A", 0, 1), ("B", 1, 3)]),
        ("O I-A O", [("A", 1, 2)]),
        ("B-us-gaap:A I-us-gaap:A", [("us-gaap:A", 0, 2)]),
        ("", []),
    ],
)
def test_spans_are_read_leniently(labels: str, spans: list[Any]) -> None:
    assert spans_of(labels.split()) == spans


ITEMS = [{"id": "0", "tokens": ["売上高", "46"]}]


def checked(labels: Any, **options: str) -> Any:
    return check(KIND, ITEMS, [{"id": "0", "labels": labels}], **options)


@pytest.mark.parametrize(
    ("labels", "code"),
    [
        (["O"], "E409"),
        (["O", "O", "O"], "E409"),
        ([], "E409"),
        ("O O", "E302"),
        (["O", 1], "E302"),
        (["O", None], "E302"),
        (["O", "o"], "E401"),
        (["O", "0"], "E401"),
        (["O", ""], "E401"),
        (["O", "B-"], "E401"),
        (["O", "b-x:A"], "E401"),
        (["O", "S-x:A"], "E401"),
        (["O", "B_x:A"], "E401"),
        (["O", "B-us-gaap_A"], "E408"),
        (["O", "I-x:A"], "W508"),
    ],
)
def test_what_labels_may_hold(labels: Any, code: str) -> None:
    assert the_problem(checked(labels)).code == code


def test_a_stray_i_counts_as_it_is() -> None:
    found = report_of(("B-A O", "I-A O"))
    assert found.scores["micro_f1"] == 0
    assert found.scores["span_micro_f1"] == 1
    assert found.counts["codes"] == {"W508": 1}


def test_concepts_are_checked_against_a_taxonomy() -> None:
    taxonomy = "concept\nus-gaap:Assets\n"
    assert codes(checked(["B-us-gaap:Assets", "I-us-gaap:Assets"], taxonomy=taxonomy)) == []
    assert codes(checked(["B-us-gaap:Sales", "O"], taxonomy=taxonomy)) == ["W506"]
    assert codes(checked(["B-Assets", "O"], taxonomy=taxonomy)) == ["E408"]


def test_items_and_gold_are_checked() -> None:
    for tokens in ([], [""], [1]):
        assert items_refused(KIND, [{"id": "0", "tokens": tokens}])
    assert gold_refused(KIND, ITEMS, [{"id": "0", "labels": ["O"]}])
    assert gold_refused(KIND, ITEMS, [{"id": "0", "labels": ["O", "X"]}])


LABEL = st.sampled_from(["O", "B-A", "I-A", "B-B", "I-B"])
ROWS = st.lists(st.tuples(LABEL, LABEL), min_size=1, max_size=8).map(
    lambda pairs: (" ".join(pair[0] for pair in pairs), " ".join(pair[1] for pair in pairs))
)


@given(st.lists(ROWS, min_size=1, max_size=5))
def test_laws(rows: list[tuple[str, str]]) -> None:
    found = report_of(*rows).scores
    assert all(0 <= value <= 1 for value in found.values())
    swapped = report_of(*((run, gold) for gold, run in rows)).scores
    assert swapped["macro_recall"] == pytest.approx(found["macro_precision"])
    assert swapped["micro_precision"] == pytest.approx(found["micro_recall"])
    assert swapped["span_micro_f1"] == pytest.approx(found["span_micro_f1"])
    assert report_of(*reversed(rows)).scores == found
    if any("-" in gold for gold, _ in rows):
        assert set(report_of(*((gold, gold) for gold, _ in rows)).scores.values()) == {1}
