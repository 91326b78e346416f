"""Teams, who is in them, how one gets in, and what they were called before."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from django.db import models
from django.db.models import Case, Exists, F, OuterRef, Q, Value, When
from django.urls import reverse

from competition.enums import PhasePurpose, TeamRole
from competition.models.base import Created, PublicId, digest_validator, organized_by
from competition.models.people import User
from competition.models.tasks import SharedTask

TEAM_NAME_LENGTH = 60


class TeamQuerySet(models.QuerySet["Team"]):
    def visible_to(self, user: Any) -> TeamQuerySet:
        return self.filter(Q(task__published=True) | organized_by(user, "task")).distinct()

    def of(self, user: Any) -> TeamQuerySet:
        """The teams this user is in now."""
        if not user.is_authenticated:
            return self.none()
        return self.filter(memberships__user=user, memberships__left_at=None)

    def told_apart(self, user: Any) -> TeamQuerySet:
        """The teams this user is in now, with `of_task`: the name of the task where the team's own does not
        tell it from another of them.
        """
        mine = Team.objects.of(user)
        alike = mine.filter(lookalike_key=OuterRef("lookalike_key")).exclude(pk=OuterRef("pk"))
        task = Case(When(Exists(alike), then=F("task__name")), default=Value(""))
        return mine.annotate(of_task=task).order_by("name", "pk")

    def participants(self) -> TeamQuerySet:
        return self.filter(role=TeamRole.PARTICIPANT)


class Team(PublicId, Created):
    """Those who are ranked together. `name_key` and `lookalike_key` are made from the name by `names.py`."""

    task = models.ForeignKey(SharedTask, on_delete=models.PROTECT, related_name="teams")
    name = models.CharField(max_length=TEAM_NAME_LENGTH)
    name_key = models.CharField(max_length=4 * TEAM_NAME_LENGTH, editable=False)
    lookalike_key = models.CharField(max_length=4 * TEAM_NAME_LENGTH, editable=False, db_index=True)
    affiliation = models.CharField(max_length=120, blank=True)
    country = models.CharField(max_length=60, blank=True)
    role = models.CharField(max_length=12, choices=TeamRole.choices, default=TeamRole.PARTICIPANT)
    contact = models.EmailField(blank=True, help_text="For the organizers; never shown on pages.")
    captain = models.ForeignKey(
        User, null=True, blank=True, on_delete=models.PROTECT, related_name="captain_of"
    )
    locked_at = models.DateTimeField(
        null=True, blank=True, help_text="From then on members no longer change."
    )

    objects = TeamQuerySet.as_manager()

    class Meta:
        ordering = ["name", "pk"]
        constraints = [
            models.UniqueConstraint(
                fields=["task", "name_key"],
                name="team_name_unique",
                violation_error_message="A team of this name is registered already.",
            ),
            models.CheckConstraint(
                condition=~Q(name_key=""),
                name="team_name_not_empty",
                violation_error_message="A team needs a name.",
            ),
            models.CheckConstraint(
                condition=Q(role__in=TeamRole.values),
                name="team_role_known",
                violation_error_message="A team is a participant or a baseline.",
            ),
        ]

    def __str__(self) -> str:
        return self.name

    def get_absolute_url(self) -> str:
        return reverse("team", args=[self.public_id])

    @property
    def is_baseline(self) -> bool:
        return self.role == TeamRole.BASELINE

    def is_locked_at(self, moment: datetime) -> bool:
        """Members no longer change: locked by an organizer, or a test phase the team sent to has closed."""
        if self.locked_at is not None and self.locked_at <= moment:
            return True
        return self.submissions.filter(
            phase__purpose=PhasePurpose.TEST, phase__closes_at__lte=moment
        ).exists()


class Membership(models.Model):
    team = models.ForeignKey(Team, on_delete=models.PROTECT, related_name="memberships")
    user = models.ForeignKey(User, on_delete=models.PROTECT, related_name="memberships")
    task = models.ForeignKey(SharedTask, on_delete=models.PROTECT, related_name="memberships")
    joined_at = models.DateTimeField()
    left_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["joined_at", "pk"]
        constraints = [
            models.UniqueConstraint(
                fields=["task", "user"],
                condition=Q(left_at=None),
                name="membership_one_team_per_task",
                violation_error_message="A person is in one team per shared task.",
            ),
            models.CheckConstraint(
                condition=Q(left_at=None) | Q(left_at__gte=F("joined_at")),
                name="membership_left_after_joined",
                violation_error_message="One leaves after one has joined.",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.user} in {self.team}"


class Invitation(Created):
    """A link for one person. The token itself is shown once; only its SHA-256 is kept."""

    team = models.ForeignKey(Team, on_delete=models.PROTECT, related_name="invitations")
    token_digest = models.CharField(max_length=64, unique=True, validators=[digest_validator])
    created_by = models.ForeignKey(User, on_delete=models.PROTECT, related_name="+")
    expires_at = models.DateTimeField()
    used_at = models.DateTimeField(null=True, blank=True)
    used_by = models.ForeignKey(User, null=True, blank=True, on_delete=models.PROTECT, related_name="+")

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=Q(used_at=None, used_by=None) | Q(used_at__isnull=False, used_by__isnull=False),
                name="invitation_used_by_somebody",
                violation_error_message="A used invitation says when and by whom.",
            )
        ]

    def __str__(self) -> str:
        return f"invitation to {self.team}"

    def is_open_at(self, moment: datetime) -> bool:
        return self.used_at is None and moment < self.expires_at


class TeamNameChange(models.Model):
    team = models.ForeignKey(Team, on_delete=models.PROTECT, related_name="name_changes")
    before = models.CharField(max_length=TEAM_NAME_LENGTH)
    after = models.CharField(max_length=TEAM_NAME_LENGTH)
    changed_by = models.ForeignKey(User, null=True, on_delete=models.PROTECT, related_name="+")
    at = models.DateTimeField()

    class Meta:
        ordering = ["-at", "-pk"]

    def __str__(self) -> str:
        return f"{self.before} → {self.after}"
