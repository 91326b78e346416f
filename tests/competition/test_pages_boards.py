"""Boards on pages: order, ties, brackets, constant queries, and that a frozen one never moves."""

from __future__ import annotations

import json
import re
from html import unescape

import pytest
from django.http import HttpResponse

from competition.charts.whisker import axis, whisker
from competition.domain.snapshots import canonical, digest_of
from competition.views.board_table import brackets
from competition.views.frozen_table import frozen_table
from tests.support.boards import snapshot
from tests.support.builders import make_board, make_scored, make_submission, make_team, publish
from tests.support.pages import Scene, make_scene
from tests.support.questions import questions


@pytest.fixture
def scene() -> Scene:
    return make_scene()


def text(answer: HttpResponse) -> str:
    return " ".join(answer.content.decode().split())


def add_teams(scene: Scene, scores: list[float], prefix: str = "Team") -> None:
    for number, score in enumerate(scores):
        team = make_team(scene.task, f"{prefix} {number:03}")
        make_scored(make_submission(team, scene.dev, scene.track), primary=score)


def lines(page: str) -> list[tuple[str, str]]:
    """(rank, team) of each line of a board."""
    found = re.findall(r'<td class="rank">(.*?)</td> <th scope="row" class="team">(.*?)</th>', page)
    return [(rank, re.sub(r"<[^>]+>", "", team).strip()) for rank, team in found]


@pytest.mark.django_db
@pytest.mark.both
def test_ties_share_a_rank_and_baselines_have_none(scene: Scene) -> None:
    add_teams(scene, [0.5, 0.9, 0.5, 0.1])
    baseline = make_team(scene.task, "The word None", role="baseline")
    make_scored(make_submission(baseline, scene.dev, scene.track), primary=0.95)
    page = text(scene.as_(None).get(f"{scene.address}leaderboard/?phase=dev"))
    assert lines(page) == [
        ("1", "Team 001"),
        ("2", "Team 000"),
        ("2", "Team 002"),
        ("4", "Team 003"),
        ("–", "The word None"),
    ]
    assert "Baselines, not ranked" in page
    assert 'class="baseline"' in page


@pytest.mark.django_db
@pytest.mark.both
def test_the_address_sorts_and_searches_and_ranks_stay(scene: Scene) -> None:
    for name, f1, recall in (("Low recall", 0.9, 0.1), ("High recall", 0.3, 0.8)):
        run = make_submission(make_team(scene.task, name), scene.dev, scene.track)
        make_scored(run, primary=f1, scores={"rouge1_recall": recall})
    client = scene.as_(None)
    by_recall = text(client.get(f"{scene.address}leaderboard/?phase=dev&sort=rouge1_recall"))
    assert lines(by_recall) == [("2", "High recall"), ("1", "Low recall")]
    assert by_recall.count("aria-sort") == 1
    assert lines(text(client.get(f"{scene.address}leaderboard/?phase=dev&team=HIGH"))) == [
        ("2", "High recall")
    ]
    nobody = text(client.get(f"{scene.address}leaderboard/?phase=dev&team=<script>"))
    assert "No team has" in nobody
    assert "<script>" not in nobody


@pytest.mark.django_db
@pytest.mark.both
def test_my_team_is_marked_for_me_alone(scene: Scene) -> None:
    make_scored(make_submission(scene.team, scene.dev, scene.track))
    marked = {
        name: "(your team)" in text(scene.as_(who).get(f"{scene.address}leaderboard/?phase=dev"))
        for name, who in scene.cast.items()
    }
    assert marked == {"lead": True, "teammate": True, "rival": False, "visitor": False, "organizer": False}


@pytest.mark.django_db
def test_a_board_of_300_takes_as_many_queries_as_one_of_3(scene: Scene) -> None:
    client = scene.as_(scene.lead)

    def queries() -> int:
        with questions() as captured:
            assert client.get(f"{scene.address}leaderboard/?phase=dev").status_code == 200
        return len(captured)

    add_teams(scene, [0.1, 0.2, 0.3])
    client.get(f"{scene.address}leaderboard/?phase=dev")
    few = queries()
    add_teams(scene, [number / 300 for number in range(297)], prefix="More")
    page = text(client.get(f"{scene.address}leaderboard/?phase=dev"))
    assert len(lines(page)) == 300
    assert queries() == few


