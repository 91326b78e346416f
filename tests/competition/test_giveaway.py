"""What a phase's settings give away is said where they are chosen, and only when they cost something."""

from __future__ import annotations

from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from competition.domain.giveaway import ATTEMPTS, BESIDE, DECIDES, TABLES, cost_of
from competition.enums import PhasePurpose
from tests.support import builders
from tests.support.builders import make_items, make_organizer_of, make_phase, make_task, make_track

pytestmark = [pytest.mark.django_db, pytest.mark.both]

TEST, POST, DEVELOPMENT = PhasePurpose.TEST, PhasePurpose.POST, PhasePurpose.DEVELOPMENT
AT_ONCE = {"scores_visible": "at_once"}
TABLE = {"diagnostics_level": 1, "published_level": 1}


@pytest.mark.parametrize(
    ("purpose", "settings", "said"),
    [
        (TEST, {}, ""),
        (POST, {}, ""),
        (DEVELOPMENT, {}, ""),
        (DEVELOPMENT, {**TABLE, "daily_quota": None}, ""),
        (TEST, AT_ONCE, DECIDES),
        (TEST, {"scores_visible": "after_close", **TABLE}, ""),
        (POST, TABLE, TABLES),
        (POST, {"published_level": 1}, ""),
        (POST, {"total_quota": 21}, ATTEMPTS),
        (POST, {"total_quota": None, "daily_quota": 1}, ATTEMPTS),
        (POST, {"scores_visible": "after_publication", "total_quota": None, **TABLE}, ""),
    ],
)
def test_what_settings_cost(purpose: str, settings: dict[str, Any], said: str) -> None:
    assert cost_of(make_phase(purpose=purpose, **settings)) == said


def test_a_development_phase_that_asks_the_items_of_a_test_phase_shares_its_gold() -> None:
    task = make_task()
    track = make_track(task)
    development, test = make_phase(task, "dev"), make_phase(task, "test", TEST)
    make_items(development, track)
    assert cost_of(development) == ""
    make_items(test, track)
    assert cost_of(development) == TABLES
    make_items(development, track, builders.as_lines({"task_id": "q9", "tier": "easy", "question": "?"}))
    assert cost_of(development) == "", "what counts are the items of now"


def organizer_of(task: Any) -> Client:
    client = Client()
    client.force_login(make_organizer_of(task), backend="competition.authentication.Backend")
    return client


def filled_in(**changed: Any) -> dict[str, Any]:
    dates = {"opens_at_text": "2031-05-01", "closes_at_text": "2031-05-02"}
    zones = {"opens_at_zone": "UTC", "closes_at_zone": "UTC"}
    shown = {"scores_visible": "at_once", "diagnostics_level": "0", "published_level": "0"}
    said = {"slug": "late", "name": "Late", "purpose": "post", "counts": "last", "grace_seconds": "0"}
    return {**said, **shown, **dates, **zones, "total_quota": "20", **changed}


def test_the_desk_says_the_cost_on_saving_and_for_as_long_as_it_lasts() -> None:
    task = make_task()
    client = organizer_of(task)
    add = reverse("admin:competition_phase_add")
    quiet = client.post(add, filled_in(task=task.pk), follow=True).content.decode()
    assert "was added successfully" in quiet
    assert "uploads read" not in quiet
    form = filled_in(task=task.pk, slug="loud", name="Loud", total_quota="")
    assert ATTEMPTS in client.post(add, form, follow=True).content.decode()
    quiet_page, loud_page = (
        client.get(reverse("admin:competition_phase_change", args=[phase.pk])).content.decode()
        for phase in task.phases.order_by("pk")
    )
    assert ATTEMPTS in loud_page
    assert "What this gives away" in loud_page
    assert "What this gives away" not in quiet_page


def test_the_form_of_a_phase_says_what_each_setting_tells_of_the_references() -> None:
    client = organizer_of(make_task())
    page = client.get(reverse("admin:competition_phase_add") + "?purpose=post").content.decode()
    for words in BESIDE.values():
        assert words in page
    form = client.get(reverse("admin:competition_phase_add") + "?purpose=post").context["adminform"].form
    levels = form["diagnostics_level"].value(), form["published_level"].value()
    assert (form["daily_quota"].value(), form["total_quota"].value(), *levels) == (5, 20, 0, 0)
