"""Macro and micro precision, recall and F1 over concepts or BIO labels, from open counts."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from scoring.metrics.classes import macro, micro
from scoring.metrics.sets import Counts
from scoring.tracks.base import Score
from scoring.tracks.observing import table

HITS, PREDICTED, EXPECTED = "hits", "predicted", "expected"


def average_scores(unit: str, classes: str) -> tuple[Score, ...]:
    """The six scores of FinTagging's table 5: `unit` is counted, macro averages go over `classes`."""
    over = f"mean over the {classes} in gold or run of"
    return (
        Score("macro_f1", "Macro-F1", "macro F1", f"{over} 2PR / (P + R)"),
        Score("macro_precision", "Macro precision", "macro P", f"{over} right / answered {unit}"),
        Score("macro_recall", "Macro recall", "macro R", f"{over} right / gold {unit}"),
        Score("micro_f1", "Micro-F1", "micro F1", f"2PR / (P + R) over all {unit}"),
        Score("micro_precision", "Micro precision", "micro P", f"right / answered {unit}"),
        Score("micro_recall", "Micro recall", "micro R", f"right / gold {unit}"),
    )


def count_classes(
    gold: Iterable[tuple[str, Any]], answer: Iterable[tuple[str, Any]], prefix: tuple[str, ...] = ()
) -> dict[Any, float]:
    """Counts of (class, thing) pairs: keys (*prefix, role, class)."""
    right, given = set(gold), set(answer)
    counts: dict[Any, float] = {}
    for role, pairs in ((HITS, right & given), (PREDICTED, given), (EXPECTED, right)):
        for name, _ in pairs:
            key = (*prefix, role, name)
            counts[key] = counts.get(key, 0) + 1
    return counts


def classes_of(total: Mapping[Any, float], prefix: tuple[str, ...] = ()) -> dict[str, Counts]:
    """Class → counts, from the keys of `count_classes` with this prefix."""
    size = len(prefix) + 2
    found: dict[str, dict[str, float]] = {}
    for key, n in total.items():
        if len(key) == size and key[: size - 2] == prefix:
            found.setdefault(key[-1], {})[key[-2]] = n
    return {
        name: Counts(roles.get(HITS, 0), roles.get(PREDICTED, 0), roles.get(EXPECTED, 0))
        for name, roles in found.items()
    }


def averages(classes: Mapping[str, Counts]) -> dict[str, float]:
    """The six scores by key."""
    by_class, pooled = macro(classes.values()), micro(classes.values())
    return {
        "macro_f1": by_class.f1,
        "macro_precision": by_class.precision,
        "macro_recall": by_class.recall,
        "micro_f1": pooled.f1,
        "micro_precision": pooled.precision,
        "micro_recall": pooled.recall,
    }


def class_table(classes: Mapping[str, Counts], head: str, most: int = 50) -> dict[str, Any]:
    """The commonest classes of gold with their counts and ratios."""
    ranked: Sequence[tuple[str, Counts]] = sorted(
        classes.items(), key=lambda pair: (-pair[1].expected, -pair[1].predicted, pair[0])
    )[:most]
    return table(
        [head, "gold", "answered", "precision", "recall", "F1"],
        (
            [name, int(one.expected), int(one.predicted), one.precision, one.recall, one.f1]
            for name, one in ranked
        ),
    )


def bands_of(classes: Mapping[str, Counts]) -> dict[str, dict[str, Any]]:
    """Classes five times or more in gold, two to four times, once: {"n" (classes), scores…}."""
    bands = {
        "head": {name: one for name, one in classes.items() if one.expected >= 5},
        "middle": {name: one for name, one in classes.items() if 2 <= one.expected < 5},
        "tail": {name: one for name, one in classes.items() if one.expected == 1},
    }
    return {band: {"n": len(members), **averages(members)} for band, members in bands.items() if members}
