"""Paired tests: agreement with sacreBLEU's recipe and scipy, symmetry, and false alarms on equal systems."""

from __future__ import annotations

import numpy as np
import pytest
from sacrebleu.significance import _compute_p_value
from scipy import stats

from scoring.statistics.bootstrap import resample
from scoring.statistics.paired import approximate_randomization, paired_bootstrap, sign_flip
from scoring.statistics.rank_intervals import separated
from scoring.statistics.resampling import Table
from tests.scoring.statistics.test_bootstrap import mean_of, mean_runs
from tests.scoring.statistics.toys import (
    BY_GROUP,
    SHAPES,
    items_of,
    macro_f1_of_counts,
    runs_of,
    units_for,
)


def two_systems(n=150, gap=0.03, seed=0):
    stream = np.random.default_rng(seed)
    shared = stream.normal(0.5, 0.1, n)
    return shared + stream.normal(0, 0.1, n), shared + gap + stream.normal(0, 0.1, n)


def monte_carlo(p, resamples):
    return 4 * np.sqrt(p * (1 - p) / resamples) + 2 / resamples


@pytest.mark.parametrize("gap", [0.0, 0.01, 0.02, 0.03])
def test_paired_bootstrap_agrees_with_sacrebleu_s_recipe(gap):
    a, b = two_systems(gap=gap)
    found = paired_bootstrap(*mean_runs([a, b]), mean_of, units_for(items_of(150)))
    drawn = np.random.default_rng(7).integers(0, 150, size=(10_000, 150))
    differences = (b - a)[drawn].mean(axis=1)
    judge = _compute_p_value(np.abs(differences - differences.mean()), abs((b - a).mean()))
    assert found.p == pytest.approx(judge, abs=2 * monte_carlo(judge, 10_000))
    assert found.difference == pytest.approx((b - a).mean())
    assert (found.low, found.high) == pytest.approx(
        tuple(np.quantile(differences, [0.025, 0.975])), abs=0.002
    )


@pytest.mark.parametrize("gap", [0.01, 0.03, 0.05])
def test_over_few_units_p_counts_differences_in_standard_errors(gap):
    a, b = two_systems(n=25, gap=gap, seed=3)
    gains = b - a
    found = paired_bootstrap(*mean_runs([a, b]), mean_of, units_for(items_of(25)), resamples=20_000)
    drawn = gains[np.random.default_rng(7).integers(0, 25, size=(20_000, 25))]
    away = (drawn.mean(axis=1) - gains.mean()) / drawn.std(axis=1)
    judge = (np.abs(away) >= abs(gains.mean()) / gains.std()).mean()
    assert found.method == "bootstrap-t"
    assert found.p == pytest.approx(judge, abs=2 * monte_carlo(judge, 20_000))
    low, high = gains.mean() - gains.std() * np.quantile(away, [0.975, 0.025])
    assert (found.low, found.high) == pytest.approx((low, high), abs=0.004)


@pytest.mark.parametrize("gap", [0.0, 0.01, 0.02, 0.03])
def test_randomization_and_sign_flips_agree_with_scipy(gap):
    a, b = two_systems(gap=gap)
    judge = stats.permutation_test(
        (a, b), lambda x, y: np.mean(x - y), permutation_type="samples", n_resamples=10_000, rng=1
    ).pvalue
    swaps = approximate_randomization(*mean_runs([a, b]), mean_of, units_for(items_of(150)))
    assert swaps == pytest.approx(judge, abs=2 * monte_carlo(judge, 10_000))
    assert sign_flip((b - a).tolist()) == pytest.approx(judge, abs=2 * monte_carlo(judge, 10_000))


def test_few_sign_flips_are_counted_out():
    differences = [0.3, -0.1, 0.2, 0.4, 0.05, 0.0, -0.02, 0.1]
    judge = stats.permutation_test(
        (np.array(differences),), np.mean, permutation_type="samples", n_resamples=np.inf
    ).pvalue
    assert sign_flip(differences) == pytest.approx(judge, abs=1e-12)
    assert sign_flip([]) == sign_flip([0.0, 0.0]) == 1.0


