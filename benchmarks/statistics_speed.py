"""How fast a board's uncertainty is worked out, as ratios within one run.

    python -m benchmarks.statistics_speed

The measure is the plainest bootstrap numpy allows: for each of 12 teams, draw 256 scores and average them,
10,000 times. A board does more (one set of draws for all teams, standard errors over few groups, ranks, 66
pairs, Holm).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from benchmarks.ratio import Ratio, main
from scoring.statistics import analyse
from scoring.statistics.compare import compare
from scoring.tracks.base import Kind, Resampling, Score, Tally

TEAMS, ITEMS, RESAMPLES = 12, 256, 10_000
MANY_ITEMS = 20_000


class Mean(Kind):
    """The mean of tallies (value, 1)."""

    name = "mean"
    scores = (Score("mean", "Mean", "M", "mean"),)

    def __init__(self, resampling: Resampling) -> None:
        self.resampling = resampling

    def scores_of(self, total: Tally, options: Any) -> dict[str, float]:
        return {"mean": total[0] / total[1] if total and total[1] else 0.0}


BY_ITEM, BY_GROUP = Mean(Resampling()), Mean(Resampling("cluster", ("group",)))


def scores(teams: int, items: int) -> np.ndarray:
    """Item scores (teams, items): half the variance is shared."""
    stream = np.random.default_rng(0)
    means = np.linspace(0.32, 0.18, teams)[:, None]
    return means + stream.normal(0, 0.1, items) + stream.normal(0, 0.1, (teams, items))


def runs(values: np.ndarray) -> dict[str, list[Tally]]:
    return {f"team {place}": [(value, 1.0) for value in run] for place, run in enumerate(values.tolist())}


def items(count: int) -> list[dict[str, str]]:
    return [{"id": f"i{place}", "group": f"g{place % 32}"} for place in range(count)]


def plain(values: np.ndarray, resamples: int = RESAMPLES) -> np.ndarray:
    """Intervals (teams, 2) of each mean on its own."""
    stream = np.random.default_rng(0)
    drawn = [run[stream.integers(0, len(run), size=(resamples, len(run)))].mean(axis=1) for run in values]
    return np.quantile(drawn, [0.025, 0.975], axis=1).T


def ratios() -> list[Ratio]:
    board, long = scores(TEAMS, ITEMS), scores(2, MANY_ITEMS)
    teams, records = runs(board), items(ITEMS)
    pair, many = list(runs(long).values()), items(MANY_ITEMS)
    return [
        Ratio(
            "board of 12 teams, 256 items / 12 plain bootstraps",
            lambda: analyse(BY_ITEM, {}, teams, records),
            lambda: plain(board),
            at_most=0.5,
        ),
        Ratio(
            "the same over 32 groups (bootstrap-t) / 12 plain bootstraps",
            lambda: analyse(BY_GROUP, {}, teams, records),
            lambda: plain(board),
            at_most=1.0,
        ),
        Ratio(
            "two runs of 20,000 items compared / 2 plain bootstraps",
            lambda: compare(BY_ITEM, {}, many, *pair, resamples=1_000),
            lambda: plain(long, 1_000),
            at_most=2.0,
        ),
    ]


if __name__ == "__main__":
    main(ratios())
