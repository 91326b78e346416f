"""The site object of the desk."""

from __future__ import annotations

from typing import Any

from allauth.account.decorators import reauthentication_required
from django import forms
from django.conf import settings
from django.contrib.admin import AdminSite
from django.contrib.admin.forms import AdminAuthenticationForm
from django.contrib.contenttypes.models import ContentType
from django.contrib.contenttypes.views import shortcut
from django.http import Http404, HttpRequest, HttpResponse
from django.template.response import TemplateResponse
from django.urls import URLPattern, URLResolver, path

from competition import clock, rules
from competition.queries.desk import attention

confirm_first = reauthentication_required(enabled=lambda request: not settings.DEMO)
"""For what cannot be taken back: ask who is there, unless that was confirmed within five minutes."""


def asked_to_type(expected: str) -> str:
    """The label of the second step: typing what is about to change, so that nobody does it by a slip."""
    return f"Type {expected} to go on"


def require_typed(typed: str, expected: str) -> None:
    if typed.strip() != expected:
        raise forms.ValidationError(f"This is not {expected}." if typed else f"{asked_to_type(expected)}.")


class DeskLogInForm(AdminAuthenticationForm):
    """People log in with their e-mail address; Django calls the field by another name."""

    error_messages = {
        **AdminAuthenticationForm.error_messages,
        "invalid_login": "E-mail address and password do not fit an account that may use the desk.",
    }

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["username"].label = "E-mail"
        self.fields["username"].widget = forms.EmailInput({"autofocus": True, "autocomplete": "email"})


class Desk(AdminSite):
    login_form = DeskLogInForm
    site_header = "Podium: organizers' desk"
    site_title = "Podium desk"
    index_title = "What would you like to look after?"
    index_template = "admin/competition/desk.html"
    enable_nav_sidebar = False

    def has_permission(self, request: HttpRequest) -> bool:
        """Superusers, and staff who organize something."""
        user = request.user
        if not user.is_authenticated or not user.is_active or not user.is_staff:
            return False
        return rules.is_superuser(user) or user.organizer_roles.exists()

    def index(self, request: HttpRequest, extra_context: dict[str, Any] | None = None) -> TemplateResponse:
        """What needs somebody comes first."""
        context = {"attention": attention(request.user, clock.now()), **(extra_context or {})}
        return super().index(request, context)

    def get_urls(self) -> list[URLPattern | URLResolver]:
        there = "r/<path:content_type_id>/<path:object_id>/"
        return [path(there, self.admin_view(self.view_on_site), name="view_on_site"), *super().get_urls()]

    def view_on_site(self, request: HttpRequest, content_type_id: str, object_id: str) -> HttpResponse:
        """Lead to the page of a row that this organizer has on the desk. Django's own leads to any row, and
        so tells the addresses of drafts and the ids of other people's runs.
        """
        kind = ContentType.objects.filter(pk=content_type_id).first() if content_type_id.isdecimal() else None
        model = kind.model_class() if kind else None
        listed = self._registry.get(model) if model else None
        row = listed.get_object(request, object_id) if listed else None
        if listed is None or row is None or not listed.has_view_permission(request, row):
            raise Http404
        return shortcut(request, content_type_id, object_id)


desk = Desk(name="admin")
