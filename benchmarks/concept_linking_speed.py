"""How fast a whole FinCL run is checked and scored, against `json.loads` over its lines; and its memory.

    python -m benchmarks.concept_linking_speed

The subset of ../shared/data/fintagging repeated to 62,668 lines, the size of a large test set; the run names
gold's concept on every second line and one and the same concept on the others. Items and gold are read
before.
"""

from __future__ import annotations

import csv
import json
import os
import resource
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from benchmarks.ratio import Ratio, report
from scoring.checks import check_gold, check_items, check_run
from scoring.evaluate import evaluate, prepare_gold
from scoring.options import read_options
from scoring.records import Gold, Items, Limits
from scoring.tracks import get_kind

LINES = 62_668
AT_MOST = 6.0
MEMORY_MIB = 400
LARGE = Limits(file_bytes=1 << 30)
SHARED = Path(os.environ.get("PODIUM_SHARED", Path(__file__).resolve().parents[2] / "shared"))
ALWAYS = "us-gaap:RevenueFromContractWithCustomerExcludingAssessedTax"

KIND = get_kind("concept_linking")
TAXONOMY = SHARED / "data" / "fintagging" / "us_gaap_2024_concepts.tsv"


def subset() -> list[dict[str, str]]:
    """The subset's rows without their contexts."""
    kept = ("category", "entity", "entity_type", "answer")
    path = SHARED / "data" / "fintagging" / "FinCL-eval-subset.csv"
    with path.open(encoding="utf-8", newline="") as source:
        return [{name: row[name] for name in kept} for row in csv.DictReader(source)]


def written(records: Iterator[dict[str, Any]]) -> bytes:
    return "".join(json.dumps(record) + "\n" for record in records).encode()


def track() -> tuple[Items, Gold, bytes]:
    """Items, gold and the bytes of the run."""
    rows = subset()
    numbered = [(f"fincl_{at:06d}", rows[at % len(rows)]) for at in range(LINES)]
    items = check_items(
        KIND,
        written(
            {
                "id": name,
                "entity": row["entity"],
                "entity_type": row["entity_type"],
                "structure": row["category"],
            }
            for name, row in numbered
        ),
    ).items
    assert items is not None
    gold = check_gold(
        KIND, items, written({"id": name, "concept": row["answer"]} for name, row in numbered)
    ).gold
    assert gold is not None
    run = written(
        {"id": name, "concept": row["answer"] if at % 2 else ALWAYS}
        for at, (name, row) in enumerate(numbered)
    )
    return items, gold, run


def main() -> int:
    items, gold, run = track()
    options = read_options(KIND, {"taxonomy": str(TAXONOMY)})
    prepared = prepare_gold(KIND, items, gold, options)
    lines = run.splitlines()

    def whole() -> None:
        checked = check_run(KIND, items, run, limits=LARGE, options=options)
        assert checked.run is not None
        found = evaluate(KIND, items, gold, checked.run, options=options, prepared=prepared, checked=checked)
        assert 0.5 < found.scores["accuracy"] < 0.6

    def plain() -> None:
        for line in lines:
            json.loads(line)

    missed = report([Ratio(f"checking and scoring {LINES:,} concepts", whole, plain, AT_MOST)])
    unit = 1024 * 1024 if sys.platform == "darwin" else 1024
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / unit
    kept = "ok" if peak <= MEMORY_MIB else "MISSED"
    print(f"{'peak memory of the process, MiB':<64} {peak:7.0f}  at most {MEMORY_MIB}  {kept}")
    return missed + (peak > MEMORY_MIB)


if __name__ == "__main__":
    sys.exit(main())
