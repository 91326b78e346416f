"""What models share: public ids, the moment of creation, text limits, who may see a row."""

from __future__ import annotations

import secrets
from typing import Any

from django.core.validators import RegexValidator
from django.db import models
from django.db.models.functions import Length
from django.db.models.lookups import LessThanOrEqual

from competition import clock

REASON_LENGTH = 1_000

digest_validator = RegexValidator(r"^[0-9a-f]{64}\Z", "A SHA-256 digest is 64 hexadecimal digits.")


def new_public_id() -> str:
    """22 random url-safe characters: the id in an address, which nobody can guess or count."""
    return secrets.token_urlsafe(16)


class PublicId(models.Model):
    public_id = models.CharField(max_length=22, unique=True, editable=False, default=new_public_id)

    class Meta:
        abstract = True


class Created(models.Model):
    created_at = models.DateTimeField(default=clock.now, editable=False)

    class Meta:
        abstract = True


def at_most(field: str, characters: int, *, name: str) -> models.CheckConstraint:
    """A length limit the database holds too: TextField's own limit binds forms only."""
    return models.CheckConstraint(
        condition=LessThanOrEqual(Length(field), characters),
        name=name,
        violation_error_message=f"At most {characters:,} characters.",
    )


NONE = models.Q(pk__in=[])
ALL = ~NONE
"""Every row. An empty Q() would not do: it is neutral, so `seen | Q()` is just `seen`."""


def organized_by(user: Any, task_path: str) -> models.Q:
    """Rows of the shared tasks this user organizes; `task_path` leads to the task ("" on the task itself)."""
    if not user.is_authenticated:
        return NONE
    if user.is_superuser:
        return ALL
    if not user.is_staff:
        return NONE
    path = f"{task_path}__organizer_roles__user" if task_path else "organizer_roles__user"
    return models.Q(**{path: user})
