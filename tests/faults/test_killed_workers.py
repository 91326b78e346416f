"""Workers die in the middle of scoring. Nothing may be lost, done twice or come out different."""

from __future__ import annotations

import subprocess
import sys
import time
from random import Random
from typing import Any

import pytest

from competition import clock
from competition.domain import evaluations
from competition.enums import WorkStatus
from competition.models import Evaluation, Result
from tests.support import builders, processes

RUNS = 60
ITEMS = 400
WORKERS = 2
KILLS = 15
PATIENCE = 240.0

WORDS = ["revenue", "rose", "by", "4.2", "percent", "to", "310", "million", "euros", "while", "costs", "fell"]


def texts(field: str, seed: int, **more: Any) -> bytes:
    """A record for each item, with a text of 60 words."""
    draw = Random(seed)
    texts = (" ".join(draw.choices(WORDS, k=60)) for _ in range(ITEMS))
    return builders.as_lines(*({"task_id": f"q{n:04}", field: text, **more} for n, text in enumerate(texts)))


def start_worker(name: str) -> subprocess.Popen[bytes]:
    command = [sys.executable, "manage.py", "worker", "--wait=0.1", f"--name={name}"]
    return subprocess.Popen(command, cwd=processes.ROOT, env=processes.environment())


def bury(name: str) -> None:
    """As if a minute had passed since this worker died: its lease has run out, and a sweep comes by."""
    held = Evaluation.objects.filter(worker=name, status=WorkStatus.RUNNING)
    held.update(lease_until=clock.now())
    evaluations.sweep()


def unfinished() -> int:
    return Evaluation.objects.filter(status__in=[WorkStatus.QUEUED, WorkStatus.RUNNING]).count()


@pytest.mark.faults
@pytest.mark.django_db(transaction=True)
def test_killed_workers_lose_nothing_and_do_nothing_twice() -> None:
    task = builders.make_task()
    phase, track = builders.make_phase(task), builders.make_track(task)
    builders.make_items(phase, track, texts("question", 1, tier="easy", languages=["en"]))
    builders.make_gold(phase, track, texts("answer", 2))
    for _ in range(RUNS):
        builders.make_evaluation(
            builders.make_submission(builders.make_team(task), phase, track, texts("answer", 3))
        )

    draw, kills, end = Random(13), 0, time.monotonic() + PATIENCE
    workers = {name: start_worker(name) for name in map(str, range(WORKERS))}
    try:
        while unfinished() and time.monotonic() < end:
            time.sleep(draw.uniform(0.05, 0.3))
            busy = Evaluation.objects.filter(status=WorkStatus.RUNNING, worker__in=workers)
            victim = busy.values_list("worker", flat=True).first()
            if victim and kills < KILLS:
                workers[victim].kill()
                workers.pop(victim).wait()
                kills += 1
                bury(victim)
                heir = f"{int(victim) + WORKERS}"
                workers[heir] = start_worker(heir)
    finally:
        for worker in workers.values():
            worker.kill()
            worker.wait()

    rows = list(Evaluation.objects.values_list("status", "attempts"))
    done = sum(status == WorkStatus.DONE for status, _ in rows)
    given_up = sum(status == WorkStatus.FAILED for status, _ in rows)
    again = sum(attempts > 1 for _, attempts in rows)
    print(f"\n{RUNS} runs, {kills} kills: {done} scored, {given_up} given up, {again} begun again")
    assert done + given_up == RUNS, "lost"
    assert Result.objects.count() == done, "done twice, or done without a result"
    assert all(attempts == 3 for status, attempts in rows if status == WorkStatus.FAILED)
    assert len(set(Result.objects.values_list("primary", "signature"))) == 1, "one run, several scores"
    assert again, "no kill met a run in work: the drill showed nothing"
