"""People: users, which shared task they organize, which terms they accepted."""

from __future__ import annotations

from django.contrib.auth.models import AbstractUser
from django.db import models
from django.db.models.functions import Lower

from competition.models.base import Created, PublicId, digest_validator


class User(PublicId, AbstractUser):
    """A person. Logs in with the e-mail address; other people see the display name only."""

    email = models.EmailField("e-mail address", blank=True)
    display_name = models.CharField(
        max_length=80, blank=True, help_text="Shown to your team and on its page."
    )

    class Meta:
        constraints = [
            models.UniqueConstraint(
                Lower("email"),
                condition=~models.Q(email=""),
                name="user_email_unique",
                violation_error_message="An account with this e-mail address exists.",
            )
        ]

    def __str__(self) -> str:
        return shown_name(self)

    @property
    def is_closed(self) -> bool:
        """Deleted by its owner: what it did stays, who it was is gone."""
        return not self.is_active and not self.email


def shown_name(user: User) -> str:
    """The name others may see; never the e-mail address."""
    if user.is_closed:
        return "former member"
    return user.display_name or f"member {user.public_id[:6]}"


class OrganizerRole(Created):
    user = models.ForeignKey(User, on_delete=models.CASCADE, related_name="organizer_roles")
    task = models.ForeignKey("SharedTask", on_delete=models.CASCADE, related_name="organizer_roles")

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["user", "task"],
                name="organizer_role_unique",
                violation_error_message="This person organizes the shared task already.",
            )
        ]

    def __str__(self) -> str:
        return f"{self.user} organizes {self.task}"


class TermsAcceptance(models.Model):
    """Somebody agreed to the terms as they read then; `digest` is the SHA-256 of that text."""

    user = models.ForeignKey(User, on_delete=models.PROTECT, related_name="terms_acceptances")
    task = models.ForeignKey("SharedTask", on_delete=models.PROTECT, related_name="terms_acceptances")
    digest = models.CharField(max_length=64, validators=[digest_validator])
    accepted_at = models.DateTimeField()

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["user", "task", "digest"],
                name="terms_accepted_once",
                violation_error_message="These terms are accepted already.",
            )
        ]

    def __str__(self) -> str:
        return f"{self.user} accepted the terms of {self.task}"
