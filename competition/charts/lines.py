"""A measure over growing K: one line a series, with its values written at the points."""

from __future__ import annotations

from collections.abc import Sequence

from competition.charts.drawing import Drawing, Labels, Shape, line, mark, path, text

WIDTH, HEIGHT = 500, 210
LEFT, RIGHT, TOP, BASE = 40, 300, 20, 176
ABOUT = "Points are the shares at each K; a steep line means that answers stand too far down the list."


def slope(
    ks: Sequence[object], series: Sequence[tuple[str, Sequence[float]]], measure: str
) -> Drawing | None:
    """Fractions over two or more K, evenly spaced; None with fewer."""
    if len(ks) < 2 or not series:
        return None
    step = (RIGHT - LEFT) / (len(ks) - 1)
    shapes: list[Shape] = []
    for share in (0.0, 0.5, 1.0):
        y = BASE - share * (BASE - TOP)
        shapes += [line(LEFT, y, RIGHT, y, "grid"), text(LEFT - 8, y + 4, f"{share * 100:.0f}", "end")]
    shapes += [text(LEFT + at * step, BASE + 18, f"@{k}", "middle") for at, k in enumerate(ks)]
    taken: list[float] = []
    labels = Labels()
    for number, (name, values) in enumerate(series):
        points = [(LEFT + at * step, BASE - value * (BASE - TOP)) for at, value in enumerate(values)]
        shapes.append(path(points, f"series ink-{number + 1}"))
        shapes += [mark(x, y, number) for x, y in points]
        for value, (x, y) in list(zip(values, points, strict=True))[:-1]:
            shapes.append(labels.place(x, y, f"{value * 100:.1f}", "value", upright=True))
        end = _free(points[-1][1] + 4, taken)
        shapes.append(text(RIGHT + 12, end, f"{values[-1] * 100:.1f} {name}", kind="value"))
    name, values = series[0]
    gain = (values[-1] - values[0]) * 100
    finding = (
        f"{measure} goes from {values[0] * 100:.2f} at {ks[0]} to {values[-1] * 100:.2f} at {ks[-1]}, "
        f"{gain:.2f} points"
    )
    return Drawing(WIDTH, HEIGHT, finding, ABOUT, shapes)


def _free(y: float, taken: list[float]) -> float:
    """A height for a label that no label before it stands on."""
    while any(abs(y - other) < 15 for other in taken):
        y += 15
    taken.append(y)
    return y
