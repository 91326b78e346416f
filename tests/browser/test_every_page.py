"""Every page, narrow and wide: nothing axe objects to, nothing wider than the window, no policy broken."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta

import pytest
from axe_playwright_python.sync_playwright import Axe
from django.core.management import call_command
from playwright.sync_api import Page

from competition.domain.freezing import freeze_leaderboard, publish_leaderboard
from competition.domain.intake import receive_submission
from competition.domain.teams import invite
from competition.models import Announcement, User
from tests.support.builders import RUN, as_lines, make_gold, make_phase, make_team
from tests.support.clock import move_to
from tests.support.pages import Scene

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

RULES = {
    "runOnly": {
        "type": "tag",
        "values": ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"],
    }
}


def furnish(scene: Scene) -> dict[str, str]:
    """Put something on every page; name → address."""
    sent = {"submitted_by": scene.lead, "track": scene.track, "team": scene.team}
    now = scene.dev.opens_at + timedelta(hours=1)
    run = receive_submission(phase=scene.dev, received_at=now, content=RUN, run_name="one", **sent)
    waiting = receive_submission(phase=scene.test, received_at=now, content=RUN, **sent)
    faulty = as_lines({"task_id": "q\u200b1", "answer": ""}, {"task_id": "q2", "answer": "x", "extra": 1})
    refused = receive_submission(phase=scene.dev, received_at=now, content=faulty, **sent)
    other = {"submitted_by": scene.rival, "track": scene.track, "team": scene.rivals}
    receive_submission(phase=scene.dev, received_at=now, content=RUN.replace(b"10", b"11"), **other)
    Announcement.objects.create(task=scene.task, at=now, text="The test items are out.")
    pilot = make_phase(
        scene.task, "pilot", name="Pilot", opens_at=now - timedelta(days=9), closes_at=now - timedelta(days=8)
    )
    make_gold(pilot, scene.track)
    for team, who in ((scene.team, scene.lead), (scene.rivals, scene.rival)):
        receive_submission(
            team=team,
            phase=pilot,
            track=scene.track,
            submitted_by=who,
            received_at=pilot.opens_at,
            content=RUN,
        )
    call_command("worker", until_idle=True, name="test-worker")
    board = freeze_leaderboard(
        phase=pilot, track=scene.track, frozen_by=scene.organizer, reason="It is over."
    )
    publish_leaderboard(board=board, published_by=scene.organizer)
    token = invite(team=scene.team, invited_by=scene.lead).token
    make_team(scene.task, "A team whose name goes on until it has sixty characters here")
    return {
        "front": "/",
        "status": "/status",
        "task": "/tasks/ebisu/",
        "overview": scene.address,
        "data": f"{scene.address}data/",
        "evaluation": f"{scene.address}evaluation/",
        "submit": f"{scene.address}submit/?phase=dev",
        "check": f"{scene.address}check/?phase=dev",
        "codes": "/codes/",
        "code": "/codes/E104/",
        "live board": f"{scene.address}leaderboard/?phase=dev",
        "hidden board": f"{scene.address}leaderboard/?phase=test",
        "frozen board": board.get_absolute_url(),
        "run": run.get_absolute_url(),
        "run with hidden score": waiting.get_absolute_url(),
        "refused": refused.get_absolute_url(),
        "team": scene.team.get_absolute_url(),
        "new team": "/tasks/ebisu/teams/new/",
        "invitation": f"/invitations/{token}/",
        "used invitation": "/invitations/nothing/",
        "not found": "/nothing",
        "log in": "/accounts/login/",
        "sign up": "/accounts/signup/",
        "password": "/accounts/password/reset/",
        "e-mail": "/accounts/email/",
        "second factor": "/accounts/2fa/",
    }


OVERFLOW = "document.documentElement.scrollWidth - document.documentElement.clientWidth"
FOR_VISITORS = {"log in", "sign up", "password"}


def test_no_page_has_anything_axe_objects_to_nor_is_wider_than_its_window(
    open_page: Callable[..., Page], scene: Scene, sign_in: Callable[[Page, User], None]
) -> None:
    addresses = furnish(scene)
    visitor, lead = open_page(), open_page()
    sign_in(lead, scene.lead)
    found: list[str] = []
    for name, address in addresses.items():
        page = visitor if name in FOR_VISITORS else lead
        page.set_viewport_size({"width": 1440, "height": 900})
        page.goto(address)
        for scheme in ("light", "dark"):
            page.emulate_media(color_scheme=scheme)  # type: ignore[arg-type]
            found += [f"{name}, {scheme}: {fault}" for fault in objections(page)]
        for width in (1440, 768, 360):
            page.set_viewport_size({"width": width, "height": 900})
            if (over := page.evaluate(OVERFLOW)) > 0:
                found.append(f"{name}: {over} px wider than {width}")
    assert not found, "\n".join(found)


def test_on_a_telephone_the_files_of_a_phase_are_one_glance(
    open_page: Callable[..., Page], scene: Scene
) -> None:
    """A digest breaks anywhere, and so got the narrowest column, out of sight: rows were a screen high."""
    page = open_page()
    page.set_viewport_size({"width": 360, "height": 900})
    page.goto(f"{scene.address}data/")
    rows = page.locator(".scroll tbody tr:has(code.digest)")
    assert rows.count() >= 3
    assert all((row.bounding_box() or {"height": 999})["height"] < 200 for row in rows.all())


def objections(page: Page) -> list[str]:
    """What axe objects to, with the first place of each."""
    violations = Axe().run(page, options=RULES).response["violations"]
    return [f"{one['id']}: {one['nodes'][0]['html'][:120]}" for one in violations]


def test_between_and_after_the_phases_the_pages_still_say_what_to_do(page: Page, scene: Scene) -> None:
    for moment, words in (
        (scene.dev.opens_at - timedelta(days=1), "comes next"),
        (scene.test.closes_at + timedelta(days=1), "All phases are closed"),
    ):
        move_to(moment)
        page.goto("/")
        assert words in page.inner_text("main")
