"""Vectorised shapes of a primary score: a ratio of sums, micro-F1, macro-F1.

A kind only gives `scores_of`, one total at a time. Most primary scores have one of three shapes, which numpy
works out for all resamples at once. A shape is taken only when it gives `scores_of`'s value to 1e-12 on
probes (the whole, resamples, and very small subsets, for every run); where a divisor is 0 the value comes
from `scores_of` itself.
"""

from __future__ import annotations

from itertools import permutations
from typing import Callable, Dict, Hashable, Iterator, List, Optional, Sequence, Tuple, Union

import numpy as np

from scoring.statistics.resampling import Table
from scoring.tracks.base import Tally

TOLERANCE = 1e-12
RATIO_COLUMNS = 60
F1_COLUMNS = 16
PROBES = 24
PROBED_RUNS = 50

ScoreOf = Callable[[Tally], float]
"""A total → the primary score."""


Columns = Union[Sequence[int], np.ndarray]


class Ratio:
    """Σ numerator / Σ denominator: means, accuracies."""

    def __init__(self, numerator: int, denominator: int) -> None:
        self.numerator, self.denominator = numerator, denominator

    def score(self, totals: np.ndarray) -> np.ndarray:
        """Scores (…) of totals (…, C); NaN where the divisor is 0."""
        return _divide(totals[..., self.numerator], totals[..., self.denominator])

    def gradient(self, totals: np.ndarray) -> np.ndarray:
        """Derivatives of the score by each column, shaped like `totals`."""
        below = totals[..., self.denominator]
        found = np.zeros_like(totals)
        found[..., self.numerator] += _divide(np.ones_like(below), below)
        found[..., self.denominator] -= _divide(self.score(totals), below)
        return np.nan_to_num(found, copy=False)


class MacroF1:
    """Mean over labels of 2·tp / (a + b + shared·tp); micro-F1 is the same with one label.

    (L,) column numbers `tp`, `a`, `b`, where −1 stands for a column of zeros. With `shared` 0, a and b are
    predicted and expected; with 2 they are false positives and false negatives. The mean goes over `divisor`
    labels, or over those that occur where it is 0.
    """

    def __init__(self, tp: Columns, a: Columns, b: Columns, shared: int, divisor: int) -> None:
        self.tp, self.a, self.b = (np.asarray(column, dtype=np.intp) for column in (tp, a, b))
        self.shared, self.divisor = shared, divisor

    def _parts(self, totals: np.ndarray) -> Tuple[np.ndarray, np.ndarray, np.ndarray]:
        """F1 (…, L), its divisor (…, L), and the number of labels averaged (…, 1)."""
        padded = _padded(totals)
        tp = padded[..., self.tp]
        below = padded[..., self.a] + padded[..., self.b] + self.shared * tp
        f1 = np.nan_to_num(_divide(2 * tp, below), copy=False)
        labels = _occurring(below)
        return f1, below, np.full_like(labels, self.divisor) if self.divisor else labels

    def score(self, totals: np.ndarray) -> np.ndarray:
        f1, below, labels = self._parts(totals)
        found = _divide(f1.sum(axis=-1), labels[..., 0])
        return np.where((below > 0).any(axis=-1), found, np.nan)

    def gradient(self, totals: np.ndarray) -> np.ndarray:
        f1, below, labels = self._parts(totals)
        scale = np.nan_to_num(_divide(np.ones_like(below), below * labels), copy=False)
        found = _padded(np.zeros_like(totals))
        flat, columns = found.reshape(-1, found.shape[-1]), f1.shape[-1]
        for column, value in (
            (self.tp, (2 - self.shared * f1) * scale),
            (self.a, -f1 * scale),
            (self.b, -f1 * scale),
        ):
            flat[:, column] += value.reshape(-1, columns)
        return found[..., :-1]


class Confusion(MacroF1):
    """Macro-F1 of cells counted by (gold, run) label.

    `gold` and `run` (C,) are the labels of each column, −1 for none.
    """

    def __init__(self, gold: Columns, run: Columns, labels: int, divisor: int) -> None:
        self.of_gold, self.of_run = (np.zeros((len(gold), labels)) for _ in range(2))
        for column, (right, given) in enumerate(zip(gold, run)):
            if right >= 0:
                self.of_gold[column, right] = 1
            if given >= 0:
                self.of_run[column, given] = 1
        self.to_counts = np.concatenate([self.of_gold * self.of_run, self.of_run, self.of_gold], axis=1)
        third = np.arange(labels)
        super().__init__(third, third + labels, third + 2 * labels, 0, divisor)

    def score(self, totals: np.ndarray) -> np.ndarray:
        return super().score(totals @ self.to_counts)

    def gradient(self, totals: np.ndarray) -> np.ndarray:
        return super().gradient(totals @ self.to_counts) @ self.to_counts.T


Form = Union[Ratio, MacroF1]


def _padded(totals: np.ndarray) -> np.ndarray:
    """Totals with a last column of zeros, the one that −1 names."""
    return np.concatenate([totals, np.zeros_like(totals[..., :1])], axis=-1)


def _divide(above: np.ndarray, below: np.ndarray) -> np.ndarray:
    return np.divide(above, below, out=np.full(np.shape(below), np.nan), where=below > 0)


