"""The public cases of the kinds label, rank and facts: each has the outcome that is right here."""

from __future__ import annotations

import json
from typing import Any

import pytest

from scoring.checks import CheckedRun, check_run
from scoring.evaluate import evaluate
from scoring.options import read_options
from scoring.report import Report
from scoring.tracks import get_kind
from tests.support.kinds import read_gold, read_items
from tests.support.shared import shared_path

SIGNS = ["+1", "0", "-1"]
TONES = ["positive", "negative", "neutral"]


def case_of(name: str) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """The case's entry and the records of its file."""
    entries = json.loads(shared_path("cases/cases.json").read_text(encoding="utf-8"))["cases"]
    entry = next(entry for entry in entries if entry["id"] == name)
    text = shared_path(f"cases/{entry['file']}").read_text(encoding="utf-8")
    return entry, [json.loads(line) for line in text.splitlines()]


def run_case(
    kind_name: str, name: str, extra: dict[str, Any], fields: tuple[str, str], **options: str
) -> tuple[dict[str, Any], CheckedRun, Report | None]:
    """The case under a kind: `extra` are item fields, `fields` name gold's and the run's value."""
    entry, records = case_of(name)
    kind = get_kind(kind_name)
    chosen = read_options(kind, options)
    items = read_items(kind_name, [{"id": item_id, **extra} for item_id in entry["gold"]])
    lines = "".join(
        json.dumps({"id": record["id"], fields[1]: record["answer"]}, ensure_ascii=False) + "\n"
        for record in records
    )
    checked = check_run(kind, items, lines.encode(), options=chosen)
    if checked.run is None:
        return entry, checked, None
    gold = read_gold(
        kind_name, items, [{"id": item_id, fields[0]: value} for item_id, value in entry["gold"].items()]
    )
    return entry, checked, evaluate(kind, items, gold, checked.run, options=chosen, checked=checked)


def faults(checked: CheckedRun) -> list[tuple[str, int | None]]:
    return [(problem.code, problem.line) for problem in checked.problems]


def label_case(name: str, labels: list[str]) -> tuple[dict[str, Any], CheckedRun, Report | None]:
    return run_case("classification", name, {"labels": labels}, ("label", "label"))


@pytest.mark.parametrize("name", ["macro-vs-micro", "class-never-predicted"])
def test_labels_that_are_scored(name: str) -> None:
    labels = case_of(name)[0]["expect"]["labels"]
    entry, checked, report = label_case(name, labels)
    assert report is not None
    assert faults(checked) == []
    assert {key: round(value, 4) for key, value in report.scores.items()} == {
        key: entry["expect"][key] for key in report.scores
    }
    assert checked.lines == entry["expect"]["records"]


def test_class_absent_everywhere() -> None:
    entry, _, report = label_case("class-absent-everywhere", ["up", "down", "flat"])
    assert report is not None
    assert report.scores["accuracy"] == entry["expect"]["accuracy"]
    assert report.scores["macro_f1"] == entry["expect"]["macro_f1_present_classes"]


def test_label_outside_set() -> None:
    entry, checked, report = label_case("label-outside-set", ["high", "low"])
    assert report is None
    assert faults(checked) == [("E401", entry["expect"]["line"])]
    assert '"archive" is not one of: "high", "low"' in next(iter(checked.problems)).message


def test_label_plus_one() -> None:
    entry, checked, report = label_case("label-plus-one", SIGNS)
    assert report is None
    assert faults(checked) == [("E302", entry["expect"]["line"]), ("E401", 3)]
    assert "must be a string, found a number" in next(iter(checked.problems)).message


def test_label_plus_one_on_the_scale_of_commitment() -> None:
    fields = {"question": "増配しますか。", "answer": "検討します。"}
    _, checked, report = run_case("commitment", "label-plus-one", fields, ("label", "label"))
    assert report is not None
    assert faults(checked) == []
    assert report.scores["accuracy"] == 1


def test_label_case_space() -> None:
    _, checked, report = label_case("label-case-space", TONES)
    assert report is None
    assert faults(checked) == [("E401", 1), ("E401", 2), ("E401", 3)]
    problem = next(iter(checked.problems))
    assert '"Positive" is not one of: "positive", "negative", "neutral"' in problem.message
    assert problem.hint == 'Write it exactly as "positive": case and spaces count.'


def test_mcq_letter_forms() -> None:
    options = {"question": "?", "options": {letter: letter for letter in "ABCDEF"}}
    _, checked, report = run_case("multiple_choice", "mcq-letter-forms", options, ("answer", "prediction"))
    assert report is None
    assert faults(checked) == [("E402", 3), ("E402", 4)]
    problem = next(iter(checked.problems))
    assert '"B." is not one of: A, B, C, D, E, F' in problem.message
    assert problem.hint == 'Write the letter alone: "B".'


