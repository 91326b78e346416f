"""Tokens for programs: what a person lets a script do in their name."""

from __future__ import annotations

from typing import Any

from django.db import models
from django.db.models import Q

from competition.enums import TokenScope
from competition.models.base import Created, PublicId, digest_validator
from competition.models.people import User


class ApiTokenQuerySet(models.QuerySet["ApiToken"]):
    def live(self) -> ApiTokenQuerySet:
        return self.filter(revoked_at=None, user__is_active=True)

    def of(self, user: Any) -> ApiTokenQuerySet:
        return self.filter(user=user) if user.is_authenticated else self.none()


class ApiToken(PublicId, Created):
    """The token itself is shown once; only its SHA-256 is kept, and its last letters to tell it by."""

    user = models.ForeignKey(User, on_delete=models.PROTECT, related_name="api_tokens")
    name = models.CharField(max_length=60)
    scope = models.CharField(max_length=6, choices=TokenScope.choices, default=TokenScope.READ)
    token_digest = models.CharField(max_length=64, unique=True, validators=[digest_validator])
    ending = models.CharField(max_length=4)
    last_used_at = models.DateTimeField(null=True, blank=True)
    revoked_at = models.DateTimeField(null=True, blank=True)

    objects = ApiTokenQuerySet.as_manager()

    class Meta:
        ordering = ["-created_at", "-pk"]
        constraints = [
            models.CheckConstraint(
                condition=Q(scope__in=TokenScope.values),
                name="api_token_scope_known",
                violation_error_message="A token may read, or read and submit.",
            )
        ]

    def __str__(self) -> str:
        return f"{self.name} (…{self.ending})"

    def allows(self, scope: str) -> bool:
        """Who may submit may read."""
        return self.scope in (scope, TokenScope.SUBMIT)
