"""Queued work: who may do it, and what its outcome is. Written for every `QueuedWork` table alike.

A claim is one conditional UPDATE that raises the fencing token. Every later write (heartbeat, report,
failure) holds only while the row still runs under that token, so a worker that was paused past its lease
writes nothing. A row whose lease ran out is queued again, and after three attempts it is `failed`: our
fault, never charged.
"""

from __future__ import annotations

import logging
import secrets
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, TypeVar

from django.db import transaction
from django.db.models import F, OuterRef, Subquery

from competition import clock
from competition.domain import audit, notices
from competition.domain.queueing import queue_forgotten, ring
from competition.enums import FreezeOutcome, WorkStatus
from competition.exceptions import LeaseLost
from competition.models import (
    Blob,
    Evaluation,
    FreezeRequest,
    GoldCheck,
    Phase,
    QueuedWork,
    Result,
    Team,
    WorkerBeat,
)
from competition.models.work import ITEMS_GONE, MOST_ATTEMPTS

log = logging.getLogger(__name__)

Work = TypeVar("Work", bound=QueuedWork)

LEASE = timedelta(seconds=60)
"""How long a claim holds without a heartbeat."""

RECENT = timedelta(minutes=10)
"""How far back fairness looks for the last turn of a team."""

QUEUES: tuple[type[QueuedWork], ...] = (GoldCheck, FreezeRequest, Evaluation)
"""Every table of queued work, in the order a worker looks: organizers' few rows first, then the runs."""

FOR_WORK = ("submission__team", "submission__track", "gold_version", "item_set")
"""What scoring an evaluation reads beside its row, fetched with the claim."""

LOST = "worker lost"

# Claiming


def claim_next(model: type[Work], *, worker: str, moment: datetime | None = None) -> Work | None:
    """Claim the row whose turn it is, or None. Of evaluations, the team served longest ago comes first.

    However many rows one team queues, another team waits for at most the one already running.
    """
    moment = moment or clock.now()
    lost: list[int] = []
    while (row := _next(model, moment, lost)) is not None:
        if _take(row, worker=worker, moment=moment):
            return row
        lost.append(row.pk)
    return None


def claim(model: type[Work], pk: int, *, worker: str, moment: datetime | None = None) -> Work | None:
    """Claim this very row; None when it is not queued, so that a second bell is harmless."""
    row = model._default_manager.filter(pk=pk, status=WorkStatus.QUEUED).first()
    return row if row and _take(row, worker=worker, moment=moment or clock.now()) else None


def _next(model: type[Work], moment: datetime, lost: list[int]) -> Work | None:
    queued = model._default_manager.filter(status=WorkStatus.QUEUED).exclude(pk__in=lost)
    if issubclass(model, Evaluation):
        queued = queued.filter(team=_team_whose_turn_it_is(moment, lost)).select_related(*FOR_WORK)
    return queued.order_by("queued_at", "pk").first()


def _team_whose_turn_it_is(moment: datetime, lost: list[int]) -> int | None:
    """Of the teams that wait, the one served longest ago, then the one waiting longest.

    Two index look-ups a team, so a claim costs the same however many runs wait or were scored before.
    """
    own = Evaluation.objects.filter(team=OuterRef("pk"))
    waiting = own.filter(status=WorkStatus.QUEUED).exclude(pk__in=lost).order_by("queued_at", "pk")
    served = own.filter(started_at__gt=moment - RECENT).order_by("-started_at")
    teams = Team.objects.annotate(
        waits_since=Subquery(waiting.values("queued_at")[:1]),
        last_turn=Subquery(served.values("started_at")[:1]),
    ).filter(waits_since__isnull=False)
    turns = teams.order_by(F("last_turn").asc(nulls_first=True), "waits_since", "pk")
    return turns.values_list("pk", flat=True).first()


def _take(row: QueuedWork, *, worker: str, moment: datetime) -> bool:
    """The ticket: touches one row only while it is still queued under the token that was read."""
    changes = {
        "status": WorkStatus.RUNNING,
        "token": row.token + 1,
        "attempts": row.attempts + 1,
        "started_at": moment,
        "heartbeat_at": moment,
        "lease_until": moment + LEASE,
        "worker": worker,
    }
    taken = _rows(row).filter(status=WorkStatus.QUEUED, token=row.token).update(**changes)
    if taken:
        for name, value in changes.items():
            setattr(row, name, value)
    return bool(taken)


def _rows(row: QueuedWork) -> Any:
    return type(row)._default_manager.filter(pk=row.pk)


def _held(row: QueuedWork) -> Any:
    """The row, if it still runs under the token of this claim."""
    return _rows(row).filter(status=WorkStatus.RUNNING, token=row.token)


def heartbeat(work: QueuedWork, *, moment: datetime | None = None) -> bool:
    """Prolong the lease. False when the claim is lost: stop working."""
    moment = moment or clock.now()
    WorkerBeat.objects.filter(name=work.worker).update(seen_at=moment)
    return bool(_held(work).update(heartbeat_at=moment, lease_until=moment + LEASE))


