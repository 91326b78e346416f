"""Workers die or fall asleep in the middle of scoring. Nothing is lost, done twice or comes out different."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import time
from random import Random

import pytest

from competition import jobs
from competition.domain import evaluations, scorer
from competition.enums import WorkStatus
from competition.models import Evaluation, Result
from competition.models.work import MOST_ATTEMPTS
from tests.support import builders, drills, processes

RUNS = drills.size("RUNS", 60, 1_000)
WORKERS = drills.size("WORKERS", 2, 4)
ITEMS = drills.size("ITEMS", 400, 2_000)
KILLS = drills.size("KILLS", 8, 10_000)
PATIENCE = drills.size("PATIENCE", 240, 3_600)
PAUSE = (1.0, 3.0) if drills.FULL else (0.1, 0.6)


def kill_one(hands: dict[str, subprocess.Popen[bytes]], victim: str, *, child: bool) -> bool:
    """SIGKILL a worker, who is replaced, or only the child it scores in. Whether there was one to kill."""
    if child:
        for pid in drills.children_of(hands[victim].pid):
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
                return True
        return False
    dead = hands.pop(victim)
    dead.kill()
    dead.wait()
    if not drills.FULL:
        drills.let_leases_run_out(victim)
    heir = f"{victim}+"
    hands[heir] = drills.start_worker(heir)
    return True


@pytest.mark.both
@pytest.mark.django_db(transaction=True)
def test_killed_workers_and_children() -> None:
    """Rows at their last attempt are spared: three deaths are what giving a row up is for."""
    stage = drills.set_stage(ITEMS)
    contents = [drills.run_of(number, ITEMS) for number in range(RUNS)]
    rows = []
    for content in contents:
        sent = builders.make_submission(stage.team(), stage.phase, stage.track, content)
        rows.append(builders.make_evaluation(sent))
    calm = drills.calm_scores(stage, contents)

    draw, killed, started = Random(13), {"worker": 0, "child": 0}, time.monotonic()
    with drills.crew(WORKERS, sweep_every=30.0 if drills.FULL else 0.5) as hands:
        while drills.unfinished():
            assert time.monotonic() - started < PATIENCE, f"{drills.unfinished()} runs wait for ever"
            time.sleep(draw.uniform(*PAUSE))
            busy = Evaluation.objects.filter(status=WorkStatus.RUNNING, attempts__lt=MOST_ATTEMPTS)
            at_work = sorted(busy.filter(worker__in=hands).values_list("worker", flat=True))
            if at_work and sum(killed.values()) < KILLS:
                what = draw.choice(sorted(killed))
                killed[what] += kill_one(hands, draw.choice(at_work), child=what == "child")
    seconds = time.monotonic() - started

    drills.assert_scored_once()
    found = dict(Result.objects.values_list("evaluation", "scores"))
    assert [found[row.pk] for row in rows] == calm, "killing changed a score"
    again = Evaluation.objects.filter(attempts__gt=1).count()
    assert again, "no kill met a run in work: the drill showed nothing"
    drills.tell(
        "Killed at work",
        runs=RUNS,
        workers=WORKERS,
        workers_killed=killed["worker"],
        children_killed=killed["child"],
        begun_again=again,
        results=len(found),
        doubled=Result.objects.count() - RUNS,
        scores_as_in_calm=sum(found[row.pk] == scores for row, scores in zip(rows, calm, strict=True)),
        seconds=seconds,
    )


@pytest.mark.both
@pytest.mark.django_db(transaction=True)
def test_a_worker_paused_past_its_lease_writes_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """SIGSTOP at work; its child goes on and answers; another worker does the row; then SIGCONT."""
    stage = drills.set_stage(8)
    for number in range(2):
        builders.make_evaluation(
            builders.make_submission(stage.team(), stage.phase, stage.track, drills.run_of(number, 8))
        )
    first, second = Evaluation.objects.order_by("pk")
    reading, writing = os.pipe()
    honest = scorer.score

    def tell_and_score(*arguments, **more):
        os.write(writing, b"!")
        time.sleep(0.5)
        return honest(*arguments, **more)

    def work() -> None:
        for _ in range(2):
            jobs.do(jobs.claim_any("sleeper"))

    monkeypatch.setattr(scorer, "score", tell_and_score)
    sleeper = processes.fork(work)
    monkeypatch.undo()
    try:
        assert os.read(reading, 1) == b"!"
        os.kill(sleeper, signal.SIGSTOP)
        if drills.FULL:
            time.sleep(evaluations.LEASE.total_seconds() + 1)
        else:
            drills.let_leases_run_out("sleeper")
        assert evaluations.sweep().again == 1
        assert jobs.evaluate(first.pk, worker="awake")
    finally:
        os.kill(sleeper, signal.SIGCONT)
        _, status = os.waitpid(sleeper, 0)
        os.close(reading)
        os.close(writing)
    assert os.waitstatus_to_exitcode(status) == 0, "it went on with the next row"
    by = dict(Result.objects.values_list("evaluation", "evaluation__worker"))
    assert by == {first.pk: "awake", second.pk: "sleeper"}
    drills.assert_scored_once()
    late = Result.objects.filter(evaluation=first, evaluation__worker="sleeper").count()
    drills.tell("Paused past its lease", late_writes_kept=late, results=Result.objects.count())
