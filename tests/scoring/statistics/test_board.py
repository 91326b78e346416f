"""`analyse`: what a frozen board says of its own uncertainty."""

from __future__ import annotations

import json
import random

import numpy as np
import pytest

from scoring.statistics import BoardAnalysis, analyse
from scoring.tracks.base import Resampling
from tests.scoring.statistics.toys import BY_GROUP, BY_ITEM, WITHIN_LANGUAGE, Mean, OnlyMarked, items_of

FINMMEVAL = (0.312, 0.309, 0.3075, 0.304, 0.2975, 0.286, 0.27, 0.26, 0.25, 0.24, 0.22, 0.1875)
ITEMS = items_of(256, clusters=32)


def simulated_teams(means=FINMMEVAL, n=256, sd=0.15, seed=1):
    """Published means, half the variance shared by the teams. Every team has exactly its mean."""
    stream = np.random.default_rng(seed)
    part = sd / np.sqrt(2)
    shared = stream.normal(0, part, n)
    teams = {}
    for place, mean in enumerate(means):
        values = shared + stream.normal(0, part, n)
        values += mean - values.mean()
        teams[f"team {place:02}"] = [(float(value), 1.0) for value in values]
    return teams


@pytest.fixture(scope="module")
def board():
    return analyse(Mean(BY_GROUP), {}, simulated_teams(), ITEMS)


def test_the_board_says_what_was_drawn(board):
    assert board.signature == "ci:cluster32x10000|seed:13"
    assert board.about == ("32 groups of items with the same group, drawn with replacement, 10,000 times.")
    assert (board.unit, board.units, board.method, board.reason) == ("cluster", 32, "bootstrap-t", "")
    by_item = analyse(Mean(BY_ITEM), {}, simulated_teams(), ITEMS, resamples=500)
    assert by_item.signature == "ci:item256x500|seed:13"
    assert by_item.method == "percentile"


def test_teams_stand_in_rank_order_with_their_intervals(board):
    assert list(board.teams) == [f"team {place:02}" for place in range(12)]
    for place, team in enumerate(board.teams.values()):
        assert team.score == pytest.approx(FINMMEVAL[place])
        assert team.low < team.score < team.high
        assert team.rank_low <= team.rank == place + 1 <= team.rank_high
        assert sum(share for _, share in team.rank_shares) == pytest.approx(1)
    assert sum(team.first for team in board.teams.values()) == pytest.approx(1)
    assert board.teams["team 00"].better_than_next > 0.5
    assert (board.teams["team 11"].next, board.teams["team 11"].better_than_next) == (None, None)
    assert board.teams["team 11"].rank_high == 12


def test_neighbours_cannot_be_told_apart_and_extremes_can(board):
    first, last = board.teams["team 00"], board.teams["team 11"]
    assert {"team 01", "team 02", "team 03"} <= set(first.indistinguishable)
    assert "team 08" not in first.indistinguishable
    assert "team 00" not in last.indistinguishable
    for number, group in enumerate(board.groups):
        for name in group:
            assert number in board.teams[name].groups
            assert set(group) - {name} <= set(board.teams[name].indistinguishable)
    assert {name for group in board.groups for name in group} == set(board.teams)


def test_pairs_name_the_better_first(board):
    assert len(board.pairs) == 66
    for pair in board.pairs:
        assert pair["difference"] >= 0
        assert board.teams[pair["better"]].rank < board.teams[pair["worse"]].rank
        apart = pair["worse"] not in board.teams[pair["better"]].indistinguishable
        assert apart == (pair["p_holm"] < board.alpha)
        assert pair["p"] <= pair["p_holm"]


def test_json_goes_out_and_back(board):
    text = json.dumps(board.to_json(), allow_nan=False)
    assert BoardAnalysis.from_json(json.loads(text)) == board


def test_neither_the_order_of_teams_nor_of_items_nor_a_second_time_matters(board):
    teams = simulated_teams()
    assert analyse(Mean(BY_GROUP), {}, teams, ITEMS) == board
    assert analyse(Mean(BY_GROUP), {}, dict(reversed(teams.items())), ITEMS) == board
    places = list(range(256))
    random.Random(5).shuffle(places)
    shuffled = {name: [tallies[place] for place in places] for name, tallies in teams.items()}
    assert_alike(analyse(Mean(BY_GROUP), {}, shuffled, [ITEMS[place] for place in places]), board)


def assert_alike(one, other):
    assert list(one.teams) == list(other.teams)
    assert one.groups == other.groups
    for name, team in one.teams.items():
        judge = other.teams[name]
        assert (team.low, team.high) == pytest.approx((judge.low, judge.high), abs=1e-9)
        assert (team.rank_low, team.rank_high) == (judge.rank_low, judge.rank_high)