# Outcomes


def finish(work: QueuedWork, *, moment: datetime, **changes: Any) -> None:
    """Mark claimed work done, in the caller's transaction. Raises LeaseLost when the token is stale."""
    changes = {"status": WorkStatus.DONE, "finished_at": moment, "lease_until": None, **changes}
    if not _held(work).update(**changes):
        raise LeaseLost(f"The claim on {work._meta.label} {work.pk} is lost; its outcome is discarded.")
    for name, value in changes.items():
        setattr(work, name, value)


@transaction.atomic
def record_report(
    *, evaluation: Evaluation, report: dict[str, Any], primary: float, per_item: Blob | None
) -> Result:
    """Keep what a claimed evaluation found. `report` is the JSON of `scoring.report.Report`, `primary` its
    first score.

    Raises LeaseLost when another worker has the row by now. One result per evaluation, held by the database
    too.
    """
    moment = clock.now()
    finish(evaluation, moment=moment)
    kept = {
        **report,
        "digests": {name: digest for name, digest in report["digests"].items() if name != "gold"},
    }
    return Result.objects.create(
        evaluation=evaluation,
        report=kept,
        primary=primary,
        scores=report["scores"],
        signature=report["signature"],
        environment=report["environment"],
        per_item=per_item,
        created_at=moment,
    )


@transaction.atomic
def record_failure(*, work: QueuedWork, kind: str, where: str = "") -> bool:
    """An attempt at claimed work failed through our fault. Returns whether it is tried again.

    `where` goes to the log only. After the last attempt the row is `failed` with a reference, and
    organizers are told.
    """
    return _give_up_or_retry(work, _held(work), kind=kind, where=where, moment=clock.now())


def _give_up_or_retry(work: QueuedWork, held: Any, *, kind: str, where: str, moment: datetime) -> bool:
    if work.attempts < MOST_ATTEMPTS:
        log.warning("%s %s: attempt %s ended: %s %s", work._meta.label, work.pk, work.attempts, kind, where)
        again = {"status": WorkStatus.QUEUED, "lease_until": None, "worker": "", "failure_kind": kind}
        return bool(held.update(**again))
    reference = secrets.token_hex(4).upper()
    changes = {
        "status": WorkStatus.FAILED,
        "finished_at": moment,
        "lease_until": None,
        "failure_kind": kind,
        "failure_reference": reference,
    }
    if held.update(**changes):
        log.error("%s %s failed, reference %s: %s %s", work._meta.label, work.pk, reference, kind, where)
        _on_failed(work, reference, kind, moment)
    return False


def _on_failed(work: QueuedWork, reference: str, kind: str, moment: datetime) -> None:
    if isinstance(work, FreezeRequest):
        blocker = {
            "message": f"The freeze itself failed ({kind}), reference {reference}.",
            "fix": "Try again.",
        }
        _rows(work).update(outcome=FreezeOutcome.BLOCKED, blockers=[blocker])
    phase = _phase_of(work)
    audit.record(
        actor=None,
        action=f"{work._meta.verbose_name} failed",
        target=work,
        task=phase.task,
        after={"reference": reference, "kind": kind, "attempts": work.attempts},
        at=moment,
    )
    if kind == ITEMS_GONE:
        return  # one upload of items may leave hundreds so: the upload says it, and the desk how many
    notices.tell_organizers(
        phase.task,
        subject=f"{work._meta.verbose_name} failed, reference {reference}",
        text=f"After {work.attempts} attempts: {work} ({kind}). No team is charged. "
        f"Look for {reference} in the log.",
    )


def _phase_of(work: QueuedWork) -> Phase:
    if isinstance(work, Evaluation):
        return work.submission.phase
    if isinstance(work, GoldCheck):
        return work.gold_version.phase
    assert isinstance(work, FreezeRequest)
    return work.phase


# Sweeping


@dataclass(frozen=True)
class Swept:
    """What one sweep found: rows queued (again), and rows given up."""

    again: int = 0
    failed: int = 0


def sweep(*, moment: datetime | None = None, models: Iterable[type[QueuedWork]] = QUEUES) -> Swept:
    """Queue again every row whose lease ran out, or give it up after its last attempt. Safe to run
    anywhere, any time.
    """
    moment = moment or clock.now()
    again = failed = 0
    for model in models:
        expired = model._default_manager.filter(status=WorkStatus.RUNNING, lease_until__lt=moment)
        for work in expired.order_by("pk"):
            with transaction.atomic():
                held = _held(work).filter(lease_until__lt=moment)
                if _give_up_or_retry(work, held, kind=LOST, where="", moment=moment):
                    again += 1
                    ring(work)
                elif _rows(work).filter(status=WorkStatus.FAILED).exists():
                    failed += 1
    return Swept(again + queue_forgotten(moment), failed)


def position(evaluation: Evaluation) -> int:
    """How many queued evaluations were queued before this one: a bound for the page, fairness may do
    better.
    """
    before = Evaluation.objects.filter(status=WorkStatus.QUEUED, queued_at__lt=evaluation.queued_at)
    return before.count()