def _occurring(below: np.ndarray) -> np.ndarray:
    return (below > 0).sum(axis=-1, keepdims=True).astype(np.float64)


def recognise(table: Table, score_of: ScoreOf) -> Optional[Form]:
    """The shape `score_of` has on this table, or None where it must be asked each time."""
    weights = _probes(table.units.count)
    runs = slice(0, PROBED_RUNS)
    totals = table.totals(weights)[:, runs]
    wanted = np.array([[score_of(total) for total in row[runs]] for row in table.plain(weights)])
    for form in _candidates(table):
        found = form.score(totals)
        known = ~np.isnan(found)
        if known[0].any() and np.all(np.abs(found[known] - wanted[known]) <= TOLERANCE):
            return form
    return None


def _probes(count: int) -> np.ndarray:
    """Weights (P, U): the whole, some resamples, and subsets of one to six units."""
    stream = np.random.default_rng(0)
    whole = np.ones((1, count))
    resamples = stream.multinomial(count, np.full(count, 1 / count), size=PROBES // 2)
    small = [stream.multinomial(1 + size % 6, np.full(count, 1 / count)) for size in range(PROBES)]
    return np.concatenate([whole, resamples, small]).astype(np.float64)


def _candidates(table: Table) -> Iterator[Form]:
    columns = table.columns
    if columns <= RATIO_COLUMNS:
        yield from (Ratio(up, down) for up in range(columns) for down in range(columns) if up != down)
    if columns <= F1_COLUMNS:
        yield from (MacroF1([tp], [a], [b], shared, 0) for tp, a, b, shared in _counts(range(columns)))
    if table.keys:
        yield from _of_keys(table.keys)
    elif columns <= RATIO_COLUMNS:
        yield from _of_columns(columns)


def _counts(roles: Sequence[int]) -> Iterator[Tuple[int, int, int, int]]:
    """(tp, a, b, shared) for every way the roles may be cast; a and b are interchangeable."""
    for tp, a, b in permutations(roles, 3):
        if a < b:
            yield tp, a, b, 0
            yield tp, a, b, 2


def _of_columns(columns: int) -> Iterator[Form]:
    """Fixed columns laid out label by label, count by count, or as a square of (gold, run) cells.

    Such a block is the first or the last of the columns, or all of them; larger blocks come first.
    """
    for labels in range(columns // 3, 1, -1):
        for start in sorted({0, columns - 3 * labels}):
            block = np.arange(start, start + 3 * labels)
            for layout in (block.reshape(labels, 3).T, block.reshape(3, labels)):
                for tp, a, b, shared in _counts(range(3)):
                    for divisor in (labels, 0):
                        yield MacroF1(layout[tp], layout[a], layout[b], shared, divisor)
    for side in range(int(columns**0.5), 1, -1):
        for start in sorted({0, columns - side * side}):
            cells = np.arange(columns) - start
            outside = (cells < 0) | (cells >= side * side)
            gold, run = (np.where(outside, -1, place) for place in (cells // side, cells % side))
            for divisor in (side, 0):
                yield Confusion(gold, run, side, divisor)


def _of_keys(keys: Sequence[Hashable]) -> Iterator[Form]:
    """Open labels: keys (label, count), (count, label), or (gold, run)."""
    pairs = [(place, key) for place, key in enumerate(keys) if isinstance(key, tuple) and len(key) == 2]
    if not pairs:
        return
    for position in (1, 0):
        roles = sorted({key[position] for _, key in pairs}, key=repr)
        if len(roles) <= 4:
            yield from _by_role([(place, key[1 - position], key[position]) for place, key in pairs], roles)
    numbers: Dict[Hashable, int] = {}
    gold, run = np.full(len(keys), -1), np.full(len(keys), -1)
    for place, (right, given) in pairs:
        gold[place] = numbers.setdefault(right, len(numbers))
        run[place] = numbers.setdefault(given, len(numbers))
    if len(numbers) <= RATIO_COLUMNS:
        yield from (Confusion(gold, run, len(numbers), divisor) for divisor in (0, len(numbers)))
        yield from _without_one(gold, run, numbers)


def _without_one(gold: np.ndarray, run: np.ndarray, numbers: Dict[Hashable, int]) -> Iterator[Form]:
    """As a confusion, with one label that stands for "no answer" left out of the mean."""
    for left_out in range(len(numbers)):
        kept = [np.where(side == left_out, -1, side - (side > left_out)) for side in (gold, run)]
        for divisor in (0, len(numbers) - 1):
            yield Confusion(kept[0], kept[1], len(numbers) - 1, divisor)


def _by_role(pairs: List[Tuple[int, Hashable, Hashable]], roles: List[Hashable]) -> Iterator[Form]:
    numbers: Dict[Hashable, int] = {}
    for _, label, _ in pairs:
        numbers.setdefault(label, len(numbers))
    layout = np.full((max(3, len(roles)), len(numbers)), -1)
    for place, label, role in pairs:
        layout[roles.index(role), numbers[label]] = place
    for tp, a, b, shared in _counts(range(len(layout))):
        for divisor in (0, len(numbers)):
            yield MacroF1(layout[tp], layout[a], layout[b], shared, divisor)
