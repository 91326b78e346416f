"""Ids, fields and the strict protocol: which fault gets which code, and that all come together."""

from __future__ import annotations

import json
import time
from typing import Any

import pytest

from scoring.checks import CheckedRun, check_gold, check_items, check_run
from scoring.problems import KEPT, Problem
from scoring.records import Items
from scoring.tracks import get_kind

QA, LABELS = get_kind("short_answer"), get_kind("classification")


def as_lines(records: list[Any]) -> bytes:
    return "".join(json.dumps(record, ensure_ascii=False) + "\n" for record in records).encode()


def questions(*ids: str) -> Items:
    items = check_items(
        QA, as_lines([{"task_id": one, "tier": "easy", "question": "?"} for one in ids])
    ).items
    assert items is not None
    return items


def check(items: Items, *records: Any) -> CheckedRun:
    return check_run(QA, items, as_lines(list(records)))


def answer(item_id: Any, text: Any = "x", **more: Any) -> dict[str, Any]:
    return {"task_id": item_id, "answer": text, **more}


def only(checked: CheckedRun) -> Problem:
    (problem,) = checked.problems
    return problem


def test_a_bomb_of_an_id_costs_no_more_than_its_length() -> None:
    """Marks of two classes, in the order that takes longest to put right."""
    bomb = "a" + 25_000 * "\u0315" + 25_000 * "\u0300"
    started = time.process_time()
    checked = check(questions("q1"), answer("q1"), answer(bomb))
    assert time.process_time() - started < 1
    assert only(checked).code == "E207"


@pytest.mark.parametrize(
    ("item_id", "code", "shown"),
    [
        (" q1", "E203", '" q1"'),
        ("q1\u00a0", "E203", '"q1<U+00A0>"'),
        ("q\u200b1", "E204", '"q<U+200B>1"'),
        ("Q1", "E205", '"Q1"'),
        ("ｑ1", "E206", '"ｑ1"'),
    ],
)
def test_another_spelling_of_a_known_id_names_the_item_it_means(item_id: str, code: str, shown: str) -> None:
    """The item counts as sent, so it is not reported missing as well."""
    problem = only(check(questions("q1", "q2"), answer(item_id), answer("q2")))
    assert (problem.code, problem.line, problem.found, problem.expected) == (code, 1, shown, '"q1"')


@pytest.mark.parametrize(
    ("item_id", "shown"), [(101, "101"), (1.5, "1.5"), (True, "true"), (None, "null"), ([], "a list")]
)
def test_an_id_is_a_string(item_id: Any, shown: str) -> None:
    checked = check(questions("q1"), answer(item_id), answer("q1"))
    assert (only(checked).code, only(checked).found) == ("E202", shown)


def test_a_number_that_is_a_known_id_in_quotes_is_not_also_missing() -> None:
    problem = only(check(questions("101"), answer(101)))
    assert (problem.code, problem.hint) == ("E202", 'Write the id in double quotes: "101".')


def test_a_line_without_an_id_lists_the_fields_it_has() -> None:
    checked = check(questions("q1"), {"id": "q1", "answer": "x"}, answer("q1"))
    first = checked.problems.in_order()[0]
    assert (first.code, first.found) == ("E201", 'fields: "id", "answer"')


def test_an_unknown_id_suggests_the_nearest() -> None:
    checked = check(
        questions("easy_0001", "easy_0002"), answer("easy_0001"), answer("easy_0002"), answer("eazy_0002")
    )
    assert (only(checked).code, only(checked).hint) == ("E207", 'Did you mean "easy_0002"?')


def test_a_duplicate_names_both_lines() -> None:
    problem = only(check(questions("q1", "q2"), answer("q1"), answer("q2"), answer("q1", "y")))
    assert (problem.code, problem.line) == ("E208", 3)
    assert problem.hint == "Keep one of the lines 1 and 3."


def test_missing_items_have_no_line_and_say_how_many() -> None:
    checked = check(questions("q1", "q2", "q3"), answer("q2"))
    assert [(one.code, one.line, one.item_id) for one in checked.problems] == [
        ("E209", None, "q1"),
        ("E209", None, "q3"),
    ]
    assert "2 of 3 missing" in checked.problems.in_order()[0].message


def test_a_run_for_another_phase_hears_just_that() -> None:
    checked = check(questions("q1", "q2"), answer("a"), answer("b"), answer("c"))
    assert only(checked).code == "E210"


def test_everything_is_reported_at_once_in_line_order() -> None:
    """As in the case all-errors-at-once; the answer beside the bad id is looked at too."""
    checked = check(questions("q1", "q2", "q3", "q4"), answer("q1"), answer(" q2", " "), answer("q3", None))
    found = [(one.code, one.line) for one in checked.problems]
    assert found == [("E203", 2), ("E303", 2), ("E302", 3), ("E209", None)]
    assert checked.run is None
    assert checked.problems.errors == 4


def test_a_broken_line_whose_id_can_be_read_is_not_also_missing() -> None:
    content = as_lines([answer("q1")]) + b'{"task_id": "q2", "answer": "x"\n'
    checked = check_run(QA, questions("q1", "q2"), content)
    assert [one.line for one in checked.problems] == [2]


