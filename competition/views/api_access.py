"""Who asks the API, how often, and how it says no.

Only a token opens the API: no cookie is looked at, so no other site can use a visitor's browser for it.
"""

from __future__ import annotations

from collections.abc import Callable
from math import ceil
from typing import Any

from django.core.exceptions import SuspiciousOperation
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.http.multipartparser import MultiPartParserError
from django.views.decorators.cache import never_cache
from django.views.decorators.csrf import csrf_exempt

from competition import clock
from competition.domain.throttle import wait_until
from competition.domain.tokens import find_token
from competition.enums import TokenScope
from competition.exceptions import CannotSubmit, NotAllowed, NotChecked, QuotaUsedUp, TooOften
from competition.models import User

REQUESTS = 240
WINDOW = 60
"""So many requests a person's programs may make in so many seconds."""

Endpoint = Callable[..., HttpResponse]


def api(**endpoints: Endpoint) -> Endpoint:
    """One address: a function for each method it takes, called with the request and the person who asks."""

    @csrf_exempt
    @never_cache
    def view(request: HttpRequest, **parts: str) -> HttpResponse:
        endpoint = endpoints.get(request.method or "")
        if endpoint is None:
            answer = error(405, "method_not_allowed", f"This address takes {' and '.join(endpoints)}.")
            answer["Allow"] = ", ".join(endpoints)
            return answer
        return _ask(endpoint, request, parts)

    return view


def submits(endpoint: Endpoint) -> Endpoint:
    """Mark a function that needs a token which may submit."""
    endpoint.scope = TokenScope.SUBMIT  # type: ignore[attr-defined]
    return endpoint


def _ask(endpoint: Endpoint, request: HttpRequest, parts: dict[str, str]) -> HttpResponse:
    moment = clock.now()
    scheme, _, secret = request.headers.get("Authorization", "").partition(" ")
    token = find_token(secret.strip(), moment=moment) if scheme.lower() == "bearer" else None
    if token is None:
        answer = error(401, "token_needed", "Send a live token: Authorization: Bearer podium_…")
        answer["WWW-Authenticate"] = 'Bearer realm="Podium"'
        return answer
    scope = getattr(endpoint, "scope", TokenScope.READ)
    if not token.allows(scope):
        return error(403, "scope_needed", f"This token may only {token.get_scope_display()}.")
    again_at = wait_until(f"api {token.user_id}", most=REQUESTS, seconds=WINDOW, moment=moment)
    if again_at is not None:
        return _later(
            TooOften(f"{REQUESTS} requests in {WINDOW} seconds are the most.", again_at), moment=moment
        )
    return _answered(endpoint, request, token.user, parts)


def _answered(endpoint: Endpoint, request: HttpRequest, user: User, parts: dict[str, str]) -> HttpResponse:
    """The endpoint's answer; refusals of the domain as JSON, in the words pages show."""
    try:
        return endpoint(request, user, **parts)
    except Http404:
        return error(404, "not_found", "There is nothing here, or nothing this token may see.")
    except TooOften as refusal:
        return _later(refusal, moment=clock.now())
    except (SuspiciousOperation, MultiPartParserError):
        return error(400, "bad_request", "The request cannot be read as multipart/form-data.")
    except NotChecked as refusal:
        answer = error(503, "not_checked", refusal.message)
        answer["Retry-After"] = "60"
        return answer
    except QuotaUsedUp as refusal:
        return error(409, "quota_used_up", refusal.message)
    except CannotSubmit as refusal:
        return error(409, "cannot_submit", refusal.message)
    except NotAllowed as refusal:
        return error(403, "not_allowed", refusal.message)


def error(status: int, code: str, message: str, **more: Any) -> JsonResponse:
    return answer({"error": {"code": code, "message": message, **more}}, status=status)


def answer(content: Any, *, status: int = 200) -> JsonResponse:
    return JsonResponse(content, status=status, safe=False, json_dumps_params={"ensure_ascii": False})


def _later(refusal: TooOften, *, moment: Any) -> HttpResponse:
    answer = error(429, "too_often", refusal.message)
    answer["Retry-After"] = str(max(1, ceil((refusal.again_at - moment).total_seconds())))
    return answer
