"""The account's own pages, where they differ from django-allauth's."""

from __future__ import annotations

from typing import Any

from allauth.account.decorators import reauthentication_required
from allauth.account.views import SignupView
from django.contrib import messages
from django.contrib.auth import logout
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import Resolver404, resolve
from django.utils.http import url_has_allowed_host_and_scheme
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from competition import clock
from competition.domain.accounts import delete_account
from competition.exceptions import NameRefused, Refused
from competition.forms.accounts import SignUpForm
from competition.models import SharedTask, Team
from competition.views.pages import show


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


@never_cache
@login_required
@reauthentication_required(allow_get=True)
@require_http_methods(["GET", "HEAD", "POST"])
def delete(request: HttpRequest) -> HttpResponse:
    """What goes and what stays; then, once the password was given again, the end of the account."""
    refusal = ""
    if request.method == "POST":
        try:
            delete_account(user=request.user)  # type: ignore[arg-type]
        except Refused as refused:
            refusal = refused.message
        else:
            logout(request)
            messages.success(request, "Your account is deleted.")
            return redirect("home")
    return show(
        request,
        "account/delete.html",
        now=clock.now(),
        status=409 if refusal else 200,
        refusal=refusal,
        teams=Team.objects.of(request.user).select_related("task"),
    )
