"""Precision against recall, with lines of equal F1: why close F1s may be different systems."""

from __future__ import annotations

from collections.abc import Sequence

from competition.charts.confusion import short
from competition.charts.drawing import Drawing, Labels, Shape, line, mark, path, text

WIDTH, HEIGHT = 440, 330
LEFT, SIDE, TOP = 44, 270, 14
LEVELS = (0.2, 0.4, 0.6, 0.8)
ABOUT = "Across: recall; up: precision; both from 0 to 100. On a curve F1 is the same."


def profile(points: Sequence[tuple[str, float, float]], finding: str = "") -> Drawing | None:
    """`points`: (label, precision, recall), the one that matters first. None where there is none."""
    if not points:
        return None
    shapes: list[Shape] = []
    for share in (0.0, 0.5, 1.0):
        (x, _), (_, y) = _at(0.0, share), _at(share, 0.0)
        shapes += [
            line(x, TOP, x, TOP + SIDE, "grid"),
            line(LEFT, y, LEFT + SIDE, y, "grid"),
            text(x, TOP + SIDE + 16, f"{share * 100:.0f}", "middle"),
            text(LEFT - 8, y + 4, f"{share * 100:.0f}", "end"),
        ]
    for level in LEVELS:
        low = level / (2 - level)
        recalls = [low + (1 - low) * step / 40 for step in range(41)]
        curve = [_at(level * recall / (2 * recall - level), recall) for recall in recalls]
        shapes += [path(curve, "iso"), text(curve[-1][0] + 4, curve[-1][1] + 4, f"F1 {level * 100:.0f}")]
    labels = Labels()
    for number, (label, precision, recall) in enumerate(points):
        x, y = _at(precision, recall)
        shapes.append(mark(x, y, number, 5.5 if number == 0 else 4.5))
        shapes.append(labels.place(x, y, short(label, 22), "value" if number == 0 else ""))
    shapes += [text(LEFT + SIDE / 2, TOP + SIDE + 34, "recall", "middle"), text(LEFT, TOP - 3, "precision")]
    return Drawing(WIDTH, HEIGHT, finding or balance(*points[0]), ABOUT, shapes)


def balance(label: str, precision: float, recall: float) -> str:
    """Which of the two is ahead, in a sentence."""
    both = f"precision {precision * 100:.2f}, recall {recall * 100:.2f}"
    if abs(precision - recall) < 0.02:
        return f"{label}: precision and recall are level ({both})"
    ahead = "more precise than complete" if precision > recall else "more complete than precise"
    return f"{label}: {ahead} ({both})"


def _at(precision: float, recall: float) -> tuple[float, float]:
    return LEFT + recall * SIDE, TOP + (1 - precision) * SIDE
