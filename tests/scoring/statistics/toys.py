"""Small kinds with one primary score each, and runs drawn for them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from scoring.statistics.resampling import Units, units_of
from scoring.tracks.base import Kind, Resampling, Score, Tally


def ratio(above: float, below: float) -> float:
    return above / below if below else 0.0


BY_ITEM = Resampling()
BY_GROUP = Resampling("cluster", ("group",))
WITHIN_LANGUAGE = Resampling("cluster", ("group",), within="language", resamples=2_000)


class Mean(Kind):
    """Tallies (value, 1)."""

    name = "mean"
    scores = (Score("mean", "Mean", "M", "mean of the values"),)

    def __init__(self, resampling: Resampling = BY_ITEM, higher_is_better: bool = True) -> None:
        self.resampling = resampling
        self.scores = (Score("mean", "Mean", "M", "mean", higher_is_better),)

    def scores_of(self, total: Tally, options: Any) -> dict[str, float]:
        return {"mean": ratio(total[0], total[1]) if total else 0.0}


class OnlyMarked(Mean):
    """Items with "primary": false stay out of the score."""

    def in_primary(self, item: dict[str, Any]) -> bool:
        return item.get("primary", True)


def f1(tp: float, predicted: float, expected: float) -> float:
    return ratio(2 * tp, predicted + expected)


def micro_f1(total: Tally) -> float:
    return f1(*total[:3])


def macro_f1_of_cells(total: Tally) -> float:
    """Mapping (gold, run) → count; labels that occur."""
    labels = {label for cell in total for label in cell}
    found = [
        f1(
            total.get((label, label), 0.0),
            sum(count for (_, run), count in total.items() if run == label),
            sum(count for (gold, _), count in total.items() if gold == label),
        )
        for label in labels
    ]
    return ratio(sum(found), len(found))


def macro_f1_of_counts(total: Tally) -> float:
    """Mapping (label, "tp" | "run" | "gold") → count."""
    labels = {label for label, _ in total}
    found = [f1(*(total.get((label, role), 0.0) for role in ("tp", "run", "gold"))) for label in labels]
    return ratio(sum(found), len(found))


def macro_f1_of_seven(total: Tally) -> float:
    """21 columns, (tp, predicted, expected) of seven classes, and one more column."""
    return sum(f1(*total[3 * place : 3 * place + 3]) for place in range(7)) / 7


def odd(total: Tally) -> float:
    """A score of no known shape."""
    return min(1.0, (total[0] / (1 + total[1])) ** 1.5)


def micro_tally(stream: np.random.Generator) -> Tally:
    predicted, expected = (int(count) for count in stream.integers(0, 5, size=2))
    return (float(stream.integers(0, min(predicted, expected) + 1)), float(predicted), float(expected), 1.0)


def _answers(stream: np.random.Generator, labels: int) -> list[tuple[int, int]]:
    pairs = [(int(gold), int(run)) for gold, run in stream.integers(0, labels, size=(4, 2))]
    return [(gold, gold if stream.random() < 0.6 else run) for gold, run in pairs]


def cells_tally(stream: np.random.Generator) -> Tally:
    cells: dict[Any, float] = {}
    for cell in _answers(stream, 5):
        cells[cell] = cells.get(cell, 0.0) + 1
    return cells


def counts_tally(stream: np.random.Generator) -> Tally:
    counts: dict[Any, float] = {}
    for gold, run in _answers(stream, 40):
        for key, one in (((gold, "tp"), gold == run), ((gold, "gold"), True), ((run, "run"), True)):
            counts[key] = counts.get(key, 0.0) + one
    return counts


def seven_tally(stream: np.random.Generator) -> Tally:
    columns = [0.0] * 22
    for gold, run in _answers(stream, 7):
        columns[3 * gold] += gold == run
        columns[3 * run + 1] += 1
        columns[3 * gold + 2] += 1
    columns[21] = 1.0
    return tuple(columns)


SHAPES: dict[str, tuple[Callable[[np.random.Generator], Tally], Callable[[Tally], float], str | None]] = {
    "micro-F1": (micro_tally, micro_f1, "MacroF1"),
    "macro-F1 of cells": (cells_tally, macro_f1_of_cells, "Confusion"),
    "macro-F1 of counts": (counts_tally, macro_f1_of_counts, "MacroF1"),
    "macro-F1 of seven": (seven_tally, macro_f1_of_seven, "MacroF1"),
    "mean": (
        lambda stream: (float(stream.random()), 1.0, 0.5),
        lambda total: ratio(total[0], total[1]),
        "Ratio",
    ),
    "none known": (micro_tally, odd, None),
}
"""name → (one item's tally, total → score, the shape that should be found)."""


def runs_of(
    tally: Callable[[np.random.Generator], Tally], runs: int, n: int, seed: int = 0
) -> list[list[Tally]]:
    stream = np.random.default_rng(seed)
    return [[tally(stream) for _ in range(n)] for _ in range(runs)]


def items_of(n: int, clusters: int = 0, strata: int = 0) -> list[dict[str, Any]]:
    """Items i000…, cluster c00… and stratum s0… by turns."""
    items: list[dict[str, Any]] = []
    for place in range(n):
        item: dict[str, Any] = {"id": f"i{place:05}"}
        if clusters:
            item["group"] = f"c{place % clusters:03}"
        if strata:
            item["language"] = f"s{place % clusters % strata}"
        items.append(item)
    return items


def units_for(items: list[dict[str, Any]], resampling: Resampling = BY_ITEM) -> Units:
    return units_of(resampling, items, [item["id"] for item in items])
