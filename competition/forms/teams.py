"""Creating a team and joining one."""

from __future__ import annotations

from typing import Any

from django import forms

from competition.exceptions import NameRefused
from competition.models import Team
from competition.names import clean_name


class TermsForm(forms.Form):
    """Asks for the task's terms, unless there are none or this person accepted them as they read now."""

    terms = forms.BooleanField(
        label="I accept the terms of the task",
        error_messages={"required": "Please accept the terms to go on."},
    )

    def __init__(self, *args: Any, ask_terms: bool, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if not ask_terms:
            del self.fields["terms"]


class NameForm(forms.Form):
    name = forms.CharField(
        label="Team name",
        max_length=Team._meta.get_field("name").max_length,
        strip=False,
        help_text="Any script, up to 60 characters. It stands on the leaderboards.",
    )

    def clean_name(self) -> str:
        try:
            return clean_name(self.cleaned_data["name"])
        except NameRefused as refusal:
            raise forms.ValidationError(refusal.message) from refusal


class TeamForm(TermsForm, NameForm):
    affiliation = forms.CharField(
        label="Affiliation", max_length=Team._meta.get_field("affiliation").max_length, required=False
    )
    country = forms.CharField(
        label="Country", max_length=Team._meta.get_field("country").max_length, required=False
    )
    contact = forms.EmailField(
        label="Contact address", required=False, help_text="For the organizers only; never shown on a page."
    )
    field_order = ["name", "affiliation", "country", "contact", "terms"]

    def details(self) -> dict[str, str]:
        """What `create_team` takes."""
        return {key: value for key, value in self.cleaned_data.items() if key != "terms"}
