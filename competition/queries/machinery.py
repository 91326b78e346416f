"""The queue and the workers, as the status page shows them to everybody."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta

from django.db.models import Count, Max, Min, Q, QuerySet

from competition.enums import WorkerRole, WorkStatus
from competition.models import Evaluation, WorkerBeat

ALIVE = timedelta(seconds=60)
"""A worker that has not been heard of for longer is not counted."""


TOO_LONG = timedelta(minutes=2)
"""A run that waits longer is an alert."""


@dataclass(frozen=True)
class Queue:
    waiting: int
    running: int
    failed: int
    oldest: datetime | None
    last_done: datetime | None

    def waits_too_long(self, moment: datetime) -> bool:
        """Whether a run has waited so long that somebody should look."""
        return self.oldest is not None and moment - self.oldest > TOO_LONG


def queue() -> Queue:
    """The evaluations now, in one query."""
    waiting = Q(status=WorkStatus.QUEUED)
    return Queue(
        **Evaluation.objects.aggregate(
            waiting=Count("pk", filter=waiting),
            running=Count("pk", filter=Q(status=WorkStatus.RUNNING)),
            failed=Count("pk", filter=Q(status=WorkStatus.FAILED)),
            oldest=Min("queued_at", filter=waiting),
            last_done=Max("finished_at", filter=Q(status=WorkStatus.DONE)),
        )
    )


def workers_alive(moment: datetime) -> QuerySet[WorkerBeat]:
    """Workers; a sweeper scores nothing."""
    return _alive(moment).filter(role=WorkerRole.WORKER).order_by("name")


def sweeper_seen_at(moment: datetime) -> datetime | None:
    """The last sign of life of a sweeper that is alive."""
    return _alive(moment).filter(role=WorkerRole.SWEEPER).aggregate(last=Max("seen_at"))["last"]


def _alive(moment: datetime) -> QuerySet[WorkerBeat]:
    return WorkerBeat.objects.filter(seen_at__gte=moment - ALIVE)
