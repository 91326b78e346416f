"""The account's own pages, where they differ from django-allauth's."""

from __future__ import annotations

from typing import Any

from allauth.account.views import SignupView
from django.http import HttpResponse
from django.urls import Resolver404, resolve
from django.utils.http import url_has_allowed_host_and_scheme

from competition.exceptions import NameRefused
from competition.forms.accounts import SignUpForm
from competition.models import SharedTask


class SignUp(SignupView):
    """Account, team and terms in one form when the visitor comes from a shared task."""

    def get_form_kwargs(self) -> dict[str, Any]:
        return {**super().get_form_kwargs(), "task": self._task()}

    def form_valid(self, form: SignUpForm) -> HttpResponse:
        try:
            return super().form_valid(form)
        except NameRefused as refusal:
            form.add_error("team_name", refusal.message)
            return self.form_invalid(form)

    def _task(self) -> SharedTask | None:
        """The shared task of the page that `next` leads back to."""
        address = self.request.POST.get("next") or self.request.GET.get("next") or ""
        if not url_has_allowed_host_and_scheme(address, allowed_hosts=None):
            return None
        try:
            slug = resolve(address.partition("?")[0]).kwargs.get("task", "")
        except Resolver404:
            return None
        return SharedTask.objects.visible_to(self.request.user).filter(slug=slug).first()
