"""How sure an order is: rank intervals, P(first), P(better than next), groups that cannot be told apart."""

from __future__ import annotations

from typing import List, Sequence, Tuple

import numpy as np

from scoring.statistics.holm import holm


def ranks(scores: np.ndarray, higher_is_better: bool = True) -> np.ndarray:
    """Ranks (R, T) of scores (R, T), each row on its own; ties share the better rank (1, 2, 2, 4)."""
    keyed = -scores if higher_is_better else scores
    order = np.argsort(keyed, axis=1, kind="stable")
    ordered = np.take_along_axis(keyed, order, axis=1)
    places = np.broadcast_to(np.arange(1, scores.shape[1] + 1), scores.shape)
    starts = np.ones(scores.shape, dtype=bool)
    starts[:, 1:] = ordered[:, 1:] != ordered[:, :-1]
    shared = np.maximum.accumulate(np.where(starts, places, 0), axis=1)
    found = np.empty(scores.shape, dtype=np.int64)
    np.put_along_axis(found, order, shared, axis=1)
    return found


def rank_interval(ranks_of_run: np.ndarray, level: float = 0.95) -> Tuple[int, int]:
    """The central `level` of a run's ranks (R,), both ends included."""
    low, high = np.quantile(ranks_of_run, [(1 - level) / 2, (1 + level) / 2], method="inverted_cdf")
    return int(low), int(high)


def rank_shares(ranks_of_run: np.ndarray) -> List[Tuple[int, float]]:
    """(rank, share of the resamples with it), ranks that occur only."""
    found, counts = np.unique(ranks_of_run, return_counts=True)
    return [(int(rank), count / len(ranks_of_run)) for rank, count in zip(found, counts.tolist())]


def first_shares(resampled_ranks: np.ndarray) -> np.ndarray:
    """P(first) (T,) from ranks (R, T): resamples won, split among those tied for first. They add up to 1."""
    first = resampled_ranks == 1
    return (first / first.sum(axis=1, keepdims=True)).mean(axis=0)


def better_share(one: np.ndarray, other: np.ndarray, higher_is_better: bool = True) -> float:
    """P(one is better) from two runs' resampled scores (R,); a tie counts half."""
    away = one - other if higher_is_better else other - one
    return float(((away > 0) + 0.5 * (away == 0)).mean())


def separated(pair_p: np.ndarray, alpha: float = 0.05) -> Tuple[np.ndarray, np.ndarray]:
    """(which pairs differ, Holm-adjusted p), both (T, T) and symmetric, from the pairs' p-values (T, T)."""
    runs = len(pair_p)
    upper = np.triu_indices(runs, 1)
    adjusted = np.ones((runs, runs))
    adjusted[upper] = holm(pair_p[upper].tolist())
    adjusted = np.minimum(adjusted, adjusted.T)
    return adjusted < alpha, adjusted


def brackets(order: Sequence[int], differs: np.ndarray) -> List[List[int]]:
    """The longest stretches of `order` (runs, best first) in which no two runs differ.

    Every run is in at least one; stretches may overlap, since "cannot be told apart" does not carry over.
    """
    found: List[List[int]] = []
    end = 0
    for start in range(len(order)):
        stop = max(end, start + 1)
        while stop < len(order) and not any(differs[order[stop], one] for one in order[start:stop]):
            stop += 1
        if stop > end:
            found.append(list(order[start:stop]))
            end = stop
    return found
