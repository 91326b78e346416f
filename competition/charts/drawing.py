"""A chart as shapes: coordinates, classes and words, written out as one inline SVG that says its finding."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString

MARKS = ("circle", "square", "triangle", "diamond", "cross", "ring")
"""A series is told by its mark's shape as well as by its ink."""


@dataclass(frozen=True)
class Shape:
    """One SVG element. Attributes only, never a style: the content policy holds."""

    tag: str
    attributes: dict[str, object]
    text: str = ""

    @property
    def svg(self) -> SafeString:
        written = format_html_join("", ' {}="{}"', self.attributes.items())
        return format_html("<{}{}>{}</{}>", self.tag, written, self.text, self.tag)


@dataclass(frozen=True)
class Drawing:
    """`finding` is the conclusion in words: the title people read and hear; `about` says how to read it."""

    width: int
    height: int
    finding: str
    about: str
    shapes: list[Shape] = field(default_factory=list)

    @property
    def svg(self) -> SafeString:
        return format_html(
            '<svg viewBox="0 0 {} {}" width="{}" role="img"><title>{}</title><desc>{}</desc>{}</svg>',
            self.width,
            self.height,
            self.width,
            self.finding,
            self.about,
            format_html_join("", "{}", ((shape.svg,) for shape in self.shapes)),
        )


def text(x: float, y: float, words: str, anchor: str = "start", kind: str = "") -> Shape:
    attributes: dict[str, object] = {"x": _round(x), "y": _round(y), "text-anchor": anchor}
    return Shape("text", {**attributes, **({"class": kind} if kind else {})}, words)


def line(x1: float, y1: float, x2: float, y2: float, kind: str) -> Shape:
    ends = {"x1": x1, "y1": y1, "x2": x2, "y2": y2}
    return Shape("line", {"class": kind, **{name: _round(value) for name, value in ends.items()}})


def rect(x: float, y: float, width: float, height: float, kind: str, opacity: float | None = None) -> Shape:
    sides = {"x": x, "y": y, "width": max(0.0, width), "height": max(0.0, height)}
    attributes: dict[str, object] = {"class": kind, **{name: _round(value) for name, value in sides.items()}}
    return Shape(
        "rect", attributes if opacity is None else {**attributes, "fill-opacity": _round(opacity, 3)}
    )


def path(points: Sequence[tuple[float, float]], kind: str) -> Shape:
    steps = " ".join(f"{_round(x)} {_round(y)}" for x, y in points)
    return Shape("path", {"class": kind, "d": f"M{steps}"})


def mark(x: float, y: float, series: int, size: float = 4.5) -> Shape:
    """The mark of a series; the seventh is told apart by its label only."""
    number = series % len(MARKS)
    ink = {"class": f"mark ink-{number + 1}"}
    x, y = _round(x), _round(y)
    if MARKS[number] in ("circle", "ring"):
        kind = ink if MARKS[number] == "circle" else {"class": f"mark hollow ink-{number + 1}"}
        return Shape("circle", {**kind, "cx": x, "cy": y, "r": size})
    drawn = {
        "square": f"M{x - size} {y - size}h{2 * size}v{2 * size}h{-2 * size}z",
        "triangle": f"M{x} {y - size}l{size} {2 * size}h{-2 * size}z",
        "diamond": f"M{x} {y - 1.2 * size}l{size} {1.2 * size}l{-size} {1.2 * size}l{-size} {-1.2 * size}z",
        "cross": f"M{x - size} {y}h{2 * size}M{x} {y - size}v{2 * size}",
    }[MARKS[number]]
    kind = {"class": f"mark stroke ink-{number + 1}"} if MARKS[number] == "cross" else ink
    return Shape("path", {**kind, "d": drawn})


def _round(value: float, digits: int = 1) -> float:
    return round(value, digits)


class Labels:
    """Places short labels beside their marks so that none stands on another."""

    def __init__(self) -> None:
        self.taken: list[tuple[float, float, float, float]] = []

    def place(self, x: float, y: float, words: str, kind: str = "", *, upright: bool = False) -> Shape:
        """The label near the mark at (x, y): right or left, above or below; `upright`: only the latter."""
        beside = [(x + 10, y + 4, "start"), (x - 10, y + 4, "end")]
        apart = [(x, y - 10, "middle"), (x, y + 20, "middle"), (x, y - 24, "middle"), (x, y + 34, "middle")]
        choices = apart if upright else beside + apart
        for place in choices:
            box = _box(*place, len(words))
            if not any(_overlap(box, other) for other in self.taken):
                break
        self.taken.append(box)
        return text(place[0], place[1], words, place[2], kind)


def _box(x: float, y: float, anchor: str, letters: int) -> tuple[float, float, float, float]:
    width = 7.0 * letters
    left = {"start": x, "middle": x - width / 2, "end": x - width}[anchor]
    return left, y - 11, left + width, y + 3


def _overlap(one: tuple[float, float, float, float], other: tuple[float, float, float, float]) -> bool:
    return one[0] < other[2] and other[0] < one[2] and one[1] < other[3] and other[1] < one[3]
