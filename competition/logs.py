"""One JSON object a line, each with the id of the request it belongs to."""

from __future__ import annotations

import json
import logging
from contextvars import ContextVar
from datetime import UTC, datetime

from django.http import HttpRequest, HttpResponse

request_id: ContextVar[str] = ContextVar("request_id", default="")
"""The id of the request being answered; empty in workers and commands."""


log = logging.getLogger("competition.requests")

QUIET = ("healthz", "readyz")
NO_PAGE = "no page"


def answered(request: HttpRequest, response: HttpResponse, seconds: float) -> None:
    """Log one answer. The pattern of the address, never the address: it may hold an invitation's secret."""
    match = request.resolver_match
    if match is not None and match.url_name in QUIET and response.status_code < 400:
        return
    told = {
        "method": request.method,
        "route": _route(request),
        "status": response.status_code,
        "ms": round(seconds * 1000, 1),
    }
    log.info("%s %s %s", told["method"], told["route"] or NO_PAGE, told["status"], extra={"told": told})


def _route(request: HttpRequest) -> str:
    match = request.resolver_match
    return (match.route or "/") if match else ""


def _message(record: logging.LogRecord) -> str:
    """What is said, with the pattern in place of an address: Django names the address of what it refused."""
    said = record.getMessage()
    request = getattr(record, "request", None)
    if isinstance(request, HttpRequest):
        said = said.replace(request.path, _route(request) or NO_PAGE)
    return said


class JSONFormatter(logging.Formatter):
    """What a record tells with `extra={"told": {...}}` stands beside its message."""

    def format(self, record: logging.LogRecord) -> str:
        line = {
            "at": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname.lower(),
            "logger": record.name,
            "message": _message(record),
            "request_id": request_id.get(),
            **getattr(record, "told", {}),
        }
        if record.exc_info:
            line["traceback"] = self.formatException(record.exc_info)
        return json.dumps(line, ensure_ascii=False)
