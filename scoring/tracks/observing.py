"""Small tables and figures the kinds' diagnostics are made of."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from math import fsum, log2
from typing import Any

from scoring.metrics.classes import by_class
from scoring.records import Invalid
from scoring.tracks.base import Diagnostic

OTHER = "(other)"

DISTRIBUTION = Diagnostic("label_distribution", "Answers given", 0, "table", "How often each was answered.")
ENTROPY = Diagnostic(
    "entropy", "Entropy of the answers (bits)", 0, "number", "0 when every answer is the same."
)
REPEATED = Diagnostic(
    "most_repeated", "Share of the commonest answer", 0, "percent", "Of all items that were answered."
)
CONFUSION = Diagnostic("confusion", "Gold against answer", 1, "matrix")
BY_LABEL = Diagnostic("by_label", "Each label", 1, "table", chart="bars")


def table(columns: Sequence[str], rows: Iterable[Sequence[Any]]) -> dict[str, Any]:
    """What a diagnostic of display "table" holds."""
    return {"columns": list(columns), "rows": [list(row) for row in rows]}


def given(answers: Iterable[Any]) -> list[Any]:
    """The answers that were given, without those marked as invalid."""
    return [answer for answer in answers if not isinstance(answer, Invalid)]


def mean(values: Sequence[float]) -> float | None:
    """None where there are no values."""
    return fsum(values) / len(values) if values else None


def entropy(counts: Mapping[Any, int]) -> float:
    """Shannon entropy of a distribution given by counts, in bits."""
    total = sum(counts.values())
    return -fsum(n / total * log2(n / total) for n in counts.values() if n) + 0.0 if total else 0.0


def distribution(
    values: Iterable[str], head: str = "label", most: int = 20, order: Sequence[str] = ()
) -> dict[str, Any]:
    """The diagnostics `DISTRIBUTION`, `ENTROPY` and `REPEATED` of these answers.

    `order` fixes the rows; else the `most` commonest stand alone and the rest share one row.
    """
    counts = Counter(values)
    total = sum(counts.values())
    ranked = sorted(counts.items(), key=lambda pair: (-pair[1], pair[0]))
    rows = [(label, counts[label]) for label in order] if order else ranked[:most]
    if not order and len(ranked) > most:
        rows.append((OTHER, sum(n for _, n in ranked[most:])))
    return {
        DISTRIBUTION.key: table([head, "n", "share"], ((name, n, n / (total or 1)) for name, n in rows)),
        ENTROPY.key: entropy(counts),
        REPEATED.key: ranked[0][1] / total if total else 0.0,
    }


def confusion(
    cells: Mapping[tuple[str, Any], float], order: Sequence[str] = (), most: int = 20
) -> dict[str, Any]:
    """The diagnostics `CONFUSION` and `BY_LABEL` from (gold, run) cells; a run label None was not given.

    Beyond `most` labels the rarest in gold share one row and column.
    """
    classes = by_class(cells)
    labels = list(order) or sorted(classes, key=lambda label: (-classes[label].expected, label))
    shown = labels if len(labels) <= most else [*labels[: most - 1], OTHER]
    place = {label: at for at, label in enumerate(shown)}
    rows = [[0] * len(shown) for _ in shown]
    for (gold, answer), n in cells.items():
        if answer is not None:
            rows[place.get(gold, len(shown) - 1)][place.get(answer, len(shown) - 1)] += int(n)
    return {
        CONFUSION.key: {"labels": shown, "rows": rows},
        BY_LABEL.key: table(
            ["label", "gold", "answered", "precision", "recall", "F1"],
            (
                [label, int(one.expected), int(one.predicted), one.precision, one.recall, one.f1]
                for label, one in ((label, classes[label]) for label in labels[:100] if label in classes)
            ),
        ),
    }


def lengths(
    sizes: Sequence[int], head: str, bounds: Sequence[int] = (0, 1, 2, 5, 10, 20, 50)
) -> dict[str, Any]:
    """How many answers have how many members: a table over the bands 0, 1, 2, 3–5, …, over 50."""
    rows: list[tuple[str, int]] = []
    below = -1
    for bound in bounds:
        name = str(bound) if bound == below + 1 else f"{below + 1}-{bound}"
        rows.append((name, sum(below < size <= bound for size in sizes)))
        below = bound
    rows.append((f"over {below}", sum(size > below for size in sizes)))
    return table([head, "answers"], rows)
