"""What follows from a second factor being set up."""

from __future__ import annotations

from typing import Any

from allauth.account.internal.flows.login import record_authentication
from allauth.mfa.models import Authenticator
from django.http import HttpRequest

from competition.models import User


def count_as_shown(request: HttpRequest, user: User, authenticator: Authenticator, **_: Any) -> None:
    """Who has just set up an app or a key has shown it: organizers need not wait for its next code."""
    if authenticator.type != Authenticator.Type.RECOVERY_CODES:
        record_authentication(request, user, "mfa", id=authenticator.pk, type=authenticator.type)
