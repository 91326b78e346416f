"""Shared tasks, their tracks and phases, and what organizers announce."""

from __future__ import annotations

import hashlib
import re
from datetime import datetime, timedelta
from typing import Any

from django.core.exceptions import ValidationError
from django.db import models
from django.db.models import F, Q
from django.urls import reverse

from competition.enums import Counts, DiagnosticsLevel, PhasePurpose, PhaseStatus, ScoresVisible
from competition.models.base import Created, PublicId, at_most, organized_by
from competition.models.people import User
from scoring.options import read_options
from scoring.records import MIB, Limits
from scoring.tracks import get_kind
from scoring.tracks.base import Score

MARKDOWN_LENGTH = 50_000
PHASE_DEFAULTS: dict[str, dict[str, Any]] = {
    PhasePurpose.DEVELOPMENT: {
        "grace_seconds": 0,
        "daily_quota": 20,
        "total_quota": None,
        "scores_visible": ScoresVisible.AT_ONCE,
        "diagnostics_level": DiagnosticsLevel.AGGREGATES,
        "published_level": DiagnosticsLevel.AGGREGATES,
    },
    PhasePurpose.TEST: {
        "grace_seconds": 60,
        "daily_quota": None,
        "total_quota": 5,
        "scores_visible": ScoresVisible.AFTER_PUBLICATION,
        "diagnostics_level": DiagnosticsLevel.GOLD_FREE,
        "published_level": DiagnosticsLevel.AGGREGATES,
    },
    PhasePurpose.POST: {
        "grace_seconds": 0,
        "daily_quota": 5,
        "total_quota": 20,
        "scores_visible": ScoresVisible.AT_ONCE,
        "diagnostics_level": DiagnosticsLevel.GOLD_FREE,
        "published_level": DiagnosticsLevel.GOLD_FREE,
    },
}
"""What a phase starts from, by its purpose. After the evaluation the test's references stay hidden: see
`docs/visibility.md` for what each setting would tell of them."""


TAG = re.compile(r"[A-Za-z]{2,8}(-[A-Za-z0-9]{1,8})*\Z")
"""The form of a BCP 47 tag; whether it is registered is not asked."""

LARGEST_LIMITS = Limits(file_bytes=50 * MIB)
"""What a track may allow at most. A worker's own bounds are no tighter than these."""


def limits_validator(value: Any) -> None:
    """Each limit by its name, a whole number from 1 up to what any track may have."""
    if not isinstance(value, dict):
        raise ValidationError('Limits are names and numbers: {"file_bytes": 10485760}.')
    most = LARGEST_LIMITS._asdict()
    for name, number in value.items():
        if name not in most:
            raise ValidationError(f'There is no limit "{name}". There are: {", ".join(most)}.')
        if type(number) is not int or not 1 <= number <= most[name]:
            raise ValidationError(f"{name} is a whole number from 1 to {most[name]:,}.")


class SharedTaskQuerySet(models.QuerySet["SharedTask"]):
    def visible_to(self, user: Any) -> SharedTaskQuerySet:
        return self.filter(Q(published=True) | organized_by(user, "")).distinct()

    def organized_by(self, user: Any) -> SharedTaskQuerySet:
        return self.filter(organized_by(user, "")).distinct()


class SharedTask(PublicId, Created):
    slug = models.SlugField(max_length=60, unique=True)
    name = models.CharField(max_length=120)
    summary = models.CharField(max_length=300, blank=True, help_text="One sentence, for the front page.")
    about_markdown = models.TextField("about", max_length=MARKDOWN_LENGTH, blank=True, help_text="Markdown.")
    contact = models.EmailField(blank=True, help_text="Where participants may write. Shown on the pages.")
    terms = models.TextField(max_length=MARKDOWN_LENGTH, blank=True, help_text="Accepted with each new team.")
    published = models.BooleanField(default=False, help_text="Until then only its organizers see it.")
    anonymous_until_publication = models.BooleanField(
        default=False, help_text="Boards show no team names before a leaderboard is published."
    )
    columns = models.JSONField(
        "columns across tracks",
        default=list,
        blank=True,
        help_text='Scores side by side, such as [{"track": "terms", "score": "f1", "title": "TE F1"}]; '
        "empty for each track's primary score.",
    )
    columns_average = models.BooleanField(
        "average of the columns", default=False, help_text="The unweighted mean, for teams without a gap."
    )

    objects = SharedTaskQuerySet.as_manager()

    class Meta:
        ordering = ["name"]
        constraints = [
            at_most("about_markdown", MARKDOWN_LENGTH, name="task_about_length"),
            at_most("terms", MARKDOWN_LENGTH, name="task_terms_length"),
        ]

    def __str__(self) -> str:
        return self.name

    def get_absolute_url(self) -> str:
        return reverse("task", args=[self.slug])

    def clean(self) -> None:
        """Columns name a track of this task and a score of its kind."""
        super().clean()
        fault = _fault_of_columns(self.columns, list(self.tracks.all()) if self.pk else [])
        if fault:
            raise ValidationError({"columns": fault})

    @property
    def terms_digest(self) -> str:
        """SHA-256 of the terms as they read now: what an acceptance refers to."""
        return hashlib.sha256(self.terms.encode()).hexdigest()


