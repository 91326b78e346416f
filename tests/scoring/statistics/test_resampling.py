from __future__ import annotations

import numpy as np
import pytest

from scoring.evaluate import add_up
from scoring.statistics.resampling import Table, draws
from tests.scoring.statistics.toys import BY_GROUP, SHAPES, WITHIN_LANGUAGE, items_of, runs_of, units_for


def all_draws(units, resamples=500, seed=13, chunk=100):
    return np.concatenate(list(draws(units, resamples, seed, chunk)))


def test_items_alone_clusters_and_items_without_a_cluster():
    assert units_for(items_of(6)).count == 6
    assert not units_for(items_of(6)).clustered
    clustered = units_for(items_of(6, clusters=3), BY_GROUP)
    assert (clustered.count, clustered.clustered, clustered.of.tolist()) == (3, True, [0, 1, 2, 0, 1, 2])
    mixed = units_for([*items_of(4, clusters=2), {"id": "x"}, {"id": "y", "group": None}], BY_GROUP)
    assert mixed.count == 4
    without = units_for(items_of(6), BY_GROUP)
    assert (without.count, without.clustered) == (6, False)


def test_a_cluster_named_like_an_item_is_not_that_item():
    units = units_for([{"id": "a", "group": "b"}, {"id": "b"}, {"id": "c", "group": "b"}], BY_GROUP)
    assert units.count == 2
    assert units.of[0] == units.of[2] != units.of[1]


def test_the_same_cluster_in_two_strata_is_two_units():
    items = [{"id": str(n), "group": "g", "language": "en" if n % 2 else "el"} for n in range(4)]
    assert units_for(items, WITHIN_LANGUAGE).strata == (1, 1)


def test_each_resample_draws_as_many_units_as_there_are_in_each_stratum():
    units = units_for(items_of(60, clusters=20, strata=3), WITHIN_LANGUAGE)
    assert units.strata == (7, 7, 6)
    drawn = all_draws(units)
    start = 0
    for size in units.strata:
        assert (drawn[:, start : start + size].sum(axis=1) == size).all()
        start += size


def test_draws_depend_on_the_seed_only_and_not_on_the_chunk():
    units = units_for(items_of(60, clusters=20, strata=3), WITHIN_LANGUAGE)
    assert (all_draws(units) == all_draws(units, chunk=37)).all()
    assert (all_draws(units)[:200] == all_draws(units, resamples=200)).all()
    assert (all_draws(units) != all_draws(units, seed=14)).any()


def test_weights_follow_the_multinomial_law():
    drawn = all_draws(units_for(items_of(20)), resamples=20_000)
    assert drawn.mean(axis=0) == pytest.approx(np.ones(20), abs=0.04)
    assert drawn.var(axis=0) == pytest.approx(np.full(20, 0.95), abs=0.06)
    assert np.cov(drawn[:, 0], drawn[:, 1])[0, 1] == pytest.approx(-1 / 20, abs=0.03)


@pytest.mark.parametrize("name", SHAPES)
@pytest.mark.parametrize("clusters", [0, 12])
def test_totals_are_those_of_items_listed_as_often_as_drawn(name, clusters):
    tally, _, _ = SHAPES[name]
    runs = runs_of(tally, 3, 40)
    units = units_for(items_of(40, clusters=clusters), BY_GROUP)
    weights = all_draws(units, resamples=20)
    for row, totals in zip(weights, Table(runs, units).plain(weights), strict=True):
        for run, total in zip(runs, totals, strict=True):
            copies = [tally for tally, unit in zip(run, units.of, strict=True) for _ in range(int(row[unit]))]
            assert total == pytest.approx(add_up(copies), abs=1e-9)
