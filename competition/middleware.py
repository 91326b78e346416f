"""What is asked of every request, and what every answer carries.

An id to quote when something goes wrong, a bound for what is sent, a short list of permissions, and for
organizers a second factor and a session that ends when nobody is there.
"""

from __future__ import annotations

import secrets
import time
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any

from allauth.account.adapter import get_adapter
from allauth.account.authentication import get_authentication_records
from django.conf import settings
from django.contrib import messages
from django.contrib.auth import logout
from django.contrib.auth.views import redirect_to_login
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import Resolver404, resolve, reverse
from django.utils.cache import patch_cache_control
from django.utils.http import parse_header_parameters, urlencode

from competition import logs, rules
from competition.models.tasks import LARGEST_LIMITS
from competition.views import errors
from scoring.records import MIB

if TYPE_CHECKING:
    from wsgiref.types import StartResponse, WSGIApplication, WSGIEnvironment

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


class MethodsExplained:
    """Turn Django's empty answer to a method that an address does not take into one that leads on."""

    def __init__(self, get_response: Answer) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        response = self.get_response(request)
        bare = response.status_code == 405 and not response.streaming and not response.content
        return errors.not_allowed_here(request, response) if bare else response


class KeptPrivate:
    """Let no shared cache keep what somebody with a session was shown: some heed no `Vary`."""

    def __init__(self, get_response: Answer) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        response = self.get_response(request)
        if settings.SESSION_COOKIE_NAME in request.COOKIES and not response.has_header("Cache-Control"):
            patch_cache_control(response, private=True)
        return response


LARGEST_BODY = MIB
LARGEST_UPLOAD = LARGEST_LIMITS.file_bytes + MIB
"""The largest file any track or organizer may send, and the form around it."""

TAKES_FILES = {"submit", "check", "api_runs", "competition_itemset_add", "competition_goldversion_add"}


CHARSETS = {"utf-8", "utf8", "us-ascii", "ascii", "iso-8859-1", "latin-1"}
UNREADABLE = "text/plain; charset=unreadable"


def is_readable(content_type: str) -> bool:
    """Whether Django can take this apart and decode by it; over some of the rest it breaks."""
    try:
        _, options = parse_header_parameters(content_type)
    except (LookupError, ValueError):
        return False
    return options.get("charset", "utf-8").lower() in CHARSETS


def with_readable_type(application: WSGIApplication) -> WSGIApplication:
    """Django reads the type while it makes the request, before any middleware could refuse it."""

    def answer(environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
        if not is_readable(environ.get("CONTENT_TYPE", "")):
            environ["CONTENT_TYPE"] = UNREADABLE
        return application(environ, start_response)

    return answer


class BoundedBody:
    """Refuse what announces more than its address takes, or a charset nobody knows, before a byte is read."""

    def __init__(self, get_response: Answer) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        if not is_readable(request.META.get("CONTENT_TYPE", "")):
            return errors.bad_request(request)
        announced = request.META.get("CONTENT_LENGTH") or "0"
        if announced.isdecimal() and int(announced) <= LARGEST_BODY:
            return self.get_response(request)
        largest = LARGEST_UPLOAD if _takes_files(request) else LARGEST_BODY
        if not announced.isdecimal() or int(announced) > largest:
            return errors.too_large(request, largest)
        return self.get_response(request)


def _takes_files(request: HttpRequest) -> bool:
    try:
        return resolve(request.path_info).url_name in TAKES_FILES
    except Resolver404:
        return False


IDLE_SECONDS = 30 * 60
NOTE_EVERY = 60
LAST_SEEN = "organizer last seen"


class OrganizerSession:
    """Ask more of those who may see everything.

    They are logged out when idle. Outside the demo every page asks for the second factor; who has none yet is
    led to where one is set up.
    """

    def __init__(self, get_response: Answer) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        if settings.SESSION_COOKIE_NAME in request.COOKIES and rules.may_organize(request.user):
            answer = self._idle(request) or self._without_second_factor(request)
            if answer is not None:
                return answer
        return self.get_response(request)

    def _idle(self, request: HttpRequest) -> HttpResponse | None:
        now, seen = int(time.time()), request.session.get(LAST_SEEN)
        if seen is not None and now - seen > IDLE_SECONDS:
            logout(request)
            messages.info(
                request, f"You were logged out after {IDLE_SECONDS // 60} minutes without a sign of you."
            )
            return redirect_to_login(request.get_full_path() if request.method == "GET" else "/")
        if seen is None or now - seen > NOTE_EVERY:
            request.session[LAST_SEEN] = now
        return None

    def _without_second_factor(self, request: HttpRequest) -> HttpResponse | None:
        if settings.DEMO or has_shown_second_factor(request):
            return None
        methods = get_adapter().get_reauthentication_methods(request.user)
        ways = [method["url"] for method in methods if method["id"].startswith("mfa")]
        # The desk's own log-in asks for no code: a factor must not be taken off behind it.
        open_to_them = (*ways, reverse("account_logout")) if ways else (_accounts(),)
        if request.path.startswith(open_to_them):
            return None
        if not ways:
            messages.warning(
                request, "Organizers need a second factor. Set up an authenticator app or a security key."
            )
            return redirect("mfa_index")
        there = request.get_full_path() if request.method == "GET" else "/"
        return redirect(f"{ways[0]}?{urlencode({'next': there})}")


def _accounts() -> str:
    """What addresses of the account's own pages begin with."""
    return reverse("account_login").removesuffix("login/")


def note_log_in(request: HttpRequest, user: Any, **_: Any) -> None:
    """A log-in is a sign of somebody: the first page then has nothing to write."""
    if rules.may_organize(user):
        request.session[LAST_SEEN] = int(time.time())


def has_shown_second_factor(request: HttpRequest) -> bool:
    """Whether this session was opened, or confirmed later, with an app's code, a key or a recovery code."""
    return any(record["method"] == "mfa" for record in get_authentication_records(request, request.user))


def client_address(request: HttpRequest) -> str:
    """Where a request came from, past the proxies we know; empty where nobody can say. Limits count by it."""
    try:
        return str(get_adapter().get_client_ip(request))
    except PermissionDenied:
        return ""


def username_tried(request: HttpRequest | None, credentials: dict[str, Any] | None) -> str:
    """The account a log-in aims at, in one spelling: log-in takes addresses in any case.

    The desk calls it `username`, the site's own log-in `login` and `email`. Without all three, five slips of
    anybody would lock everybody behind the same address.
    """
    sent = request.POST.dict() if request else {}
    # What is really tried first: a field more in the form would have each guess counted for somebody else.
    given = (credentials or {}, sent)
    named = (of[name] for of in given for name in ("username", "email", "login") if of.get(name))
    return str(next(named, "")).strip().lower()


def locked_out(request: HttpRequest, answer: HttpResponse | None, credentials: Any) -> HttpResponse:
    """What a locked log-in is answered: the page of every other limit."""
    return errors.too_many(request)
