"""Queued work: the database is the queue of record. A row is claimed by one conditional UPDATE that raises
its fencing token; whoever writes the outcome must still hold that token."""

from __future__ import annotations

from typing import Any

from django.db import models
from django.db.models import Q

from competition.enums import FreezeOutcome, WorkerRole, WorkStatus
from competition.models.base import REASON_LENGTH, Created, organized_by
from competition.models.files import Blob, GoldVersion, ItemSet
from competition.models.people import User
from competition.models.submissions import Submission
from competition.models.tasks import Phase, Track
from competition.models.teams import Team

MOST_ATTEMPTS = 3

ITEMS_GONE = "it answers other items than its gold"
"""The `failure_kind` of a run whose items were replaced by others that it does not fit."""


def are_items_gone(status: str | None, failure_kind: str | None) -> bool:
    """Whether an evaluation that stands so failed because its run's items were replaced."""
    return status == WorkStatus.FAILED and failure_kind == ITEMS_GONE


class QueuedWork(Created):
    status = models.CharField(max_length=8, choices=WorkStatus.choices, default=WorkStatus.QUEUED)
    queued_at = models.DateTimeField()
    started_at = models.DateTimeField(null=True, blank=True)
    finished_at = models.DateTimeField(null=True, blank=True)
    lease_until = models.DateTimeField(null=True, blank=True)
    heartbeat_at = models.DateTimeField(null=True, blank=True)
    token = models.PositiveIntegerField(default=0, help_text="Fencing token: one more with each claim.")
    attempts = models.PositiveSmallIntegerField(default=0)
    worker = models.CharField(max_length=120, blank=True)
    failure_reference = models.CharField(
        max_length=22, blank=True, help_text="What to quote to the organizers."
    )
    failure_kind = models.CharField(max_length=60, blank=True)

    class Meta:
        abstract = True
        indexes = [
            models.Index(
                fields=["queued_at", "id"], condition=Q(status=WorkStatus.QUEUED), name="%(class)s_claim"
            ),
            models.Index(
                fields=["lease_until"], condition=Q(status=WorkStatus.RUNNING), name="%(class)s_sweep"
            ),
        ]
        constraints = [
            models.CheckConstraint(
                condition=Q(status__in=WorkStatus.values),
                name="%(class)s_status_known",
                violation_error_message="Work is queued, running, done or failed.",
            ),
            models.CheckConstraint(
                condition=~Q(status=WorkStatus.RUNNING) | Q(lease_until__isnull=False, token__gte=1),
                name="%(class)s_running_has_lease",
                violation_error_message="Running work has a lease and a token.",
            ),
            models.CheckConstraint(
                condition=Q(status__in=[WorkStatus.QUEUED, WorkStatus.RUNNING])
                | Q(finished_at__isnull=False),
                name="%(class)s_ended_at",
                violation_error_message="Finished work says when it ended.",
            ),
        ]

    @property
    def is_open(self) -> bool:
        return self.status in (WorkStatus.QUEUED, WorkStatus.RUNNING)


class Evaluation(QueuedWork):
    """One attempt to score one submission against one gold version."""

    submission = models.ForeignKey(Submission, on_delete=models.PROTECT, related_name="evaluations")
    team = models.ForeignKey(
        Team,
        on_delete=models.PROTECT,
        related_name="+",
        db_index=False,
        help_text="The submission's, here as well so that taking turns is an index look-up.",
    )
    gold_version = models.ForeignKey(GoldVersion, on_delete=models.PROTECT, related_name="evaluations")
    item_set = models.ForeignKey(ItemSet, on_delete=models.PROTECT, related_name="evaluations")
    scorer_version = models.CharField(max_length=40)
    reason = models.CharField(max_length=REASON_LENGTH, blank=True)

    class Meta(QueuedWork.Meta):
        indexes = [
            *QueuedWork.Meta.indexes,
            models.Index(
                fields=["team", "queued_at", "id"],
                condition=Q(status=WorkStatus.QUEUED),
                name="evaluation_turn",
            ),
            models.Index(fields=["team", "started_at"], name="evaluation_served"),
        ]
        constraints = [
            *QueuedWork.Meta.constraints,
            models.UniqueConstraint(
                fields=["submission", "gold_version", "scorer_version"],
                condition=Q(status__in=[WorkStatus.QUEUED, WorkStatus.RUNNING]),
                name="evaluation_one_open",
                violation_error_message="The submission is waiting for this very evaluation.",
            ),
        ]

    def __str__(self) -> str:
        return f"evaluation of {self.submission}"

    @property
    def items_are_gone(self) -> bool:
        return are_items_gone(self.status, self.failure_kind)


