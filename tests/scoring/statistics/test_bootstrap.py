"""Intervals against scipy, and what they promise on simulated systems."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from scoring.statistics.bootstrap import (
    FEW_UNITS,
    percentile_interval,
    resample,
    studentised_interval,
)
from scoring.statistics.resampling import Table
from tests.scoring.statistics.toys import BY_GROUP, Mean, items_of, micro_f1, micro_tally, runs_of, units_for

MEAN = Mean()


def mean_of(total):
    return MEAN.scores_of(total, {})["mean"]


def mean_runs(values):
    """(T, n) values as runs of tallies."""
    return [[(float(value), 1.0) for value in run] for run in values]


def test_the_percentile_interval_is_scipy_s_up_to_monte_carlo_error():
    values = np.random.default_rng(1).beta(2, 3, size=120)
    sample = resample(Table(mean_runs([values]), units_for(items_of(120))), mean_of, 20_000)
    judge = stats.bootstrap(
        (values,), np.mean, method="percentile", n_resamples=20_000, rng=2
    ).confidence_interval
    assert sample.method == "percentile"
    assert sample.interval(0) == pytest.approx((judge.low, judge.high), abs=0.003)
    assert sample.scores.std() == pytest.approx(values.std() / np.sqrt(120), rel=0.03)


def test_bootstrap_t_by_the_plain_recipe():
    stream = np.random.default_rng(4)
    values = stream.gamma(1.5, 0.15, size=25)
    sample = resample(Table(mean_runs([values]), units_for(items_of(25))), mean_of, 20_000)
    assert sample.method == "bootstrap-t"
    assert sample.error[0] == pytest.approx(values.std(ddof=1) / 5)
    drawn = values[stream.integers(0, 25, size=(20_000, 25))]
    # The linearised error divides by n − 1 as the observed one does.
    ratio = (drawn.mean(axis=1) - values.mean()) / (drawn.std(axis=1, ddof=1) / 5)
    low, high = np.quantile(ratio, [0.025, 0.975])
    judge = values.mean() - high * sample.error[0], values.mean() - low * sample.error[0]
    assert sample.interval(0) == pytest.approx(judge, abs=0.006)


def test_the_error_of_a_clustered_ratio_is_the_jackknife_s():
    runs = runs_of(micro_tally, 1, 300)
    units = units_for(items_of(300, clusters=30), BY_GROUP)
    table = Table(runs, units)
    sample = resample(table, micro_f1, 50)
    left_out = 1.0 - np.eye(30)
    without = np.array([micro_f1(row[0]) for row in table.plain(left_out)])
    jackknife = np.sqrt(29 / 30 * ((without - without.mean()) ** 2).sum())
    assert sample.error[0] == pytest.approx(jackknife, rel=0.03)


def test_intervals_stay_inside_the_scale():
    values = np.array([1.0] * 18 + [0.2, 0.0])
    sample = resample(Table(mean_runs([values]), units_for(items_of(20))), mean_of, 2_000)
    low, high = sample.interval(0)
    assert 0 <= low < values.mean() < high <= 1


def test_no_interval_where_every_resample_is_alike():
    sample = resample(Table(mean_runs(np.ones((1, 50))), units_for(items_of(50))), mean_of, 500)
    assert sample.interval(0) is None


def test_a_degenerate_resample_is_infinitely_far():
    low, high = studentised_interval(0.5, 0.1, np.array([0.5, 0.6]), np.array([0.0, 0.0]))
    assert (low, high) == (-np.inf, 0.5)


def test_percentiles_are_central():
    assert percentile_interval(np.arange(1_001.0), 0.9) == pytest.approx((50.0, 950.0))


def coverage(draw, truth, n, trials, clusters=0, resamples=600):
    """Share of simulated systems whose interval holds the truth; `draw(stream)` gives n values."""
    units = units_for(items_of(n, clusters=clusters), BY_GROUP)
    stream = np.random.default_rng(n)
    held = 0
    for trial in range(trials):
        sample = resample(Table(mean_runs([draw(stream)]), units), mean_of, resamples, seed=trial)
        low, high = sample.interval(0)
        held += low <= truth <= high
    return held / trials


@pytest.mark.parametrize("n", [100, 300, 1_000])
def test_intervals_cover_as_often_as_they_say(n):
    """Right/wrong answers at 60 %, 500 systems: 93–97 % (two standard errors of the simulation are 2 %)."""
    found = coverage(lambda stream: stream.random(n) < 0.6, 0.6, n, 500)
    assert 0.925 <= found <= 0.975


def test_bootstrap_t_covers_over_few_clusters_where_percentiles_fall_short():
    """24 clusters of 4 skewed scores that share half their variance."""
    assert FEW_UNITS > 24

    def draw(stream):
        return 0.1 * (stream.exponential(1, 24)[np.arange(96) % 24] + stream.exponential(1, 96))

    assert coverage(draw, 0.2, 96, 400, clusters=24) >= 0.925
