"""How fast runs are read and checked, against `json.loads(line_bytes)` for each line.

    python -m benchmarks.reading_speed

Reading is strict: duplicate keys, numbers out of range, depth, NUL, half characters, the digest. Real
answers come from ../shared/data/polyfiqa, repeated under new ids; other lines have the shapes of other kinds.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from benchmarks.ratio import Ratio, main
from scoring.checks import check_run
from scoring.problems import Faults, Problems
from scoring.readers import Reader
from scoring.records import Items, Limits
from scoring.tracks import get_kind

LINES = 62_668
LARGE = Limits(file_bytes=1 << 30)
SHARED = Path(os.environ.get("PODIUM_SHARED", Path(__file__).resolve().parents[2] / "shared"))


def written(records: Iterator[dict[str, Any]], *, ascii_only: bool = False) -> list[bytes]:
    return [json.dumps(record, ensure_ascii=ascii_only).encode() for record in records]


def real_answers() -> list[str]:
    path = SHARED / "data" / "polyfiqa" / "gold.jsonl"
    return [json.loads(line)["answer"] for line in path.read_bytes().splitlines()]


def plain(lines: list[bytes]) -> None:
    for line in lines:
        json.loads(line)


def strict(data: bytes, count: int) -> None:
    problems = Problems()
    reader = Reader(data, Faults(problems), LARGE)
    for _ in reader:
        pass
    assert (reader.records, problems.totals) == (count, {})


def checked(kind_name: str, items: Items, data: bytes) -> None:
    run = check_run(get_kind(kind_name), items, data, limits=LARGE)
    assert not run.problems.errors
    assert run.run is not None


def reading(name: str, lines: list[bytes], at_most: float) -> Ratio:
    data = b"\n".join(lines)
    return Ratio(f"strict reading, {name}", lambda: strict(data, len(lines)), lambda: plain(lines), at_most)


def checking(name: str, kind: str, items: list[dict[str, Any]], lines: list[bytes], at_most: float) -> Ratio:
    data = b"\n".join(lines)
    known = Items({item[get_kind(kind).id_field]: item for item in items}, "")
    return Ratio(
        f"reading and checking, {name}", lambda: checked(kind, known, data), lambda: plain(lines), at_most
    )


def ratios() -> Iterator[Ratio]:
    answers = real_answers()
    names = [f"item_{at:06d}" for at in range(LINES)]
    run = [{"task_id": name, "answer": answers[at % len(answers)]} for at, name in enumerate(names)]
    real, escaped = written(iter(run)), written(iter(run), ascii_only=True)
    tiny = written({"id": name, "concept": "us-gaap:Revenues"} for name in names)
    fact = {"Fact": "4.9", "Type": "percentItemType"}
    facts = written({"id": name, "facts": [fact] * 3} for name in names)
    crowded = written({"id": name, "facts": [fact] * 60} for name in names[:2_000])
    numbers = written({"id": name, "facts": [3, 7, 12, 44]} for name in names)
    yield reading(f"{LINES:,} real answers", real, 2)
    yield reading(f"{LINES:,} real answers, escaped", escaped, 2)
    yield reading(f"{LINES:,} tiny lines", tiny, 2)
    yield reading(f"{LINES:,} lists of facts", facts, 2)
    yield reading(f"{LINES:,} lists of numbers", numbers, 2)
    yield reading("2,000 lists of 60 facts", crowded, 4)
    questions = [{"task_id": name, "tier": "easy", "question": "?"} for name in names]
    yield checking(f"{LINES:,} real answers", "short_answer", questions, real, 3)
    entities = [
        {"id": name, "entity": "5", "entity_type": "monetary", "context": "5", "structure": "text"}
        for name in names
    ]
    yield checking(f"{LINES:,} tiny lines", "concept_linking", entities, tiny, 3)


if __name__ == "__main__":
    main(ratios())
