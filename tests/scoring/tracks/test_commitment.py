"""Commitment: spellings of five labels, the 5×5 confusion and how near the errors are."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoring.checks import check_run
from scoring.tracks import get_kind
from scoring.tracks.commitment import SCALE
from tests.support.kinds import check, gold_refused, read_items, score, the_problem

ITEM = {"id": "q", "question": "増配しますか。", "answer": "前向きに検討します。"}

ACCEPTED = [
    *((label, label) for label in SCALE),
    (2, "+2"),
    (1, "+1"),
    (0, "0"),
    (-1, "-1"),
    (-2, "-2"),
    ("1", "+1"),
    ("2", "+2"),
    ("\uff0b1", "+1"),
    ("\uff0b\uff12", "+2"),
    ("\u22121", "-1"),
    ("\uff0d2", "-2"),
    (" +1\u3000", "+1"),
    ("\uff10", "0"),
]


@pytest.mark.parametrize(("value", "label"), ACCEPTED)
def test_spellings_of_the_rule(value: Any, label: str) -> None:
    report = score("commitment", [ITEM], [{"id": "q", "label": label}], [{"id": "q", "label": value}])
    assert report.scores == {"accuracy": 1.0, "macro_f1": 1.0}


@pytest.mark.parametrize(
    "value",
    ["-0", "+0", "\u22120", "3", "+3", "", " ", "1.0", "++1", "+ 1", "one", "一", "1" * 25_000, 3, -3],
)
def test_other_texts_and_numbers_are_off_the_scale(value: Any) -> None:
    problem = the_problem(check("commitment", [ITEM], [{"id": "q", "label": value}]))
    assert problem.code == "E401"
    assert problem.expected == "one of +2, +1, 0, -1, -2"


def test_zero_has_no_sign() -> None:
    assert (
        the_problem(check("commitment", [ITEM], [{"id": "q", "label": "-0"}])).hint
        == 'Zero has no sign: "0".'
    )


@pytest.mark.parametrize("value", [1.0, -2.0, 0.5, True, False, None, ["+1"], {"label": "+1"}])
def test_other_types_are_refused(value: Any) -> None:
    assert the_problem(check("commitment", [ITEM], [{"id": "q", "label": value}])).code == "E302"


def test_a_decimal_point_is_named() -> None:
    checked = check_run(
        get_kind("commitment"), read_items("commitment", [ITEM]), b'{"id": "q", "label": 1.0}\n'
    )
    assert the_problem(checked).hint == "Write it without a decimal point: 1."


def test_gold_follows_the_same_rule() -> None:
    assert "is not one of" in gold_refused("commitment", [ITEM], [{"id": "q", "label": "+3"}])[0]


def track(pairs: list[tuple[str, str]]) -> tuple[list[Any], list[Any], list[Any]]:
    items = [{**ITEM, "id": str(n)} for n in range(len(pairs))]
    gold = [{"id": str(n), "label": pair[0]} for n, pair in enumerate(pairs)]
    return items, gold, [{"id": str(n), "label": pair[1]} for n, pair in enumerate(pairs)]


def test_diagnostics() -> None:
    pairs = [("+2", "+2"), ("+2", "+1"), ("0", "+1"), ("-1", "+1"), ("-2", "-2")]
    items, gold, run = track(pairs)
    run[3] = {"id": "3", "invalid": "refused"}
    found = score("commitment", items, gold, run).diagnostics
    assert found["confusion"] == {
        "labels": ["+2", "+1", "0", "-1", "-2"],
        "rows": [[1, 1, 0, 0, 0], [0, 0, 0, 0, 0], [0, 1, 0, 0, 0], [0, 0, 0, 0, 0], [0, 0, 0, 0, 1]],
    }
    assert found["adjacent_errors"] == 1.0
    assert found["mean_commitment"]["rows"] == [["gold", 0.5], ["run", 0.5]]
    assert found["label_distribution"]["rows"][1] == ["+1", 2, 0.5]
    assert found["invalid_rate"] == 0.2


def test_errors_two_steps_away_are_not_near() -> None:
    found = score("commitment", *track([("0", "+2"), ("0", "-1"), ("-2", "+2"), ("+1", "+1")])).diagnostics
    assert found["adjacent_errors"] == pytest.approx(1 / 3)


def test_no_error_has_no_share_of_near_errors() -> None:
    assert score("commitment", *track([("0", "0")])).diagnostics["adjacent_errors"] is None


def test_chance_is_a_fifth() -> None:
    assert get_kind("commitment").chance(read_items("commitment", [ITEM])) == 0.2


@given(st.lists(st.tuples(st.sampled_from(SCALE), st.sampled_from(SCALE)), min_size=1, max_size=40))
def test_bounds_and_perfection(pairs: list[tuple[str, str]]) -> None:
    report = score("commitment", *track(pairs))
    assert all(0 <= value <= 1 for value in report.scores.values())
    assert (report.scores["macro_f1"] == 1) == all(gold == label for gold, label in pairs)
    assert sum(map(sum, report.diagnostics["confusion"]["rows"])) == len(pairs)
