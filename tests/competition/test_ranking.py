"""Order on a board: ties, direction, what has no score, and how a value is shown."""

from __future__ import annotations

import math
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from competition.domain.ranking import Contender, percent, rank


def places(*scores: tuple[str, float | None], higher_is_better: bool = True) -> list[tuple[int | None, str]]:
    contenders = [Contender(name, value, name) for name, value in scores]
    return [(place.rank, place.name) for place in rank(contenders, higher_is_better=higher_is_better).places]


def test_ties_share_a_rank_and_stand_in_name_order():
    board = places(("delta", 0.7), ("Beta", 0.8), ("alpha", 0.8), ("gamma", 0.9))
    assert board == [(1, "gamma"), (2, "alpha"), (2, "Beta"), (4, "delta")]


def test_values_that_look_equal_in_percent_do_not_share_a_rank():
    board = places(("one", 0.309593), ("two", 0.309609))
    assert board == [(1, "two"), (2, "one")]
    assert percent(0.309593) == percent(0.309609) == "30.96"


@pytest.mark.parametrize("missing", [None, math.nan, math.inf, -math.inf])
def test_a_run_without_a_finite_score_has_no_rank(missing):
    assert places(("none", missing), ("good", 0.81), ("next", 0.79)) == [
        (1, "good"),
        (2, "next"),
        (None, "none"),
    ]


def test_lower_is_better_where_the_score_says_so():
    assert places(("a", 0.2), ("b", 0.1), ("c", 0.2), higher_is_better=False) == [
        (1, "b"),
        (2, "a"),
        (2, "c"),
    ]


def test_zero_and_negative_zero_tie():
    assert places(("b", 0.0), ("a", -0.0)) == [(1, "a"), (1, "b")]


def test_a_tie_is_marked():
    ranked = rank([Contender("a", 0.5, 1), Contender("b", 0.5, 2), Contender("c", 0.4, 3)]).ranked
    assert [place.tied for place in ranked] == [True, True, False]


scores = st.lists(
    st.tuples(
        st.text(min_size=1, max_size=4),
        st.one_of(st.none(), st.sampled_from([0.0, -0.0, 0.5, 0.5 + 1e-12, math.nan]), st.floats()),
    ),
    max_size=20,
)


@given(scores, st.booleans())
def test_rank_is_one_more_than_the_number_of_better_ones(rows, higher):
    """The slow, obvious version as the judge."""
    ranking = rank([Contender(name, value, None) for name, value in rows], higher_is_better=higher)
    finite = [value for _, value in rows if value is not None and math.isfinite(value)]
    for place in ranking.ranked:
        assert place.value is not None
        better = [v for v in finite if (v > place.value if higher else v < place.value)]
        assert place.rank == 1 + len(better)
    assert len(ranking.ranked) == len(finite)
    assert len(ranking.places) == len(rows)


@given(scores, st.randoms())
def test_the_order_of_rows_moves_nobody(rows, random):
    rows = [(f"{name}{index}", value) for index, (name, value) in enumerate(rows)]
    shuffled = list(rows)
    random.shuffle(shuffled)
    assert places(*rows) == places(*shuffled)


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (0.31182, "31.18"),
        (0.30965, "30.97"),  # binary rounding of 30.965 would give 30.96
        (0.000049, "0.00"),
        (0.00005, "0.01"),
        (1.0, "100.00"),
        (0, "0.00"),
        (-0.0, "0.00"),
        (-0.00001, "0.00"),
        (-0.25, "-25.00"),
        (1e-7, "0.00"),
        (None, "–"),
        (math.nan, "–"),
    ],
)
def test_percent(value, shown):
    assert percent(value) == shown


@given(st.integers(0, 10_000_000))
def test_percent_rounds_the_decimal_value_half_up(millionths):
    value = float(f"0.{millionths:07d}") if millionths < 10_000_000 else 1.0
    hundredths = (millionths + 500) // 1000
    assert Decimal(percent(value)) == Decimal(hundredths) / 100
