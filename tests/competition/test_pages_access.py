"""Who sees which page. Each test asks the whole cast and compares the whole answer."""

from __future__ import annotations

import pytest

from competition.models import RefusedUpload
from tests.support.builders import make_board, make_scored, make_submission
from tests.support.pages import Scene, make_scene
from tests.support.runs_sent import send

pytestmark = [pytest.mark.django_db, pytest.mark.both]

OPEN_TO_ALL = ("", "data/", "evaluation/", "submit/", "check/", "leaderboard/")


@pytest.fixture
def scene() -> Scene:
    return make_scene()


def statuses(scene: Scene, address: str) -> dict[str, int]:
    return {name: scene.as_(who).get(address).status_code for name, who in scene.cast.items()}


def everyone(status: int) -> dict[str, int]:
    return dict.fromkeys(("lead", "teammate", "rival", "visitor", "organizer"), status)


@pytest.mark.parametrize("tab", OPEN_TO_ALL)
def test_the_tabs_of_a_published_task_are_open_to_all(scene: Scene, tab: str) -> None:
    assert statuses(scene, scene.address + tab) == everyone(200)


@pytest.mark.parametrize("address", ["/", "/status", "/healthz", "/codes/", "/codes/E104/"])
def test_the_site_itself_is_open_to_all(scene: Scene, address: str) -> None:
    assert statuses(scene, address) == everyone(200)


@pytest.mark.parametrize("tab", ["", "answers/", "answers/data/", "answers/leaderboard/", "answers/submit/"])
def test_an_unpublished_task_is_there_for_its_organizers_only(scene: Scene, tab: str) -> None:
    scene.task.published = False
    scene.task.save()
    assert statuses(scene, f"/tasks/ebisu/{tab}") == {**everyone(404), "organizer": 200}
    assert "Ebisu" not in scene.as_(scene.lead).get("/").content.decode()


def test_a_run_is_there_for_its_team_and_the_organizers(scene: Scene) -> None:
    run = make_submission(scene.team, scene.dev, scene.track, run_name="secret run")
    only_insiders = {"lead": 200, "teammate": 200, "rival": 404, "visitor": 404, "organizer": 200}
    assert statuses(scene, run.get_absolute_url()) == only_insiders
    assert statuses(scene, f"{run.get_absolute_url()}problems.json") == only_insiders


def test_a_refusal_is_there_for_its_team_and_the_organizers(scene: Scene) -> None:
    refused = send(scene, b"not json\n")
    assert isinstance(refused, RefusedUpload)
    only_insiders = {"lead": 200, "teammate": 200, "rival": 404, "visitor": 404, "organizer": 200}
    for address in ("", "problems.json", "problems.csv"):
        assert statuses(scene, refused.get_absolute_url() + address) == only_insiders


def test_a_former_member_sees_nothing_any_more(scene: Scene) -> None:
    run = make_submission(scene.team, scene.dev, scene.track)
    scene.team.memberships.filter(user=scene.teammate).update(left_at=run.received_at)
    client = scene.as_(scene.teammate)
    assert client.get(run.get_absolute_url()).status_code == 404
    assert "Submissions" not in client.get(scene.team.get_absolute_url()).content.decode()


def test_a_team_page_tells_strangers_the_name_only(scene: Scene) -> None:
    make_submission(scene.team, scene.dev, scene.track, run_name="secret run")
    seen = {
        name: "secret run" in scene.as_(who).get(scene.team.get_absolute_url()).content.decode()
        for name, who in scene.cast.items()
    }
    assert seen == {"lead": True, "teammate": True, "rival": False, "visitor": False, "organizer": True}


def test_nobody_outside_the_team_changes_its_runs(scene: Scene) -> None:
    run = make_submission(scene.team, scene.dev, scene.track)
    for who, status in ((scene.rival, 404), (None, 302)):
        assert scene.as_(who).post(f"{run.get_absolute_url()}withdraw/").status_code == status
    run.refresh_from_db()
    assert run.withdrawn_at is None
    assert scene.as_(scene.teammate).post(f"{run.get_absolute_url()}withdraw/").status_code == 302
    run.refresh_from_db()
    assert run.withdrawn_at is not None


def test_looking_never_changes_anything(scene: Scene) -> None:
    run = make_submission(scene.team, scene.dev, scene.track)
    client = scene.as_(scene.lead)
    for address in ("withdraw/", "choose/"):
        assert client.get(run.get_absolute_url() + address).status_code == 405
    assert client.get(f"{scene.team.get_absolute_url()}leave/").status_code == 405


def test_hidden_scores_are_on_no_page_of_anybody_but_the_organizers(scene: Scene) -> None:
    run = make_submission(scene.team, scene.test, scene.track)
    make_scored(run, primary=0.123456)
    for name, who in scene.cast.items():
        client = scene.as_(who)
        pages = [
            client.get(f"{scene.address}leaderboard/?phase=test").content.decode(),
            client.get(run.get_absolute_url()).content.decode(),
            client.get(scene.team.get_absolute_url()).content.decode(),
            client.get("/").content.decode(),
        ]
        assert any("12.35" in page for page in pages) is (name == "organizer"), name


def test_an_open_score_is_on_the_pages_of_those_it_concerns(scene: Scene) -> None:
    run = make_submission(scene.team, scene.dev, scene.track)
    make_scored(run, primary=0.123456)
    board = {
        name: "12.35" in scene.as_(who).get(f"{scene.address}leaderboard/?phase=dev").content.decode()
        for name, who in scene.cast.items()
    }
    assert board == dict.fromkeys(scene.cast, True)
    assert "12.35" in scene.as_(scene.teammate).get(run.get_absolute_url()).content.decode()


def test_a_frozen_board_waits_for_its_publication(scene: Scene) -> None:
    board = make_board(scene.dev, scene.track)
    assert statuses(scene, f"{board.get_absolute_url().rstrip('/')}.json") == {
        **everyone(404),
        "organizer": 200,
    }


def test_items_are_released_when_their_phase_opens(scene: Scene) -> None:
    assert statuses(scene, f"{scene.address}data/dev/items.jsonl") == everyone(200)
    scene.test.opens_at, scene.test.closes_at = scene.test.closes_at, scene.test.closes_at.replace(year=2999)
    scene.test.save()
    assert statuses(scene, f"{scene.address}data/test/items.jsonl") == {**everyone(404), "organizer": 200}
    assert "answers-test-items" not in scene.as_(scene.lead).get(f"{scene.address}data/").content.decode()
