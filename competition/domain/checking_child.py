"""Judges one large run: `python -I checking_child.py RULES SECONDS MEMORY < RUN` prints the report as JSON.

Started by `checking`, in an interpreter of its own that knows neither Django nor the database.
"""

from __future__ import annotations

import json
import resource
import sys
from pathlib import Path


def main() -> None:
    rules_path, seconds, memory = Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3])
    resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds))
    resource.setrlimit(resource.RLIMIT_AS, (memory, memory))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
    from scoring.standalone import Rules

    with rules_path.open(encoding="utf-8") as carried:
        rules = Rules(json.load(carried))
    _, report = rules.judge(sys.stdin.buffer)
    json.dump(report.to_json(), sys.stdout)


if __name__ == "__main__":
    main()
