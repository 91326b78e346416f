"""The organizers' desk in a real browser: no policy broken, no objection of axe, dates read back."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from typing import TYPE_CHECKING

import pytest
from axe_playwright_python.sync_playwright import Axe
from django.urls import reverse
from playwright.sync_api import expect

from competition import clock
from competition.admin import desk
from competition.models import AuditEntry, FreezeRequest, Phase, Submission
from tests.support import builders

if TYPE_CHECKING:
    from playwright.sync_api import Page

    from competition.models import Track, User

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

# Django's own admin has an empty heading in its inline tables. With "preload", axe would write style sheets
# into the page to follow an @import, which the policy refuses.
OURS = {
    "preload": False,
    "rules": {name: {"enabled": False} for name in ("empty-table-header", "region", "heading-order")},
}


@pytest.fixture
def closed() -> tuple[Phase, Track, User]:
    """A closed test phase that can be frozen, and its organizer."""
    task, now = builders.make_task("demo", name="Demo task"), clock.now()
    phase = builders.make_phase(
        task, "test", "test", opens_at=now - timedelta(days=9), closes_at=now - timedelta(hours=1)
    )
    track = builders.make_track(task, "qa", name="Short answers")
    builders.make_gold(phase, track)
    for name, primary in (("Calibrated Signals", 0.7296), ("東京チーム", 0.61), ("فريق الإشارات", 0.58)):
        run = builders.make_submission(builders.make_team(task, name), phase, track)
        builders.make_scored(run, primary)
    board = builders.make_board(phase, track)
    for team in task.teams.all():
        builders.make_standing(board, team, primary=0.5)
    return phase, track, builders.make_organizer_of(task, "organizer")


def test_every_page_of_the_desk_opens_under_the_policy(
    page: Page, closed: tuple[Phase, Track, User], sign_in: Callable[[Page, User], None]
) -> None:
    phase, track, organizer = closed
    sign_in(page, organizer)
    models = [model._meta.model_name for model in desk._registry if model.__name__ != "User"]
    addresses = ["/admin/", *(reverse(f"admin:competition_{name}_changelist") for name in models)]
    added = ("phase", "track", "team", "itemset", "goldversion", "extraattempts", "announcement")
    addresses += [reverse(f"admin:competition_{name}_add") for name in added]
    addresses += [
        reverse("admin:competition_phase_change", args=[phase.pk]),
        reverse("admin:competition_freeze", args=[phase.pk, track.pk]),
        reverse("admin:competition_publish", args=[phase.boards.get().pk]),
    ]
    found = []
    for address in addresses:
        answer = page.goto(address)
        assert answer is not None
        assert answer.status == 200, address
        violations = Axe().run(page, options=OURS).response["violations"]
        found += [f"{address} {one['id']}: {one['nodes'][0]['html'][:120]}" for one in violations]
    assert not found, "\n".join(found)


def test_a_date_is_read_back_while_it_is_typed(
    page: Page, closed: tuple[Phase, Track, User], sign_in: Callable[[Page, User], None]
) -> None:
    sign_in(page, closed[2])
    page.goto(reverse("admin:competition_phase_add"))
    page.get_by_role("link", name="Development").click()
    page.wait_for_url("**purpose=development")  # with its scripts, which hear what is typed
    closes = page.locator(".zoned", has=page.locator("[name=closes_at_text]"))
    closes.locator("input").fill("2026-05-25")
    assert closes.locator("output").inner_text() == "26 May 2026 12:00 UTC (26 May 00:00 AoE)"
    closes.locator("input").fill("2026-03-29 23:59")
    closes.locator("select").select_option("Europe/Oslo")
    assert closes.locator("output").inner_text() == "29 Mar 2026 21:59 UTC (29 Mar 09:59 AoE)"
    closes.locator("input").fill("tomorrow")
    assert closes.locator("output").inner_text() == ""


@pytest.mark.parametrize("scripts", [True, False])
def test_a_board_is_frozen_in_two_steps_with_and_without_scripts(
    open_page: Callable[..., Page],
    closed: tuple[Phase, Track, User],
    sign_in: Callable[[Page, User], None],
    scripts: bool,
) -> None:
    page = open_page(java_script_enabled=scripts)
    sign_in(page, closed[2])
    page.goto(reverse("admin:competition_phase_changelist"))
    page.get_by_role("link", name="Freeze Short answers…").click()
    page.get_by_label("Reason").fill("The phase has closed.")
    page.get_by_label("Type test/qa to go on").fill("test/qa")
    page.get_by_role("button", name="Freeze").click()
    expect(page.locator("#content")).to_contain_text("queued")
    assert FreezeRequest.objects.get().requested_by == closed[2]


@pytest.mark.parametrize("scripts", [True, False])
def test_a_deadline_before_received_runs_is_moved_in_two_steps(
    open_page: Callable[..., Page],
    closed: tuple[Phase, Track, User],
    sign_in: Callable[[Page, User], None],
    scripts: bool,
) -> None:
    phase, _, organizer = closed
    received_at = phase.closes_at - timedelta(hours=1)
    Submission.objects.update(received_at=received_at)
    page = open_page(java_script_enabled=scripts)
    sign_in(page, organizer)
    page.goto(reverse("admin:competition_phase_change", args=[phase.pk]))
    assert not page.locator("[name=typed]").is_visible()
    page.locator("[name=closes_at_text]").fill((received_at - timedelta(hours=1)).isoformat())
    page.get_by_label("Reason").fill("The hall closes.")
    page.get_by_role("button", name="Save", exact=True).click()
    said = "3 received runs of 3 teams would lie after the new close"
    expect(page.locator("#content")).to_contain_text(said)
    if scripts:
        assert not Axe().run(page, options=OURS).response["violations"]
    page.get_by_label("Type test/3 to go on").fill("test/3")
    page.get_by_role("button", name="Save", exact=True).click()
    expect(page.locator("#main")).to_contain_text("announced on the task's page")
    phase.refresh_from_db()
    assert phase.closes_at == received_at - timedelta(hours=1)
    assert AuditEntry.objects.get(action="phase moved").after["runs outside"] == 3