@pytest.mark.django_db
@pytest.mark.both
def test_the_front_page_takes_as_many_queries_with_more_tracks_and_teams(scene: Scene) -> None:
    from tests.support.builders import make_phase, make_task, make_track

    client = scene.as_(None)

    def queries() -> int:
        with questions() as captured:
            assert client.get("/").status_code == 200
        return len(captured)

    few = queries()
    for number in range(3):
        task = make_task(f"more-{number}")
        make_phase(task)
        make_submission(make_team(task), track=make_track(task))
    assert queries() == few


def test_a_frozen_board_says_in_words_what_its_brackets_draw() -> None:
    table = frozen_table(snapshot())
    assert [line.brackets for line in table.sections[0].rows] == [
        [" in first", ""],
        [" in last", " in first"],
        ["", " in last"],
    ]
    assert table.groups == ["Cannot be told apart (brackets at the left edge): ranks 1–2, ranks 2–3."]
    assert table.sections[0].rows[0].rank_interval == "1–3"
    assert table.excluded == [{"team": "Nemo", "reason": "run 3: Withdrawn."}]


def test_where_there_are_no_intervals_the_reason_stands() -> None:
    without = [
        {**line, "interval": None, "rank_interval": None, "groups": ""} for line in snapshot()["entries"]
    ]
    table = frozen_table(snapshot(entries=without, analysis={"reason": "groups share issuers"}))
    assert table.interval_note == "No intervals: groups share issuers"
    assert table.lanes == []
    assert not table.has_ranks
    assert table.groups == []


@pytest.mark.django_db
@pytest.mark.both
def test_a_frozen_page_stays_when_everything_behind_it_changes(scene: Scene) -> None:
    board = make_board(scene.dev, scene.track, content=json.dumps(snapshot()))
    client = scene.as_(scene.organizer)
    client.get("/")
    before = text(client.get(board.get_absolute_url()))
    assert "Frozen, version 1," in before
    assert "60.00" in before
    assert "not published" in before.lower()
    scene.team.name = "Renamed"
    scene.team.save()
    make_scored(make_submission(scene.team, scene.dev, scene.track), primary=0.99)
    scene.track.name = "Another name"
    scene.track.save()
    after = text(client.get(board.get_absolute_url()))
    table = re.compile(r'<table class="board[^>]*>.*</table>')
    assert table.search(before).group() == table.search(after).group()  # type: ignore[union-attr]


def test_brackets_take_a_lane_each_only_where_they_overlap() -> None:
    lanes, pieces = brackets([frozenset("a"), frozenset("a"), frozenset("b"), frozenset("b"), frozenset("c")])
    assert lanes == [0]
    assert pieces == [[" in first"], [" in last"], [" in first"], [" in last"], [""]]
    assert brackets([]) == ([], [])


def test_whiskers_share_one_axis_that_holds_them_all() -> None:
    scale = axis([0.297, 0.328, 0.281], "F1 in percent")
    assert scale is not None
    assert [tick.label for tick in scale.ticks] == ["28", "30", "32", "34"]
    mark = whisker(scale, 0.31, (0.297, 0.328))
    assert mark.left is not None
    assert mark.right is not None
    assert 0 < mark.left < mark.dot < mark.right < 176
    assert mark.text == "31.00, 95 % interval 29.70 to 32.80"
    assert axis([], "nothing") is None
    assert axis([0.5], "one value") is not None
    assert axis([0.0, 1.0], "all").ticks[-1].label == "100"  # type: ignore[union-attr]


def test_no_axis_runs_past_a_hundred() -> None:
    for values in ([1.0], [1.0, 1.0], [0.995], [0.3, 1.0]):
        scale = axis(values, "F1")
        assert scale is not None
        assert scale.high <= 1 + 1e-9
        assert all(float(tick.label) <= 100 for tick in scale.ticks)
        assert scale.low < scale.high


@pytest.mark.django_db
@pytest.mark.both
def test_who_follows_the_words_of_a_board_comes_to_its_digest(scene: Scene) -> None:
    content = canonical(snapshot(rule="算盘, Τρεις"))
    board = make_board(scene.dev, scene.track, content=content)
    publish(board)
    visitor = scene.as_(None)
    address = board.get_absolute_url()
    download = json.loads(visitor.get(f"{address.rstrip('/')}.json").content)
    recipe = re.search(r"json\.dumps\(content, (.*?)\)</code>", visitor.get(address).content.decode())
    assert recipe
    words = eval(f"dict({unescape(recipe[1])})")
    assert digest_of(json.dumps(download["content"], **words)) == download["digest"] == board.digest
