from __future__ import annotations

import numpy as np
import pytest

from scoring.statistics.bootstrap import resample, scores_under
from scoring.statistics.forms import MacroF1, Ratio, recognise
from scoring.statistics.resampling import Table, draws
from tests.scoring.statistics.toys import (
    BY_GROUP,
    SHAPES,
    items_of,
    micro_f1,
    micro_tally,
    runs_of,
    units_for,
)


@pytest.mark.parametrize("name", SHAPES)
@pytest.mark.parametrize("clusters", [0, 15])
def test_a_shape_is_found_and_gives_the_kind_s_own_scores(name, clusters):
    tally, score_of, shape = SHAPES[name]
    units = units_for(items_of(90, clusters=clusters), BY_GROUP)
    table = Table(runs_of(tally, 4, 90), units)
    form = recognise(table, score_of)
    assert (type(form).__name__ if form else None) == shape
    for weights in draws(units, 60, 5, 30):
        plain = np.array([[score_of(total) for total in row] for row in table.plain(weights)])
        assert scores_under(table, form, score_of, weights) == pytest.approx(plain, abs=1e-11)


@pytest.mark.parametrize("name", [name for name in SHAPES if SHAPES[name][2]])
def test_gradients_are_those_of_small_steps(name):
    tally, score_of, _ = SHAPES[name]
    units = units_for(items_of(90))
    table = Table(runs_of(tally, 2, 90), units)
    form = recognise(table, score_of)
    totals = table.totals(next(draws(units, 5, 1)))
    direction = np.random.default_rng(3).random(totals.shape) * (totals > 0)
    step = 1e-5 * direction
    slope = (form.score(totals + step) - form.score(totals - step)) / 2e-5
    assert (form.gradient(totals) * direction).sum(axis=-1) == pytest.approx(slope, abs=1e-8)


def test_a_score_that_leaves_its_shape_where_the_divisor_is_zero_is_asked_for_those_draws():
    def score_of(total):
        return micro_f1(total) if total[1] + total[2] else 1.0

    runs = [[(1.0, 1.0, 1.0) if place == 0 else (0.0, 0.0, 0.0) for place in range(12)]]
    units = units_for(items_of(12))
    table = Table(runs, units)
    weights = np.concatenate(list(draws(units, 200, 1)))
    assert scores_under(table, recognise(table, score_of), score_of, weights).tolist() == [[1.0]] * 200
    with_nan = MacroF1([0], [1], [2], 0, 0).score(table.totals(weights))
    assert np.isnan(with_nan).any()


def test_a_score_that_differs_for_one_run_only_is_not_taken_for_the_shape():
    runs = [*runs_of(micro_tally, 3, 50), [(1.0, 2.0, 3.0, 9.0)] * 50]

    def score_of(total):
        return micro_f1(total) if total[3] < 100 else 0.5

    assert recognise(Table(runs, units_for(items_of(50))), score_of) is None


def test_the_plain_way_and_the_shape_give_one_outcome():
    runs = runs_of(micro_tally, 3, 60)
    table = Table(runs, units_for(items_of(60)))
    by_shape = resample(table, micro_f1, 400)
    tiny = 1e-10  # too far from the shape to be taken for it, too near to matter

    plain = resample(table, lambda total: micro_f1(total) + tiny, 400)
    assert recognise(table, lambda total: micro_f1(total) + tiny) is None
    assert plain.scores == pytest.approx(by_shape.scores, abs=1e-9)


def test_a_ratio_has_no_value_without_a_divisor():
    assert np.isnan(Ratio(0, 1).score(np.array([[1.0, 0.0]]))).all()