def test_another_seed_moves_little():
    one, other = (analyse(Mean(BY_GROUP), {}, simulated_teams(), ITEMS, seed) for seed in (13, 14))
    assert one != other
    for name, team in one.teams.items():
        assert (team.low, team.high) == pytest.approx(
            (other.teams[name].low, other.teams[name].high), abs=0.003
        )


def test_a_team_s_interval_does_not_depend_on_who_else_is_there(board):
    teams = simulated_teams()
    alone = analyse(Mean(BY_GROUP), {}, {"team 03": teams["team 03"]}, ITEMS)
    assert alone.teams["team 03"].low == pytest.approx(board.teams["team 03"].low, abs=1e-9)
    only = alone.teams["team 03"]
    assert (only.rank, only.rank_low, only.rank_high, only.first, only.next) == (1, 1, 1, 1, None)
    assert (alone.groups, alone.pairs) == ([["team 03"]], [])


def test_equal_runs_share_rank_group_and_first():
    teams = simulated_teams((0.3, 0.1))
    board = analyse(
        Mean(BY_ITEM), {}, {"b": teams["team 00"], "a": teams["team 00"], "c": teams["team 01"]}, ITEMS
    )
    assert [(name, team.rank, team.rank_high) for name, team in board.teams.items()] == [
        ("a", 1, 1),
        ("b", 1, 1),
        ("c", 3, 3),
    ]
    assert board.teams["a"].first == board.teams["b"].first == board.teams["a"].better_than_next == 0.5
    assert board.groups == [["a", "b"], ["c"]]
    assert board.pairs[0] == {"better": "a", "worse": "b", "difference": 0.0, "p": 1.0, "p_holm": 1.0}


def test_where_lower_is_better_the_lowest_is_first():
    board = analyse(
        Mean(BY_ITEM, higher_is_better=False), {}, simulated_teams((0.3, 0.1)), ITEMS, resamples=300
    )
    assert list(board.teams) == ["team 01", "team 00"]
    assert board.teams["team 01"].first == board.teams["team 01"].better_than_next == 1.0


def test_kinds_without_a_unit_say_why():
    reason = "not reported: groups share issuers"
    board = analyse(Mean(Resampling("none", reason=reason)), {}, simulated_teams((0.3, 0.1)), ITEMS)
    assert (board.reason, board.about, board.unit, board.signature, board.method) == (
        reason,
        reason,
        "none",
        "",
        "",
    )
    assert [(team.rank, team.low, team.rank_low, team.first) for team in board.teams.values()] == [
        (1, None, None, None),
        (2, None, None, None),
    ]
    assert board.groups == board.pairs == []


def test_a_handful_of_units_is_too_few():
    items = items_of(90, clusters=9)
    board = analyse(Mean(BY_GROUP), {}, simulated_teams((0.3,), n=90), items)
    assert board.reason == "not reported: 9 groups of items are too few to resample, 10 are needed"
    assert analyse(Mean(BY_ITEM), {}, {"a": []}, []).reason.startswith("not reported: 0 items")
    assert analyse(Mean(BY_ITEM), {}, {}, ITEMS).reason == "not reported: there is no team"


def test_clusters_within_strata_are_drawn_as_often_as_the_kind_says():
    items = items_of(240, clusters=60, strata=3)
    board = analyse(Mean(WITHIN_LANGUAGE), {}, simulated_teams((0.3, 0.28), n=240), items)
    assert board.signature == "ci:cluster60x2000|seed:13"
    assert "within each language, 2,000 times" in board.about
    assert board.notes == []


def test_a_lone_unit_in_a_stratum_is_noted():
    items = [*items_of(60, clusters=20, strata=2), {"id": "x", "group": "x", "language": "s2"}]
    board = analyse(Mean(WITHIN_LANGUAGE), {}, simulated_teams((0.3,), n=61), items)
    assert board.notes == ["1 of 3 strata have one unit only, which is drawn every time."]


def test_items_outside_the_primary_score_are_not_drawn():
    teams = simulated_teams((0.3,), n=100)
    items = [{**item, "primary": place < 60} for place, item in enumerate(items_of(100))]
    board = analyse(OnlyMarked(BY_ITEM), {}, teams, items, resamples=200)
    judge = analyse(Mean(BY_ITEM), {}, {"team 00": teams["team 00"][:60]}, items[:60], resamples=200)
    assert board == judge
    assert board.signature == "ci:item60x200|seed:13"


def test_a_team_with_other_items_is_refused():
    with pytest.raises(ValueError, match="a has 3 tallies for 4 items"):
        analyse(Mean(BY_ITEM), {}, {"a": [(1.0, 1.0)] * 3}, items_of(4))


def test_large_boards_list_neighbours_only():
    teams = simulated_teams(np.linspace(0.2, 0.6, 51), n=60)
    board = analyse(Mean(BY_ITEM), {}, teams, items_of(60), resamples=200)
    assert len(board.pairs) == 50
    assert board.pairs[0]["better"] == "team 50"
    assert board.pairs[0]["worse"] == "team 49"
