"""How fast a downloaded validator is, against `json.loads(line_bytes)` for each line of the run.

    python -m benchmarks.validator_speed

The file is built as the site builds it, loaded as Python loads it, and judges a run of real answers (from
../shared/data/polyfiqa, repeated under new ids) read from the disk.
"""

from __future__ import annotations

import contextlib
import io
import json
import runpy
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from benchmarks.ratio import Ratio, main
from benchmarks.reading_speed import LARGE, LINES, plain, real_answers, written
from scoring.checks import check_items
from scoring.tracks import get_kind
from scoring.validator import build_validator, rules_of


def validator(folder: Path, names: list[str], sample: bytes) -> Callable[[Path], None]:
    """A call that judges one file with the built validator, loaded once."""
    kind = get_kind("short_answer")
    records = ({"task_id": name, "tier": "easy", "question": "What was revenue?"} for name in names)
    items = check_items(kind, b"\n".join(written(iter(records)))).items
    assert items is not None
    told = {"task": "Task", "track": "Track", "phase": "Test"}
    program = folder / "validate_track.py"
    data = rules_of(kind, items, options={}, limits=LARGE, sample=sample, **told)
    program.write_bytes(build_validator(kind, data, program.name))
    carried: Any = json.loads(runpy.run_path(str(program))["DATA"])
    from scoring.standalone import main as validate

    def judge(run: Path) -> None:
        said = io.StringIO()
        with contextlib.redirect_stdout(said):
            assert validate([str(run)], carried) == 0
        assert f"VALID: {len(names)} lines" in said.getvalue()

    return judge


def ratios(folder: Path) -> Iterator[Ratio]:
    answers = real_answers()
    names = [f"item_{at:06d}" for at in range(LINES)]
    lines = written({"task_id": name, "answer": answers[at % len(answers)]} for at, name in enumerate(names))
    run = folder / "run.jsonl"
    run.write_bytes(b"\n".join(lines) + b"\n")
    judge = validator(folder, names, b"")
    yield Ratio(f"the stand-alone file, {LINES:,} real answers", lambda: judge(run), lambda: plain(lines), 3)


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as place:
        main(ratios(Path(place)))
