"""Signing up: the account, and on the way to a shared task the team and the terms in the same form.

Also a way to a new password and, where no mail is set up, another address.
"""

from __future__ import annotations

import logging
from typing import Any

from allauth.account.adapter import get_adapter
from allauth.account.fields import EmailField, PasswordField
from allauth.account.forms import ResetPasswordForm, SignupForm
from allauth.account.utils import passthrough_next_redirect_url
from allauth.core.context import request_context
from django import forms
from django.conf import settings
from django.contrib import messages
from django.contrib.auth.hashers import make_password
from django.db import transaction
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse

from competition.domain.accounts import accept_terms, alone_with, claim_address, whose_password
from competition.domain.teams import create_team, is_name_taken
from competition.exceptions import NameRefused
from competition.models import SharedTask, Team, User
from competition.models.people import accounts_at
from competition.names import clean_name

log = logging.getLogger(__name__)

TEAM_FIELDS = ("team_name", "affiliation", "terms")


class SignUpForm(SignupForm):
    """`task` is the shared task the visitor comes from, if any: its team can be registered at once."""

    display_name = forms.CharField(
        label="Your name",
        max_length=User._meta.get_field("display_name").max_length,
        required=False,
        help_text="Shown to your team. Without one you are “member” and a few letters.",
        widget=forms.TextInput(attrs={"autocomplete": "name"}),
    )
    team_name = forms.CharField(
        max_length=Team._meta.get_field("name").max_length,
        required=False,
        strip=False,
        help_text="It stands on the leaderboards. Leave it empty to do this later, or if a team invited you.",
    )
    affiliation = forms.CharField(
        label="Affiliation",
        max_length=Team._meta.get_field("affiliation").max_length,
        required=False,
        widget=forms.TextInput(attrs={"autocomplete": "organization"}),
    )
    terms = forms.BooleanField(label="I accept the terms of the task", required=False)
    field_order = ["email", "display_name", "password1", "password2", *TEAM_FIELDS]

    def __init__(self, *args: Any, task: SharedTask | None = None, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.task = task
        if not settings.EMAIL_CONFIGURED:
            self.fields["email"].help_text = (
                "You log in with it; nothing is sent to it. Have an account already? Log in instead: with "
                "another password this would be a second one."
            )
        if task is None:
            for name in TEAM_FIELDS:
                del self.fields[name]
            return
        self.fields["team_name"].label = f"Your team in {task.name}"
        if not task.terms.strip():
            del self.fields["terms"]

    def clean_team_name(self) -> str:
        given = self.cleaned_data["team_name"]
        if not given.strip():
            return ""
        assert self.task is not None
        try:
            name = clean_name(given)
        except NameRefused as refusal:
            raise forms.ValidationError(refusal.message) from refusal
        if is_name_taken(self.task, name):
            raise forms.ValidationError("A team of this name is registered already.")
        return name

    def validate_unique_email(self, value: str) -> str:
        """Somebody else may have added the address to theirs: that keeps its owner out of nothing."""
        address: str = super().validate_unique_email(value)
        known: bool = self.account_already_exists  # type: ignore[has-type]
        self.account_already_exists = known and accounts_at(address).exists()
        return address

    def clean(self) -> dict[str, Any]:
        cleaned: dict[str, Any] = super().clean() or self.cleaned_data
        if "terms" in self.fields and cleaned.get("team_name") and not cleaned.get("terms"):
            self.add_error("terms", "Please accept the terms to register the team.")
        return cleaned

    def try_save(self, request: HttpRequest) -> tuple[User | None, HttpResponse | None]:
        """The account and its team, both or neither. An address that is known gets the answer of a new one:
        with mail no account and no team, without mail an account of its own.

        Whose password opens an account of the address is sent to log in. Raises NameTaken when the name went
        a moment ago, and TooOften.
        """
        address = self.cleaned_data["email"]
        claim_address(address)
        with transaction.atomic():
            alone_with(address)
            password = self.cleaned_data["password1"]
            opened = whose_password(address, password)
            if self.account_already_exists:
                make_password(password)  # as long as keeping it takes
            elif opened:
                messages.info(request, "You have an account with this address and password: log in.")
                return None, redirect(
                    passthrough_next_redirect_url(request, reverse("account_login"), "next")
                )
            user, answer = super().try_save(request)
            if user is not None:
                user.display_name = self.cleaned_data["display_name"]
                user.save(update_fields=["display_name"])
                self._register_team(user)
        return user, answer

    def save(self, request: HttpRequest) -> User:
        """As django-allauth does it, except that the row of the address is made with the account."""
        adapter = get_adapter()
        user: User = adapter.save_user(request, adapter.new_user(request), self)
        self.custom_signup(request, user)
        return user

    def _register_team(self, user: User) -> None:
        name = self.cleaned_data.get("team_name")
        if self.task is None or not name:
            return
        if "terms" in self.fields:
            accept_terms(user=user, task=self.task)
        create_team(task=self.task, name=name, captain=user, affiliation=self.cleaned_data["affiliation"])


class ResetForm(ResetPasswordForm):
    """Asks for a letter that leads to a new password."""

    def clean_email(self) -> str:
        """The letter leads to accounts of this address, and to none that somebody added it to."""
        address: str = super().clean_email()
        found: list[User] = self.users  # type: ignore[has-type]
        theirs = set(accounts_at(address))
        self.users = [user for user in found if user in theirs]
        return address

    def save(self, request: HttpRequest, **kwargs: Any) -> str:
        """Nothing yet: see `write`."""
        return str(self.cleaned_data["email"])

    def write(self, request: HttpRequest) -> None:
        """Send the letter, to each account of the address or to say that there is none."""
        try:
            with request_context(request):
                super().save(request)
        except OSError as fault:
            log.warning("A letter about a password could not be sent: %s", type(fault).__name__)


class AddressForm(forms.Form):
    """Another address to log in with. Nobody can verify it, so the password says who asks."""

    email = EmailField(label="New address", required=True)
    password = PasswordField(label="Your password", autocomplete="current-password")

    def __init__(self, *args: Any, user: User, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.user = user

    def clean_email(self) -> str:
        address: str = get_adapter().clean_email(self.cleaned_data["email"].lower())
        if address == self.user.email.lower():
            raise forms.ValidationError("This is your address already.")
        return address

    def clean_password(self) -> str:
        password: str = self.cleaned_data["password"]
        if not get_adapter().reauthenticate(self.user, password):
            raise get_adapter().validation_error("incorrect_password")
        return password
