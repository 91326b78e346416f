"""MultiFinGround T2a, T2b and T2c by worked examples (tracks.md), conditions, contrasts and laws."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoring.checks import CheckedRun, check_gold, check_items, check_run
from scoring.evaluate import evaluate
from scoring.tracks import get_kind


def as_lines(records: list[dict[str, Any]]) -> bytes:
    return "".join(json.dumps(record, ensure_ascii=False) + "\n" for record in records).encode()


def score(kind_name: str, items: list[Any], gold: list[Any], run: list[Any]) -> Any:
    kind = get_kind(kind_name)
    read = check_items(kind, as_lines(items))
    assert read.items is not None, [problem.message for problem in read.problems]
    references = check_gold(kind, read.items, as_lines(gold))
    assert references.gold is not None, [problem.message for problem in references.problems]
    checked = check_run(kind, read.items, as_lines(run))
    assert checked.run is not None, [problem.message for problem in checked.problems]
    return evaluate(kind, read.items, references.gold, checked.run, checked=checked)


def check(kind_name: str, items: list[Any], run: list[Any]) -> CheckedRun:
    kind = get_kind(kind_name)
    read = check_items(kind, as_lines(items)).items
    assert read is not None
    return check_run(kind, read, as_lines(run))


EXCERPTS = [
    {"excerpt": 1, "language": "en", "issuer": "Example plc", "text": "Inventories 120"},
    {"excerpt": 2, "language": "fr", "issuer": "Exemple SA", "text": "Stocks 98"},
    {"excerpt": 3, "language": "el", "issuer": "Παράδειγμα Α.Ε.", "text": "Αποθέματα 75"},
]


def choice(group: str, evidence: str = "joint", **more: Any) -> dict[str, Any]:
    name = "-".join([group, evidence, *map(str, more.values())])
    options = {"A": "Inventories", "B": "Goodwill", "C": "Provisions"}
    return {
        "id": name,
        "group": group,
        "evidence": evidence,
        "excerpts": EXCERPTS,
        "options": options,
        **more,
    }


def selection(item_id: str, concept: str, n: int, languages: str = "en fr el") -> dict[str, Any]:
    codes = languages.split()
    facts = [{"number": number, "language": codes[number % len(codes)]} for number in range(1, n + 1)]
    return {
        "id": item_id,
        "group": item_id,
        "evidence": "joint",
        "concept": concept,
        "excerpts": EXCERPTS,
        "facts": facts,
    }


def test_recognition_is_scored_over_the_primary_condition_and_contrasts_are_paired() -> None:
    items = [choice(group, evidence) for group in ("g1", "g2", "g3") for evidence in ("joint", "no_en")]
    items += [choice("g1", "joint", labels="C3"), choice("g1", "joint", labels="C1", option_set="hard4")]
    gold = [{"id": item["id"], "option": "A"} for item in items]
    wrong = {"g3-joint", "g1-no_en", "g2-no_en", "g1-joint-C1-hard4"}
    run = [{"id": item["id"], "option": "B" if item["id"] in wrong else "A"} for item in items]
    report = score("concept_recognition", items, gold, run)
    assert report.scores == {"accuracy": pytest.approx(2 / 3), "invalid_rate": 0.0}
    assert report.counts["scored"] == 3
    rows = {row[0]: row[1:] for row in report.diagnostics["contrasts"]["rows"]}
    assert rows["joint - no_en"] == [3, pytest.approx(2 / 3), pytest.approx(1 / 3), 2, 1, 1.0]
    assert rows["base - hard4"] == [1, 1.0, 0.0, 1, 0, 1.0]
    assert set(rows) == {"joint - no_en", "C1 - C3 (joint)", "base - hard4"}
    assert report.breakdowns["condition"]["no_en/C1/base"]["accuracy"] == pytest.approx(1 / 3)


@pytest.mark.parametrize("letter", ["a", " A ", "Ａ"])
def test_letters_are_cleaned_by_the_stated_rule(letter: str) -> None:
    assert (
        check("concept_recognition", [choice("g1")], [{"id": "g1-joint", "option": letter}]).run is not None
    )


def test_a_letter_that_is_not_offered_is_refused_with_the_fix() -> None:
    checked = check("concept_recognition", [choice("g1")], [{"id": "g1-joint", "option": "(B)"}])
    (problem,) = checked.problems
    assert (problem.code, problem.hint) == ("E402", 'Write the letter alone: "B".')
    assert check("concept_recognition", [choice("g1")], [{"id": "g1-joint", "option": "D"}]).run is None


def test_selection_averages_within_concepts_first() -> None:
    """Concept X with groups 1.0 and .5, Y with 0 gives .375."""
    items = [selection("x1", "X", 6), selection("x2", "X", 6), selection("y1", "Y", 6)]
    gold = [{"id": "x1", "facts": [1, 2]}, {"id": "x2", "facts": [1, 2, 3]}, {"id": "y1", "facts": [4]}]
    run = [{"id": "x1", "facts": [1, 2]}, {"id": "x2", "facts": [1]}, {"id": "y1", "facts": [5]}]
    scores = score("fact_selection", items, gold, run).scores
    assert scores["concept_macro_f1"] == pytest.approx(0.375)
    assert scores["exact_set"] == pytest.approx(1 / 3)


def test_one_extra_selection_is_covered_and_not_exact() -> None:
    """{1, 2, 3} against {1, 2, 3, 9}: .75 / 1 / .8571."""
    report = score(
        "fact_selection",
        [selection("a", "X", 9)],
        [{"id": "a", "facts": [1, 2, 3]}],
        [{"id": "a", "facts": [1, 2, 3, 9]}],
    )
    scores = {key: round(value, 4) for key, value in report.scores.items()}
    assert scores == {
        "concept_macro_f1": 0.8571,
        "complete_coverage": 1.0,
        "exact_set": 0.0,
        "precision": 0.75,
        "recall": 1.0,
        "invalid_rate": 0.0,
    }


def test_mentions_pool_within_a_language() -> None:
    items = [
        selection("a", "X", 4, "en el"),
        selection("b", "Y", 4, "en el"),
    ]  # odd numbers Greek, even English
    gold = [{"id": "a", "facts": [1, 2, 3]}, {"id": "b", "facts": [1]}]
    run = [{"id": "a", "facts": [1, 2]}, {"id": "b", "facts": [2]}]
    cells = score("fact_selection", items, gold, run).breakdowns["language"]
    assert cells["el"] == {"n": 3, "precision": 1.0, "recall": pytest.approx(1 / 3), "f1": pytest.approx(0.5)}
    assert cells["en"] == {"n": 1, "precision": 0.5, "recall": 1.0, "f1": pytest.approx(2 / 3)}


def test_select_all_covers_everything() -> None:
    from random import Random

    kind = get_kind("fact_selection")
    items = [selection("a", "X", 5)]
    read = check_items(kind, as_lines(items)).items
    assert read is not None
    (baseline,) = [one for one in kind.baselines if one.name == "select_all"]
    run = list(baseline.make(read, None, Random(1)))
    scores = score("fact_selection", items, [{"id": "a", "facts": [2, 4]}], run).scores
    assert (scores["complete_coverage"], scores["precision"]) == (1.0, 0.4)


@pytest.mark.parametrize(
    ("facts", "code", "taken"),
    [
        ([], "W505", True),
        ([1, 1, 2], "W504", True),
        ([7], "E406", False),
        (["1"], "E302", False),
        ("1", "E302", False),
    ],
)
def test_selections_are_checked(facts: Any, code: str, taken: bool) -> None:
    checked = check("fact_selection", [selection("a", "X", 4)], [{"id": "a", "facts": facts}])
    assert code in checked.problems.totals
    assert (checked.run is not None) is taken


def test_an_invalid_selection_scores_nothing() -> None:
    report = score(
        "fact_selection",
        [selection("a", "X", 4)],
        [{"id": "a", "facts": [1]}],
        [{"id": "a", "invalid": "budget_exhausted"}],
    )
    assert report.scores["invalid_rate"] == 1.0
    assert report.scores["concept_macro_f1"] == report.scores["complete_coverage"] == 0.0


def test_discrimination_by_the_odd_excerpts_language() -> None:
    four = [*EXCERPTS, {"excerpt": 4, "language": "el", "text": "Υπεραξία 31"}]
    items = [{"id": one, "group": one, "evidence": "joint", "excerpts": four} for one in "abc"]
    gold = [{"id": "a", "excerpt": 4, "repeated": True}, {"id": "b", "excerpt": 1}, {"id": "c", "excerpt": 3}]
    run = [{"id": "a", "excerpt": 4}, {"id": "b", "excerpt": 2}, {"id": "c", "invalid": "refused"}]
    report = score("concept_discrimination", items, gold, run)
    assert report.scores["accuracy"] == pytest.approx(1 / 3)
    assert {name: cell["n"] for name, cell in report.breakdowns["repetition"].items()} == {
        "repeated": 2,
        "unique": 1,
    }
    assert report.breakdowns["odd_language"]["el"]["accuracy"] == 0.5


def test_gold_that_contradicts_the_languages_is_refused() -> None:
    kind = get_kind("concept_discrimination")
    items = check_items(
        kind, as_lines([{"id": "a", "group": "a", "evidence": "joint", "excerpts": EXCERPTS}])
    ).items
    assert items is not None
    checked = check_gold(kind, items, as_lines([{"id": "a", "excerpt": 1, "repeated": True}]))
    assert list(checked.problems.totals) == ["E603"]


numbers = st.sets(st.integers(1, 8))


@given(st.lists(st.tuples(st.sampled_from("XYZ"), numbers.filter(bool), numbers), min_size=1, max_size=8))
def test_selection_laws(groups: list[tuple[str, set[int], set[int]]]) -> None:
    """Bounds; a perfect run scores 1; swapping sides swaps precision and recall; order is irrelevant."""
    items = [selection(f"g{place}", concept, 8) for place, (concept, _, _) in enumerate(groups)]
    gold = [{"id": f"g{place}", "facts": sorted(targets)} for place, (_, targets, _) in enumerate(groups)]
    run = [{"id": f"g{place}", "facts": sorted(chosen)} for place, (_, _, chosen) in enumerate(groups)]
    scores = score("fact_selection", items, gold, run).scores
    assert all(0.0 <= value <= 1.0 for value in scores.values())
    assert score("fact_selection", items, gold, run[::-1]).scores == scores
    perfect = score("fact_selection", items, gold, gold).scores
    assert (perfect["concept_macro_f1"], perfect["exact_set"]) == (pytest.approx(1.0), 1.0)
    if all(chosen for _, _, chosen in groups):
        swapped = score("fact_selection", items, run, gold).scores
        assert (swapped["precision"], swapped["recall"]) == (scores["recall"], scores["precision"])
