"""What every answer carries: an id to quote when something goes wrong, and a short list of permissions."""

from __future__ import annotations

import secrets
import time
from collections.abc import Callable

from django.http import HttpRequest, HttpResponse

from competition import logs

Answer = Callable[[HttpRequest], HttpResponse]

PERMISSIONS = ", ".join(
    f"{feature}=()"
    for feature in (
        "accelerometer",
        "browsing-topics",
        "camera",
        "display-capture",
        "geolocation",
        "gyroscope",
        "magnetometer",
        "microphone",
        "midi",
        "payment",
        "usb",
    )
)


class RequestId:
    """Give each request an id of our own; it stands in log, audit, answer and on error pages."""

    def __init__(self, get_response: Answer) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        identity = secrets.token_hex(8)
        request.request_id = identity  # type: ignore[attr-defined]
        token = logs.request_id.set(identity)
        started = time.perf_counter()
        try:
            response = self.get_response(request)
            logs.answered(request, response, time.perf_counter() - started)
        finally:
            logs.request_id.reset(token)
        response.headers["X-Request-ID"] = identity
        return response


class PermissionsPolicy:
    """Tell the browser that these pages use none of its devices."""

    def __init__(self, get_response: Answer) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        response = self.get_response(request)
        response.headers.setdefault("Permissions-Policy", PERMISSIONS)
        return response
