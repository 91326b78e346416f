"""Ten thousand queued runs: claims and sweeps use their indexes, and nobody waits behind a flood."""

from __future__ import annotations

import re
import time
from collections import Counter
from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from competition import clock, jobs
from competition.domain import evaluations, sweeping
from competition.enums import WorkStatus
from competition.models import Evaluation, Submission, Team
from tests.competition.stage import Stage, run, set_stage
from tests.support import drills
from tests.support.builders import make_submission

QUEUED = drills.size("QUEUED", 1_000, 10_000)
DONE = drills.size("DONE", 2_000, 40_000)
OTHERS = drills.size("OTHERS", 20, 100)
SWEEP_WITHIN = 0.2
BATCH = 2_000


def fill(stage: Stage, team: Team, how_many: int, **fields: Any) -> None:
    """So many runs of one team, each with an evaluation; the bytes are those of one run."""
    first = make_submission(team, stage.phase, stage.track, run())
    copied = {f.attname: getattr(first, f.attname) for f in Submission._meta.concrete_fields}
    for name in ("id", "public_id", "number"):
        del copied[name]
    evaluation = {"gold_version": stage.gold, "item_set": stage.items, "scorer_version": "short_answer.1"}
    evaluation["team"] = team
    for start in range(2, how_many + 2, BATCH):
        numbers = range(start, min(start + BATCH, how_many + 2))
        made = Submission.objects.bulk_create(Submission(**copied, number=number) for number in numbers)
        rows = (
            Evaluation(
                submission=sent, **evaluation, **fields, queued_at=_later(first.received_at, sent.number)
            )
            for sent in made
        )
        Evaluation.objects.bulk_create(rows)


def _later(moment: datetime, milliseconds: int) -> datetime:
    return moment + timedelta(milliseconds=milliseconds)


def make_queue() -> tuple[Stage, Team]:
    """A flood of one team, then one run each of many others, over a history of done runs."""
    stage = set_stage()
    flooder = stage.team("Flood")
    long_ago = clock.now() - timedelta(days=1)
    ended = {"status": WorkStatus.DONE, "started_at": long_ago, "finished_at": long_ago, "token": 1}
    fill(stage, stage.team("History"), DONE, **ended)
    fill(stage, flooder, QUEUED - OTHERS)
    for _ in range(OTHERS):
        fill(stage, stage.team(), 1)
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE")
    return stage, flooder


def plans(call: Callable[[], Any]) -> tuple[Any, float, str]:
    """What a call gives, its seconds, and how PostgreSQL reads the rows of work that its queries ask for."""
    started = time.monotonic()
    with CaptureQueriesContext(connection) as caught:
        given = call()
    seconds = time.monotonic() - started
    read = []
    if connection.vendor == "postgresql":
        with connection.cursor() as cursor:
            for query in caught:
                if re.match('SELECT|UPDATE "competition_evaluation"', query["sql"]):
                    cursor.execute(f"EXPLAIN {query['sql']}")
                    read += [str(line[-1]) for line in cursor.fetchall()]
    return given, seconds, "\n".join(read)


def assert_by_index(plan: str, index: str) -> None:
    """SQLite chooses by other reasons, and holds one machine's runs: there only the time counts."""
    if connection.vendor == "postgresql":
        assert "Seq Scan on competition_evaluation" not in plan, plan
        assert index in plan


@pytest.mark.both
@pytest.mark.django_db(transaction=True)
def test_ten_thousand_queued_runs() -> None:
    _, flooder = make_queue()
    sweeps, sweep_plan = [], ""
    for _ in range(3):
        _, seconds, sweep_plan = plans(evaluations.sweep)
        sweeps.append(seconds)
    assert_by_index(sweep_plan, "evaluation_sweep")
    assert min(sweeps) < SWEEP_WITHIN

    started = time.monotonic()
    rung = sweeping.ring_again(clock.now() + timedelta(minutes=2))
    ringing = time.monotonic() - started
    assert rung == min(sweeping.MOST_BELLS, QUEUED)
    assert ringing < sweeping.EVERY_SECONDS / 2

    turns, claims = [], []
    while len(turns) < OTHERS + 10:
        row, seconds, plan = plans(lambda: jobs.claim_any("w"))
        assert isinstance(row, Evaluation)
        assert_by_index(plan, "evaluation_turn")
        turns.append(row.submission.team)
        claims.append(seconds)
    from_others = [number for number, team in enumerate(turns) if team != flooder]
    behind = max(sum(team == flooder for team in turns[:number]) for number in from_others)
    assert len(from_others) == OTHERS
    assert behind <= 1, "a team waits behind a flood"
    assert Counter(turns)[flooder] == 10, "and the flood goes on when nobody else waits"
    drills.tell(
        f"Long queue on {connection.vendor}",
        queued=Evaluation.objects.filter(status=WorkStatus.QUEUED).count() + len(turns),
        done=DONE,
        claim_p50=drills.percentile(claims, 0.5),
        claim_p95=drills.percentile(claims, 0.95),
        sweep=min(sweeps),
        bells_rung_again=rung,
        ringing=ringing,
        most_runs_of_the_flood_before_another=behind,
    )
