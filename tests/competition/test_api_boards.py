"""Leaderboards for programs: the numbers and the order of the page, under the policy of the page."""

from __future__ import annotations

import json
from datetime import timedelta
from typing import Any

import pytest
from django.test import Client

from competition.domain.freezing import freeze_leaderboard, publish_leaderboard
from competition.domain.ranking import percent
from competition.models import FrozenLeaderboard, Result, User
from tests.competition.stage import Stage, run, set_stage, work_until_idle
from tests.competition.test_api import Program
from tests.competition.test_pages_boards import add_teams, lines, text
from tests.support.builders import (
    join,
    make_board,
    make_organizer_of,
    make_scored,
    make_submission,
    make_team,
    make_user,
    publish,
)
from tests.support.clock import frozen_at
from tests.support.pages import Scene, make_scene
from tests.support.questions import questions

pytestmark = [pytest.mark.django_db, pytest.mark.both]

BOARD = "/api/v1/tasks/ebisu/answers/dev/leaderboard/"
KEYS = ["rouge1_f1", "rouge1_precision", "rouge1_recall", "exact_match", "number_recall"]


@pytest.fixture
def scene() -> Scene:
    return make_scene()


def asked(user: User, address: str = BOARD, **headers: str) -> Any:
    return Client().get(address, headers={**Program(user, "read").headers, **headers})


def in_order(board: dict[str, Any]) -> list[tuple[str, str]]:
    """(rank, team) in the order of the page: ranked, baselines, unranked."""
    rows = [*board["entries"], *board["baselines"], *board["unranked"]]
    return [(str(row["rank"] or "–"), row["team"]) for row in rows]


def test_order_ties_and_numbers_are_those_of_the_page(scene: Scene) -> None:
    add_teams(scene, [0.5, 0.91234, 0.5, 0.1])
    make_scored(make_submission(make_team(scene.task, "None", role="baseline"), scene.dev, scene.track))
    make_submission(make_team(scene.task, "Waiting"), scene.dev, scene.track)
    page = text(scene.as_(None).get(f"{scene.address}leaderboard/?phase=dev"))
    board = asked(scene.lead).json()
    assert in_order(board) == lines(page)
    assert [(row["rank"], row["tied"]) for row in board["entries"]] == [
        (1, False),
        (2, True),
        (2, True),
        (4, False),
    ]
    assert [column["key"] for column in board["columns"]] == KEYS
    for row in [*board["entries"], *board["baselines"]]:
        assert list(row["scores"]) == KEYS
        assert f'primary-score">{percent(row["scores"]["rouge1_f1"])}<' in page
    (waiting,) = board["unranked"]
    assert (waiting["team"], waiting["scores"]) == ("Waiting", dict.fromkeys(KEYS))
    assert board["n_teams"] == 5
    assert board["official"] is None


def test_a_missing_score_is_null_and_last_whatever_is_better(scene: Scene) -> None:
    unscored = make_submission(make_team(scene.task, "A"), scene.dev, scene.track)
    result = make_scored(unscored, primary=0.9)
    Result.objects.filter(pk=result.pk).update(scores={}, primary=None)
    add_teams(scene, [0.0, 0.4])
    board = asked(scene.lead).json()
    assert in_order(board)[-1] == ("–", "A")
    assert board["unranked"][0]["scores"]["rouge1_f1"] is None


@pytest.mark.parametrize(
    ("policy", "before", "after", "published"),
    [
        ("at_once", True, True, True),
        ("after_close", False, True, True),
        ("after_publication", False, False, True),
    ],
)
def test_a_score_shows_when_the_page_shows_it_and_to_organizers_no_earlier(
    scene: Scene, policy: str, before: bool, after: bool, published: bool
) -> None:
    scene.dev.scores_visible = policy
    scene.dev.save()
    make_scored(make_submission(scene.team, scene.dev, scene.track), primary=0.7312)
    people = [scene.lead, scene.rival, scene.organizer, make_user("alone")]

    def shown() -> set[bool]:
        page = text(scene.as_(None).get(f"{scene.address}leaderboard/?phase=dev"))
        answers = [asked(person) for person in people]
        for answer in answers:
            board = answer.json()
            assert (board["hidden"] is None) == bool(board["entries"]) == (b"0.73" in answer.content)
            assert board["hidden"] is None or board["hidden"] in page
            assert board["n_teams"] == 1
        return {answer.json()["hidden"] is None for answer in answers} | {"73.12" in page}

    end = scene.dev.last_accepted_before
    with frozen_at(end - timedelta(microseconds=1)):
        assert shown() == {before}
    with frozen_at(end):
        assert shown() == {after}
        board = make_board(scene.dev, scene.track)
        assert shown() == {after}, "frozen is not published"
        publish(board)
        assert shown() == {published}


