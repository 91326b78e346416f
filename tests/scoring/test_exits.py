"""What ends a command besides its verdict: output that fails, files that would be lost, Ctrl-C."""

from __future__ import annotations

import json
import os
import shlex
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from scoring.checks import check_items
from scoring.records import Limits
from scoring.tracks import get_kind
from scoring.validator import build_validator, rules_of
from tests.support.builders import as_lines

ROOT = Path(__file__).resolve().parents[2]
KIND = get_kind("short_answer")
BLAME = "fault, not your file's"


@pytest.fixture
def files(tmp_path: Path) -> dict[str, str]:
    """Items, gold and run of the kind's example, and a validator for them."""
    found = {}
    for name, records in KIND.example.items():
        path = tmp_path / f"{name}.jsonl"
        path.write_bytes(as_lines(*records))
        found[name] = str(path)
    items = check_items(KIND, as_lines(*KIND.example["items"])).items
    assert items is not None
    sample = as_lines(*KIND.example["run"])
    told = {"task": "Example task", "track": "Short answers", "phase": "Test"}
    rules = rules_of(KIND, items, **told, options={}, limits=Limits(), sample=sample)
    program = tmp_path / "validate.py"
    program.write_bytes(build_validator(KIND, rules, program.name))
    return found | {"validator": str(program)}


def command(files: dict[str, str], *words: str) -> list[str]:
    """`words` in which the name of a file stands for its path."""
    return [sys.executable, *(files.get(word, word) for word in words)]


def shell(line: list[str], ending: str) -> subprocess.CompletedProcess[str]:
    """A command whose standard output goes where `ending` says; buffered, as outside of tests."""
    settings = {name: value for name, value in os.environ.items() if name != "PYTHONUNBUFFERED"}
    script = f"set -o pipefail; {shlex.join(line)} {ending}"
    return subprocess.run(
        ["bash", "-c", script], cwd=ROOT, env=settings, capture_output=True, text=True, check=False
    )


CHECK = ("-m", "scoring", "check", "short_answer", "--items", "items", "run", "--json")
SCORE = ("-m", "scoring", "score", "short_answer", "--items", "items", "--gold", "gold", "run")
KINDS = ("-m", "scoring", "kinds")
VALIDATE = ("validator", "run")


@pytest.mark.parametrize("words", [KINDS, CHECK, VALIDATE])
def test_output_that_cannot_be_written_is_nobodys_fault_in_here(
    files: dict[str, str], words: tuple[str, ...]
) -> None:
    done = shell(command(files, *words), ">/dev/full")
    assert done.returncode == 2
    assert "standard output cannot be written (No space left on device)." in done.stderr
    assert len(done.stderr.splitlines()) == 1


@pytest.mark.parametrize("words", [KINDS, CHECK, VALIDATE])
def test_a_reader_who_has_seen_enough_hears_nothing(files: dict[str, str], words: tuple[str, ...]) -> None:
    done = shell(command(files, *words), "| (exec <&-; sleep 1)")
    assert (done.returncode, done.stderr) == (2, "")


@pytest.mark.parametrize("words", [CHECK, VALIDATE])
def test_with_standard_output_closed_the_exit_code_is_the_verdict(
    files: dict[str, str], words: tuple[str, ...]
) -> None:
    done = shell(command(files, *words), ">&-")
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize("written", ["items", "gold", "run"])
def test_what_is_read_is_never_written_over(files: dict[str, str], written: str) -> None:
    before = Path(files[written]).read_bytes()
    link = Path(files[written]).with_name("other_name.jsonl")
    link.symlink_to(files[written])
    done = shell(command(files, *SCORE, "--json", "--per-item", str(link)), "")
    assert done.returncode == 2
    assert Path(files[written]).read_bytes() == before
    (problem,) = json.loads(done.stdout)["problems"]
    assert problem["code"] == "E606"
    assert "other_name.jsonl: is read by this command and would be lost." in problem["message"]


@pytest.mark.parametrize(
    "words",
    [
        ("baseline", "short_answer", "none", "--items", "items", "-o", "items"),
        ("sample", "items", "-n", "1", "-o", "items"),
        ("overlap", "run", "--released", "items", "gold", "-o", "gold"),
    ],
)
def test_nor_by_any_other_command(files: dict[str, str], words: tuple[str, ...]) -> None:
    before = {name: Path(path).read_bytes() for name, path in files.items()}
    done = shell(command(files, "-m", "scoring", *words), "")
    assert done.returncode == 2
    assert "would be lost" in done.stderr
    assert {name: Path(path).read_bytes() for name, path in files.items()} == before


@pytest.mark.parametrize(
    ("path", "named"), [("{folder}/", "folder: the file"), ("/proc/self/mem", "mem: the file")]
)
def test_what_opens_but_cannot_be_read_is_named(
    files: dict[str, str], tmp_path: Path, path: str, named: str
) -> None:
    (tmp_path / "folder").mkdir()
    wrong = path.format(folder=tmp_path / "folder")
    done = shell(command(files | {"run": wrong}, *CHECK), "")
    assert done.returncode == 2
    (problem,) = json.loads(done.stdout)["problems"]
    assert problem["code"] == "E605"
    assert problem["message"].startswith(f"{named} cannot be read")
    assert BLAME not in done.stderr


def test_every_fault_of_an_argument_is_told_in_the_report(files: dict[str, str]) -> None:
    nowhere = ("--per-item", "/nowhere/at/all.jsonl")
    for more, said in ((("--k", "5"), "k"), (nowhere, "/nowhere/at/all.jsonl: cannot be written")):
        done = shell(command(files, *SCORE, "--json", *more), "")
        assert done.returncode == 2
        (problem,) = json.loads(done.stdout)["problems"]
        assert problem["code"] == "E606"
        assert said in problem["message"]


def test_options_are_written_out(files: dict[str, str]) -> None:
    done = shell(command(files, *SCORE, "--token", "ascii.1"), "")
    assert done.returncode == 2
    assert "unrecognized arguments: --token" in done.stderr


@pytest.mark.parametrize("words", [CHECK, VALIDATE])
def test_ctrl_c_ends_it_without_a_traceback(files: dict[str, str], words: tuple[str, ...]) -> None:
    waiting = command(files | {"run": "/dev/stdin"}, *words)
    with subprocess.Popen(
        waiting,
        cwd=ROOT,
        stdin=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),  # ignored where tests run behind "&"
    ) as process:
        assert process.stdin is not None
        # More than a pipe holds: once it is written, the command has begun to read its run.
        process.stdin.write("\n" * 200_000)
        process.send_signal(signal.SIGINT)
        _, said = process.communicate(timeout=20)
    assert process.returncode == 130
    assert said.endswith(": interrupted.\n")
    assert "Traceback" not in said
