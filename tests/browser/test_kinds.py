"""Pages of many kinds in a real browser: nothing axe objects to, nothing wider than the window."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import Page

from competition.management.commands.seed_demo import (
    demo_tasks,
    load,
    publish_frozen,
    request_freezes,
    work_off,
)
from competition.models import FrozenLeaderboard, Submission, User
from tests.browser.test_every_page import OVERFLOW, objections
from tests.support.builders import make_superuser

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

CUT_OFF = "[...document.querySelectorAll('.board-frame')].some(one => one.scrollWidth > one.clientWidth)"
TASKS = ("hakobune", "three-shores")
"""Between them: a banded confusion, a slope, bars by class, languages, a profile and quadrants."""


def test_charts_boards_and_tables_of_many_kinds_are_accessible_at_every_width(
    live_server: Any, open_page: Callable[..., Page], sign_in: Callable[[Page, User], None]
) -> None:
    for folder, said in demo_tasks():
        if said["slug"] in TASKS:
            load(folder, said)
            work_off()
            request_freezes(said)
            work_off()
            publish_frozen(said)
    addresses = [f"/tasks/{slug}/tracks/together/?phase=test" for slug in TASKS]
    for kind in ("commitment", "term_extraction", "fact_identification", "fact_selection"):
        runs = Submission.objects.filter(track__kind=kind, phase__slug="test", team__role="participant")
        addresses += [runs.earliest("pk").get_absolute_url()]
        addresses += [FrozenLeaderboard.objects.get(track__kind=kind).get_absolute_url()]
    addresses += [
        "/tasks/hakobune/terms/leaderboard/?phase=test",
        "/tasks/three-shores/facts/leaderboard/?phase=test",
    ]
    page = open_page()
    sign_in(page, make_superuser())
    found: list[str] = []
    for address in addresses:
        page.set_viewport_size({"width": 1440, "height": 900})
        page.goto(address)
        for details in page.locator("details").all():
            details.evaluate("one => { one.open = true }")
        for scheme in ("light", "dark"):
            page.emulate_media(color_scheme=scheme)  # type: ignore[arg-type]
            found += [f"{address}, {scheme}: {fault}" for fault in objections(page)]
        for width in (1440, 768, 360):
            page.set_viewport_size({"width": width, "height": 900})
            if (over := page.evaluate(OVERFLOW)) > 0:
                found.append(f"{address}: {over} px wider than {width}")
            if width == 1440 and page.evaluate(CUT_OFF):
                found.append(f"{address}: the last column of the board is out of sight")
    assert not found, "\n".join(found)
    page.goto(addresses[1])
    drawing = page.get_by_role("img", name="recognised groups miss a fact").first
    assert drawing.locator("desc").text_content()
