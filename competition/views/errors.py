"""Pages for what went wrong. None of them needs the database; each says what to do next."""

from __future__ import annotations

import sys

from django.db import InterfaceError, OperationalError
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.template.loader import render_to_string

from scoring.records import MIB

RETRY_SECONDS = 5


def bad_request(request: HttpRequest, exception: Exception | None = None) -> HttpResponse:
    return _plain(request, 400)


def forbidden(request: HttpRequest, exception: Exception | None = None) -> HttpResponse:
    return _plain(request, 403)


def not_found(request: HttpRequest, exception: Exception | None = None) -> HttpResponse:
    return _plain(request, 404)


def server_error(request: HttpRequest) -> HttpResponse:
    """A page that broke. Where the database was away: 503 and when to come back, a matter of seconds."""
    if isinstance(sys.exc_info()[1], OperationalError | InterfaceError):
        return unavailable(request)
    return _plain(request, 500)


def unavailable(request: HttpRequest) -> HttpResponse:
    """The database does not answer just now. Nothing that was promised is lost."""
    answer: HttpResponse
    if request.path.startswith("/api/"):
        sentence = "The database does not answer just now. Send the same request again in a few seconds."
        answer = JsonResponse({"error": {"code": "unavailable", "message": sentence}}, status=503)
    else:
        answer = _plain(request, 503)
    answer.headers["Retry-After"] = str(RETRY_SECONDS)
    return answer


def csrf_failure(request: HttpRequest, reason: str = "") -> HttpResponse:
    return _plain(request, 403, "403_csrf.html")


def too_many(request: HttpRequest) -> HttpResponse:
    return _plain(request, 429)


def too_large(request: HttpRequest, largest: int) -> HttpResponse:
    """Said before the request was read."""
    sentence = f"What was sent is larger than {largest // MIB} MiB, the most this address takes."
    if request.path.startswith("/api/"):
        return JsonResponse({"error": {"code": "too_large", "message": sentence}}, status=413)
    return _plain(request, 413, sentence=sentence)


def _plain(request: HttpRequest, status: int, template: str = "", **more: str) -> HttpResponse:
    """Rendered without the request's context processors: those would ask who is logged in."""
    context = {"request_id": getattr(request, "request_id", ""), **more}
    return HttpResponse(render_to_string(template or f"{status}.html", context), status=status)
