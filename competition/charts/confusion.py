"""Gold against answer as a grid: the darker, the more often; ordered labels get a band along the diagonal."""

from __future__ import annotations

from collections.abc import Sequence

from competition.charts.drawing import Drawing, Shape, rect, text

CELL, LEFT, TOP = 46, 150, 34
MOST_LABELS = 12
LONGEST_HEAD = 7
"""Longer labels stand at their rows only, and columns have their numbers."""


def confusion(labels: Sequence[str], rows: Sequence[Sequence[int]], *, ordered: bool) -> Drawing | None:
    """None where a grid would be too small to read, or is empty. Rows are gold, columns the run."""
    total = sum(map(sum, rows))
    if not total or len(labels) > MOST_LABELS:
        return None
    numbered = max(map(len, labels)) > LONGEST_HEAD
    shapes: list[Shape] = []
    for at, counts in enumerate(rows):
        head = f"{labels[at]} {at + 1}" if numbered else labels[at]
        shapes.append(text(LEFT - 8, TOP + at * CELL + CELL / 2 + 4, short(head, 22), "end"))
        above = str(at + 1) if numbered else labels[at]
        shapes.append(text(LEFT + at * CELL + CELL / 2, TOP - 8, above, "middle"))
        in_row = sum(counts) or 1
        for column, count in enumerate(counts):
            x, y = LEFT + column * CELL, TOP + at * CELL
            near = ordered and abs(at - column) <= 1
            shapes.append(rect(x + 1, y + 1, CELL - 2, CELL - 2, "cell near" if near else "cell"))
            shapes.append(rect(x + 1, y + 1, CELL - 2, CELL - 2, "heat", 0.75 * count / in_row))
            if count:
                shapes.append(text(x + CELL / 2, y + CELL / 2 + 4, str(count), "middle", "value"))
    side = LEFT + len(labels) * CELL
    return Drawing(side + 8, TOP + len(labels) * CELL + 8, _finding(labels, rows, ordered), ABOUT, shapes)


ABOUT = "Rows are the references, columns the answers; a cell is shaded by its share of the row."


def short(label: str, most: int = 15) -> str:
    return label if len(label) <= most else label[: most - 1] + "…"


def _finding(labels: Sequence[str], rows: Sequence[Sequence[int]], ordered: bool) -> str:
    total = sum(map(sum, rows))
    right = sum(rows[at][at] for at in range(len(labels)))
    wrong = total - right
    if not wrong:
        return f"All {total} answers are right"
    if ordered:
        near = sum(
            rows[at][column]
            for at in range(len(labels))
            for column in range(len(labels))
            if abs(at - column) == 1
        )
        return f"{right} of {total} answers are right; {near} of {wrong} errors are one step away"
    count, gold, answer = max(
        (rows[at][column], labels[at], labels[column])
        for at in range(len(labels))
        for column in range(len(labels))
        if at != column
    )
    return (
        f"{right} of {total} answers are right; the commonest error takes {gold} for {answer}, {count} times"
    )
