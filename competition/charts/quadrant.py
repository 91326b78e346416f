"""Recognised by complete: four squares whose areas are the counts. Recognition is not grounding."""

from __future__ import annotations

from collections.abc import Mapping

from competition.charts.drawing import Drawing, Shape, line, rect, text

SIDE, LEFT, TOP = 110, 116, 30
ABOUT = (
    "Columns: the concept was recognised (T2a) or not; rows: all its facts were selected (T2b) or not. "
    "The area of a square is the number of groups."
)


def quadrant(name: str, counts: Mapping[str, int]) -> Drawing:
    """`counts` as `scoring.composite.recognition_by_coverage` names them."""
    total = sum(counts.values()) or 1
    shapes: list[Shape] = []
    for column, recognised in enumerate(("recognised", "not recognised")):
        shapes.append(text(LEFT + (column + 0.5) * SIDE, TOP - 10, recognised, "middle"))
        for row, complete in enumerate(("complete", "not complete")):
            count = counts.get(f"{recognised}, {complete}", 0)
            side = (count / total) ** 0.5 * (SIDE - 16)
            x, y = LEFT + (column + 0.5) * SIDE, TOP + (row + 0.5) * SIDE
            kind = "bar" if (column, row) == (0, 0) else "bar beyond" if (column, row) == (0, 1) else "cell"
            shapes.append(rect(x - side / 2, y - side / 2, side, side, f"{kind} quarter"))
            shapes.append(
                text(
                    x + side / 2 - 4 if side > 40 else x + side / 2 + 6,
                    y + 4,
                    str(count),
                    "end" if side > 40 else "start",
                    "on-bar" if side > 40 and kind != "cell" else "value",
                )
            )
            if column == 0:
                shapes.append(text(LEFT - 8, y + 4, complete, "end"))
    middle_x, middle_y = LEFT + SIDE, TOP + SIDE
    shapes += [
        line(LEFT, middle_y, LEFT + 2 * SIDE, middle_y, "axis"),
        line(middle_x, TOP, middle_x, TOP + 2 * SIDE, "axis"),
    ]
    known = counts.get("recognised, complete", 0) + counts.get("recognised, not complete", 0)
    finding = f"{name}: {counts.get('recognised, not complete', 0)} of {known} recognised groups miss a fact"
    return Drawing(LEFT + 2 * SIDE + 8, TOP + 2 * SIDE + 8, finding, ABOUT, shapes)