def test_numbers_are_no_finer_than_the_page_until_they_are_official(scene: Scene) -> None:
    evaluation = make_submission(scene.team, scene.dev, scene.track)
    report = {"diagnostics": {"invalid_rate": 1 / 3, "invalid_by_reason": {"rows": [["refused", 1, 1 / 3]]}}}
    make_scored(evaluation, primary=1 / 3, report=report)
    add_teams(scene, [number / 7 for number in (1, 2, 3, 4)])
    board = asked(scene.rival).json()
    before = board["entries"][2]
    assert before["scores"]["rouge1_f1"] == board["median"] == 0.3333
    assert before["invalid"] == {"rate": 0.3333, "reasons": {"refused": 0.3333}}
    publish(make_board(scene.dev, scene.track))
    assert asked(scene.rival).json()["median"] == 0.3333, "while the phase still takes runs"
    with frozen_at(scene.dev.last_accepted_before):
        official = asked(scene.rival).json()
    assert official["entries"][2]["scores"]["rouge1_f1"] == official["median"] == 1 / 3


def test_anonymous_teams_stay_so_until_publication_to_organizers_tokens_too() -> None:
    scene = make_scene(anonymous_until_publication=True)
    for team, score in ((scene.team, 0.6), (scene.rivals, 0.4)):
        make_scored(make_submission(team, scene.dev, scene.track), primary=score)
    hidden = ("anonymous team", None, False)

    def seen(who: User) -> list[tuple[str, str | None, bool]]:
        return [(row["team"], row["team_id"], row["yours"]) for row in asked(who).json()["entries"]]

    own = ("Aegean", scene.team.public_id, True)
    assert seen(scene.teammate) == [own, hidden]
    assert seen(scene.organizer) == seen(make_user("alone")) == [hidden, hidden]
    publish(make_board(scene.dev, scene.track))
    assert [name for name, _, _ in seen(scene.organizer)] == ["Aegean", "Rivals"]


def test_a_draft_has_no_board_even_for_its_organizers(scene: Scene) -> None:
    scene.task.published = False
    scene.task.save()
    for who in (scene.lead, scene.organizer):
        assert asked(who).status_code == 404
    assert asked(scene.lead, BOARD.replace("dev", "nothing")).status_code == 404


# Frozen


SENT = (("Dora", 4), ("Beat", 6), ("Abel", 6), ("Carl", 7))


@pytest.fixture
def stage() -> Stage:
    """Four teams, scored, and the phase over."""
    stage = set_stage()
    for name, right in SENT:
        stage.send(stage.team(name), run(right))
    work_until_idle()
    stage.close()
    return stage


def freeze(stage: Stage, reason: str = "It is over.", *, published: bool = True) -> FrozenLeaderboard:
    board = freeze_leaderboard(phase=stage.phase, track=stage.track, frozen_by=None, reason=reason)
    if published:
        publish_leaderboard(board=board, published_by=None)
    return board


def test_a_frozen_board_has_the_numbers_of_its_export(stage: Stage) -> None:
    frozen = freeze(stage)
    carl = stage.task.teams.get(name="Carl")
    assert carl.captain is not None
    board = asked(carl.captain, f"/api/v1/boards/{frozen.public_id}/").json()
    exported = json.loads(Client().get(f"/boards/{frozen.public_id}.json").content)
    kept = exported["content"]
    assert board["official"]["digest"] == exported["digest"]
    same = ("rank", "tied", "team", "team_id", "interval", "rank_interval", "groups", "scores")
    assert [{key: row[key] for key in same} for row in board["entries"]] == [
        {key: row[key] for key in same} for row in kept["entries"]
    ]
    assert [row["rank"] for row in board["entries"]] == [1, 2, 2, 4]
    assert [row["yours"] for row in board["entries"]] == [True, False, False, False]
    assert (board["signature"], board["rule"], board["n_teams"]) == (kept["signature"], kept["rule"], 4)
    for address in board["official"]["exports"].values():
        assert Client().get(address.removeprefix("http://testserver")).status_code == 200
    live = asked(carl.captain, _live(stage)).json()
    assert live["official"] == board["official"]
    assert [row["scores"] for row in live["entries"]] == [row["scores"] for row in board["entries"]]


