"""One's own tokens: what there is, when each was last used, a new one shown once, and revoking."""

from __future__ import annotations

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST

from competition import clock
from competition.domain.tokens import create_token, revoke_token
from competition.exceptions import Refused
from competition.forms.tokens import TokenForm
from competition.models import ApiToken
from competition.views.pages import show

SHOWN_ONCE = "token shown once"


@never_cache
@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def tokens(request: HttpRequest) -> HttpResponse:
    form = TokenForm(request.POST if request.method == "POST" else None)
    if form.is_valid():
        try:
            made = create_token(user=request.user, **form.cleaned_data)  # type: ignore[arg-type]
        except Refused as refusal:
            form.add_error(None, refusal.message)
        else:
            request.session[SHOWN_ONCE] = made.secret
            return redirect("api_tokens")
    return show(
        request,
        "account/tokens.html",
        now=clock.now(),
        status=422 if form.errors else 200,
        tokens=ApiToken.objects.of(request.user).filter(revoked_at=None),
        secret=request.session.pop(SHOWN_ONCE, "") if request.method == "GET" else "",
        form=form,
    )


@require_POST
@login_required
def revoke(request: HttpRequest, public_id: str) -> HttpResponse:
    token = get_object_or_404(ApiToken.objects.of(request.user), public_id=public_id)
    revoke_token(token=token, revoked_by=request.user)  # type: ignore[arg-type]
    messages.success(request, f"{token.name} is revoked. Programs that use it are turned away.")
    return redirect("api_tokens")
