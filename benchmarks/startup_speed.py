"""How soon `python -m scoring check` answers, against `python -c pass`: the kind's own example, start to end.

    python -m benchmarks.startup_speed [--rounds 15]

Each round starts both in turn and takes the ratio of their processor times; the median is printed. Exits
with 1 when it misses its bound.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from resource import RUSAGE_CHILDREN, getrusage
from statistics import median
from subprocess import DEVNULL, run
from tempfile import TemporaryDirectory

from scoring.tracks import get_kind

KIND = "short_answer"
BOUND = 5


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--rounds", type=int, default=15)
    asked = parser.parse_args()
    with TemporaryDirectory() as folder:
        items, lines = (_write(folder, part) for part in ("items", "run"))
        check = [sys.executable, "-m", "scoring", "check", KIND, "--items", items, lines]
        _seconds(check)  # leaves compiled modules behind, as every first use does
        nothing = [sys.executable, "-c", "pass"]
        ratios = [_seconds(check) / _seconds(nothing) for _ in range(asked.rounds)]
    taken = median(ratios)
    good = taken <= BOUND
    print(f"{'ok  ' if good else 'MISS'} check of {KIND} / python -c pass: {taken:.3g} (≤ {BOUND})")
    return 0 if good else 1


def _write(folder: str, part: str) -> str:
    path = os.path.join(folder, f"{part}.jsonl")
    with open(path, "w", encoding="utf-8") as target:
        target.writelines(json.dumps(one, ensure_ascii=False) + "\n" for one in get_kind(KIND).example[part])
    return path


def _seconds(command: list[str]) -> float:
    """Processor time of a child from start to end."""
    before = getrusage(RUSAGE_CHILDREN)
    settings = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    run(command, stdout=DEVNULL, check=True, env=settings)
    after = getrusage(RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


if __name__ == "__main__":
    sys.exit(main())
