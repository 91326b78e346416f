"""What teams send: entries, submissions, and files that were refused."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django.db import models
from django.db.models import Exists, F, OuterRef, Q, Subquery
from django.urls import reverse

from competition.enums import WorkStatus
from competition.models.base import (
    NONE,
    REASON_LENGTH,
    Created,
    PublicId,
    at_most,
    digest_validator,
    organized_by,
)
from competition.models.files import Blob
from competition.models.people import User
from competition.models.tasks import Phase, Track
from competition.models.teams import Team

if TYPE_CHECKING:
    from competition.models.work import Evaluation

METHOD_LENGTH = 2_000


def seen_by_team_or_organizer(user: Any, team_path: str, task_path: str) -> Q:
    if not user.is_authenticated:
        return NONE
    member = Q(**{f"{team_path}__memberships__user": user, f"{team_path}__memberships__left_at": None})
    return member | organized_by(user, task_path)


class Entry(Created):
    """One team in one phase and track: the row that is locked while a run is accepted."""

    team = models.ForeignKey(Team, on_delete=models.PROTECT, related_name="entries")
    phase = models.ForeignKey(Phase, on_delete=models.PROTECT, related_name="entries")
    track = models.ForeignKey(Track, on_delete=models.PROTECT, related_name="entries")
    chosen = models.ForeignKey(
        "Submission", null=True, blank=True, on_delete=models.PROTECT, related_name="+"
    )

    class Meta:
        verbose_name_plural = "entries"
        constraints = [
            models.UniqueConstraint(
                fields=["team", "phase", "track"],
                name="entry_unique",
                violation_error_message="The team has an entry in this phase and track.",
            )
        ]

    def __str__(self) -> str:
        return f"{self.team} in {self.track}, {self.phase}"


class ExtraAttempts(Created):
    """Attempts an organizer granted one team on top of the quota, with the reason."""

    entry = models.ForeignKey(Entry, on_delete=models.PROTECT, related_name="extra_attempts")
    amount = models.PositiveIntegerField()
    reason = models.CharField(max_length=REASON_LENGTH)
    granted_by = models.ForeignKey(User, null=True, on_delete=models.PROTECT, related_name="+")

    class Meta:
        verbose_name_plural = "extra attempts"
        constraints = [
            models.CheckConstraint(
                condition=Q(amount__gte=1, amount__lte=100),
                name="extra_attempts_1_to_100",
                violation_error_message="Grant between 1 and 100 attempts.",
            ),
            models.CheckConstraint(
                condition=~Q(reason=""),
                name="extra_attempts_reason",
                violation_error_message="Say why the team gets more attempts.",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.amount} more for {self.entry}"


class SubmissionQuerySet(models.QuerySet["Submission"]):
    def visible_to(self, user: Any) -> SubmissionQuerySet:
        """The runs of one's own team, and all of the shared tasks one organizes."""
        return self.filter(seen_by_team_or_organizer(user, "team", "phase__task")).distinct()

    def standing(self) -> SubmissionQuerySet:
        """Not withdrawn."""
        return self.filter(withdrawn_at=None)

    def charged(self) -> SubmissionQuerySet:
        """Those that used an attempt: not what only ever failed, which is our fault, nor what cannot be
        scored any more because its items were replaced.
        """
        from competition.models.work import ITEMS_GONE, Evaluation

        # Asked for each run, so that the other teams' evaluations are not read.
        own = Evaluation.objects.filter(submission=OuterRef("pk"))
        failed, others = own.filter(status=WorkStatus.FAILED), own.exclude(status=WorkStatus.FAILED)
        newer = Evaluation.objects.filter(submission=OuterRef("submission"), pk__gt=OuterRef("pk"))
        gone = failed.filter(~Exists(newer), failure_kind=ITEMS_GONE)
        return self.filter(Exists(others) | ~Exists(failed)).filter(~Exists(gone))

    def with_status(self) -> SubmissionQuerySet:
        """Adds `work_status`, `finished_at`, `failure_reference`, `failure_kind` of the newest evaluation."""
        from competition.models.work import Evaluation

        newest = Evaluation.objects.filter(submission=OuterRef("pk")).order_by("-pk")
        return self.annotate(
            work_status=Subquery(newest.values("status")[:1]),
            finished_at=Subquery(newest.values("finished_at")[:1]),
            failure_reference=Subquery(newest.values("failure_reference")[:1]),
            failure_kind=Subquery(newest.values("failure_kind")[:1]),
        )


