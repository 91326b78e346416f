"""Audit entries: in the same transaction as the change, and with the request they came by."""

from __future__ import annotations

import json
import logging

import pytest
from django.db import transaction
from django.test import Client

from competition import logs
from competition.domain import audit
from competition.domain.teams import invite
from competition.models import AuditEntry
from tests.support import builders

pytestmark = [pytest.mark.django_db, pytest.mark.both]


def test_an_entry_says_who_what_why_before_and_after() -> None:
    task = builders.make_task()
    organizer, phase = builders.make_organizer_of(task), builders.make_phase(task)
    token = logs.request_id.set("abc123")
    try:
        audit.record(
            actor=organizer,
            action="deadline moved",
            target=phase,
            reason="flood",
            before={"a": 1},
            after={"a": 2},
        )
    finally:
        logs.request_id.reset(token)
    entry = AuditEntry.objects.get(action="deadline moved")
    assert (entry.actor, entry.task, entry.reason) == (organizer, task, "flood")
    assert (entry.target_type, entry.target_id) == ("Phase", str(phase.pk))
    assert (entry.before, entry.after, entry.request_id) == ({"a": 1}, {"a": 2}, "abc123")


def test_the_task_is_found_by_way_of_the_target() -> None:
    submission = builders.make_submission()
    task = submission.team.task
    for target in (task, submission, submission.team, submission.phase, submission.entry):
        assert audit.record(actor=None, action="looked at", target=target).task == task
    assert audit.record(actor=None, action="looked at", target=builders.make_user()).task is None


def test_a_change_that_is_undone_leaves_no_entry() -> None:
    task = builders.make_task()
    with transaction.atomic():
        audit.record(actor=None, action="half done", target=task)
        transaction.set_rollback(True)
    assert not AuditEntry.objects.filter(action="half done").exists()


def test_a_log_line_is_one_json_object_with_the_request() -> None:
    token = logs.request_id.set("abc123")
    try:
        record = logging.LogRecord("podium", logging.WARNING, "file", 1, "two\nlines of %s", ("東京",), None)
        line = logs.JSONFormatter().format(record)
    finally:
        logs.request_id.reset(token)
    assert "\n" not in line
    said = json.loads(line)
    assert (said["level"], said["message"], said["request_id"]) == ("warning", "two\nlines of 東京", "abc123")


def test_the_log_names_no_address_that_was_refused(caplog: pytest.LogCaptureFixture) -> None:
    """An invitation's link is a secret for as long as it is open; Django would name it in the log."""
    team = builders.make_team(builders.make_task(terms="For research."))
    address = f"/invitations/{invite(team=team, invited_by=team.captain).token}/"
    client, stranger = Client(), Client(enforce_csrf_checks=True)
    client.force_login(builders.make_user())
    statuses = [client.post(address).status_code, stranger.post(address).status_code]
    statuses.append(client.get(f"{address}x").status_code)
    assert statuses == [422, 403, 404]
    refused = [record for record in caplog.records if record.name.startswith("django.")]
    said = [json.loads(logs.JSONFormatter().format(record))["message"] for record in refused]
    assert len(said) == 3
    assert [one for one in said if "invitations/<str:token>/" in one] == said[:2]
    assert said[2] == "Not Found: no page"
    assert address.strip("/").partition("/")[2] not in "".join(
        logs.JSONFormatter().format(record) for record in caplog.records
    )
