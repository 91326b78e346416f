"""A scorer that hangs, eats, forks, raises or leaves: bounded, and the next run starts at once."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from competition import jobs
from competition.domain import scorer
from competition.enums import WorkStatus
from competition.models import Evaluation
from competition.scoring_child import Limits
from tests.competition.stage import run, set_stage, work_until_idle
from tests.support import drills

SECONDS = 1.0
NEXT_STARTS_WITHIN = 5.0
GIB = 2**30


def hang() -> None:
    time.sleep(600)


def turn() -> None:
    while True:
        pass


def eat() -> None:
    held = []
    while True:
        held.append(bytearray(GIB // 32))


def fork_on() -> None:
    for _ in range(8):
        os.fork()
    time.sleep(600)


def fill_the_disk() -> None:
    path = Path(f"/tmp/podium-drill-{os.getppid()}")
    try:
        with path.open("wb") as file:
            for _ in range(10 * 1024):
                file.write(bytes(2**20))
    finally:
        path.unlink()


def talk_on() -> dict[str, Any]:
    return {"report": "x" * GIB}


def raise_it() -> None:
    raise ValueError


def leave() -> None:
    os._exit(0)


def break_down() -> None:
    os.kill(os.getpid(), signal.SIGSEGV)


MISDEEDS = {
    hang: "time",
    turn: "time",
    eat: "memory",
    fork_on: "time",
    fill_the_disk: "raised",
    talk_on: "memory",
    raise_it: "raised",
    leave: "died",
    break_down: "died",
}


@pytest.mark.django_db
@pytest.mark.parametrize("misdeed", MISDEEDS, ids=lambda one: one.__name__)
def test_it_is_bounded_and_the_next_starts(
    misdeed: Callable[[], Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    stage = set_stage()
    bad, good = stage.send(stage.team(), run(1)), stage.send(stage.team(), run(2))
    honest = scorer.score

    def score(prepared: Any, content: bytes, **more: Any) -> Any:
        return misdeed() if content == run(1) else honest(prepared, content, **more)

    monkeypatch.setattr(scorer, "score", score)
    monkeypatch.setattr(jobs, "LIMITS", Limits(seconds=SECONDS, memory=GIB // 8))
    first = jobs.claim_any("w")
    assert isinstance(first, Evaluation)
    assert first.submission == bad
    started = time.monotonic()
    jobs.do(first)
    following = jobs.claim_any("w")
    took = time.monotonic() - started
    assert isinstance(following, Evaluation)
    assert following.submission == good, "the queue goes on"
    beyond = max(0.0, took - SECONDS)
    assert beyond < NEXT_STARTS_WITHIN
    jobs.do(following)
    work_until_idle()
    row = Evaluation.objects.get(submission=bad)
    assert (row.status, row.attempts) == (WorkStatus.FAILED, 3)
    assert row.failure_kind == MISDEEDS[misdeed]
    assert row.failure_reference
    assert Evaluation.objects.get(submission=good).status == WorkStatus.DONE
    drills.tell(f"Scorer: {misdeed.__name__.replace('_', ' ')}", limit=SECONDS, next_started_after=beyond)