def _fault_of_columns(columns: Any, tracks: list[Track]) -> str:
    """What is wrong with the columns across tracks, in a sentence, or ""."""
    if not isinstance(columns, list) or not all(isinstance(one, dict) for one in columns):
        return 'Columns are a list of objects: [{"track": "…", "score": "…", "title": "…"}].'
    known = {track.slug: track for track in tracks}
    for column in columns:
        if not column.keys() <= {"track", "score", "title"} or not all(
            isinstance(value, str) for value in column.values()
        ):
            return 'A column has "track", "score" and, if you like, "title", all of them texts.'
        track = known.get(column.get("track", ""))
        if track is None:
            return f'No track of this task is called "{column.get("track", "")}".'
        keys = [score.key for score in track.scores]
        if column.get("score") not in keys:
            return f'{track} has no score "{column.get("score", "")}"; it has: {", ".join(keys)}.'
    return ""


class TrackQuerySet(models.QuerySet["Track"]):
    def visible_to(self, user: Any) -> TrackQuerySet:
        return self.filter(Q(task__published=True) | organized_by(user, "task")).distinct()


class Track(Created):
    """A sub-task or language, scored by one kind of `scoring.tracks` with its options."""

    task = models.ForeignKey(SharedTask, on_delete=models.PROTECT, related_name="tracks")
    slug = models.SlugField(max_length=60)
    name = models.CharField(max_length=120)
    sentence = models.CharField(max_length=300, blank=True, help_text="The track in one sentence.")
    kind = models.CharField(max_length=40)
    options = models.JSONField(default=dict, blank=True, help_text='Such as {"tokenizer": "multi.1"}.')
    limits = models.JSONField(
        default=dict,
        blank=True,
        validators=[limits_validator],
        help_text='Other bounds of a run than the usual ones, such as {"file_bytes": 10485760}.',
    )
    languages = models.JSONField(
        default=list, blank=True, help_text='BCP 47 tags, such as ["en", "zh-Hans"].'
    )
    example_language = models.CharField(max_length=20, blank=True)
    order = models.PositiveSmallIntegerField(default=0)

    objects = TrackQuerySet.as_manager()

    class Meta:
        ordering = ["order", "pk"]
        constraints = [
            models.UniqueConstraint(
                fields=["task", "slug"],
                name="track_slug_unique",
                violation_error_message="The shared task has a track with this slug.",
            )
        ]

    def __str__(self) -> str:
        return self.name

    def clean(self) -> None:
        """Languages are tags: pages write each into `lang` and name it."""
        super().clean()
        tags = self.languages
        if not isinstance(tags, list) or not all(isinstance(tag, str) and TAG.match(tag) for tag in tags):
            raise ValidationError({"languages": 'Languages are a list of BCP 47 tags: ["en", "zh-Hans"].'})

    @property
    def run_limits(self) -> Limits:
        """How large a run of this track may be."""
        return Limits()._replace(**self.limits)

    def get_absolute_url(self) -> str:
        return reverse("track", args=[self.task.slug, self.slug])

    @property
    def scores(self) -> tuple[Score, ...]:
        """The scores of its kind under its options, primary first."""
        kind = get_kind(self.kind)
        return kind.scores_for(read_options(kind, self.options))


class PhaseQuerySet(models.QuerySet["Phase"]):
    def visible_to(self, user: Any) -> PhaseQuerySet:
        return self.filter(Q(task__published=True) | organized_by(user, "task")).distinct()

    def open_at(self, moment: datetime) -> PhaseQuerySet:
        return self.filter(opens_at__lte=moment, closes_at__gt=moment)

    def current(self, moment: datetime) -> PhaseQuerySet:
        """Open phases, the one that closes first in front."""
        return self.open_at(moment).order_by("closes_at", "pk")

    def upcoming(self, moment: datetime) -> PhaseQuerySet:
        return self.filter(opens_at__gt=moment).order_by("opens_at", "pk")