def test_an_unpublished_board_is_not_there_for_any_token(stage: Stage) -> None:
    board = freeze(stage, published=False)
    for who in (make_organizer_of(stage.task), make_user()):
        assert asked(who, f"/api/v1/boards/{board.public_id}/").status_code == 404
        assert asked(who, _live(stage)).json()["official"] is None
    publish_leaderboard(board=board, published_by=None)
    stage.task.published = False
    stage.task.save()
    assert asked(make_user(), f"/api/v1/boards/{board.public_id}/").status_code == 404


def test_an_older_version_names_the_newest(stage: Stage) -> None:
    first, second = freeze(stage), freeze(stage, "A correction.")
    freeze(stage, "Not out yet.", published=False)
    who = make_user()
    old = asked(who, f"/api/v1/boards/{first.public_id}/").json()
    assert old["later"].endswith(f"/api/v1/boards/{second.public_id}/")
    new = asked(who, old["later"].removeprefix("http://testserver")).json()
    assert (new["later"], new["official"]["version"]) == (None, 2)
    assert asked(who, _live(stage)).json()["official"]["id"] == second.public_id


def _live(stage: Stage) -> str:
    return f"/api/v1/tasks/{stage.task.slug}/{stage.track.slug}/{stage.phase.slug}/leaderboard/"


# Asking again


def test_what_has_not_changed_is_not_sent_again(scene: Scene) -> None:
    add_teams(scene, [0.5])
    first = asked(scene.lead)
    tag = first["ETag"]
    for known in (tag, f"W/{tag}", f'"other", {tag}', "*"):
        again = asked(scene.lead, **{"If-None-Match": known})
        assert (again.status_code, again.content, again["ETag"]) == (304, b"", tag)
    for kept in (first, again):
        assert set(kept["Cache-Control"].split(", ")) == {"private", "no-cache"}
        assert kept["Vary"] == "Authorization"
    assert asked(scene.lead, **{"If-None-Match": '"other"'}).status_code == 200
    add_teams(scene, [0.6], prefix="New")
    changed = asked(scene.lead, **{"If-None-Match": tag})
    assert (changed.status_code, changed["ETag"] == tag) == (200, False)


def test_another_persons_tag_opens_nothing_and_hides_nothing(scene: Scene) -> None:
    make_scored(make_submission(scene.team, scene.dev, scene.track))
    tag = asked(scene.rival)["ETag"]
    assert asked(scene.lead, **{"If-None-Match": tag}).json()["entries"][0]["yours"]
    assert Client().get(BOARD, headers={"If-None-Match": tag}).status_code == 401


def test_a_refusal_and_ones_own_runs_are_kept_by_nobody(scene: Scene) -> None:
    for answer in (Client().get(BOARD), asked(scene.lead, "/api/v1/tasks/ebisu/")):
        assert "no-store" in answer["Cache-Control"]
        assert "ETag" not in answer


def test_a_board_of_many_takes_as_many_queries_as_one_of_few(scene: Scene) -> None:
    program = Program(scene.lead, "read")

    def queries() -> int:
        with questions() as captured:
            assert program.get(BOARD).status_code == 200
        return len(captured)

    add_teams(scene, [0.1, 0.2, 0.3])
    program.get(BOARD)
    few = queries()
    add_teams(scene, [number / 40 for number in range(40)], prefix="More")
    assert queries() == few


def test_who_joins_a_team_sees_its_line_as_theirs(scene: Scene) -> None:
    make_scored(make_submission(scene.rivals, scene.dev, scene.track))
    newcomer = make_user("newcomer")
    assert not asked(newcomer).json()["entries"][0]["yours"]
    join(scene.rivals, newcomer)
    assert asked(newcomer).json()["entries"][0]["yours"]