class Submission(PublicId, Created):
    """The act of sending one valid run. `received_at` is one reading of the database clock after the whole
    request had arrived; deadline and day of the quota go by it."""

    entry = models.ForeignKey(Entry, on_delete=models.PROTECT, related_name="submissions")
    team = models.ForeignKey(Team, on_delete=models.PROTECT, related_name="submissions")
    phase = models.ForeignKey(Phase, on_delete=models.PROTECT, related_name="submissions")
    track = models.ForeignKey(Track, on_delete=models.PROTECT, related_name="submissions")
    number = models.PositiveIntegerField(help_text="Counts from 1 in each entry.")
    submitted_by = models.ForeignKey(User, null=True, on_delete=models.PROTECT, related_name="submissions")
    received_at = models.DateTimeField()
    deadline = models.DateTimeField(
        null=True,
        blank=True,
        editable=False,
        help_text="The phase's close with its grace, as it stood when the run was taken; none for baselines.",
    )
    blob = models.ForeignKey(Blob, on_delete=models.PROTECT, related_name="submissions")
    digest = models.CharField(max_length=64, validators=[digest_validator])
    size = models.PositiveBigIntegerField()
    file_name = models.CharField(
        max_length=255, blank=True, help_text="As the browser said; shown, never used."
    )
    run_name = models.CharField(max_length=80, blank=True)
    method = models.TextField(max_length=METHOD_LENGTH, blank=True)
    code_url = models.URLField(max_length=300, blank=True)
    external_data = models.CharField(max_length=500, blank=True)
    n_lines = models.PositiveIntegerField(default=0)
    warnings = models.JSONField(
        default=dict, blank=True, help_text="Problems that are no errors, and counts."
    )
    observed = models.JSONField(default=dict, blank=True, help_text="Diagnostics that need no gold.")
    idempotency_key = models.CharField(max_length=64, blank=True)
    withdrawn_at = models.DateTimeField(null=True, blank=True)
    withdrawn_by = models.ForeignKey(User, null=True, blank=True, on_delete=models.PROTECT, related_name="+")
    baseline_name = models.CharField(max_length=40, blank=True)
    receipt_mailed_at = models.DateTimeField(null=True, blank=True, editable=False)

    objects = SubmissionQuerySet.as_manager()

    class Meta:
        ordering = ["-received_at", "-pk"]
        indexes = [
            models.Index(fields=["entry", "received_at"], name="submission_by_day"),
            models.Index(fields=["phase", "track", "team"], name="submission_by_board"),
        ]
        constraints = [
            models.UniqueConstraint(
                fields=["entry", "number"],
                name="submission_number_unique",
                violation_error_message="The entry has a submission of this number.",
            ),
            models.UniqueConstraint(
                fields=["entry", "idempotency_key"],
                condition=~Q(idempotency_key=""),
                name="submission_key_unique",
                violation_error_message="This request was answered already.",
            ),
            models.CheckConstraint(
                condition=Q(number__gte=1),
                name="submission_number_from_1",
                violation_error_message="Submissions count from 1.",
            ),
            models.CheckConstraint(
                condition=Q(deadline__isnull=True) | Q(received_at__lt=F("deadline")),
                name="submission_before_its_deadline",
                violation_error_message="A run is received before the deadline it was taken under.",
            ),
            at_most("method", METHOD_LENGTH, name="submission_method_length"),
        ]

    def __str__(self) -> str:
        return f"{self.team} #{self.number}"

    def get_absolute_url(self) -> str:
        return reverse("submission", args=[self.public_id])

    @property
    def is_withdrawn(self) -> bool:
        return self.withdrawn_at is not None

    @property
    def latest_evaluation(self) -> Evaluation | None:
        return self.evaluations.order_by("-pk").first()


class RefusedUploadQuerySet(models.QuerySet["RefusedUpload"]):
    def visible_to(self, user: Any) -> RefusedUploadQuerySet:
        return self.filter(seen_by_team_or_organizer(user, "team", "phase__task")).distinct()


class RefusedUpload(PublicId, Created):
    """A file that had errors. Never counted; kept for thirty days so that its report has an address."""

    team = models.ForeignKey(Team, on_delete=models.PROTECT, related_name="refused_uploads")
    phase = models.ForeignKey(Phase, on_delete=models.PROTECT, related_name="refused_uploads")
    track = models.ForeignKey(Track, on_delete=models.PROTECT, related_name="refused_uploads")
    submitted_by = models.ForeignKey(User, null=True, on_delete=models.PROTECT, related_name="+")
    received_at = models.DateTimeField(db_index=True)
    digest = models.CharField(max_length=64, validators=[digest_validator])
    size = models.PositiveBigIntegerField()
    file_name = models.CharField(max_length=255, blank=True)
    problems = models.JSONField(default=dict, blank=True)

    objects = RefusedUploadQuerySet.as_manager()

    class Meta:
        ordering = ["-received_at", "-pk"]

    def __str__(self) -> str:
        return f"{self.file_name or 'file'} of {self.team}"

    def get_absolute_url(self) -> str:
        return reverse("refused_upload", args=[self.public_id])
