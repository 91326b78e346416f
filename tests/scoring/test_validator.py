"""The downloadable validator says what the library says, for every kind, from one file."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from scoring.checks import check_items, check_run
from scoring.evaluate import only_checked
from scoring.options import read_options
from scoring.records import Items, Limits
from scoring.tracks import get_kind, kind_names
from scoring.tracks.base import Kind
from scoring.validator import build_archive, build_validator, rules_of


def as_lines(records: Any) -> bytes:
    return "".join(json.dumps(record, ensure_ascii=False) + "\n" for record in records).encode()


def items_of(kind: Kind) -> Items:
    items = check_items(kind, as_lines(kind.example["items"])).items
    assert items is not None
    return items


def data_of(kind: Kind, items: Items) -> dict[str, Any]:
    return rules_of(
        kind,
        items,
        task="Example task",
        track=kind.name,
        phase="Test",
        options={},
        limits=Limits(),
        sample=as_lines(kind.example["run"]),
    )


def runs_of(kind: Kind) -> dict[str, bytes]:
    """A valid run and its faulty relatives."""
    good = as_lines(kind.example["run"])
    lines = good.splitlines(keepends=True)
    return {
        "good": good,
        "twice": good + lines[0],
        "short": b"".join(lines[1:]),
        "broken": good[:-3] + b"\n",
        "marked": b"\xef\xbb\xbf" + good.replace(b"\n", b"\r\n"),
        "foreign": as_lines([{kind.id_field: "nobody", "x": "it's '''quoted'''"}]),
        "empty": b"",
    }


def judged(program: Path, run: Path, *options: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-I", str(program), str(run), *options]
    return subprocess.run(
        command, capture_output=True, text=True, encoding="utf-8", cwd=run.parent, check=False
    )


@pytest.mark.parametrize("name", kind_names())
def test_the_file_reports_what_the_library_reports(name: str, tmp_path: Path) -> None:
    kind = get_kind(name)
    items = items_of(kind)
    program = tmp_path / "validate.py"
    program.write_bytes(build_validator(kind, data_of(kind, items), program.name))
    for label, content in runs_of(kind).items():
        run = tmp_path / f"{label}.jsonl"
        run.write_bytes(content)
        checked = check_run(kind, items, content, options=read_options(kind, {}))
        expected = only_checked(kind, checked, items)
        done = judged(program, run, "--json")
        assert done.returncode == (0 if expected.ok else 1), (label, done.stderr)
        assert json.loads(done.stdout) == json.loads(json.dumps(expected.to_json())), label
    assert judged(program, run, "--self-test").returncode == 0


def test_a_reader_that_has_seen_enough_is_no_fault_of_ours(tmp_path: Path) -> None:
    """As `| head` does with a long report."""
    kind = get_kind("short_answer")
    program, run = tmp_path / "validate.py", tmp_path / "run.jsonl"
    program.write_bytes(build_validator(kind, data_of(kind, items_of(kind)), program.name))
    run.write_bytes(as_lines({kind.id_field: f"nobody-{number}"} for number in range(900)))
    command = [sys.executable, "-I", str(program), str(run), "--json"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as at_work:
        assert at_work.stdout is not None
        assert at_work.stderr is not None
        at_work.stdout.close()
        assert at_work.stderr.read() == ""


def test_the_build_is_deterministic_and_plain() -> None:
    kind = get_kind("short_answer")
    data = data_of(kind, items_of(kind))
    first, second = (build_validator(kind, data, "validate.py") for _ in range(2))
    assert first == second
    assert build_archive({"a": (kind, data)}) == build_archive({"a": (kind, data)})
    source = Path(sys.modules["scoring.checks"].__file__ or "").read_text(encoding="utf-8")
    assert source in first.decode()  # the module stands in it as it is
    assert "numpy" not in first.decode()


def test_bulky_text_stays_at_home() -> None:
    kind = get_kind("short_answer")
    items = items_of(kind)
    text = json.dumps(data_of(kind, items)["items"], ensure_ascii=False)
    assert all(str(item["question"]) not in text for item in items.records.values())


def test_one_archive_holds_every_track(tmp_path: Path) -> None:
    kinds = [get_kind("short_answer"), get_kind("commitment")]
    program = tmp_path / "validators.pyz"
    program.write_bytes(build_archive({kind.name: (kind, data_of(kind, items_of(kind))) for kind in kinds}))
    for kind in kinds:
        run = tmp_path / f"{kind.name}.jsonl"
        run.write_bytes(as_lines(kind.example["run"]))
        command = [sys.executable, "-I", str(program), kind.name, str(run)]
        assert subprocess.run(command, capture_output=True, check=False).returncode == 0
    assert subprocess.run([sys.executable, str(program)], capture_output=True, check=False).returncode == 2


def test_exit_codes_and_strictness(tmp_path: Path) -> None:
    kind = get_kind("short_answer")
    program = tmp_path / "validate.py"
    program.write_bytes(build_validator(kind, data_of(kind, items_of(kind)), program.name))
    run = tmp_path / "run.jsonl"
    run.write_bytes(as_lines([{**record, "note": "mine"} for record in kind.example["run"]]))
    assert judged(program, run).returncode == 0  # an unknown field is a warning
    assert judged(program, run, "--strict").returncode == 1
    assert judged(program, tmp_path / "nowhere.jsonl").returncode == 2
    assert subprocess.run([sys.executable, str(program)], capture_output=True, check=False).returncode == 2
    version = judged(program, run, "--version").stdout
    assert "items SHA-256" in version
    assert "rules: short_answer.1-" in version


def test_problems_are_grouped_with_a_way_to_see_all(tmp_path: Path) -> None:
    kind = get_kind("short_answer")
    records = [{"task_id": f"q{place}", "tier": "easy", "question": "?"} for place in range(20)]
    items = check_items(kind, as_lines(records)).items
    assert items is not None
    program, run = tmp_path / "validate.py", tmp_path / "run.jsonl"
    program.write_bytes(build_validator(kind, data_of(kind, items), program.name))
    run.write_bytes(as_lines([{"task_id": f"q{place}", "answer": None} for place in range(20)]))
    few = judged(program, run).stdout
    assert "E302 (20 times)" in few
    assert "… and 15 more" in few
    assert few.count("fix: ") <= 5
    assert "--max-errors" in few
    assert "more" not in judged(program, run, "--max-errors", "50").stdout
