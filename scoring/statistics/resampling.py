"""What is drawn when a score is resampled: units of items, seeded draws, and counts added up per unit.

Units are items or clusters of items (items of one report, mentions of one issuer), drawn with replacement
inside each stratum. A draw is a weight per unit, so every run of a board is weighed by the same draws and
differences are paired.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Dict, Hashable, Iterator, List, Mapping, Optional, Sequence, Tuple

import numpy as np

from scoring.tracks.base import Resampling, Tally

CHUNK = 100
"""At most this many resamples are held at a time."""

CELLS = 4_000_000
"""At most about this many numbers are held at a time (32 MB of float64)."""


@dataclass(frozen=True)
class Units:
    """How n items fall into U units.

    `of` (n,) is the unit of each item, numbered by stratum name and unit name, so the order of items in a
    file changes nothing. `strata` holds the size of each stratum; its units are consecutive. `clustered` is
    False when every unit is one item.
    """

    of: np.ndarray
    strata: Tuple[int, ...]
    clustered: bool

    @property
    def count(self) -> int:
        return sum(self.strata)


def units_of(resampling: Resampling, items: Sequence[Mapping[str, Any]], ids: Sequence[str]) -> Units:
    """The units of these items as a kind declares them; an item that lacks one of the fields stands alone."""
    names = [_unit_name(resampling, item, item_id) for item, item_id in zip(items, ids)]
    numbers = {name: number for number, name in enumerate(sorted(set(names)))}
    strata: Dict[str, int] = {}
    for stratum, _, _ in numbers:
        strata[stratum] = strata.get(stratum, 0) + 1
    return Units(
        of=np.array([numbers[name] for name in names], dtype=np.intp),
        strata=tuple(strata.values()),
        clustered=any(not alone for _, alone, _ in numbers),
    )


def _unit_name(
    resampling: Resampling, item: Mapping[str, Any], item_id: str
) -> Tuple[str, bool, Tuple[str, ...]]:
    """(stratum, stands alone, name within the stratum)."""
    stratum = str(item.get(resampling.within, "")) if resampling.within else ""
    fields = resampling.fields if resampling.unit == "cluster" else ()
    values = [item.get(name) for name in fields]
    if not values or any(value is None for value in values):
        return stratum, True, (item_id,)
    return stratum, False, tuple(map(str, values))


def draws(units: Units, resamples: int, seed: int, chunk: int = CHUNK) -> Iterator[np.ndarray]:
    """Weights (r, U), r ≤ `chunk`, until `resamples` rows are given: how often each unit is drawn.

    Each stratum has its own stream of the seed, so neither the chunk size nor the other strata move a draw.
    """
    streams = [np.random.default_rng([seed, number]) for number in range(len(units.strata))]
    for start in range(0, resamples, chunk):
        rows = min(chunk, resamples - start)
        parts = [_draw(stream, rows, size) for stream, size in zip(streams, units.strata)]
        yield parts[0] if len(parts) == 1 else np.concatenate(parts, axis=1)


def _draw(stream: np.random.Generator, rows: int, size: int) -> np.ndarray:
    drawn = stream.integers(0, size, size=(rows, size))
    drawn += np.arange(rows)[:, None] * size
    return np.bincount(drawn.ravel(), minlength=rows * size).reshape(rows, size).astype(np.float64)


class Table:
    """The tallies of T runs over the same items, added up per unit: U units, C columns.

    Tuples of fixed columns are kept dense; mappings are kept as entries, their keys in `keys` (empty for
    tuples).
    """

    def __init__(self, runs: Sequence[Sequence[Tally]], units: Units) -> None:
        self.units = units
        self.runs = len(runs)
        self.keys: List[Hashable] = []
        self._dense: Optional[np.ndarray] = None
        if runs and len(runs[0]) and isinstance(runs[0][0], Mapping):
            self._read_mappings(runs)
        else:
            self._read_tuples(runs)

    @property
    def chunk(self) -> int:
        """How many resamples to hold at a time."""
        widest = max(self.units.count, self.runs * self.columns, 0 if self.keys == [] else len(self._values))
        return max(1, min(CHUNK, CELLS // max(1, widest)))

    def totals(self, weights: np.ndarray) -> np.ndarray:
        """Weighted sums (r, T, C) for weights (r, U)."""
        if not self.keys:
            return (weights @ self._sums).reshape(len(weights), self.runs, self.columns)
        return self._spread(weights[:, self._unit] * self._values)

    def present(self, weights: np.ndarray) -> np.ndarray:
        """Whether a drawn unit has the key at all (r, T, C), though its counts may be 0."""
        return self._spread(weights[:, self._unit]) > 0

    def dense(self) -> np.ndarray:
        """Sums (U, T, C)."""
        if self._dense is None:
            if not self.keys:
                self._dense = self._sums.reshape(self.units.count, self.runs, self.columns)
            else:
                self._dense = self.totals(np.eye(self.units.count))
        return self._dense

    def plain(self, weights: np.ndarray) -> List[List[Tally]]:
        """The totals as a kind's `scores_of` takes them: r lists of T tallies."""
        totals = self.totals(weights).tolist()
        if not self.keys:
            return [[tuple(row) for row in rows] for rows in totals]
        present = self.present(weights).tolist()
        return [
            [{k: v for k, v, has in zip(self.keys, row, there) if has} for row, there in zip(rows, theres)]
            for rows, theres in zip(totals, present)
        ]

    def _read_tuples(self, runs: Sequence[Sequence[Tally]]) -> None:
        values = np.array(runs, dtype=np.float64)
        self.columns = values.shape[2] if values.ndim == 3 else 0
        by_item = values.transpose(1, 0, 2).reshape(values.shape[1], -1)
        self._sums = np.zeros((self.units.count, by_item.shape[1]))
        np.add.at(self._sums, self.units.of, by_item)

    def _read_mappings(self, runs: Sequence[Sequence[Tally]]) -> None:
        column: Dict[Hashable, int] = {}
        sums: Dict[Tuple[int, int, int], float] = {}
        for run, tallies in enumerate(runs):
            for unit, tally in zip(self.units.of.tolist(), tallies):
                for key, value in tally.items():  # type: ignore[union-attr]
                    place = (unit, run, column.setdefault(key, len(column)))
                    sums[place] = sums.get(place, 0.0) + value
        self.keys = list(column)
        self.columns = len(column)
        places = np.array(list(sums), dtype=np.intp).reshape(-1, 3)
        self._unit = places[:, 0]
        self._cell = places[:, 1] * self.columns + places[:, 2]
        self._values = np.array(list(sums.values()), dtype=np.float64)

    def _spread(self, entries: np.ndarray) -> np.ndarray:
        """Entries (r, E) added into their cells (r, T, C)."""
        rows, width = len(entries), self.runs * self.columns
        cells = self._cell[None, :] + np.arange(rows)[:, None] * width
        added = np.bincount(cells.ravel(), weights=entries.ravel(), minlength=rows * width)
        return added.reshape(rows, self.runs, self.columns)
