"""Two runs over the same items: paired bootstrap, approximate randomization, sign flips.

Sources: Koehn 2004 (paired bootstrap), Riezler and Maxwell 2005 (approximate randomization), Fisher 1935
(sign flips).
"""

from __future__ import annotations

from itertools import product
from typing import NamedTuple, Optional, Sequence

import numpy as np

from scoring.statistics.bootstrap import DECIMALS, SEED, resample, scores_under
from scoring.statistics.forms import Form, ScoreOf, recognise
from scoring.statistics.resampling import CELLS, Table, Units
from scoring.tracks.base import Tally

ALL_FLIPS_UP_TO = 12
"""Up to this many differences other than 0 every pattern of signs is tried."""

_NEAR = 10.0**-DECIMALS


class PairedBootstrap(NamedTuple):
    """`difference` is the second run's score less the first's; `low`, `high` its interval; `p` is two-sided.

    `method` is "percentile" or "bootstrap-t".
    """

    difference: float
    low: float
    high: float
    p: float
    method: str


def paired_bootstrap(
    first: Sequence[Tally],
    second: Sequence[Tally],
    score_of: ScoreOf,
    units: Units,
    *,
    resamples: int = 10_000,
    seed: int = SEED,
    level: float = 0.95,
) -> PairedBootstrap:
    """Resample units for both runs at once; one tally per item in `units`.

    p is the share of resamples whose difference strays from the observed one at least as far as that is from
    0 (in standard errors where the method is bootstrap-t). The draws are those of a board with the same units
    and seed.
    """
    sample = resample(Table([first, second], units), score_of, resamples, seed)
    low, high = sample.difference_interval(level)
    difference = float(sample.point[1] - sample.point[0])
    return PairedBootstrap(difference, low, high, float(sample.pair_p[0, 1]), sample.method)


def approximate_randomization(
    first: Sequence[Tally],
    second: Sequence[Tally],
    score_of: ScoreOf,
    units: Units,
    *,
    swaps: int = 10_000,
    seed: int = SEED,
) -> float:
    """Two-sided p: how often swapping the runs' answers, unit by unit on a coin's toss, gives as large a
    difference.

    (extreme + 1) / (swaps + 1), for any score that is worked out from added-up tallies.
    """
    count = units.count
    # Every unit stands twice: a run's own answers, and behind them the other run's.
    doubled = Units(np.concatenate([units.of, units.of + count]), (2 * count,), units.clustered)
    table = Table([[*first, *second], [*second, *first]], doubled)
    form = recognise(table, score_of)
    stream = np.random.default_rng(seed)
    kept = np.ones((1, count))
    observed = abs(_difference(table, form, score_of, kept)[0])
    extreme = 0
    for start in range(0, swaps, table.chunk):
        rows = min(table.chunk, swaps - start)
        kept = stream.integers(0, 2, size=(rows, count)).astype(np.float64)
        extreme += int((np.abs(_difference(table, form, score_of, kept)) >= observed - _NEAR).sum())
    return (extreme + 1) / (swaps + 1)


def _difference(table: Table, form: Optional[Form], score_of: ScoreOf, kept: np.ndarray) -> np.ndarray:
    """Second less first (r,) where `kept` (r, U) is 1 for units not swapped."""
    scores = scores_under(table, form, score_of, np.concatenate([kept, 1 - kept], axis=1))
    return scores[:, 1] - scores[:, 0]


def sign_flip(differences: Sequence[float], *, flips: int = 10_000, seed: int = SEED) -> float:
    """Two-sided p that the mean of paired differences is 0, each difference as likely as its opposite.

    All sign patterns are counted where at most 12 differences are not 0; else p is (extreme + 1) / (flips +
    1).
    """
    values = np.asarray([value for value in differences if value != 0], dtype=np.float64)
    if not len(values):
        return 1.0
    observed = abs(values.sum())
    near = _NEAR * max(1.0, float(np.abs(values).sum()))
    if len(values) <= ALL_FLIPS_UP_TO:
        patterns = np.array(list(product((-1.0, 1.0), repeat=len(values))))
        return float((np.abs(patterns @ values) >= observed - near).mean())
    stream = np.random.default_rng(seed)
    rows, extreme = max(1, CELLS // len(values)), 0
    for start in range(0, flips, rows):
        signs = 2.0 * stream.integers(0, 2, size=(min(rows, flips - start), len(values))) - 1
        extreme += int((np.abs(signs @ values) >= observed - near).sum())
    return (extreme + 1) / (flips + 1)
