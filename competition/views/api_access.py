"""Who asks the API, how often, and how it says no.

Only a token opens what is anybody's own: no cookie is looked at, so no other site can use a visitor's browser
for it.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from functools import wraps
from math import ceil
from typing import Any

from django.contrib.auth.models import AnonymousUser
from django.core.exceptions import SuspiciousOperation
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseNotModified, JsonResponse
from django.http.multipartparser import MultiPartParserError
from django.urls import reverse
from django.utils.cache import add_never_cache_headers, patch_cache_control, patch_vary_headers
from django.utils.http import parse_etags
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
    def view(request: HttpRequest, **parts: str) -> HttpResponse:
        answer: HttpResponse
        endpoint = endpoints.get(request.method or "")
        if endpoint is None:
            answer = error(405, "method_not_allowed", f"This address takes {' and '.join(endpoints)}.")
            answer["Allow"] = ", ".join(endpoints)
        else:
            answer = _ask(endpoint, request, parts)
        return _kept_apart(answer)

    view.endpoints = endpoints  # type: ignore[attr-defined]
    return view


def gives(**answers: str) -> Callable[[Endpoint], Endpoint]:
    """Say what a function answers besides refusals: `ok="Run"` names the schema of a 200, `made` of a 201,
    `faulty` of a 422.
    """

    def mark(endpoint: Endpoint) -> Endpoint:
        endpoint.gives = answers  # type: ignore[attr-defined]
        return endpoint

    return mark


def revalidates(endpoint: Endpoint) -> Endpoint:
    """Give what a function answers an ETag, and 304 to a program that has it already."""

    @wraps(endpoint)
    def answered(request: HttpRequest, *arguments: Any, **parts: str) -> HttpResponse:
        found = endpoint(request, *arguments, **parts)
        tag = f'"{hashlib.sha256(found.content).hexdigest()}"'
        known = {one.removeprefix("W/") for one in parse_etags(request.headers.get("If-None-Match", ""))}
        if known & {tag, "*"}:
            found = HttpResponseNotModified()
        found["ETag"] = tag
        return found

    answered.revalidates = True  # type: ignore[attr-defined]
    return answered


def _kept_apart(answer: HttpResponse) -> HttpResponse:
    """One person's answer is nobody else's; what has an ETag may be kept, and asked for again each time."""
    if "ETag" in answer:
        patch_cache_control(answer, private=True, no_cache=True)
        patch_vary_headers(answer, ["Authorization"])
    else:
        add_never_cache_headers(answer)
    return answer


def submits(endpoint: Endpoint) -> Endpoint:
    """Mark a function that needs a token which may submit."""
    endpoint.scope = TokenScope.SUBMIT  # type: ignore[attr-defined]
    return endpoint


def needs_no_token(endpoint: Endpoint) -> Endpoint:
    """Mark a function that answers everybody, and nobody in particular."""
    endpoint.scope = None  # type: ignore[attr-defined]
    return endpoint


def scope_of(endpoint: Endpoint) -> TokenScope | None:
    """What a token must allow; None where none is needed."""
    return getattr(endpoint, "scope", TokenScope.READ)


def _ask(endpoint: Endpoint, request: HttpRequest, parts: dict[str, str]) -> HttpResponse:
    scope = scope_of(endpoint)
    if scope is None:
        return _answered(endpoint, request, AnonymousUser(), parts)
    moment = clock.now()
    scheme, _, secret = request.headers.get("Authorization", "").partition(" ")
    token = find_token(secret.strip(), moment=moment) if scheme.lower() == "bearer" else None
    if token is None:
        answer = error(401, "token_needed", "Send a live token: Authorization: Bearer podium_…")
        answer["WWW-Authenticate"] = 'Bearer realm="Podium"'
        return answer
    if not token.allows(scope):
        return error(403, "scope_needed", f"This token may only {token.get_scope_display()}.")
    again_at = wait_until(f"api {token.user_id}", most=REQUESTS, seconds=WINDOW, moment=moment)
    if again_at is not None:
        return _later(
            TooOften(f"{REQUESTS} requests in {WINDOW} seconds are the most.", again_at), moment=moment
        )
    return _answered(endpoint, request, token.user, parts)


def _answered(
    endpoint: Endpoint, request: HttpRequest, user: User | AnonymousUser, parts: dict[str, str]
) -> HttpResponse:
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


def here(request: HttpRequest, name: str, *parts: str) -> str:
    """The full address of one of ours."""
    return request.build_absolute_uri(reverse(name, args=parts))


def _later(refusal: TooOften, *, moment: Any) -> HttpResponse:
    answer = error(429, "too_often", refusal.message)
    answer["Retry-After"] = str(max(1, ceil((refusal.again_at - moment).total_seconds())))
    return answer
