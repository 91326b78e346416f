"""The sweeper takes back what was lost, says when runs wait too long, and mails each receipt once."""

from __future__ import annotations

import signal
import subprocess
import time
from collections.abc import Callable
from datetime import timedelta

import pytest
from django.core import mail
from django.core.management import call_command
from django.db import connection
from django.test import Client, override_settings

from competition import clock, jobs
from competition.domain import evaluations, receipts, sweeping
from competition.enums import WorkerRole, WorkStatus
from competition.models import Evaluation, Result, Submission, WorkerBeat
from competition.queries import machinery
from tests.competition.stage import run, set_stage, work_until_idle
from tests.support import services
from tests.support.builders import make_superuser
from tests.support.clock import frozen_at
from tests.support.imports import ROOT
from tests.support.processes import manage

pytestmark = pytest.mark.both


@pytest.mark.django_db
def test_a_lost_claim_is_queued_again_and_the_third_time_given_up(capsys: pytest.CaptureFixture[str]) -> None:
    stage = set_stage()
    stage.send(stage.team())
    for attempt in (1, 2, 3):
        assert jobs.claim_any("doomed") is not None
        with frozen_at(clock.now() + attempt * evaluations.LEASE + timedelta(seconds=attempt)):
            call_command("sweeper", once=True)
    row = Evaluation.objects.get()
    assert (row.status, row.attempts, row.failure_kind) == (WorkStatus.FAILED, 3, evaluations.LOST)
    assert capsys.readouterr().out.splitlines()[-1].startswith("Queued again 0, given up 1")


def test_the_guide_says_how_soon_a_lost_claim_is_queued_again() -> None:
    seconds = evaluations.LEASE.total_seconds() + sweeping.EVERY_SECONDS
    assert f"the run is queued again within {seconds:.0f} s" in (ROOT / "docs/running.md").read_text()


@pytest.mark.django_db
def test_old_signs_of_life_go(capsys: pytest.CaptureFixture[str]) -> None:
    long_ago = clock.now() - timedelta(days=1)
    WorkerBeat.objects.create(name="gone", started_at=long_ago, seen_at=long_ago)
    WorkerBeat.objects.create(name="here", started_at=long_ago, seen_at=clock.now())
    sweeping.sweep()
    assert [beat.name for beat in WorkerBeat.objects.all()] == ["here"]


@pytest.mark.django_db
@override_settings(EMAIL_CONFIGURED=True)
def test_runs_that_wait_too_long_are_an_alert_once_an_hour(caplog: pytest.LogCaptureFixture) -> None:
    make_superuser()
    stage = set_stage()
    stage.send(stage.team())
    assert not sweeping.alert_if_late(clock.now())
    late = clock.now() + timedelta(minutes=3)
    assert sweeping.alert_if_late(late)
    assert sweeping.alert_if_late(late)
    assert caplog.text.count("Alert: 1 run waits, the oldest 3 minutes") == 2
    assert len(mail.outbox) == 1
    assert mail.outbox[0].to == ["root@example.org"]


@pytest.mark.django_db
@override_settings(EMAIL_CONFIGURED=True, SITE_URL="https://podium.example.org")
def test_each_receipt_is_mailed_once_and_says_what_counts() -> None:
    stage = set_stage()
    team = stage.team("Αθήνα")
    sent = stage.send(team, run(3), file_name="run.jsonl")
    work_until_idle()
    assert receipts.mail_receipts(clock.now()) == 1
    assert receipts.mail_receipts(clock.now()) == 0
    [message] = mail.outbox
    assert message.to == [team.captain.email]
    assert message.subject == f"[{stage.task.name}] Run 1 of Αθήνα received"
    for said in (
        sent.digest,
        f"{sent.received_at:%H:%M:%S.%f} UTC",
        "AoE",
        "The last valid run",
        sent.public_id,
    ):
        assert said in message.body
    assert "375" not in message.body.replace(sent.digest, "").replace(sent.public_id, ""), "no score"


