"""What signing up asks beside the address and the password."""

from __future__ import annotations

from django import forms
from django.http import HttpRequest

from competition.models import User


class SignupDetails(forms.Form):
    """Mixed into the sign-up form by django-allauth, which calls `signup` once the user is made."""

    display_name = forms.CharField(
        label="Your name",
        max_length=User._meta.get_field("display_name").max_length,
        required=False,
        help_text="Shown to your team. Without one you are “member” and a few letters.",
        widget=forms.TextInput(attrs={"autocomplete": "name"}),
    )
    field_order = ["email", "display_name", "password1", "password2"]

    def signup(self, request: HttpRequest, user: User) -> None:
        user.display_name = self.cleaned_data["display_name"]
        user.save(update_fields=["display_name"])
