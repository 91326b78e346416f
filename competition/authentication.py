"""How django-allauth logs people in where an address may have several accounts until one verifies it."""

from __future__ import annotations

from typing import Any

from allauth.account.adapter import DefaultAccountAdapter
from allauth.account.auth_backends import AuthenticationBackend
from allauth.account.models import EmailAddress, get_emailconfirmation_model
from allauth.account.stages import EmailVerificationStage, LoginStageController
from allauth.account.utils import get_next_redirect_url
from django.http import HttpRequest, HttpResponseBase
from django.shortcuts import redirect
from django.urls import Resolver404, resolve

from competition import passwords
from competition.domain.accounts import whose_password
from competition.models import User


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
        """A letter's link counts only for who is logged in to its account here. The letter may have gone to
        somebody who never asked for it, and must not verify a stranger's account.
        """
        return is_here(request, email_address.user_id) and bool(super().confirm_email(request, email_address))

    def should_send_confirmation_mail(
        self, request: HttpRequest, email_address: EmailAddress, signup: bool
    ) -> bool:
        return not _link_of(request, email_address.user_id)

    def respond_email_verification_sent(self, request: HttpRequest, user: User | None) -> HttpResponseBase:
        """Who gave the password to use a letter's link goes back to it, without another letter."""
        link = _link_of(request, user.pk) if user else ""
        return redirect(link) if link else super().respond_email_verification_sent(request, user)


def is_here(request: HttpRequest, user_id: Any) -> bool:
    """Whether this browser is logged in to the account, or has just given its password."""
    if request.user.is_authenticated:
        return bool(request.user.pk == user_id)
    stage = LoginStageController.enter(request, EmailVerificationStage.key)
    return bool(stage and stage.login.user and stage.login.user.pk == user_id)


def _link_of(request: HttpRequest, user_id: Any) -> str:
    """The letter's link that a log-in leads back to, if it confirms an address of this account."""
    address = get_next_redirect_url(request) or ""
    try:
        found = resolve(address)
    except Resolver404:
        return ""
    if found.url_name != "account_confirm_email":
        return ""
    confirmation = get_emailconfirmation_model().from_key(found.kwargs["key"])
    return address if confirmation and confirmation.email_address.user_id == user_id else ""
