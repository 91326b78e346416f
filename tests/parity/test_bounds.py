"""A hostile file costs little: a line of 60 MB is refused without ever being in memory."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from scoring.records import MIB, Limits
from scoring.tracks import get_kind
from scoring.validator import build_validator, rules_of
from tests.parity.ways import interpreters
from tests.support.kinds import as_lines, read_items

DRIVER = Path(__file__).with_name("driver.py")
MEASURED = """
import json, runpy, sys
driver, program, run = sys.argv[1:]
most_memory = runpy.run_path(driver)["most_memory"]
data = json.loads(runpy.run_path(program)["DATA"])
from scoring.standalone import main
before = most_memory()
code = main([run, "--json"], data)
print(code, most_memory() - before, file=sys.stderr)
"""


@pytest.fixture
def program(tmp_path: Path) -> Path:
    kind = get_kind("short_answer")
    items = read_items(kind.name, kind.example["items"])
    names = {"task": "Task", "track": "Track", "phase": "Phase"}
    sample = as_lines(kind.example["run"])
    data = rules_of(kind, items, options={}, limits=Limits(), sample=sample, **names)
    path = tmp_path / "validate.py"
    path.write_bytes(build_validator(kind, data, path.name))
    return path


@pytest.mark.parametrize("content", [b"x", b"[", b'{"task_id": "q1", "answer": "', b"\xff", b"\xef\xb7\xba"])
def test_a_line_of_60_megabytes_stays_out_of_memory(program: Path, tmp_path: Path, content: bytes) -> None:
    run = tmp_path / "run.jsonl"
    with run.open("wb") as file:
        for _ in range(60):
            file.write((content * (MIB // len(content) + 1))[:MIB])
    for python in interpreters().values():
        command = [python, "-I", "-c", MEASURED, str(DRIVER), str(program), str(run)]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        code, used = map(int, done.stderr.split()[-2:])
        assert code == 1, done.stdout
        assert '"E002"' in done.stdout
        assert used < 24 * MIB, f"{used:,} bytes on {python}"
