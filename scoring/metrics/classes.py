"""Accuracy, and precision, recall and F1 averaged over classes, all from added-up counts.

Macro averages are unweighted means over classes (Sokolova and Lapalme, 2009): macro-F1 is the mean of the
classes' F1, not the F1 of the mean precision and recall. Micro averages pool the counts first.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from math import fsum
from typing import Any, NamedTuple

from scoring.metrics.sets import Counts


class Averages(NamedTuple):
    precision: float
    recall: float
    f1: float


def macro(classes: Iterable[Counts], divisor: int | None = None) -> Averages:
    """Means over the classes that occur in gold or run, or over `divisor` classes, the others counting 0."""
    present = [counts for counts in classes if counts.occurs]
    n = len(present) if divisor is None else divisor
    if not n:
        return Averages(0.0, 0.0, 0.0)
    return Averages(
        fsum(counts.precision for counts in present) / n,
        fsum(counts.recall for counts in present) / n,
        fsum(counts.f1 for counts in present) / n,
    )


def micro(classes: Iterable[Counts]) -> Averages:
    """Precision, recall and F1 of all classes' counts together; 0 where nothing was given or expected."""
    pooled = Counts(*map(fsum, zip(*classes)))
    return Averages(pooled.precision, pooled.recall, pooled.f1)


def accuracy(cells: Mapping[tuple[Any, Any], float]) -> float:
    """Share of (gold, run) cells on the diagonal; 0 where there are none."""
    total = fsum(cells.values())
    return fsum(n for (gold, given), n in cells.items() if gold == given) / total if total else 0.0


def by_class(cells: Mapping[tuple[Any, Any], float]) -> dict[Any, Counts]:
    """Counts of each class from (gold, run) cells, gold's classes first. None in a cell is no class: an
    answer that was not given."""
    classes: dict[Any, Counts] = {}
    for (gold, given), n in cells.items():
        if gold is not None:
            classes[gold] = classes.get(gold, Counts()).plus(Counts(n if gold == given else 0, 0, n))
    for (_, given), n in cells.items():
        if given is not None:
            classes[given] = classes.get(given, Counts()).plus(Counts(0, n, 0))
    return classes
