"""Frozen leaderboards. Rows of these tables are written once: database triggers refuse the rest."""

from __future__ import annotations

from typing import Any

from django.db import models
from django.db.models import Q
from django.urls import reverse

from competition.enums import Section
from competition.models.base import REASON_LENGTH, Created, PublicId, digest_validator, organized_by
from competition.models.people import User
from competition.models.submissions import Submission
from competition.models.tasks import Phase, Track
from competition.models.teams import TEAM_NAME_LENGTH, Team


class FrozenLeaderboardQuerySet(models.QuerySet["FrozenLeaderboard"]):
    def published(self) -> FrozenLeaderboardQuerySet:
        return self.filter(publication__isnull=False)

    def visible_to(self, user: Any) -> FrozenLeaderboardQuerySet:
        """Published boards of published shared tasks; organizers see theirs before."""
        published = Q(publication__isnull=False, phase__task__published=True)
        return self.filter(published | organized_by(user, "phase__task")).distinct()

    def current_for(self, phase: Phase, track: Track) -> FrozenLeaderboard | None:
        """The newest published version."""
        return self.published().filter(phase=phase, track=track).order_by("-version").first()


class FrozenLeaderboard(PublicId, Created):
    """A numbered snapshot. `content` is the canonical JSON and `digest` its SHA-256; `previous_digest` chains
    it to the version before. The rows of `FrozenStanding` repeat it for pages; `verify_leaderboard` compares.
    """

    phase = models.ForeignKey(Phase, on_delete=models.PROTECT, related_name="boards")
    track = models.ForeignKey(Track, on_delete=models.PROTECT, related_name="boards")
    version = models.PositiveIntegerField()
    frozen_at = models.DateTimeField()
    frozen_by = models.ForeignKey(User, null=True, on_delete=models.PROTECT, related_name="+")
    reason = models.CharField(max_length=REASON_LENGTH)
    content = models.TextField()
    digest = models.CharField(max_length=64, validators=[digest_validator])
    previous_digest = models.CharField(max_length=64, blank=True)

    objects = FrozenLeaderboardQuerySet.as_manager()

    class Meta:
        ordering = ["phase", "track", "-version"]
        constraints = [
            models.UniqueConstraint(
                fields=["phase", "track", "version"],
                name="board_version_unique",
                violation_error_message="This phase and track has a frozen board of that version.",
            ),
            models.CheckConstraint(
                condition=~Q(reason=""),
                name="board_reason",
                violation_error_message="A frozen board says why it was frozen.",
            ),
            models.CheckConstraint(
                condition=Q(version=1, previous_digest="") | Q(version__gt=1) & ~Q(previous_digest=""),
                name="board_chained",
                violation_error_message="Each version after the first names the digest of the one before.",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.track}, {self.phase}, version {self.version}"

    def get_absolute_url(self) -> str:
        return reverse("board", args=[self.public_id])

    @property
    def is_published(self) -> bool:
        return hasattr(self, "publication")


class FrozenStanding(models.Model):
    """One team's line on a frozen board, as it was then: the name and the scores are copies."""

    board = models.ForeignKey(FrozenLeaderboard, on_delete=models.PROTECT, related_name="standings")
    position = models.PositiveIntegerField(help_text="Order on the page, from 1.")
    section = models.CharField(max_length=8, choices=Section.choices, default=Section.RANKED)
    rank = models.PositiveIntegerField(null=True, blank=True)
    team = models.ForeignKey(Team, on_delete=models.PROTECT, related_name="standings")
    team_name = models.CharField(max_length=TEAM_NAME_LENGTH)
    submission = models.ForeignKey(
        Submission, null=True, blank=True, on_delete=models.PROTECT, related_name="standings"
    )
    primary = models.FloatField(null=True, blank=True)
    scores = models.JSONField(default=dict, help_text="Full precision.")
    signature = models.CharField(max_length=300, blank=True)
    interval = models.JSONField(null=True, blank=True, help_text="[low, high] of the primary score.")
    rank_interval = models.JSONField(null=True, blank=True, help_text="[first, last] plausible rank.")
    group = models.CharField(max_length=40, blank=True, help_text="Teams of one letter cannot be told apart.")
    note = models.CharField(max_length=REASON_LENGTH, blank=True, help_text="Why a line is not ranked.")

    class Meta:
        ordering = ["board", "position"]
        constraints = [
            models.UniqueConstraint(
                fields=["board", "position"],
                name="standing_position_unique",
                violation_error_message="A position is taken once.",
            ),
            models.UniqueConstraint(
                fields=["board", "team", "submission"],
                name="standing_run_unique",
                violation_error_message="A run stands once on a board.",
            ),
            models.CheckConstraint(
                # rank__gte alone would be unknown for NULL, and a check that is unknown passes.
                condition=Q(section=Section.RANKED, rank__isnull=False, rank__gte=1)
                | Q(~Q(section=Section.RANKED), rank=None),
                name="standing_rank_in_section",
                violation_error_message="Ranked lines have a rank, the others have none.",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.rank or '–'} {self.team_name}"


class Publication(models.Model):
    """The door of a frozen board, opened once."""

    board = models.OneToOneField(FrozenLeaderboard, on_delete=models.PROTECT, related_name="publication")
    published_at = models.DateTimeField()
    published_by = models.ForeignKey(User, null=True, on_delete=models.PROTECT, related_name="+")

    def __str__(self) -> str:
        return f"publication of {self.board}"