def test_a_missing_field_guesses_at_a_misnamed_one() -> None:
    checked = check(questions("q1"), {"task_id": "q1", "prediction": "x"})
    assert [one.code for one in checked.problems] == ["E301", "W501"]
    assert 'Is "prediction" meant to be "answer"' in str(checked.problems.in_order()[0].hint)


def test_an_unknown_field_is_a_warning() -> None:
    checked = check(questions("q1"), answer("q1", note="mine"))
    assert only(checked).severity == "warning"
    assert checked.run is not None


@pytest.mark.parametrize(
    ("value", "spoken"), [(None, "null"), (1, "a number (1)"), (True, "true or false"), ({}, "an object")]
)
def test_a_field_has_its_type(value: Any, spoken: str) -> None:
    problem = only(check(questions("q1"), answer("q1", value)))
    assert problem.code == "E302"
    assert f"found {spoken}" in problem.message


def test_reports_are_bounded_and_totals_are_not() -> None:
    names = [f"q{place}" for place in range(KEPT + 500)]
    checked = check(questions(*names), *(answer(name, None) for name in names))
    assert len(checked.problems.in_order()) == KEPT
    assert checked.problems.totals == {"E302": KEPT + 500}
    assert [one.line for one in checked.problems] == list(range(1, KEPT + 1))


def labelled(*records: dict[str, Any]) -> CheckedRun:
    items = check_items(LABELS, as_lines([{"id": "a", "labels": ["up", "down"]}])).items
    assert items is not None
    return check_run(LABELS, items, as_lines(list(records)))


@pytest.mark.parametrize("reason", ["request_failed", "budget_exhausted", "refused", "format"])
def test_an_item_may_be_sent_as_not_answered(reason: str) -> None:
    run = labelled({"id": "a", "invalid": reason}).run
    assert run is not None
    assert run.answers["a"].reason == reason


@pytest.mark.parametrize(
    ("record", "code"),
    [
        ({"id": "a", "invalid": "tired"}, "E411"),
        ({"id": "a", "invalid": ["format"]}, "E411"),
        ({"id": "a", "invalid": "format", "label": "up"}, "E306"),
    ],
)
def test_a_faulty_invalid_line_is_refused(record: dict[str, Any], code: str) -> None:
    assert only(labelled(record)).code == code


def test_short_answers_have_no_invalid() -> None:
    checked = check(questions("q1"), {"task_id": "q1", "invalid": "refused"})
    assert only(checked).code == "E412"


@pytest.mark.parametrize(
    ("records", "codes"),
    [
        ([{"task_id": "q1", "answer": "x"}], {"E602": 1}),
        ([{"task_id": one, "answer": "x"} for one in ("q1", "q2", "q3")], {"E601": 1}),
        ([{"task_id": one, "answer": "x"} for one in ("q1", "q2", "q1")], {"E604": 1}),
        ([{"task_id": "q1", "answer": "x"}, {"task_id": "q2", "excluded": True}], {"E603": 1}),
        (
            [{"task_id": name, "excluded": True, "reason": "x"} for name in ("q1", "q2")],
            {"E602": 1, "I903": 1},
        ),
        ([{"task_id": "q1", "answer": "x"}, {"task_id": "q2"}], {"E301": 1}),
        ([{"task_id": "q1", "answer": "x"}, {"task_id": " q2", "answer": "x"}], {"E203": 1, "E602": 1}),
    ],
)
def test_gold_has_one_reference_per_item(records: list[dict[str, Any]], codes: dict[str, int]) -> None:
    checked = check_gold(QA, questions("q1", "q2"), as_lines(records), file="gold_v2.jsonl")
    assert checked.gold is None
    assert checked.problems.totals == codes
    assert all(one.message.startswith("gold_v2.jsonl: ") for one in checked.problems)


def test_a_reference_is_not_proposed_as_a_field_of_an_item() -> None:
    gold = as_lines([{"task_id": "q1", "answer": "x"}])
    problems = check_items(QA, gold).problems.in_order()
    assert [one.code for one in problems] == ["E301", "E301"]
    assert not any("Rename" in (one.hint or "") for one in problems)


def test_an_excluded_item_is_answered_and_not_scored() -> None:
    items = questions("q1", "q2")
    records = [
        {"task_id": "q1", "answer": "x"},
        {"task_id": "q2", "excluded": True, "reason": "two readings"},
    ]
    checked = check_gold(QA, items, as_lines(records))
    assert checked.gold is not None
    assert set(checked.gold.references) == {"q1"}
    assert checked.gold.excluded == {"q2": "two readings"}
    assert checked.problems.totals == {"I903": 1}
    assert check(items, answer("q1")).problems.totals == {"E209": 1}


def test_items_have_ids_fit_to_be_compared() -> None:
    records = [
        {"task_id": one, "tier": "easy", "question": "?"} for one in ("q1", "q1", " q2", "q\u200b3", "", 4)
    ]
    checked = check_items(QA, as_lines(records))
    assert checked.items is None
    assert checked.problems.totals == {"E604": 1, "E203": 2, "E204": 1, "E202": 1}


def test_unknown_fields_of_items_are_kept() -> None:
    items = check_items(
        QA, as_lines([{"task_id": "q1", "tier": "easy", "question": "?", "sector": "ships"}])
    ).items
    assert items is not None
    assert items.records["q1"]["sector"] == "ships"
