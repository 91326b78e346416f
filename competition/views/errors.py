"""Pages for what went wrong. None of them needs the database; each says what to do next."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.template.loader import render_to_string


def bad_request(request: HttpRequest, exception: Exception | None = None) -> HttpResponse:
    return _plain(request, 400)


def forbidden(request: HttpRequest, exception: Exception | None = None) -> HttpResponse:
    return _plain(request, 403)


def not_found(request: HttpRequest, exception: Exception | None = None) -> HttpResponse:
    return _plain(request, 404)


def server_error(request: HttpRequest) -> HttpResponse:
    return _plain(request, 500)


def csrf_failure(request: HttpRequest, reason: str = "") -> HttpResponse:
    return _plain(request, 403, "403_csrf.html")


def _plain(request: HttpRequest, status: int, template: str = "") -> HttpResponse:
    """Rendered without the request's context processors: those would ask who is logged in."""
    context = {"request_id": getattr(request, "request_id", "")}
    return HttpResponse(render_to_string(template or f"{status}.html", context), status=status)
