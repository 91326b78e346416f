"""Dates typed on the desk: anywhere on Earth, in Oslo when the clocks change; and moving a deadline."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from competition.admin.zoned import ZonedField, preview, read_moment, two_zones
from competition.domain.phases import in_words, move_phase
from competition.exceptions import NotAllowed, Refused
from competition.models import Announcement, AuditEntry, Phase
from tests.support import builders


def utc(*parts: int) -> datetime:
    return datetime(*parts, tzinfo=UTC)  # type: ignore[misc, arg-type]


@pytest.mark.parametrize(
    ("text", "zone", "moment"),
    [
        ("2026-05-25 23:59", "AoE", utc(2026, 5, 26, 11, 59)),
        ("2026-05-25", "AoE", utc(2026, 5, 25, 12)),
        ("2026-03-29 23:59", "Europe/Oslo", utc(2026, 3, 29, 21, 59)),
        ("2026-03-28 23:59", "Europe/Oslo", utc(2026, 3, 28, 22, 59)),
        ("2026-10-25 03:30", "Europe/Oslo", utc(2026, 10, 25, 2, 30)),
        ("2028-02-29 12:00", "UTC", utc(2028, 2, 29, 12)),
        ("2026-05-25 23:59", "Asia/Kolkata", utc(2026, 5, 25, 18, 29)),
        ("2026-05-25 23:59:59", "UTC", utc(2026, 5, 25, 23, 59, 59)),
        ("2026-05-25T23:59:00Z", "AoE", utc(2026, 5, 25, 23, 59)),
        ("2026-05-25 23:59+02:00", "AoE", utc(2026, 5, 25, 21, 59)),
        ("  2026-05-25   23:59 ", "UTC", utc(2026, 5, 25, 23, 59)),
        ("2026-01-01 00:00", "Pacific/Kiritimati", utc(2025, 12, 31, 10)),
    ],
)
def test_one_instant_from_a_date_and_a_zone(text: str, zone: str, moment: datetime) -> None:
    assert read_moment(text, zone) == moment


@pytest.mark.django_db
def test_a_day_that_ends_something_ends_with_the_day() -> None:
    """The deadline 25 May, anywhere on Earth: 11:59:59 UTC the day after is in time, noon is late."""
    close = read_moment("2026-05-25", "AoE", "end")
    assert close == utc(2026, 5, 26, 12)
    phase = Phase(opens_at=utc(2026, 5, 1), closes_at=close)
    assert phase.accepts_at(utc(2026, 5, 26, 11, 59, 59))
    assert not phase.accepts_at(utc(2026, 5, 26, 12))


@pytest.mark.parametrize(
    ("text", "zone", "said"),
    [
        ("2026-03-29 02:30", "Europe/Oslo", "skip this time"),
        ("2026-10-25 02:30", "Europe/Oslo", "twice"),
        ("25.5.2026", "UTC", "Write a date as"),
        ("2026-02-30", "UTC", "Write a date as"),
        ("2026-05-25 24:61", "UTC", "Write a date as"),
        ("soon", "UTC", "Write a date as"),
        ("9999-12-31", "AoE", "Write a year from 1970 to 2999"),
        ("9999-12-31 23:59", "AoE", "Write a year from 1970 to 2999"),
        ("0001-01-01", "Asia/Tokyo", "Write a year from 1970 to 2999"),
        ("2026-05-25", "Mars/Olympus", "time zone from the list"),
        ("2026-05-25", "../../etc/passwd", "time zone from the list"),
    ],
)
def test_what_is_no_single_instant_is_refused_in_words(text: str, zone: str, said: str) -> None:
    with pytest.raises(ValueError, match=said):
        read_moment(text, zone)


def test_moments_are_shown_in_utc_and_anywhere_on_earth() -> None:
    moment = utc(2026, 5, 26, 11, 59)
    assert in_words(moment) == "26 May 2026 11:59 UTC (25 May 23:59 AoE)"
    assert two_zones(moment) == '26 May 2026 11:59 UTC<br><span class="quiet">25 May 23:59 AoE</span>'
    assert preview(["2026-05-25", "AoE"], "end") == "26 May 2026 12:00 UTC (26 May 00:00 AoE)"
    assert preview(["nonsense", "AoE"], "end") == ""


def test_a_stored_moment_comes_back_as_it_was() -> None:
    field = ZonedField(whole_day="end")
    for moment in (utc(2026, 5, 26, 12), utc(2026, 5, 26, 11, 59, 59), utc(2026, 5, 26, 12, 0, 0, 123)):
        shown = field.widget.decompress(moment)
        assert field.clean(shown) == moment
        assert not field.has_changed(moment, shown)
    assert field.has_changed(utc(2026, 5, 26, 12), ["2026-05-26", "AoE"])
    assert not field.has_changed(utc(2026, 5, 26, 12), ["2026-05-26 12:00", "UTC"])


# On the desk


def signed_in(user: Any) -> Client:
    client = Client()
    client.force_login(user, backend="competition.authentication.Backend")
    return client


def phase_form(**changes: Any) -> dict[str, Any]:
    return {
        "slug": "test",
        "name": "Test",
        "purpose": "test",
        "opens_at_text": "2026-05-01",
        "opens_at_zone": "AoE",
        "closes_at_text": "2026-05-25",
        "closes_at_zone": "AoE",
        "grace_seconds": "60",
        "total_quota": "5",
        "counts": "last",
        "scores_visible": "after_publication",
        "diagnostics_level": "0",
        "published_level": "1",
        **changes,
    }


@pytest.mark.django_db
def test_an_organizer_makes_a_phase_and_then_moves_its_deadline() -> None:
    task = builders.make_task()
    client = signed_in(builders.make_organizer_of(task, "lead"))
    add = reverse("admin:competition_phase_add")
    form = phase_form(task=task.pk)
    assert client.post(add, form).status_code == 302
    phase = Phase.objects.get()
    assert (phase.opens_at, phase.closes_at) == (utc(2026, 5, 1, 12), utc(2026, 5, 26, 12))
    assert not Announcement.objects.exists()

    change = reverse("admin:competition_phase_change", args=[phase.pk])
    page = client.get(change).content.decode()
    assert "26 May 2026 12:00 UTC (26 May 00:00 AoE)" in page
    moved = {**form, "closes_at_text": "2026-05-27"}
    refused = client.post(change, moved)
    assert refused.status_code == 200
    assert "participants will read it" in str(refused.context["adminform"].form.errors["reason"])
    assert client.post(change, {**moved, "reason": "The server was down."}).status_code == 302
    phase.refresh_from_db()
    assert phase.closes_at == utc(2026, 5, 28, 12)
    said = Announcement.objects.get().text
    assert "now closes 28 May 2026 12:00 UTC" in said
    assert "before: 26 May 2026 12:00 UTC" in said
    assert said.endswith("The server was down.")
    entry = AuditEntry.objects.get(action="phase moved")
    assert (entry.before["closes_at"], entry.reason) == ("2026-05-26T12:00:00+00:00", "The server was down.")


@pytest.mark.django_db
def test_a_team_is_saved_without_the_date_that_it_may_go_without() -> None:
    """Beside an empty date a browser sends its zone, and organizers could neither add nor rename a team."""
    task = builders.make_task()
    client = signed_in(builders.make_organizer_of(task, "lead"))
    form = {
        "task": task.pk,
        "name": "Panel",
        "role": "baseline",
        "locked_at_text": " ",
        "locked_at_zone": "AoE",
    }
    form |= {
        f"{name}-{end}_FORMS": "0" for name in ("memberships", "name_changes") for end in ("TOTAL", "INITIAL")
    }
    added = client.post(reverse("admin:competition_team_add"), form)
    assert added.status_code == 302, added.content.decode()
    team = task.teams.get()
    change = reverse("admin:competition_team_change", args=[team.pk])
    renamed = client.post(change, {**form, "name": "Human panel", "reason": "Says who."})
    assert renamed.status_code == 302, renamed.content.decode()
    team.refresh_from_db()
    assert (team.name, team.locked_at) == ("Human panel", None)
    client.post(change, {**form, "name": "Human panel", "locked_at_text": "2026-05-25"})
    team.refresh_from_db()
    assert team.locked_at == utc(2026, 5, 25, 12)
    client.post(change, {**form, "name": "Human panel"})
    team.refresh_from_db()
    assert team.locked_at is None


@pytest.mark.django_db
def test_the_same_instant_written_otherwise_moves_nothing() -> None:
    task = builders.make_task()
    phase = builders.make_phase(
        task, "test", "test", opens_at=utc(2026, 5, 1, 12), closes_at=utc(2026, 5, 26, 12)
    )
    client = signed_in(builders.make_organizer_of(task))
    change = reverse("admin:competition_phase_change", args=[phase.pk])
    form = phase_form(task=task.pk, name="Final")
    form |= {"closes_at_text": "2026-05-26 12:00", "closes_at_zone": "UTC"}
    assert client.post(change, form).status_code == 302
    phase.refresh_from_db()
    assert phase.name == "Final"
    assert not Announcement.objects.exists()
    assert AuditEntry.objects.get(action="phase changed").before["name"] == "Test"


@pytest.mark.django_db
def test_a_phase_that_closes_before_it_opens_is_refused_on_the_form() -> None:
    task = builders.make_task()
    client = signed_in(builders.make_organizer_of(task))
    add = reverse("admin:competition_phase_add")
    form = phase_form(task=task.pk)
    answer = client.post(add, {**form, "closes_at_text": "2026-04-01"})
    assert answer.status_code == 200
    assert "A phase opens before it closes." in answer.content.decode()


@pytest.mark.django_db
@pytest.mark.both
def test_only_organizers_move_phases_and_never_without_a_reason() -> None:
    phase = builders.make_phase()
    dates = {"opens_at": phase.opens_at, "closes_at": utc(2030, 1, 1)}
    with pytest.raises(NotAllowed):
        move_phase(phase=phase, moved_by=builders.make_user(), reason="please", **dates)
    with pytest.raises(Refused, match="Say why"):
        move_phase(phase=phase, moved_by=builders.make_organizer_of(phase.task), reason=" ", **dates)
    assert Phase.objects.get().closes_at != dates["closes_at"]
