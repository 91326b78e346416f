"""The paired bootstrap: scores of every run under the same draws, intervals, and p-values of pairs.

Intervals are percentile intervals, or bootstrap-t where there are fewer than 40 units, since percentile
intervals over 20–30 clusters cover about 92 % (Efron and Tibshirani 1993, chapters 12 and 13). Standard
errors inside bootstrap-t are linearised: a unit's influence is the score's gradient times the unit's counts.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Optional, Tuple

import numpy as np

from scoring.statistics.forms import Form, ScoreOf, recognise
from scoring.statistics.resampling import CELLS, Table, draws
from scoring.statistics.tails import two_sided

FEW_UNITS = 40
LEAST_UNITS = 10
SEED = 13
DECIMALS = 12
"""Resampled scores are rounded here, so that neither threads nor column order decide a tie."""

RESOLVED = 10
"""Below this many extreme resamples a p-value is read from the normal or Student tail."""

Interval = Tuple[float, float]


@dataclass(frozen=True)
class Resampled:
    """`point` (T,) scores of the whole, `scores` (R, T) of the resamples.

    `studentised` says whether `error` (T,), `errors` (R, T) and `first_pair` (1 + R,) hold linearised
    standard errors, the last of the first two runs' difference, observed and then resampled; otherwise they
    are empty. `pair_p` (T, T) are two-sided p-values: the share of resamples whose difference strays from the
    observed one at least as far as that is from 0.
    """

    point: np.ndarray
    scores: np.ndarray
    units: int
    studentised: bool
    error: np.ndarray
    errors: np.ndarray
    pair_p: np.ndarray
    first_pair: np.ndarray

    @property
    def few(self) -> bool:
        return self.units < FEW_UNITS

    @property
    def method(self) -> str:
        return "bootstrap-t" if self.studentised else "percentile"

    def interval(self, run: int, level: float = 0.95) -> Optional[Interval]:
        """The run's interval inside [0, 1], or None where every resample gives the same score."""
        scores = self.scores[:, run]
        if scores.min() == scores.max():
            return None
        if not self.studentised:
            return percentile_interval(scores, level)
        low, high = studentised_interval(self.point[run], self.error[run], scores, self.errors[:, run], level)
        return max(0.0, low), min(1.0, high)

    def difference_interval(self, level: float = 0.95) -> Interval:
        """The interval of the second run's score less the first's."""
        drawn = self.scores[:, 1] - self.scores[:, 0]
        if not self.studentised:
            return percentile_interval(drawn, level)
        errors = self.first_pair
        return studentised_interval(self.point[1] - self.point[0], errors[0], drawn, errors[1:], level)


def percentile_interval(scores: np.ndarray, level: float = 0.95) -> Interval:
    """The central `level` of resampled scores (R,)."""
    low, high = np.quantile(scores, [(1 - level) / 2, (1 + level) / 2])
    return float(low), float(high)


def studentised_interval(
    point: float, error: float, scores: np.ndarray, errors: np.ndarray, level: float = 0.95
) -> Interval:
    """Bootstrap-t: the observed score and error against resampled scores and errors (R,)."""
    away = np.round(scores - point, DECIMALS)
    with np.errstate(divide="ignore", invalid="ignore"):
        ratio = np.where(away == 0, 0.0, away / errors)
    low, high = np.quantile(ratio, [(1 - level) / 2, (1 + level) / 2], method="inverted_cdf")
    return float(point - high * error), float(point - low * error)


def resample(table: Table, score_of: ScoreOf, resamples: int, seed: int = SEED) -> Resampled:
    """Score every run of the table under the same `resamples` draws of its units."""
    form = recognise(table, score_of)
    whole = np.ones((1, table.units.count))
    point = np.array([score_of(total) for total in table.plain(whole)[0]])
    studentised = form is not None and table.units.count < FEW_UNITS
    if not studentised:
        parts = [
            scores_under(table, form, score_of, weights)
            for weights in draws(table.units, resamples, seed, table.chunk)
        ]
        scores = np.concatenate(parts)
        none = np.empty(0)
        return Resampled(
            point, scores, table.units.count, False, none, none, _plain_pairs(point, scores), none
        )
    assert form is not None
    return _studentised(table, form, score_of, point, resamples, seed)


def scores_under(table: Table, form: Optional[Form], score_of: ScoreOf, weights: np.ndarray) -> np.ndarray:
    """Scores (r, T) under weights (r, U), by shape where it has a value and by `score_of` elsewhere."""
    if form is None:
        return np.round([[score_of(total) for total in row] for row in table.plain(weights)], DECIMALS)
    scores = form.score(table.totals(weights))
    for row in np.flatnonzero(np.isnan(scores).any(axis=1)):
        scores[row] = [score_of(total) for total in table.plain(weights[row : row + 1])[0]]
    return np.round(scores, DECIMALS)