@pytest.mark.django_db
def test_without_mail_nothing_is_marked_and_nothing_old_is_mailed_later() -> None:
    stage = set_stage()
    stage.send(stage.team())
    assert receipts.mail_receipts(clock.now()) == 0
    assert Submission.objects.get().receipt_mailed_at is None
    with override_settings(EMAIL_CONFIGURED=True):
        assert receipts.mail_receipts(clock.now() + timedelta(days=2)) == 0
    assert mail.outbox == []


@pytest.mark.django_db
@override_settings(
    EMAIL_CONFIGURED=True,
    EMAIL_BACKEND="django.core.mail.backends.smtp.EmailBackend",
    EMAIL_HOST="127.0.0.1",
    EMAIL_PORT=9,
)
def test_a_mail_server_that_is_down_breaks_nothing(caplog: pytest.LogCaptureFixture) -> None:
    stage = set_stage()
    stage.send(stage.team())
    assert receipts.mail_receipts(clock.now()) == 0
    assert "could not be mailed" in caplog.text


@pytest.mark.django_db(transaction=True)
def test_the_process_gives_signs_of_life_sweeps_and_leaves_on_sigterm() -> None:
    stage = set_stage()
    stage.send(stage.team())
    assert jobs.claim_any("doomed") is not None
    Evaluation.objects.update(lease_until=clock.now() - timedelta(seconds=1))
    with manage("sweeper", "--every=0.2", stderr=subprocess.DEVNULL) as process:
        patiently(lambda: Evaluation.objects.get().status == WorkStatus.QUEUED)
        assert WorkerBeat.objects.get().role == WorkerRole.SWEEPER
        assert machinery.sweeper_seen_at(clock.now()) is not None
        assert not machinery.workers_alive(clock.now()).exists(), "a sweeper scores nothing"
        process.send_signal(signal.SIGTERM)
        assert process.wait(timeout=60) == 0
    assert not WorkerBeat.objects.exists()


@pytest.mark.postgresql
@pytest.mark.django_db(transaction=True)
def test_worker_and_sweeper_get_over_a_database_that_restarts() -> None:
    stage = set_stage()
    team = stage.team()
    with (
        manage("worker", "--wait=0.1", stderr=subprocess.DEVNULL) as worker,
        manage("sweeper", "--every=0.2", stderr=subprocess.DEVNULL) as sweeper,
    ):
        stage.send(team, run(1))
        patiently(lambda: Result.objects.count() == 1)
        for right in (2, 3):
            services.postgres().stop()
            connection.close()
            answer = Client(raise_request_exception=False).get("/healthz")
            assert (answer.status_code, answer.headers["Retry-After"]) == (503, "5")
            time.sleep(0.5)
            services.postgres().start()
            connection.close()
            stage.send(team, run(right))
            patiently(lambda right=right: Result.objects.count() == right)
        assert worker.poll() is None
        assert sweeper.poll() is None


@pytest.mark.postgresql
@pytest.mark.django_db(transaction=True)
def test_worker_and_sweeper_may_start_before_their_database() -> None:
    stage = set_stage()
    stage.send(stage.team(), run(1))
    services.postgres().stop()
    connection.close()
    with (
        manage("worker", "--wait=0.1", stderr=subprocess.PIPE) as worker,
        manage("sweeper", "--every=0.2", stderr=subprocess.PIPE) as sweeper,
    ):
        for process in (worker, sweeper):
            assert process.stderr is not None
            assert b"database does not answer" in process.stderr.readline()
        services.postgres().start()
        patiently(lambda: Result.objects.count() == 1)
        patiently(lambda: WorkerBeat.objects.filter(role=WorkerRole.SWEEPER).exists())


def patiently(condition: Callable[[], bool], seconds: float = 120.0) -> None:
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "waited in vain"
        time.sleep(0.05)
