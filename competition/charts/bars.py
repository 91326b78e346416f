"""Horizontal bars for named values: long names have room, and each value is written at its bar."""

from __future__ import annotations

from collections.abc import Sequence

from competition.charts.confusion import short
from competition.charts.drawing import Drawing, Labels, Shape, line, mark, rect, text

WIDTH, LABEL, ROW, TALL = 440, 150, 26, 54
MOST = 20


def bars(rows: Sequence[tuple[str, float]], finding: str, about: str, *, percent: bool) -> Drawing | None:
    """One bar a row from 0 to the largest value (1 for fractions); the first `MOST` rows, None with none."""
    if not rows:
        return None
    shown = rows[:MOST]
    most = 1.0 if percent else max((value for _, value in shown), default=0) or 1
    room = WIDTH - LABEL - 52
    shapes: list[Shape] = []
    for at, (label, value) in enumerate(shown):
        y = at * ROW
        shapes += [
            text(LABEL - 10, y + 18, short(label, 22), "end"),
            rect(LABEL, y + 6, value / most * room, ROW - 12, "bar"),
            text(
                LABEL + value / most * room + 8,
                y + 18,
                f"{value * 100:.2f}" if percent else f"{value:g}",
                kind="value",
            ),
        ]
    shapes.append(line(LABEL, 0, LABEL, len(shown) * ROW, "axis"))
    return Drawing(WIDTH, len(shown) * ROW + 4, finding, about, shapes)


def spread(rows: Sequence[tuple[str, float]], measure: str) -> str:
    """The finding of bars that are scores: where it is highest, and where lowest."""
    high, low = max(rows, key=lambda row: row[1]), min(rows, key=lambda row: row[1])
    if high[1] == low[1]:
        return f"{measure} is {high[1] * 100:.2f} everywhere"
    return (
        f"{measure} is highest for {high[0]} ({high[1] * 100:.2f}), lowest for {low[0]} ({low[1] * 100:.2f})"
    )


def dumbbells(
    rows: Sequence[tuple[str, Sequence[tuple[str, float]]]], finding: str, about: str
) -> Drawing | None:
    """One line a row with a named mark for each of its fractions, all on one axis from 0 to 100."""
    if not rows:
        return None
    left, right = LABEL, WIDTH - 24
    base = len(rows) * TALL + 12
    shapes: list[Shape] = []
    for share in (0.0, 0.25, 0.5, 0.75, 1.0):
        x = left + share * (right - left)
        shapes += [line(x, 0, x, base, "grid"), text(x, base + 16, f"{share * 100:.0f}", "middle")]
    for at, (label, values) in enumerate(rows):
        y = at * TALL + 30
        xs = [left + value * (right - left) for _, value in values]
        shapes.append(text(left - 14, y + 4, short(label, 20), "end"))
        if xs:
            shapes.append(line(min(xs), y, max(xs), y, "span"))
        labels = Labels()
        for number, ((name, _), x) in enumerate(zip(values, xs, strict=True)):
            shapes += [mark(x, y, number), labels.place(x, y, name, upright=True)]
    return Drawing(WIDTH, base + 22, finding, about, shapes)