class GoldCheck(QueuedWork):
    """Checking one gold version against its items, where gold may be read: in the worker."""

    gold_version = models.ForeignKey(GoldVersion, on_delete=models.PROTECT, related_name="checks")

    def __str__(self) -> str:
        return f"check of {self.gold_version}"


class FreezeRequestQuerySet(models.QuerySet["FreezeRequest"]):
    def organized_by(self, user: Any) -> FreezeRequestQuerySet:
        return self.filter(organized_by(user, "phase__task")).distinct()


class FreezeRequest(QueuedWork):
    """An organizer asked for a frozen board; the worker makes it, or lists what is in the way."""

    phase = models.ForeignKey(Phase, on_delete=models.PROTECT, related_name="freeze_requests")
    track = models.ForeignKey(Track, on_delete=models.PROTECT, related_name="freeze_requests")
    requested_by = models.ForeignKey(User, null=True, on_delete=models.PROTECT, related_name="+")
    reason = models.CharField(max_length=REASON_LENGTH)
    outcome = models.CharField(
        max_length=8, choices=FreezeOutcome.choices, default=FreezeOutcome.OPEN, blank=True
    )
    blockers = models.JSONField(default=list, blank=True)
    board = models.ForeignKey(
        "FrozenLeaderboard", null=True, blank=True, on_delete=models.PROTECT, related_name="freeze_requests"
    )

    objects = FreezeRequestQuerySet.as_manager()

    class Meta(QueuedWork.Meta):
        constraints = [
            *QueuedWork.Meta.constraints,
            models.UniqueConstraint(
                fields=["phase", "track"],
                condition=Q(status__in=[WorkStatus.QUEUED, WorkStatus.RUNNING]),
                name="freeze_request_one_open",
                violation_error_message="A freeze of this phase and track is under way.",
            ),
            models.CheckConstraint(
                condition=~Q(reason=""),
                name="freeze_request_reason",
                violation_error_message="Say why the board is frozen now.",
            ),
        ]

    def __str__(self) -> str:
        return f"freeze of {self.track}, {self.phase}"


class Result(Created):
    """What an evaluation found. `report` carries no gold digest and no references."""

    evaluation = models.OneToOneField(Evaluation, on_delete=models.PROTECT, related_name="result")
    report = models.JSONField()
    primary = models.FloatField(null=True, blank=True, help_text="The primary score at full precision.")
    scores = models.JSONField(default=dict)
    signature = models.CharField(max_length=300)
    environment = models.JSONField(default=dict)
    per_item = models.ForeignKey(Blob, null=True, blank=True, on_delete=models.PROTECT, related_name="+")
    second_opinion = models.JSONField(default=dict, blank=True)

    def __str__(self) -> str:
        return f"result of {self.evaluation}"


class WorkerBeat(models.Model):
    """When each worker or sweeper was last seen, and what it was at."""

    name = models.CharField(max_length=120, unique=True)
    role = models.CharField(max_length=8, choices=WorkerRole.choices, default=WorkerRole.WORKER)
    started_at = models.DateTimeField()
    seen_at = models.DateTimeField(db_index=True)
    current = models.CharField(max_length=120, blank=True)

    def __str__(self) -> str:
        return self.name
