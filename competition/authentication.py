"""How django-allauth logs people in where an address may have several accounts until one verifies it."""

from __future__ import annotations

from typing import Any

from allauth.account.adapter import DefaultAccountAdapter
from allauth.account.auth_backends import AuthenticationBackend
from allauth.account.models import EmailAddress
from allauth.account.stages import EmailVerificationStage, LoginStageController
from django.contrib import messages
from django.http import HttpRequest

from competition import passwords
from competition.domain.accounts import whose_password
from competition.models import User
from competition.models.people import accounts_at


class Backend(AuthenticationBackend):
    def _authenticate_by_email(self, email: str, password: str) -> User | None:
        """Whose password it is, in the time of one hash however many accounts the address has."""
        user = whose_password(email, password)
        self._did_check_password = True
        if user is None:
            return None
        if passwords.is_outdated(user.password):
            user.check_password(password)  # hashes it anew
        if not self.user_can_authenticate(user):
            self._stash_user(user)
            return None
        return user


class Adapter(DefaultAccountAdapter):
    def populate_username(self, request: HttpRequest, user: User) -> None:
        """A name that says nothing about who else is here. Nobody types it."""
        user.username = user.username or f"member-{user.public_id}"

    def confirm_email(self, request: HttpRequest, email_address: EmailAddress) -> bool:
        """Where several accounts have the address, a letter's link counts only for who is logging in to that
        account here. Else somebody could have the owner of the address verify a stranger's account.
        """
        others = accounts_at(email_address.email).exclude(pk=email_address.user_id)
        if others.exists() and not _is_here(request, email_address.user_id):
            messages.error(
                request,
                "Several accounts have this address. Log in to yours, then open the link in that browser.",
            )
            return False
        return bool(super().confirm_email(request, email_address))


def _is_here(request: HttpRequest, user_id: Any) -> bool:
    """Whether this browser is logged in to the account, or has just given its password."""
    if request.user.is_authenticated:
        return bool(request.user.pk == user_id)
    stage = LoginStageController.enter(request, EmailVerificationStage.key)
    return bool(stage and stage.login.user and stage.login.user.pk == user_id)
