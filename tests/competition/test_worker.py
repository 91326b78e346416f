"""The worker: scores bit-equal to the library's, survives killings, bounds a scorer, leaks nothing."""

from __future__ import annotations

import os
import select
import signal
import subprocess
import sys
import time
from datetime import timedelta

import pytest
from django.core.management import call_command
from django.db import connection

from competition import clock, jobs
from competition.domain import blobs, evaluations, scorer
from competition.enums import WorkStatus
from competition.models import Blob, Evaluation, Result, WorkerBeat
from scoring.checks import check_gold, check_items, check_run
from scoring.evaluate import evaluate
from scoring.tracks import get_kind
from tests.competition.stage import fresh, gold, items, run, set_stage, work_until_idle
from tests.support.processes import fork, manage

CANARY = "zebracanary"


@pytest.mark.both
@pytest.mark.django_db
def test_scores_are_the_librarys_to_the_last_bit():
    stage = set_stage()
    content = run(3, filler="alpha beta nothing")
    sent = stage.send(stage.team(), content)
    assert work_until_idle() == 1
    kind = get_kind("short_answer")
    public = check_items(kind, items()).items
    references = check_gold(kind, public, gold()).gold
    report = evaluate(kind, public, references, check_run(kind, public, content).run, gold_version="v1")
    result = Result.objects.get(evaluation__submission=sent)
    assert result.scores == report.scores
    assert result.primary == report.scores["rouge1_f1"]
    assert result.signature == report.signature
    assert result.report["breakdowns"] == report.breakdowns
    per_item = blobs.load(result.per_item).decode().splitlines()
    assert len(per_item) == 8
    assert per_item[0].startswith('{"item_id":"q0","rouge1_f1":1.0')


@pytest.mark.django_db
def test_a_job_done_twice_is_done_once():
    stage = set_stage()
    stage.send(stage.team())
    pk = Evaluation.objects.get().pk
    assert jobs.evaluate(pk)
    assert not jobs.evaluate(pk)
    assert Result.objects.count() == 1


@pytest.mark.django_db
def test_nothing_of_a_raised_error_reaches_the_row_or_the_log(monkeypatch, caplog):
    stage = set_stage()
    stage.send(stage.team())

    def score(*_, **__):
        raise ValueError(f"the reference is {CANARY}")

    monkeypatch.setattr(scorer, "score", score)
    work_until_idle()
    row = Evaluation.objects.get()
    assert row.status == WorkStatus.FAILED
    assert "ValueError" in caplog.text
    assert CANARY not in caplog.text + repr(vars(row))


@pytest.mark.django_db
def test_stored_bytes_that_changed_fail_instead_of_scoring():
    stage = set_stage()
    sent = stage.send(stage.team())
    Blob.objects.filter(pk=sent.blob_id).update(packed=b"rubbish")
    work_until_idle()
    assert Evaluation.objects.get().failure_kind == "stored bytes"


@pytest.mark.both
@pytest.mark.django_db(transaction=True)
def test_the_command_works_until_idle_and_takes_its_beat_away():
    stage = set_stage()
    for number in range(3):
        stage.send(stage.team(), run(number))
    call_command("worker", until_idle=True)
    assert Result.objects.count() == 3
    assert not WorkerBeat.objects.exists()


@pytest.mark.both
@pytest.mark.django_db(transaction=True)
def test_once_does_one():
    stage = set_stage()
    for number in range(2):
        stage.send(stage.team(), run(number))
    call_command("worker", once=True)
    assert Result.objects.count() == 1


@pytest.mark.both
@pytest.mark.django_db(transaction=True)
def test_a_worker_killed_in_the_middle_loses_nothing_and_scores_nothing_twice(monkeypatch):
    """SIGKILL while its child scores: the lease runs out, a sweep queues the row, another scores it."""
    stage = set_stage()
    sent = stage.send(stage.team(), run(5))
    scoring, told = os.pipe()

    def hang(*_, **__):
        os.write(told, b"!")
        time.sleep(120)

    monkeypatch.setattr(scorer, "score", hang)
    victim = fork(lambda: jobs.do(jobs.claim_any("victim")))
    monkeypatch.undo()
    assert os.read(scoring, 1) == b"!"
    os.kill(victim, signal.SIGKILL)
    os.waitpid(victim, 0)
    os.close(told)
    assert select.select([scoring], [], [], 60)[0], "the victim's child lives on"
    assert os.read(scoring, 1) == b""
    os.close(scoring)
    row = Evaluation.objects.get()
    assert (row.status, row.worker, row.token) == (WorkStatus.RUNNING, "victim", 1)
    assert work_until_idle() == 0, "the row is not free before its lease has run out"
    evaluations.sweep(moment=clock.now() + evaluations.LEASE + timedelta(seconds=1))
    assert work_until_idle("heir") == 1
    assert (fresh(row).worker, fresh(row).token) == ("heir", 2)
    assert Result.objects.get().evaluation.submission == sent
    assert Result.objects.get().primary == 5 / 8


@pytest.mark.both
@pytest.mark.django_db(transaction=True)
def test_a_worker_process_scores_beats_and_leaves_on_sigterm():
    stage = set_stage()
    with manage("worker", "--name=beside", "--wait=0.1", stdout=subprocess.DEVNULL) as process:
        stage.send(stage.team(), run(4))
        for _ in range(1_200):
            if Result.objects.exists():
                break
            time.sleep(0.1)
        assert Result.objects.get().primary == 0.5
        assert WorkerBeat.objects.get().name == "beside"
        process.send_signal(signal.SIGTERM)
        assert process.wait(timeout=60) == 0
    assert not WorkerBeat.objects.exists()
    connection.close()


def test_the_parent_stays_light():
    """What costs a second to import is imported by the jobs that need it, in their child."""
    probe = (
        "import sys, django; django.setup(); import competition.management.commands.worker; "
        "print(sorted({'numpy', 'pandas', 'rouge_score', 'regex', 'nltk'} & set(sys.modules)))"
    )
    environment = {**os.environ, "DJANGO_SETTINGS_MODULE": "competition.settings"}
    done = subprocess.run([sys.executable, "-c", probe], capture_output=True, text=True, env=environment)
    assert done.stdout.strip() == "[]", done.stderr
