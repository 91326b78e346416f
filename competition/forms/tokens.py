"""Asking for a token."""

from __future__ import annotations

from django import forms

from competition.enums import TokenScope
from competition.models import ApiToken


class TokenForm(forms.Form):
    name = forms.CharField(
        label="Name",
        max_length=ApiToken._meta.get_field("name").max_length,
        help_text="So that you know later which program has it.",
    )
    scope = forms.ChoiceField(
        label="It may",
        choices=TokenScope.choices,
        initial=TokenScope.READ,
        widget=forms.RadioSelect,
        help_text="Give a program no more than it needs.",
    )
