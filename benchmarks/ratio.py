"""Speed as ratios: two ways of doing the same work, timed in turn in one process.

Absolute times say more about the machine than about the code; a ratio of interleaved rounds holds anywhere.
"""

from __future__ import annotations

import gc
import sys
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from statistics import median
from typing import Any

ROUNDS = 7
TOLERANCE = 1e-12


@dataclass(frozen=True)
class Ratio:
    """`work` against `measure`: time(work) / time(measure), held `at_most`, or `at_least` turned round.

    Each callable does its whole work once. With `same_values` both return numbers that must agree.
    `scale` divides the ratio where `work` treats that many times as much ("time per item").
    """

    name: str
    work: Callable[[], Any]
    measure: Callable[[], Any]
    at_most: float | None = None
    at_least: float | None = None
    same_values: bool = False
    scale: float = 1.0


def timed(call: Callable[[], Any], clock: Callable[[], float]) -> float:
    start = clock()
    call()
    return clock() - start


def take(ratio: Ratio, rounds: int = ROUNDS, clock: Callable[[], float] = time.perf_counter) -> float:
    """The median over interleaved rounds. With `at_least` it says how many times faster `work` is."""
    ours, theirs = ratio.work(), ratio.measure()
    if ratio.same_values:
        worst = max((abs(a - b) for a, b in zip(ours, theirs, strict=True)), default=0.0)
        if worst > TOLERANCE:
            raise AssertionError(f"{ratio.name}: values differ by {worst}")
    del ours, theirs
    gc.collect()
    pairs = [(timed(ratio.work, clock), timed(ratio.measure, clock)) for _ in range(rounds)]
    quotient = median(work / measure for work, measure in pairs) / ratio.scale
    return 1 / quotient if ratio.at_least is not None else quotient


def holds(ratio: Ratio, value: float) -> bool:
    within = ratio.at_most is None or value <= ratio.at_most
    return within and (ratio.at_least is None or value >= ratio.at_least)


def report(ratios: Iterable[Ratio], rounds: int = ROUNDS) -> int:
    """Take each, print a line for it, and return how many did not hold."""
    missed = 0
    for ratio in ratios:
        value = take(ratio, rounds)
        kept = holds(ratio, value)
        missed += not kept
        word, limit = (
            ("at least", ratio.at_least) if ratio.at_least is not None else ("at most", ratio.at_most)
        )
        print(f"{ratio.name:<64} {value:7.2f}  {word} {limit:g}  {'ok' if kept else 'MISSED'}", flush=True)
    return missed


def main(ratios: Iterable[Ratio]) -> None:
    """For the end of a benchmark module."""
    sys.exit(1 if report(ratios) else 0)
