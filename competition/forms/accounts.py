"""Signing up: the account, and on the way to a shared task the team and the terms in the same form."""

from __future__ import annotations

from typing import Any

from allauth.account.forms import SignupForm
from django import forms
from django.db import transaction
from django.http import HttpRequest, HttpResponse

from competition.domain.accounts import accept_terms
from competition.domain.teams import create_team, is_name_taken
from competition.exceptions import NameRefused
from competition.models import SharedTask, Team, User
from competition.names import clean_name

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

    def clean(self) -> dict[str, Any]:
        cleaned: dict[str, Any] = super().clean() or self.cleaned_data
        if "terms" in self.fields and cleaned.get("team_name") and not cleaned.get("terms"):
            self.add_error("terms", "Please accept the terms to register the team.")
        return cleaned

    def try_save(self, request: HttpRequest) -> tuple[User | None, HttpResponse | None]:
        """The account and its team, both or neither. An address that is known gets the answer of a new one,
        and no team. Raises NameTaken when the name went a moment ago.
        """
        with transaction.atomic():
            user, answer = super().try_save(request)
            if user is not None:
                user.display_name = self.cleaned_data["display_name"]
                user.save(update_fields=["display_name"])
                self._register_team(user)
        return user, answer

    def _register_team(self, user: User) -> None:
        name = self.cleaned_data.get("team_name")
        if self.task is None or not name:
            return
        if "terms" in self.fields:
            accept_terms(user=user, task=self.task)
        create_team(task=self.task, name=name, captain=user, affiliation=self.cleaned_data["affiliation"])
