from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from scoring.statistics.rank_intervals import (
    better_share,
    brackets,
    first_shares,
    rank_interval,
    rank_shares,
    ranks,
    separated,
)


@pytest.mark.parametrize("higher", [True, False])
def test_ranks_equal_scipy_with_ties(higher):
    scores = np.random.default_rng(0).integers(0, 5, size=(300, 7)) / 4
    judge = stats.rankdata(-scores if higher else scores, method="min", axis=1)
    assert (ranks(scores, higher) == judge).all()


def test_ties_share_the_better_rank():
    assert ranks(np.array([[0.5, 0.7, 0.5, 0.1]])).tolist() == [[2, 1, 2, 4]]


def test_rank_interval_holds_ranks_that_occur():
    drawn = np.array([1] * 20 + [2] * 950 + [5] * 30)
    assert rank_interval(drawn) == (2, 5)
    assert rank_interval(drawn, 0.9) == (2, 2)
    assert rank_shares(drawn) == [(1, 0.02), (2, 0.95), (5, 0.03)]


def test_shares_of_firsts_split_ties_and_add_up_to_one():
    drawn = np.array([[1, 1, 3], [1, 2, 3], [1, 1, 1], [3, 2, 1]])
    shares = first_shares(drawn)
    assert shares == pytest.approx([(0.5 + 1 + 1 / 3) / 4, (0.5 + 1 / 3) / 4, (1 / 3 + 1) / 4])
    assert shares.sum() == pytest.approx(1)


def test_better_than_counts_a_tie_as_half():
    one, other = np.array([1, 2, 3, 4]), np.array([1, 1, 4, 2])
    assert better_share(one, other) == 0.625
    assert better_share(one, other, higher_is_better=False) == 0.375


def test_groups_overlap_where_difference_does_not_carry_over():
    differs = np.zeros((4, 4), dtype=bool)
    differs[0, 2] = differs[2, 0] = differs[0, 3] = differs[3, 0] = True
    assert brackets([0, 1, 2, 3], differs) == [[0, 1], [1, 2, 3]]
    assert brackets([3, 2, 1, 0], differs) == [[3, 2, 1], [1, 0]]
    assert brackets([], differs) == []


@given(st.integers(1, 9), st.integers(0, 2**32 - 1), st.floats(0, 1))
def test_every_run_is_in_a_group_and_groups_are_longest(runs, seed, share):
    stream = np.random.default_rng(seed)
    upper = np.triu(stream.random((runs, runs)) < share, 1)
    differs = upper | upper.T
    order = stream.permutation(runs).tolist()
    groups = brackets(order, differs)
    assert {one for group in groups for one in group} == set(order)
    for group in groups:
        start = order.index(group[0])
        assert order[start : start + len(group)] == group
        assert not differs[np.ix_(group, group)].any()
        for beyond in (start - 1, start + len(group)):
            if 0 <= beyond < runs:
                assert differs[order[beyond], group].any()


def test_pairs_are_corrected_by_holm_over_all_of_them():
    p = np.ones((3, 3))
    p[0, 1] = p[1, 0] = 0.02
    p[0, 2] = p[2, 0] = 0.01
    p[1, 2] = p[2, 1] = 0.04
    differs, adjusted = separated(p)
    assert adjusted == pytest.approx(np.array([[1, 0.04, 0.03], [0.04, 1, 0.04], [0.03, 0.04, 1]]))
    assert differs.tolist() == [[False, True, True], [True, False, True], [True, True, False]]
