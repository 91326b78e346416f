"""The doctor finds what is wrong and says what to do; a sound site is told so."""

from __future__ import annotations

import json
import shutil
from collections import namedtuple
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.db import OperationalError, connection
from django.test import override_settings
from whitenoise.storage import CompressedManifestStaticFilesStorage

from competition import clock, triggers
from competition.enums import WorkerRole
from competition.models import WorkerBeat
from competition.operations import doctor
from tests.competition.stage import set_stage
from tests.support.builders import make_evaluation
from tests.support.clock import move_to

pytestmark = [pytest.mark.both, pytest.mark.django_db]


@pytest.fixture
def alive() -> None:
    now = clock.now()
    for role in (WorkerRole.WORKER, WorkerRole.SWEEPER):
        WorkerBeat.objects.create(name=str(role), role=role, started_at=now, seen_at=now)


def found(name: str) -> doctor.Finding:
    return next(finding for finding in doctor.examine() if finding.name == name)


def test_a_sound_site_is_told_so(alive: None, capsys: pytest.CaptureFixture[str]) -> None:
    call_command("doctor")
    lines = capsys.readouterr().out.splitlines()
    assert lines[-1] == "Nothing is broken."
    assert len(lines) == len(doctor.CHECKS) + 2
    assert not [line for line in lines if line.startswith("bad")]


def test_the_command_counts_what_is_bad_and_exits_1(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(CommandError, match="1 thing needs you") as stopped:
        call_command("doctor")
    assert stopped.value.returncode == 1
    assert "bad   workers       none is alive: runs are kept and wait  → Start" in capsys.readouterr().out


def test_a_database_that_is_away_is_the_one_thing_told(monkeypatch: pytest.MonkeyPatch) -> None:
    def gone() -> None:
        raise OperationalError("connection refused\nis the server running?")

    monkeypatch.setattr(clock, "now", gone)
    findings = {finding.name: finding for finding in doctor.examine()}
    assert findings["database"].state == doctor.BAD
    assert findings["database"].said == "does not answer: connection refused"
    assert "DATABASE_URL" in findings["database"].fix
    assert "workers" not in findings
    assert "mail" in findings


def test_migrations_that_wait() -> None:
    with connection.cursor() as cursor:
        cursor.execute("DELETE FROM django_migrations WHERE name = '0004_receipts_and_sweepers'")
    assert found("database").fix == "Run `manage.py migrate`."


def test_guards_that_are_gone() -> None:
    model = triggers.frozen_models()[0]
    table = f" ON {model._meta.db_table}" if connection.vendor == "postgresql" else ""
    with connection.cursor() as cursor:
        cursor.execute(f"DROP TRIGGER {triggers.names(connection, model)[0]}{table}")
    assert found("guards").state == doctor.BAD
    assert "migrate" in found("guards").fix


@override_settings(REDIS_URL="redis://127.0.0.1:1/0")
def test_redis_that_is_away_and_a_sweeper_that_is_missing() -> None:
    assert found("redis").state == doctor.BAD
    assert "Nothing is lost" in found("redis").fix
    assert found("sweeper").state == doctor.LOOK


@override_settings(REDIS_URL="")
def test_a_small_site_needs_neither() -> None:
    assert found("redis").state == found("sweeper").state == doctor.GOOD


def test_a_clock_that_is_off() -> None:
    move_to(clock.now() + timedelta(minutes=2))
    assert found("clock").state == doctor.LOOK
    assert "NTP" in found("clock").fix


def test_runs_that_wait_and_runs_that_failed() -> None:
    stage = set_stage()
    stage.send(stage.team())
    assert found("queue").state == doctor.GOOD
    make_evaluation(status="failed", failure_reference="ABCD")
    assert found("failures").state == doctor.LOOK
    move_to(clock.now() + timedelta(minutes=5))
    assert found("queue").state == doctor.BAD


@override_settings(HTTPS=False, DEMO=True)
def test_a_demo_is_told_that_it_is_one() -> None:
    assert found("secret").state == found("hosts").state == doctor.LOOK
    with override_settings(HTTPS=True, DEMO=False):
        assert found("secret").state == found("hosts").state == doctor.GOOD


def test_static_files_that_were_never_collected_or_only_in_part(
    tmp_path: Path, settings: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings.STATIC_ROOT = tmp_path
    for files, said in (({}, "no manifest"), ({"css/base.css": "css/base.1.css"}, "lacks js/times.js")):
        if files:
            manifest = {"paths": files, "version": "1.1", "hash": ""}
            (tmp_path / "staticfiles.json").write_text(json.dumps(manifest))
        storage = CompressedManifestStaticFilesStorage(location=tmp_path, base_url="/static/")
        monkeypatch.setattr(doctor, "staticfiles_storage", storage)
        assert found("static files").state == doctor.BAD
        assert said in found("static files").said
        assert "collectstatic" in found("static files").fix


@override_settings(
    EMAIL_CONFIGURED=True,
    EMAIL_BACKEND="django.core.mail.backends.smtp.EmailBackend",
    EMAIL_HOST="127.0.0.1",
    EMAIL_PORT=9,
)
def test_a_mail_server_that_is_away() -> None:
    assert found("mail").state == doctor.BAD
    with override_settings(EMAIL_CONFIGURED=False):
        assert found("mail").state == doctor.LOOK


def test_a_disk_that_is_nearly_full(monkeypatch: pytest.MonkeyPatch) -> None:
    usage = namedtuple("usage", "total used free")
    monkeypatch.setattr(shutil, "disk_usage", lambda _: usage(100, 99, 1))
    assert found("disk").state == doctor.BAD
