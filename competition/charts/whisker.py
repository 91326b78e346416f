"""The whisker column of a board: a dot for the score, a line for its interval, one axis for all rows."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

WIDTH = 176
PAD = 12
STEPS = (0.01, 0.02, 0.05, 0.1, 0.2, 0.25, 0.5)


@dataclass(frozen=True)
class Tick:
    x: float
    label: str


@dataclass(frozen=True)
class Axis:
    """From `low` to `high`, fractions; `ticks` in percent."""

    low: float
    high: float
    ticks: list[Tick]
    title: str

    def x(self, value: float) -> float:
        return _round(PAD + (value - self.low) / (self.high - self.low) * (WIDTH - 2 * PAD))


@dataclass(frozen=True)
class Whisker:
    dot: float
    left: float | None
    right: float | None
    text: str


def axis(values: Iterable[float], title: str) -> Axis | None:
    """An axis of at most four round steps that holds these fractions; None where there is no finite value."""
    finite = [value for value in values if math.isfinite(value)]
    if not finite:
        return None
    least, most = min(finite), max(finite)
    step = next((one for one in STEPS if (most - least) / one <= 3), STEPS[-1])
    low, high = math.floor(least / step + 1e-9) * step, math.ceil(most / step - 1e-9) * step
    if high - low < step / 2:
        low, high = max(0.0, low - step), low + step if low < 1 - step / 2 else low  # no score beyond 100
    count = round((high - low) / step)
    shell = Axis(low, high, [], title)
    ticks = [Tick(shell.x(low + n * step), f"{(low + n * step) * 100:.0f}") for n in range(count + 1)]
    return Axis(low, high, ticks, title)


def whisker(scale: Axis, value: float, interval: tuple[float, float] | None) -> Whisker:
    """One row's marks. `interval` is (low, high) in fractions, clipped to the axis."""
    dot = scale.x(min(max(value, scale.low), scale.high))
    if interval is None:
        return Whisker(dot, None, None, f"{value * 100:.2f}, no interval")
    low, high = (min(max(end, scale.low), scale.high) for end in interval)
    text = f"{value * 100:.2f}, 95 % interval {interval[0] * 100:.2f} to {interval[1] * 100:.2f}"
    return Whisker(dot, scale.x(low), scale.x(high), text)


def _round(value: float) -> float:
    return round(value, 1)
