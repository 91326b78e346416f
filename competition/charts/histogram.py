"""Bars for counts over bands, with the counts written on them instead of an axis."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from django.utils.safestring import SafeString

from competition.charts.drawing import Drawing, Shape, line, rect, text

WIDTH, HEIGHT = 576, 150
TOP, BASE, LABELS = 20, 124, 142
FILL = 0.55
"""Share of its band that a bar takes."""


@dataclass(frozen=True)
class Bar:
    x: float
    y: float
    width: float
    height: float
    middle: float
    above: float
    label: str
    value: str
    beyond: bool


@dataclass(frozen=True)
class Histogram:
    bars: list[Bar]
    finding: str
    width: int = WIDTH
    height: int = HEIGHT
    base: int = BASE
    label_y: int = LABELS

    @property
    def svg(self) -> SafeString:
        shapes: list[Shape] = []
        for bar in self.bars:
            kind = "bar beyond" if bar.beyond else "bar"
            shapes.append(rect(bar.x, bar.y, bar.width, bar.height, kind))
            if bar.value:
                shapes.append(text(bar.middle, bar.above, bar.value, "middle", "value"))
            shapes.append(text(bar.middle, self.label_y, bar.label, "middle"))
        shapes.append(line(0, self.base, self.width, self.base, "axis"))
        return Drawing(
            self.width, self.height, self.finding, "How many answers fall into each band.", shapes
        ).svg


def histogram(
    labels: Sequence[str], counts: Sequence[float], finding: str, beyond: Collection[str] = ()
) -> Histogram:
    """One bar per label. `beyond` names those past a limit, drawn in the second ink."""
    most = max(counts, default=0) or 1
    width = WIDTH / max(1, len(labels))
    bars = []
    for place, (label, count) in enumerate(zip(labels, counts, strict=True)):
        height = round(count / most * (BASE - TOP), 1)
        x = round(place * width + width * (1 - FILL) / 2, 1)
        bars.append(
            Bar(
                x=x,
                y=round(BASE - height, 1),
                width=round(width * FILL, 1),
                height=height,
                middle=round(place * width + width / 2, 1),
                above=round(BASE - height - 5, 1),
                label=label,
                value=f"{count:g}" if count else "",
                beyond=label in beyond,
            )
        )
    return Histogram(bars, finding)
