"""The account's own pages, where they differ from django-allauth's."""

from __future__ import annotations

from functools import partial
from typing import Any

from allauth.account.decorators import reauthentication_required
from allauth.account.views import ConfirmEmailView, EmailView, PasswordResetView, SignupView
from allauth.decorators import rate_limit
from django.conf import settings
from django.contrib import messages
from django.contrib.auth import logout, update_session_auth_hash
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import redirect
from django.urls import Resolver404, resolve
from django.utils.decorators import method_decorator
from django.utils.http import url_has_allowed_host_and_scheme
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from competition import clock
from competition.authentication import is_here
from competition.domain.accounts import change_address, claim_address, delete_account
from competition.exceptions import NameRefused, Refused, TooOften
from competition.forms.accounts import AddressForm, ResetForm, SignUpForm
from competition.models import SharedTask, Team, User
from competition.views import errors
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
        except TooOften:
            return errors.too_many(self.request)

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


@method_decorator(never_cache, name="dispatch")
class ConfirmAddress(ConfirmEmailView):
    """Where a letter's link leads: what confirming means, and the button for who is logged in to the account.

    Anybody else reads whose account it is and what to do. A look logs nobody in or out.
    """

    def dispatch(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
        try:
            self.object = self.get_object()
        except Http404:
            self.object = None
            if request.user.is_authenticated:
                return redirect("account_email")
        self.here = self.object is not None and is_here(request, self.object.email_address.user_id)
        return super().dispatch(request, *args, **kwargs)

    def get(self, *args: Any, **kwargs: Any) -> HttpResponse:
        return self.render_to_response(self.get_context_data())

    def post(self, *args: Any, **kwargs: Any) -> HttpResponse:
        if not self.here:
            return self.render_to_response(self.get_context_data(), status=403 if self.object else 410)
        return super().post(*args, **kwargs)

    def get_context_data(self, **kwargs: Any) -> dict[str, Any]:
        return {**super().get_context_data(**kwargs), "here": self.here}


class PasswordReset(PasswordResetView):
    """A way to a new password, where mail is set up."""

    def dispatch(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
        if not settings.EMAIL_CONFIGURED:
            return show(request, "account/no_reset.html", now=clock.now())
        return super().dispatch(request, *args, **kwargs)

    def form_valid(self, form: ResetForm) -> HttpResponse:
        """The letter is written when the answer is out: how long that takes would tell who has an account."""
        answer = super().form_valid(form)
        if answer.status_code == 302:
            answer._resource_closers.append(partial(form.write, self.request))
        return answer


@method_decorator([login_required, rate_limit(action="manage_email")], name="dispatch")
class Addresses(EmailView):
    """Addresses that are verified by mail, as django-allauth does it."""

    def dispatch(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
        """Past its own, which would write the row of an address where one is missing, on a look as well."""
        self._did_send_verification_email = False
        return super(EmailView, self).dispatch(request, *args, **kwargs)


_addresses = Addresses.as_view()


@never_cache
@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def email(request: HttpRequest) -> HttpResponseBase:
    """Where mail is set up, the addresses; where it is not, the one to log in with."""
    if settings.EMAIL_CONFIGURED:
        return _addresses(request)
    user: User = request.user  # type: ignore[assignment]
    form = AddressForm(request.POST or None, user=user)
    if request.method == "POST" and form.is_valid():
        given = form.cleaned_data
        try:
            claim_address(given["email"])
        except TooOften:
            return errors.too_many(request)
        user = change_address(user=user, address=given["email"], password=given["password"])
        update_session_auth_hash(request, user)
        messages.success(request, f"You log in with {user.email} from now on.")
        return redirect("account_email")
    return show(request, "account/address.html", now=clock.now(), form=form)


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
