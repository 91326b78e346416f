"""People: users, which shared task they organize, which terms they accepted."""

from __future__ import annotations

from typing import Any

from django.contrib.auth.hashers import is_password_usable, make_password
from django.contrib.auth.models import AbstractUser
from django.db import models

from competition import passwords
from competition.models.base import Created, PublicId, digest_validator


class User(PublicId, AbstractUser):
    """A person. Logs in with e-mail address and password; other people see the display name only.

    An address belongs to one account only once it is verified. Nothing is ever given to somebody for an
    address: rights hang on accounts.
    """

    email = models.EmailField("e-mail address", blank=True)
    display_name = models.CharField(
        max_length=80, blank=True, help_text="Shown to your team and on its page."
    )

    def __str__(self) -> str:
        return shown_name(self)

    def set_password(self, raw_password: str | None) -> None:
        """Hashed with the salt of the other accounts of the address, where there are any."""
        others = accounts_at(self.email).exclude(pk=self.pk).values_list("password", flat=True)
        like = next(filter(is_password_usable, others), None)
        if raw_password is None or like is None:
            self.password = make_password(raw_password)
        else:
            self.password = passwords.hash_like(raw_password, like)
        self._password = raw_password

    @property
    def is_closed(self) -> bool:
        """Deleted by its owner: what it did stays, who it was is gone."""
        return not self.is_active and not self.email


def accounts_at(address: str) -> models.QuerySet[Any]:
    """The accounts that may be opened with this address: who verified it, then who came to it last.

    Last first, so that a password somebody chose for an account of their own is never tried on another's. An
    address that was only added to an account of another one opens nothing before it is verified: else whoever
    adds somebody's would get the letters for it, and learn from the time of a log-in whether it is known.
    """
    address = address.strip().lower()
    theirs = models.Q(emailaddress__verified=True) | models.Q(email__iexact=address)
    found = User.objects.filter(theirs, emailaddress__email=address)
    return found.order_by("-emailaddress__verified", "-is_active", "-emailaddress__pk")


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