class Phase(Created):
    """A time window, half-open: opens_at ≤ received_at < closes_at. Its status is computed."""

    task = models.ForeignKey(SharedTask, on_delete=models.PROTECT, related_name="phases")
    slug = models.SlugField(max_length=60)
    name = models.CharField(max_length=120)
    purpose = models.CharField(max_length=12, choices=PhasePurpose.choices, default=PhasePurpose.DEVELOPMENT)
    opens_at = models.DateTimeField()
    closes_at = models.DateTimeField(help_text="The first moment at which the phase is closed.")
    grace_seconds = models.PositiveIntegerField(
        default=0, help_text="A run whose upload ends this late is still taken; printed on the page."
    )
    daily_quota = models.PositiveIntegerField(
        null=True, blank=True, help_text="Attempts a team has per track and UTC day; empty for no limit."
    )
    total_quota = models.PositiveIntegerField(
        null=True, blank=True, help_text="Attempts a team has per track in all; empty for no limit."
    )
    counts = models.CharField("what counts", max_length=6, choices=Counts.choices, default=Counts.LAST)
    scores_visible = models.CharField(
        max_length=20, choices=ScoresVisible.choices, default=ScoresVisible.AT_ONCE
    )
    diagnostics_level = models.PositiveSmallIntegerField(
        choices=DiagnosticsLevel.choices,
        default=DiagnosticsLevel.GOLD_FREE,
        help_text="What a team sees of its own runs before publication.",
    )
    published_level = models.PositiveSmallIntegerField(
        choices=DiagnosticsLevel.choices,
        default=DiagnosticsLevel.AGGREGATES,
        help_text="What a team sees of its own runs after publication.",
    )
    announcement = models.TextField(
        max_length=MARKDOWN_LENGTH, blank=True, help_text="Markdown, shown at the top of the phase."
    )

    objects = PhaseQuerySet.as_manager()

    class Meta:
        ordering = ["opens_at", "pk"]
        constraints = [
            models.UniqueConstraint(
                fields=["task", "slug"],
                name="phase_slug_unique",
                violation_error_message="The shared task has a phase with this slug.",
            ),
            models.CheckConstraint(
                condition=Q(opens_at__lt=F("closes_at")),
                name="phase_opens_before_it_closes",
                violation_error_message="A phase opens before it closes.",
            ),
            models.CheckConstraint(
                condition=Q(grace_seconds__lte=3_600),
                name="phase_grace_limit",
                violation_error_message="A grace is at most an hour; move the deadline instead.",
            ),
            models.CheckConstraint(
                condition=Q(purpose__in=PhasePurpose.values),
                name="phase_purpose_known",
                violation_error_message="A phase is for development, test or post-evaluation.",
            ),
            models.CheckConstraint(
                condition=Q(counts__in=Counts.values),
                name="phase_counts_known",
                violation_error_message="What counts is the last, the best or the chosen submission.",
            ),
            models.CheckConstraint(
                condition=Q(scores_visible__in=ScoresVisible.values),
                name="phase_scores_visible_known",
                violation_error_message="Scores are visible at once, after the close or after publication.",
            ),
            models.CheckConstraint(
                condition=Q(diagnostics_level__lte=F("published_level"), published_level__lte=3),
                name="phase_levels_rise",
                violation_error_message="Publication may only show more diagnostics, up to level 3.",
            ),
            at_most("announcement", MARKDOWN_LENGTH, name="phase_announcement_length"),
        ]

    def __str__(self) -> str:
        return self.name

    def is_open_at(self, moment: datetime) -> bool:
        return self.opens_at <= moment < self.closes_at

    @property
    def last_accepted_before(self) -> datetime:
        """The close plus the grace: the first moment at which nothing is taken any more."""
        return self.closes_at + timedelta(seconds=self.grace_seconds)

    def accepts_at(self, moment: datetime) -> bool:
        """Whether a run that had fully arrived at `moment` is in time, the grace included."""
        return self.opens_at <= moment < self.last_accepted_before

    def status_at(self, moment: datetime) -> PhaseStatus:
        if moment < self.opens_at:
            return PhaseStatus.ANNOUNCED
        return PhaseStatus.OPEN if moment < self.closes_at else PhaseStatus.CLOSED


class Announcement(models.Model):
    task = models.ForeignKey(SharedTask, on_delete=models.PROTECT, related_name="announcements")
    at = models.DateTimeField()
    text = models.TextField(max_length=5_000)
    author = models.ForeignKey(User, null=True, blank=True, on_delete=models.PROTECT, related_name="+")

    class Meta:
        ordering = ["-at", "-pk"]
        constraints = [at_most("text", 5_000, name="announcement_length")]

    def __str__(self) -> str:
        return f"{self.at:%Y-%m-%d}: {self.text[:60]}"
