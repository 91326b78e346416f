"""A process dies at each step of accept → claim → score → record → commit → ring. Whoever comes next finds a
true database and finishes the work.

The step is patched in this process, and a fork of it does the work and kills itself there.
"""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Callable
from datetime import timedelta
from functools import partial
from typing import Any

import pytest
from django.db import connections

from competition import clock, jobs
from competition.domain import blobs, evaluations, intake, queueing, scorer, sweeping
from competition.enums import WorkStatus
from competition.models import Evaluation, Result, Submission
from competition.operations import invariants
from tests.competition.stage import Stage, run, set_stage, work_until_idle
from tests.support import drills, processes

pytestmark = [pytest.mark.both, pytest.mark.django_db(transaction=True)]

ROUNDS = drills.size("CRASHES", 2, 20)


def die(*_: Any, **__: Any) -> Any:
    os.kill(os.getpid(), signal.SIGKILL)
    threading.Event().wait()


def before(room: Any, name: str) -> Callable[[pytest.MonkeyPatch], None]:
    """Die instead of calling `room.name`."""
    return lambda patch: patch.setattr(room, name, die)


def after(room: Any, name: str) -> Callable[[pytest.MonkeyPatch], None]:
    """Die when `room.name` has returned."""

    def patched(patch: pytest.MonkeyPatch) -> None:
        call = getattr(room, name)

        def call_and_die(*arguments: Any, **more: Any) -> Any:
            call(*arguments, **more)
            die()

        patch.setattr(room, name, call_and_die)

    return patched


def at_commit_of(model: str, *, committed: bool) -> Callable[[pytest.MonkeyPatch], None]:
    """Die at the COMMIT of the first transaction that wrote to a table: just before it, or just after."""

    def patched(patch: pytest.MonkeyPatch) -> None:
        database = connections["default"]
        commit, wrote = database._commit, []

        def watch(execute: Any, sql: str, *rest: Any) -> Any:
            if (
                sql.startswith(("INSERT", "UPDATE"))
                and f'"competition_{model}"' in sql.partition("(")[0][:60]
            ):
                wrote.append(sql)
            return execute(sql, *rest)

        def commit_and_die() -> None:
            if wrote and not committed:
                die()
            commit()
            if wrote:
                die()

        patch.setattr(database, "_commit", commit_and_die)
        patch.setattr(database, "execute_wrappers", [watch])

    return patched


def the_parent_dies(patch: pytest.MonkeyPatch) -> None:
    """The worker is killed while its child scores; the child must follow it."""

    def kill_parent(*_: Any, **__: Any) -> None:
        os.kill(os.getppid(), signal.SIGKILL)
        threading.Event().wait()

    patch.setattr(scorer, "score", kill_parent)


WORKING = {
    "before the claim": before(evaluations, "_take"),
    "after the claim": after(evaluations, "_take"),
    "before the stored run is read": before(blobs, "load_digest"),
    "before the child starts": before(jobs, "run_in_child"),
    "in the child (the worker lives)": before(scorer, "score"),
    "while the child scores": the_parent_dies,
    "after the child's answer": after(jobs, "run_in_child"),
    "after item scores are stored": after(blobs, "store"),
    "in the transaction, before the row is done": before(evaluations, "finish"),
    "in the transaction, the row done": after(evaluations, "finish"),
    "before the commit of the result": at_commit_of("result", committed=False),
    "after the commit of the result": at_commit_of("result", committed=True),
}


@pytest.mark.parametrize("step", WORKING)
def test_a_worker_dies(step: str) -> None:
    stage = set_stage()
    for number in range(ROUNDS):
        sent = stage.send(stage.team(), run(number % 9))
        with pytest.MonkeyPatch.context() as patch:
            WORKING[step](patch)
            died = processes.fork(lambda: jobs.do(jobs.claim_any("victim")))
            _, status = os.waitpid(died, 0)
        lives = step == "in the child (the worker lives)"
        assert lives or os.WIFSIGNALED(status), f"nothing died at the step {step!r}"
        if not number:
            assert not list(invariants.audit()), "a crash leaves behind what breaks the rules"
        _recover()
        assert Result.objects.get(evaluation__submission=sent).primary == (number % 9) / 8
        [attempts] = Evaluation.objects.filter(submission=sent).values_list("attempts", flat=True)
        assert attempts == (1 if step in ("before the claim", "after the commit of the result") else 2)
    drills.assert_scored_once()
    drills.tell(f"Worker dies {step}", crashes=ROUNDS, results=Result.objects.count())


ACCEPTING = {
    "before the bytes are stored": (before(blobs, "store"), False),
    "after the bytes are stored": (after(blobs, "store"), False),
    "before the lock": (before(intake, "_accept"), False),
    "before the evaluation is queued": (before(intake, "queue_evaluation"), False),
    "before the commit": (at_commit_of("submission", committed=False), False),
    "after the commit, before the bell": (at_commit_of("submission", committed=True), True),
    "after the bell, before the answer": (after(queueing, "_ring"), True),
}


@pytest.mark.parametrize("step", ACCEPTING)
def test_the_site_dies_while_it_takes_a_run(step: str) -> None:
    """No receipt was given: the team sends again with the same key, and has one run."""
    crash, kept = ACCEPTING[step]
    stage = set_stage()
    for number in range(ROUNDS):
        team, key = stage.team(), f"key {number}"
        with pytest.MonkeyPatch.context() as patch:
            crash(patch)
            sending = partial(stage.send, team, run(number % 9), idempotency_key=key)
            _, status = os.waitpid(processes.fork(sending), 0)
        assert os.WIFSIGNALED(status), f"nothing died at the step {step!r}"
        assert Submission.objects.filter(team=team).exists() is kept
        if not number:
            assert not list(invariants.audit()), "a crash leaves behind what breaks the rules"
        sent = stage.send(team, run(number % 9), idempotency_key=key)
        assert (sent.number, team.submissions.count()) == (1, 1)
    _recover()
    drills.assert_scored_once()
    drills.tell(f"Site dies {step}", crashes=ROUNDS, runs=Submission.objects.count())


@pytest.mark.parametrize("step", ["before the commit", "after the commit, before the bell"])
def test_the_sweeper_dies(step: str) -> None:
    stage: Stage = set_stage()
    committed = step.startswith("after")
    for number in range(ROUNDS):
        stage.send(stage.team(), run(number % 9))
        assert jobs.claim_any("gone") is not None
        drills.let_leases_run_out()
        with pytest.MonkeyPatch.context() as patch:
            at_commit_of("evaluation", committed=committed)(patch)
            _, status = os.waitpid(processes.fork(sweeping.sweep), 0)
        assert os.WIFSIGNALED(status)
        queued = Evaluation.objects.filter(status=WorkStatus.QUEUED)
        assert queued.exists() is committed
        _recover()
    drills.assert_scored_once()
    drills.tell(f"Sweeper dies {step}", crashes=ROUNDS, results=Result.objects.count())


def _recover() -> None:
    """What was claimed is given up by the clock, swept, and done by somebody else."""
    evaluations.sweep(moment=clock.now() + evaluations.LEASE + timedelta(seconds=1))
    work_until_idle("heir")
