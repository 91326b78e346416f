"""A track kind that no module of Podium knows: one class, as an organizer's own package would bring it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from random import Random
from typing import Any

import scoring.tracks
from scoring.problems import Faults
from scoring.records import Gold, Invalid, Items, Limits, Run
from scoring.tracks.base import (
    Baseline,
    Diagnostic,
    Field,
    Kind,
    Record,
    Score,
    Scored,
    Slice,
    Tally,
)


def _cut(items: Items, gold: Gold | None, generator: Random) -> Iterator[Record]:
    for item_id, item in items.records.items():
        yield {"id": item_id, "value": item["amount"] // 1_000 * 1_000}


class Rounding(Kind):
    name = "toy_rounding"
    title = "Rounding"
    summary = "Round each amount to whole thousands."
    source = "invented for a test"
    item_fields = (
        Field("amount", "integer", "what to round"),
        Field("size", "string", "small or large, a slice", required=False),
    )
    gold_fields = (Field("value", "integer", "the rounded amount"),)
    run_fields = (Field("value", "integer", "the rounded amount"),)
    scores = (
        Score("exactness", "Exactness", "Exact", "exactly right amounts / items"),
        Score("overshoot", "Overshoot", "Over", "amounts above gold / items", higher_is_better=False),
    )
    slices = (Slice("size", "Size"),)
    diagnostics = (
        Diagnostic("zeros", "Answered zero", 0, "percent"),
        Diagnostic("by_side", "By side", 1, "table", chart="bars"),
    )
    baselines = (Baseline("cut", "Amounts cut to thousands", _cut),)
    example = {
        "items": [
            {"id": f"t{n}", "amount": 1_400 + 300 * n, "size": "small" if n < 8 else "large"}
            for n in range(16)
        ],
        "gold": [{"id": f"t{n}", "value": round((1_400 + 300 * n) / 1_000) * 1_000} for n in range(16)],
        "run": [
            {
                "id": f"t{n}",
                "value": round((1_400 + 300 * n) / 1_000) * 1_000 + 1_000 * (n % 3 == 0 or n > 12),
            }
            for n in range(16)
        ],
    }

    def read_reference(self, record: Record, item: Record, faults: Faults) -> int:
        return record["value"]

    def read_answer(self, record: Record, item: Record, limits: Limits, faults: Faults) -> int | None:
        if record["value"] % 1_000:
            faults.add("E401", "The amount is not in whole thousands.", field="value", expected="thousands")
            return None
        return record["value"]

    def tally(self, item: Record, prepared: Any, answer: Any, options: Mapping[str, Any]) -> Tally:
        wrong = isinstance(answer, Invalid)
        return (float(answer == prepared), float(not wrong and answer > prepared), 1.0)

    def scores_of(self, total: Any, options: Mapping[str, Any]) -> dict[str, float]:
        right, over, n = total
        return {"exactness": right / n if n else 0.0, "overshoot": over / n if n else 0.0}

    def observe(self, items: Items, run: Run) -> dict[str, Any]:
        return {"zeros": sum(answer == 0 for answer in run.answers.values()) / len(run.answers)}

    def diagnose(self, scored: list[Scored], options: Mapping[str, Any]) -> dict[str, Any]:
        sides = [["right", 8, 0.5], ["over", 8, 0.25]]
        return {"by_side": {"columns": ["side", "n", "share of items"], "rows": sides}}

    def chance(self, items: Items) -> float | None:
        return 0.001


KIND = Rounding()


@contextmanager
def registered(kind: Kind = KIND) -> Iterator[Kind]:
    """The kind is known inside the block, through the registry's own door, and forgotten after it."""
    scoring.tracks.register(kind)
    try:
        yield kind
    finally:
        del scoring.tracks._LOADED[kind.name]
