"""Pages for what went wrong, and the same for programs. None of them needs the database; each says what to do
next.
"""

from __future__ import annotations

import sys
from contextlib import suppress

from django.db import InterfaceError, OperationalError
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.template.loader import render_to_string
from django.urls import Resolver404, resolve

from scoring.records import MIB

RETRY_SECONDS = 5

FOR_PROGRAMS = {
    400: ("bad_request", "The request could not be read. Nothing was sent or changed."),
    403: ("not_allowed", "This is not for you."),
    404: ("not_found", "There is nothing at this address."),
    405: ("method_not_allowed", "This address takes other methods: Allow names them. Nothing was changed."),
    429: ("too_often", "That was a little too often. Nothing was changed."),
    500: ("server_error", "Something broke on our side. Nothing of what you sent earlier is lost."),
    503: (
        "unavailable",
        "The database does not answer just now. Send the same request again in a few seconds.",
    ),
}
"""Status → code and message of an answer to a program that no page of the API gave itself."""


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
    answer = _plain(request, 503)
    answer.headers["Retry-After"] = str(RETRY_SECONDS)
    return answer


def csrf_failure(request: HttpRequest, reason: str = "") -> HttpResponse:
    return _plain(request, 403, "403_csrf.html")


def not_allowed_here(request: HttpRequest, refused: HttpResponse) -> HttpResponse:
    """Django refuses a method without a word. A page of it leads on: a form that was sent while nobody was
    logged in, say, is opened as a page after the log-in.
    """
    answer = _plain(request, 405, back=_above(request.path_info))
    if refused.has_header("Allow"):
        answer.headers["Allow"] = refused.headers["Allow"]
    return answer


def _above(path: str) -> str:
    """The nearest page above an address."""
    while path.count("/") > 1:
        path = f"{path.rstrip('/').rpartition('/')[0]}/"
        with suppress(Resolver404):
            resolve(path)
            return path
    return "/"


def too_many(request: HttpRequest) -> HttpResponse:
    return _plain(request, 429)


def too_large(request: HttpRequest, largest: int) -> HttpResponse:
    """Said before the request was read."""
    sentence = f"What was sent is larger than {largest // MIB} MiB, the most this address takes."
    if _by_program(request):
        return _as_json(request, 413, "too_large", sentence)
    return _plain(request, 413, sentence=sentence)


def _plain(request: HttpRequest, status: int, template: str = "", **more: str) -> HttpResponse:
    """Rendered without the request's context processors: those would ask who is logged in."""
    if _by_program(request):
        return _as_json(request, status, *FOR_PROGRAMS[status])
    part = request.headers.get("HX-Request") == "true"
    context = {"request_id": getattr(request, "request_id", ""), "part": part, **more}
    answer = HttpResponse(render_to_string(template or f"{status}.html", context), status=status)
    if part and request.method == "GET":
        # A page that looks again by itself goes on looking, or shows as a whole that it is gone.
        name, value = ("HX-Reswap", "none") if status == 429 or status >= 500 else ("HX-Refresh", "true")
        answer.headers[name] = value
    return answer


def _by_program(request: HttpRequest) -> bool:
    return request.path.startswith("/api/")


def _as_json(request: HttpRequest, status: int, code: str, sentence: str) -> JsonResponse:
    told = {"code": code, "message": sentence, "request_id": getattr(request, "request_id", "")}
    return JsonResponse({"error": told}, status=status)