def rank_case(name: str, k: str, **options: str) -> tuple[dict[str, Any], CheckedRun, Report | None]:
    return run_case("ranked_list", name, {}, ("answers", "ranking"), k=k, **options)


def test_rank_duplicates() -> None:
    entry, checked, report = rank_case("rank-duplicates", "3")
    assert report is not None
    assert faults(checked) == [("W504", 1)]
    assert "us-gaap:Assets" in next(iter(checked.problems)).message
    assert report.scores["hit_rate_3"] == entry["expect"]["hit_at_3_after_removing_repeats"]


@pytest.mark.parametrize(
    ("name", "k", "warnings"),
    [
        ("rank-fewer-than-k", "5", []),
        ("rank-empty-list", "1", [("W505", 1)]),
        ("rank-boundary-k", "4,5,10", []),
        ("rank-several-gold", "1,3", []),
    ],
)
def test_rankings_that_are_scored(name: str, k: str, warnings: list[Any]) -> None:
    entry, checked, report = rank_case(name, k)
    assert report is not None
    assert faults(checked) == warnings
    wanted = {
        key.replace("hit_at_", "hit_rate_").replace("recall_at_", "recall_"): value
        for key, value in entry["expect"].items()
        if "_at_" in key
    }
    assert wanted
    assert {key: report.scores[key] for key in wanted} == wanted


def test_concept_prefix_missing() -> None:
    listed = "concept\nus-gaap:Revenues\nus-gaap:Assets\n"
    entry, checked, report = rank_case("concept-prefix-missing", "1", taxonomy=listed)
    assert report is None
    assert faults(checked) == [("E408", entry["expect"]["line"]), ("E408", 2)]
    hints = [problem.hint or "" for problem in checked.problems]
    assert 'Did you mean "us-gaap:Revenues"?' in hints[0]
    assert 'Did you mean "us-gaap:Assets"?' in hints[1]


def fact_case(name: str) -> tuple[dict[str, Any], CheckedRun, Report | None]:
    return run_case("numeric_identification", name, {"context": "…"}, ("facts", "facts"))


@pytest.mark.parametrize(
    ("name", "value", "warnings"),
    [
        ("fact-comma", "f1_plain", ["W507"]),
        ("fact-trailing-zero", "f1_plain", []),
        ("fact-parentheses", "f1_plain", ["W507"]),
        ("fact-word-number", "f1_plain", []),
        ("fact-em-dash-zero", "f1_plain", []),
        ("fact-percent-dollar", "f1_plain", ["W507"]),
        ("fact-repeats", "f1_set", []),
        ("fact-gold-empty", "f1_pooled", []),
        ("fact-gold-empty-answer-not", "f1_pooled", []),
    ],
)
def test_facts_that_are_scored(name: str, value: str, warnings: list[str]) -> None:
    entry, checked, report = fact_case(name)
    assert report is not None
    assert [code for code, _ in faults(checked)] == warnings
    assert round(report.scores["f1"], 4) == entry["expect"][value]
    if "f1_item_mean" in entry["expect"]:
        assert report.diagnostics["mean_item_f1"] == entry["expect"]["f1_item_mean"]
    if "f1_item_mean_empty_is_1" in entry["expect"]:
        assert report.diagnostics["mean_item_f1"] == entry["expect"]["f1_item_mean_empty_is_1"]


@pytest.mark.parametrize(
    ("name", "code", "says"),
    [
        ("fact-number-type", "E302", '"Fact" must be a string, found a number'),
        ("fact-type-case", "E401", '"MonetaryItemType" is not one of: integerItemType, monetaryItemType'),
        ("fact-type-missing", "E301", "Type is missing"),
        ("fact-fenced-string", "E305", '"facts" must be a list of facts, found a string'),
    ],
)
def test_facts_that_are_refused(name: str, code: str, says: str) -> None:
    entry, checked, report = fact_case(name)
    assert report is None
    assert faults(checked) == [(code, entry["expect"]["line"])]
    assert says in next(iter(checked.problems)).message


def test_every_case_of_these_kinds_is_here() -> None:
    entries = json.loads(shared_path("cases/cases.json").read_text(encoding="utf-8"))["cases"]
    with open(__file__, encoding="utf-8") as source:
        text = source.read()
    for entry in entries:
        if entry.get("task") in ("label", "rank", "facts"):
            assert f'"{entry["id"]}"' in text