def test_swaps_take_whole_clusters():
    """Four equal answers in a cluster say no more than one."""
    stream = np.random.default_rng(3)
    gains = np.repeat(stream.normal(0.05, 0.1, 30), 4)
    runs = mean_runs([np.full(120, 0.5), 0.5 + gains])
    items = [{"id": str(place), "group": f"g{place // 4}"} for place in range(120)]
    clustered = approximate_randomization(*runs, mean_of, units_for(items, BY_GROUP))
    alone = approximate_randomization(*runs, mean_of, units_for(items))
    assert clustered == pytest.approx(sign_flip(gains[::4].tolist()), abs=0.02)
    assert alone < clustered / 2


@pytest.mark.parametrize("name", SHAPES)
def test_sides_may_be_swapped(name):
    tally, score_of, _ = SHAPES[name]
    a, b = runs_of(tally, 2, 60)
    units = units_for(items_of(60))
    one = paired_bootstrap(a, b, score_of, units, resamples=300)
    other = paired_bootstrap(b, a, score_of, units, resamples=300)
    assert other.difference == pytest.approx(-one.difference)
    assert (other.low, other.high) == pytest.approx((-one.high, -one.low), abs=1e-9)
    assert other.p == one.p
    swaps = [approximate_randomization(*pair, score_of, units, swaps=300) for pair in ((a, b), (b, a))]
    assert swaps[0] == pytest.approx(swaps[1], abs=0.01)


def test_equal_runs_do_not_differ():
    run = runs_of(SHAPES["macro-F1 of counts"][0], 1, 60)[0]
    units = units_for(items_of(60))
    found = paired_bootstrap(run, list(run), macro_f1_of_counts, units, resamples=200)
    assert (found.difference, found.low, found.high, found.p) == (0, 0, 0, 1)
    assert approximate_randomization(run, list(run), macro_f1_of_counts, units, swaps=200) == 1


@pytest.mark.parametrize(("n", "clusters"), [(120, 0), (120, 30)])
def test_false_alarms_on_equal_systems(n, clusters):
    """800 pairs of equally good systems: 5 % ± 1.5 % are called different (gate L11)."""
    stream = np.random.default_rng(11)
    units = units_for(items_of(n, clusters=clusters), BY_GROUP)
    alarms = 0
    for trial in range(800):
        own = stream.normal(0, 0.1, (2, n))
        if clusters:
            own += stream.normal(0, 0.1, (2, clusters))[:, np.arange(n) % clusters]
        runs = mean_runs(np.clip(0.5 + own, 0, 1))
        alarms += paired_bootstrap(*runs, mean_of, units, resamples=400, seed=trial).p < 0.05
    assert 0.035 <= alarms / 800 <= 0.065


def test_family_of_equal_systems_after_holm():
    """400 boards of six equally good systems: any pair differs in at most 6.5 % of them (gate L11)."""
    stream = np.random.default_rng(12)
    units = units_for(items_of(150))
    alarms = 0
    for trial in range(400):
        shared = stream.normal(0.5, 0.1, 150)
        runs = mean_runs(shared + stream.normal(0, 0.1, (6, 150)))
        differs, _ = separated(resample(Table(runs, units), mean_of, 400, trial).pair_p)
        alarms += bool(differs.any())
    assert alarms / 400 <= 0.065


def test_many_teams_can_still_be_told_apart():
    """With 780 pairs, 1/(R + 1) × 780 exceeds .05: only the tail lets a plain difference through."""
    stream = np.random.default_rng(13)
    runs = mean_runs(np.clip(np.linspace(0.2, 0.8, 40)[:, None] + stream.normal(0, 0.05, (40, 100)), 0, 1))
    differs, _ = separated(resample(Table(runs, units_for(items_of(100))), mean_of, 1_000).pair_p)
    assert differs[0, 39]
    assert differs[0, 5]
