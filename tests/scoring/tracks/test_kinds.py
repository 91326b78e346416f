"""What holds for every kind: its example works, its baselines pass the check, its laws."""

from __future__ import annotations

import json
import random
from typing import Any

import pytest

from scoring.baselines import GoldNeeded, UnknownBaseline, baseline_run
from scoring.checks import check_run
from scoring.cli import main
from scoring.evaluate import add_up, evaluate, score_tallies
from scoring.options import read_options
from scoring.tracks import all_kinds, get_kind, kind_names
from scoring.tracks.base import Kind
from tests.support.kinds import as_lines, read_gold, read_items, score

KINDS = kind_names()


@pytest.mark.parametrize("name", KINDS)
def test_an_example_is_a_whole_track(name: str) -> None:
    kind = get_kind(name)
    example = kind.example
    report = score(name, example["items"], example["gold"], example["run"])
    assert report.ok
    assert next(iter(report.scores)) == kind.primary_for(read_options(kind, {})).key
    assert all(0 <= value <= 1 for value in report.scores.values())
    declared = {one.key: one for one in kind.shown_diagnostics}
    assert set(report.diagnostics) <= set(declared)
    for key, value in report.diagnostics.items():
        display = declared[key].display
        if display == "table":
            assert all(len(row) == len(value["columns"]) for row in value["rows"]), key
        elif display == "matrix":
            assert all(len(row) == len(value["labels"]) for row in value["rows"]), key
            assert len(value["rows"]) == len(value["labels"])
        else:
            assert value is None or isinstance(value, (int, float)), key
    assert json.loads(json.dumps(report.to_json())) == report.to_json()


@pytest.mark.parametrize("name", KINDS)
def test_scores_come_with_their_declared_keys(name: str) -> None:
    kind = get_kind(name)
    options = read_options(kind, {})
    report = score(name, *(kind.example[role] for role in ("items", "gold", "run")))
    assert list(report.scores) == [one.key for one in kind.scores_for(options)]
    assert set(score_tallies(kind, [], options).values()) == {0.0}


@pytest.mark.parametrize("name", KINDS)
def test_the_order_of_lines_moves_nothing(name: str) -> None:
    kind = get_kind(name)
    example = {role: list(records) for role, records in kind.example.items()}
    straight = score(name, example["items"], example["gold"], example["run"])
    for role in example:
        random.Random(7).shuffle(example[role])
    assert score(name, example["items"], example["gold"], example["run"]).scores == straight.scores


@pytest.mark.parametrize("name", KINDS)
def test_counts_of_parts_add_up_to_the_whole(name: str) -> None:
    kind = get_kind(name)
    options = read_options(kind, {})
    report = score(name, *(kind.example[role] for role in ("items", "gold", "run")))
    items = {item[kind.id_field]: item for item in kind.example["items"]}
    ranked = [tally for key, tally in report.tallies.items() if kind.in_primary(items[key])]
    halves = add_up([add_up(part) for part in (ranked[:1], ranked[1:]) if part])
    assert kind.scores_of(halves, options) == pytest.approx(report.scores)


@pytest.mark.parametrize("name", [kind.name for kind in all_kinds() if kind.takes_invalid])
def test_an_invalid_answer_never_scores_above_an_answer_that_is_right(name: str) -> None:
    kind = get_kind(name)
    run = [{kind.id_field: item[kind.id_field], "invalid": "refused"} for item in kind.example["items"]]
    report = score(name, kind.example["items"], kind.example["gold"], run)
    assert report.diagnostics["invalid_rate"] == 1.0
    assert report.diagnostics["invalid_by_reason"]["rows"] == [["refused", len(run), 1.0]]
    primary = kind.primary_for(read_options(kind, {})).key
    right = score(name, kind.example["items"], kind.example["gold"], kind.example["run"]).scores[primary]
    assert report.scores[primary] < right


def baselines() -> list[Any]:
    return [
        pytest.param(kind, one.name, id=f"{kind.name}-{one.name}")
        for kind in all_kinds()
        for one in kind.baselines
    ]


@pytest.mark.parametrize(("kind", "name"), baselines())
def test_a_baseline_run_is_valid_and_the_same_for_a_seed(kind: Kind, name: str) -> None:
    items = read_items(kind.name, kind.example["items"])
    gold = read_gold(kind.name, items, kind.example["gold"])
    run = as_lines(baseline_run(kind, name, items, gold, seed=3))
    checked = check_run(kind, items, run, options=read_options(kind, {}))
    assert checked.run is not None, [problem.message for problem in checked.problems]
    assert evaluate(kind, items, gold, checked.run).scores
    assert as_lines(baseline_run(kind, name, items, gold, seed=3)) == run


@pytest.mark.parametrize("kind", [pytest.param(kind, id=kind.name) for kind in all_kinds()])
def test_a_baseline_says_when_it_needs_gold(kind: Kind) -> None:
    items = read_items(kind.name, kind.example["items"])
    for one in kind.baselines:
        if one.needs_gold:
            with pytest.raises(GoldNeeded, match=one.name):
                baseline_run(kind, one.name, items)
        else:
            assert list(baseline_run(kind, one.name, items))


def test_an_unknown_baseline_lists_those_there_are() -> None:
    kind = get_kind("multiple_choice")
    with pytest.raises(UnknownBaseline, match="random, first, majority"):
        baseline_run(kind, "best", read_items(kind.name, kind.example["items"]))


def test_the_command_writes_a_run_that_scores(tmp_path: Any, capsys: pytest.CaptureFixture[str]) -> None:
    kind = get_kind("commitment")
    paths = {role: tmp_path / f"{role}.jsonl" for role in ("items", "gold", "run")}
    for role in ("items", "gold"):
        paths[role].write_bytes(as_lines(kind.example[role]))
    files = ["--items", str(paths["items"]), "--gold", str(paths["gold"])]
    assert main(["baseline", kind.name, "majority", *files, "-o", str(paths["run"])]) == 0
    assert main(["score", kind.name, str(paths["run"]), *files]) == 0
    assert "VALID: 3 lines" in capsys.readouterr().out
    assert main(["baseline", kind.name, "majority", *files[:2], "-o", str(paths["run"])]) == 2
    assert "is made from gold" in capsys.readouterr().err
