"""Multiple choice: letters in many forms, options per item, real run files."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoring.checks import check_items, check_run
from scoring.tracks import get_kind
from tests.support.kinds import check, gold_refused, items_refused, read_items, score, the_problem
from tests.support.shared import shared_path

ITEM = {"id": "q", "question": "which?", "options": {"A": "one", "B": "two", "C": "three"}}


def one(prediction: Any) -> list[Any]:
    return [{"id": "q", "prediction": prediction}]


@pytest.mark.parametrize("form", ["B", "b", " B ", "\uff22", "\uff42", "\u3000B"])
def test_letters_count_after_nfkc_trim_and_upper(form: str) -> None:
    assert score("multiple_choice", [ITEM], [{"id": "q", "answer": "B"}], one(form)).scores == {"accuracy": 1}


@pytest.mark.parametrize("form", ["B.", "(B)", "b)", "【B】", "B、"])
def test_a_dressed_letter_is_refused_with_the_letter_alone(form: str) -> None:
    problem = the_problem(check("multiple_choice", [ITEM], one(form)))
    assert problem.code == "E402"
    assert problem.expected == "one of A, B, C"
    assert problem.hint == 'Write the letter alone: "B".'


@pytest.mark.parametrize("form", ["D", "two", "AB", "", "  ", "Б", "β", "ب", "बी", "二", "B" * 30_000])
def test_a_letter_the_item_does_not_offer_is_refused(form: str) -> None:
    problem = the_problem(check("multiple_choice", [ITEM], one(form)))
    assert problem.code == "E402"
    assert problem.hint
    assert "B" * 200 not in problem.message


@pytest.mark.parametrize("value", [1, True, None, ["B"], {"B": 1}])
def test_a_letter_is_a_string(value: Any) -> None:
    assert the_problem(check("multiple_choice", [ITEM], one(value))).code == "E302"


def test_options_and_gold_are_checked() -> None:
    assert "two or more options" in items_refused("multiple_choice", [{**ITEM, "options": {"A": "x"}}])[0]
    assert (
        "capital letter" in items_refused("multiple_choice", [{**ITEM, "options": {"a": "x", "b": "y"}}])[0]
    )
    assert "is not one of" in gold_refused("multiple_choice", [ITEM], [{"id": "q", "answer": "D"}])[0]


def test_slices_confusion_and_chance() -> None:
    example = get_kind("multiple_choice").example
    report = score("multiple_choice", example["items"], example["gold"], example["run"])
    assert report.scores["accuracy"] == pytest.approx(2 / 3)
    assert {name: cell["accuracy"] for name, cell in report.breakdowns["language"].items()} == {
        "en": 1.0,
        "zh": 0.0,
        "ar": 1.0,
    }
    assert report.diagnostics["confusion"] == {
        "labels": ["B", "C", "A"],
        "rows": [[1, 0, 1], [0, 1, 0], [0, 0, 0]],
    }
    kind = get_kind("multiple_choice")
    chance = kind.chance(read_items("multiple_choice", example["items"]))
    assert chance == pytest.approx((1 / 3 + 1 / 2 + 1 / 4) / 3)


@given(st.lists(st.tuples(st.sampled_from("ABC"), st.sampled_from("ABC")), min_size=1, max_size=30))
def test_accuracy_is_the_share_of_right_letters(pairs: list[tuple[str, str]]) -> None:
    items = [{**ITEM, "id": str(n)} for n in range(len(pairs))]
    gold = [{"id": str(n), "answer": pair[0]} for n, pair in enumerate(pairs)]
    run = [{"id": str(n), "prediction": pair[1]} for n, pair in enumerate(pairs)]
    report = score("multiple_choice", items, gold, run)
    assert report.scores["accuracy"] == sum(a == b for a, b in pairs) / len(pairs)
    assert (report.scores["accuracy"] == 1) == all(a == b for a, b in pairs)


@pytest.mark.parametrize("system", ["random", "small_qwen_zero_shot"])
@pytest.mark.parametrize(
    ("language", "items"),
    [
        ("arabic", "arabic_task1_final_public"),
        ("chinese", "chinese_task1_final_public"),
        ("english", "english_task1_final_public"),
        ("hindi", "hindi_mcq_100_public"),
    ],
)
def test_real_runs_pass_the_check(system: str, language: str, items: str) -> None:
    kind = get_kind("multiple_choice")
    read = check_items(kind, shared_path(f"data/finmmeval_task1/{items}.jsonl").read_bytes())
    assert read.items is not None
    run = shared_path(f"data/finmmeval_task1/{system}_{language}_submission.jsonl").read_bytes()
    checked = check_run(kind, read.items, run)
    assert checked.run is not None, [problem.message for problem in checked.problems]
    assert checked.problems.totals == {}
