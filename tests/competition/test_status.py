"""What the site says about itself: to people on /status and the run's page, to machines on /healthz, /readyz,
and to whoever reads the log."""

from __future__ import annotations

import json
import logging
from datetime import timedelta

import pytest
from django.db import OperationalError, connection
from django.test import Client, RequestFactory, override_settings

from competition import clock, jobs, logs
from competition.domain import evaluations
from competition.enums import WorkerRole
from competition.models import Evaluation, WorkerBeat
from competition.views import errors
from tests.competition.stage import run, set_stage
from tests.support.builders import make_team
from tests.support.clock import frozen_at
from tests.support.pages import make_scene

pytestmark = [pytest.mark.both, pytest.mark.django_db]


def text_of(address: str, client: Client | None = None) -> str:
    answer = (client or Client()).get(address)
    assert answer.status_code == 200
    return answer.content.decode()


def test_the_status_page_is_public_and_alerts_when_runs_wait_too_long() -> None:
    stage = set_stage()
    stage.send(stage.team())
    page = text_of("/status")
    assert "No worker is alive: runs wait" in page
    assert "The oldest run has waited" not in page
    with frozen_at(clock.now() + timedelta(minutes=3)):
        page = text_of("/status")
        assert "The oldest run has waited 3 min." in page
        assert "Nothing is lost" in page
        WorkerBeat.objects.create(name="w", started_at=clock.now(), seen_at=clock.now())
        assert "<h1>Runs wait longer than they should</h1>" in text_of("/status")


def test_a_sweeper_is_shown_and_is_no_worker() -> None:
    now = clock.now()
    WorkerBeat.objects.create(name="broom", role=WorkerRole.SWEEPER, started_at=now, seen_at=now)
    page = text_of("/status")
    assert "No worker is alive" in page
    assert "alive, seen" in page
    assert "broom" not in page


def test_the_runs_page_says_state_reason_age_and_sign_of_life() -> None:
    stage = set_stage()
    team = stage.team()
    first, sent = stage.send(make_team(stage.task), run(1)), stage.send(team, run(2))
    client = Client()
    client.force_login(team.captain)
    address = sent.get_absolute_url()
    page = text_of(address, client)
    assert ", 1 ahead, 0 workers alive" in page
    assert "No worker is alive just now. Your run is kept" in page
    assert "every 2s" in page
    work = jobs.claim_any("w")
    assert work.submission == first
    work = jobs.claim_any("w")
    with frozen_at(work.started_at + timedelta(seconds=30)):
        page = text_of(address, client)
        assert "Being scored for 30 s, last sign of life 30 s ago" in page
    evaluations.record_failure(work=work, kind="died")
    WorkerBeat.objects.create(name="w", started_at=clock.now(), seen_at=clock.now())
    page = text_of(address, client)
    assert "1 worker alive" in page
    assert "Attempt 2 of 3: the one before was cut short by our fault" in page


def test_machines_are_told_ready_or_why_not() -> None:
    assert text_of("/healthz") == "ok\n"
    assert text_of("/readyz") == "ready\n"
    assert not WorkerBeat.objects.exists(), "the probe leaves nothing"
    with connection.cursor() as cursor:
        cursor.execute("DELETE FROM django_migrations WHERE name = '0004_receipts_and_sweepers'")
    answer = Client().get("/readyz")
    assert answer.status_code == 503
    assert answer.content == b"1 migrations are not applied\n"


def test_a_database_that_takes_no_writes_is_not_ready(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(**_: object) -> None:
        raise OperationalError("disk full")

    monkeypatch.setattr(WorkerBeat.objects, "create", refuse)
    answer = Client().get("/readyz")
    assert answer.status_code == 503
    assert b"takes no writes" in answer.content


@pytest.mark.parametrize("address", ["/", "/status", "/healthz", "/accounts/login/"])
def test_without_its_database_the_site_says_when_to_come_back(
    address: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def gone(*_: object, **__: object) -> None:
        raise OperationalError("the database system is shutting down")

    monkeypatch.setattr("django.db.backends.utils.CursorWrapper.execute", gone)
    monkeypatch.setattr("django.db.backends.utils.CursorDebugWrapper.execute", gone)
    answer = Client(raise_request_exception=False).get(address)
    if address == "/accounts/login/" and answer.status_code == 200:
        return  # the form itself asks for nothing
    assert answer.status_code == 503
    assert answer.headers["Retry-After"] == "5"
    page = answer.content.decode()
    assert answer.headers["X-Request-ID"] in page
    assert "never counted twice" in page
    assert "shutting down" not in page


def test_other_faults_stay_500() -> None:
    try:
        raise ValueError
    except ValueError:
        assert errors.server_error(RequestFactory().get("/")).status_code == 500
    try:
        raise OperationalError
    except OperationalError:
        answer = errors.server_error(RequestFactory().get("/api/v1/x"))
    assert answer.status_code == 503
    assert json.loads(answer.content)["error"]["code"] == "unavailable"


def test_each_answer_is_logged_with_its_id_and_no_address(caplog: pytest.LogCaptureFixture) -> None:
    scene = make_scene()
    with caplog.at_level(logging.INFO, logger="competition.requests"):
        answer = Client().get("/invitations/a-very-secret-token/")
        Client().get(scene.address)
        Client().get("/")
        Client().get("/healthz")
    lines = [json.loads(logs.JSONFormatter().format(record)) for record in caplog.records]
    assert [line["message"] for line in lines] == [
        f"GET invitations/<str:token>/ {answer.status_code}",
        "GET tasks/<slug:task>/<slug:track>/ 200",
        "GET / 200",
    ]
    assert lines[1]["status"] == 200
    assert lines[1]["ms"] > 0
    assert "a-very-secret-token" not in json.dumps(lines)


def test_a_page_that_breaks_is_in_the_log_under_the_number_it_shows(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def break_down(*_: object) -> None:
        raise RuntimeError("a fault of ours")

    monkeypatch.setattr("competition.views.home.front_page", break_down)
    seen: list[str] = []
    caplog.handler.addFilter(lambda record: seen.append(logs.request_id.get()) or True)
    answer = Client(raise_request_exception=False).get("/")
    number = answer.headers["X-Request-ID"]
    assert number in answer.content.decode()
    assert set(seen) == {number}
    assert "a fault of ours" in caplog.text


@override_settings(ROOT_URLCONF="competition.urls")
def test_evaluations_are_never_listed_to_strangers() -> None:
    stage = set_stage()
    team = stage.team("Secretive")
    stage.send(team)
    assert Evaluation.objects.exists()
    assert "Secretive" not in text_of("/status")