def _plain_pairs(point: np.ndarray, scores: np.ndarray) -> np.ndarray:
    """p (T, T) from how far resampled differences stray from the observed one."""
    runs = len(point)
    p = np.ones((runs, runs))
    by_run = np.ascontiguousarray(scores.T)
    for one in range(runs - 1):
        observed = np.round(point[one + 1 :] - point[one], DECIMALS)
        away = by_run[one + 1 :] - by_run[one] - observed[:, None]
        error = away.std(axis=1)
        extreme = (np.abs(away) >= np.abs(observed)[:, None] - 10.0**-DECIMALS).sum(axis=1)
        p[one, one + 1 :] = p[one + 1 :, one] = two_sided(extreme, scores.shape[0], observed, error, RESOLVED)
    return p


def _studentised(
    table: Table, form: Form, score_of: ScoreOf, point: np.ndarray, resamples: int, seed: int
) -> Resampled:
    runs, units = len(point), table.units.count
    covariance = _covariances(table, form, np.ones((1, units)))[0]
    observed, pair_variance = np.round(point - point[:, None], DECIMALS), _pair_variances(covariance)
    extreme = np.zeros((runs, runs), dtype=np.int64)
    scores, errors, first_pair = [], [], [np.sqrt(pair_variance[:1, 1:2].ravel())]
    rows = max(1, min(table.chunk, CELLS // max(1, runs * runs, runs * units)))
    for weights in draws(table.units, resamples, seed, rows):
        part = scores_under(table, form, score_of, weights)
        drawn = _covariances(table, form, weights)
        scores.append(part)
        errors.append(np.sqrt(np.diagonal(drawn, axis1=1, axis2=2)))
        first_pair.append(np.sqrt(_pair_variances(drawn[:, :2, :2])[:, :1, 1:2].ravel()))
        _count_extreme(part, drawn, observed, pair_variance, extreme)
    freedom = units - len(table.units.strata)
    p = two_sided(extreme + extreme.T, resamples, observed, np.sqrt(pair_variance), RESOLVED, freedom)
    error = np.sqrt(np.diagonal(covariance))
    return Resampled(
        point,
        np.concatenate(scores),
        units,
        True,
        error,
        np.concatenate(errors),
        p,
        np.concatenate(first_pair),
    )


def _covariances(table: Table, form: Form, weights: np.ndarray) -> np.ndarray:
    """Linearised covariance (r, T, T) of the runs' scores under weights (r, U), units drawn within strata."""
    gradient = form.gradient(table.totals(weights)).transpose(1, 0, 2)
    influence = (gradient @ table.dense().transpose(1, 2, 0)).transpose(1, 0, 2)
    found = np.zeros((len(weights), table.runs, table.runs))
    start = 0
    for size in table.units.strata:
        part, weight = influence[:, :, start : start + size], weights[:, None, start : start + size]
        start += size
        if size > 1:
            centred = part - (part * weight).sum(axis=2, keepdims=True) / size
            scaled = centred * np.sqrt(weight * (size / (size - 1)))
            # One product at a time: a stack of them is many times slower where BLAS shares busy cores.
            for row, one in enumerate(scaled.transpose(0, 2, 1).copy()):
                found[row] += one.T @ one
    return found


def _count_extreme(
    scores: np.ndarray, drawn: np.ndarray, observed: np.ndarray, variance: np.ndarray, extreme: np.ndarray
) -> None:
    """Add to `extreme` (T, T), above its diagonal, the resamples whose studentised difference is as large as
    observed.

    (d* − d)² / v* ≥ d² / v from scores (r, T), covariances (r, T, T), and observed d and v (T, T), without
    dividing.
    """
    own = np.diagonal(drawn, axis1=1, axis2=2)
    for one in range(len(observed) - 1):
        others = slice(one + 1, None)
        away = scores[:, others] - scores[:, one, None] - observed[one, others]
        spread = np.maximum(own[:, others] + own[:, one, None] - 2 * drawn[:, one, others], 0.0)
        spread *= observed[one, others] ** 2 * (1 - 1e-9)
        extreme[one, others] += (away * away * variance[one, others] >= spread).sum(axis=0)


def _pair_variances(covariance: np.ndarray) -> np.ndarray:
    """Variances of differences (…, T, T) from covariances (…, T, T)."""
    own = np.diagonal(covariance, axis1=-2, axis2=-1)
    return np.maximum(own[..., :, None] + own[..., None, :] - 2 * covariance, 0.0)
