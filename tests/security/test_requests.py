"""What requests must bring and answers carry: CSRF tokens, headers, bounded bodies, the right host."""

from __future__ import annotations

import io
import os
import re
import secrets
import subprocess
import sys
import time
from pathlib import Path
from typing import Any
from wsgiref.util import setup_testing_defaults

import pytest
from django.conf import settings
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import override_settings

from competition.wsgi import application
from tests.security.desk import DESK
from tests.security.places import ONLY_POST, SITE
from tests.support.crawler import Rows, addresses, body_of, undone
from tests.support.roles import Everyone, gather, run_lines

pytestmark = pytest.mark.django_db


@pytest.fixture
def everyone() -> Everyone:
    return gather()


TAKES_ANYBODYS = "/check/"
"""Checking keeps nothing, needs no account and shows public rules only: there is nothing to forge."""


def test_no_unsafe_request_gets_in_without_its_token(everyone: Everyone) -> None:
    """As a superuser's browser would be sent from another site: cookies, but no token."""
    client = everyone.as_("superuser", enforce_csrf_checks=True)
    rows = {id(row): row for row in (SITE | DESK).values()}.values()
    places = [place for row in rows for place in row(everyone) if not place.by_token]
    places = [place for place in places if not place.address.endswith(TAKES_ANYBODYS)]
    rows_before = Rows()
    let_in = [
        f"{method} {place.address}: {status}"
        for place in places
        for method in ("POST", "PUT", "PATCH", "DELETE")
        if (status := client.generic(method, place.address).status_code) not in (403, 404, 405, 301, 302)
        or (method == "POST" and place.answers is ONLY_POST and status not in (403, 404))
    ]
    assert not let_in, "\n".join(let_in)
    assert not rows_before.changed()
    assert len(places) > 150


def test_the_api_looks_at_no_cookie(everyone: Everyone) -> None:
    client = everyone.as_("member", enforce_csrf_checks=True)
    for address in ("/api/v1/tasks/", f"/api/v1{everyone.address}dev/submissions/"):
        assert client.get(address).status_code == 401
    sent = {"file": SimpleUploadedFile("run.jsonl", run_lines("again"))}
    assert client.post(f"/api/v1{everyone.address}dev/submissions/", sent).status_code == 401


POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self'; "
    "connect-src 'self'; manifest-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)
ALWAYS = {
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
}
CLASSES = {
    "page": "/",
    "page of a person": "/accounts/email/",
    "desk": "/admin/",
    "file": "/tasks/ebisu/answers/data/dev/items.jsonl",
    "missing": "/nothing",
    "method refused": "/accounts/logout/x",
    "machine": "/healthz",
    "interface": "/api/v1/tasks/",
    "redirect": "/tasks/ebisu",
}


@pytest.mark.parametrize("kind", CLASSES)
def test_every_class_of_answer_carries_the_headers(everyone: Everyone, kind: str) -> None:
    answer: Any = everyone.as_("superuser").get(CLASSES[kind])
    assert {name: answer.headers.get(name) for name in ALWAYS} == ALWAYS
    policy = {part.strip() for part in answer.headers["Content-Security-Policy"].split(";")}
    assert policy == {part.strip() for part in POLICY.split(";")}
    assert "camera=()" in answer.headers["Permissions-Policy"]
    assert re.fullmatch(r"[0-9a-f]{16}", answer.headers["X-Request-ID"])
    assert "Server" not in answer.headers
    body = body_of(answer).decode("utf-8", "replace")
    assert not re.search(
        r"<script(?![^>]*\bsrc=)[^>]*>(?!\s*</script>)|\son\w+=\"|style=\"", body.split("<body")[0]
    )


def test_downloads_never_open_as_pages(everyone: Everyone) -> None:
    client = everyone.as_("member")
    board = everyone.boards["published"].public_id
    for address in (
        "/tasks/ebisu/answers/data/dev/items.jsonl",
        f"/boards/{board}.csv",
        f"/boards/{board}.json",
        f"{everyone.refused.get_absolute_url()}problems.csv",
    ):
        answer = client.get(address)
        assert answer.status_code == 200
        assert answer.headers["Content-Disposition"].startswith("attachment")
        assert "html" not in answer.headers["Content-Type"]


@pytest.mark.parametrize("host", ["evil.example.net", "localhost.evil.example.net", "localhost@evil", "a b"])
def test_another_host_is_refused(everyone: Everyone, host: str) -> None:
    answer = everyone.as_("visitor").get("/", headers={"Host": host})
    assert answer.status_code == 400
    assert host.encode() not in answer.content


ELSEWHERE = (
    *("https://evil.example.net", "//evil.example.net", "///evil.example.net", "/\\evil.example.net"),
    *("http:evil.example.net", "javascript:alert(1)", "https:/evil.example.net", "\\\\evil.example.net"),
    *("https://testserver@evil.example.net", " https://evil.example.net", "\thttps://evil.example.net"),
    *("https://evil.example.net/testserver", "data:text/html,x", "//evil%2eexample.net", "ftp://testserver/"),
)


@pytest.mark.parametrize("address", ["/accounts/login/", "/tasks/ebisu/teams/new/", "/accounts/logout/"])
def test_nobody_is_led_elsewhere(everyone: Everyone, address: str) -> None:
    sends = {
        "/accounts/login/": {"login": everyone.people["observer"].email, "password": "correct horse battery"},  # type: ignore[union-attr]
        "/tasks/ebisu/teams/new/": {"name": "Wanderers", "terms": "on"},
        "/accounts/logout/": {},
    }
    for elsewhere in ELSEWHERE:
        role = "visitor" if "login" in address else "observer"
        with undone():
            answer = everyone.as_(role).post(address, {**sends[address], "next": elsewhere})
        assert answer.status_code == 302, (elsewhere, answer.status_code)
        assert answer["Location"].startswith("/"), elsewhere
        assert not answer["Location"].startswith(("//", "/\\")), elsewhere


def test_a_body_that_announces_too_much_is_refused_unread(everyone: Everyone) -> None:
    client = everyone.as_("member")
    for address, announced, status in (
        (f"{everyone.address}submit/?phase=dev", 60 * 1024 * 1024, 413),
        ("/accounts/login/", 2 * 1024 * 1024, 413),
        ("/tasks/ebisu/teams/new/", 2 * 1024 * 1024, 413),
    ):
        answer = client.post(
            address,
            data=b"x",
            content_type="application/x-www-form-urlencoded",
            CONTENT_LENGTH=str(announced),
        )
        assert answer.status_code == status, address


BOMBS = {
    "deep": b'{"task_id": "q0", "answer": ' + b"[" * 200_000 + b"]" * 200_000 + b"}\n",
    "deep objects": b'{"a":' * 100_000 + b"1" + b"}" * 100_000 + b"\n",
    "open": b"[" * 500_000,
    "digits": b'{"task_id": "q0", "answer": ' + b"9" * 500_000 + b"}\n",
    "keys": b"{" + b",".join(b'"k%d": 1' % n for n in range(60_000)) + b"}\n",
    "lines": b"{}\n" * 300_000,
    "quotes": b'"' * 800_000 + b"\n",
    "escapes": b'{"task_id": "' + b"\\u0041" * 130_000 + b'"}\n',
    "growing": b'{"task_id": "q0", "answer": "' + "\ufdfa".encode() * 20_000 + b'"}\n',
    "marks": b'{"task_id": "q0", "answer": "a' + "\u0301".encode() * 300_000 + b'"}\n',
}
SECONDS = 10.0
"""A bound for a busy machine; each takes well under one second on a quiet one."""


@pytest.mark.parametrize("name", BOMBS)
def test_a_bomb_is_refused_in_bounded_time(everyone: Everyone, name: str) -> None:
    client = everyone.as_("member")
    begun = time.process_time()
    answer = client.post(
        f"{everyone.address}submit/?phase=dev", {"file": SimpleUploadedFile("run.jsonl", BOMBS[name])}
    )
    assert answer.status_code == 302
    assert answer["Location"].startswith("/refused/")
    page = client.get(answer["Location"])
    assert page.status_code == 200
    assert len(page.content) < 300_000
    assert time.process_time() - begun < SECONDS


def test_check_deploy_has_nothing_to_say(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "manage.py", "check", "--deploy", "--fail-level", "WARNING"],
        cwd=settings.BASE_DIR,
        env={
            "PATH": os.environ["PATH"],
            "SECRET_KEY": secrets.token_urlsafe(48),
            "ALLOWED_HOSTS": "podium.example.org",
            "PODIUM_DATA_DIR": str(tmp_path),
            "DATABASE_URL": f"sqlite:///{tmp_path}/check.sqlite3",
        },
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-2_000:]


def test_cookies_are_kept_from_scripts_and_other_sites(everyone: Everyone) -> None:
    with override_settings(SESSION_COOKIE_SECURE=True, CSRF_COOKIE_SECURE=True):
        client = everyone.as_("visitor")
        person = everyone.people["observer"]
        assert person is not None
        answer = client.post(
            "/accounts/login/", {"login": person.email, "password": "correct horse battery"}, secure=True
        )
    for name in ("sessionid", "csrftoken"):
        cookie = answer.cookies[name]
        assert cookie["secure"]
        assert cookie["httponly"]
        assert cookie["samesite"] == "Lax"


NUL = "\x00"
"""Text that PostgreSQL cannot hold, and so cannot look for either."""


def test_no_address_breaks_over_a_nul(everyone: Everyone) -> None:
    """In any part of any address, for whoever may look furthest."""
    asked = [re.sub(r"<[^>]+>", "%00", f"/{route}") for route, _ in addresses() if "<" in route]
    clients = [everyone.as_("superuser", raise_request_exception=False), everyone.program_of("member")]
    broken = [
        f"{address}: {status}"
        for address in asked
        for client in clients
        if (status := client.get(address).status_code) >= 500
    ]
    assert not broken, "\n".join(broken)
    assert len(asked) > 60


def test_no_form_breaks_over_a_nul(everyone: Everyone) -> None:
    fields = dict.fromkeys(("name", "member", "reason", "phase", "next", "scope", "run_name", "terms"), NUL)
    for role in ("member", "superuser"):
        client = everyone.as_(role, raise_request_exception=False)
        for row in {id(row): row for row in SITE.values()}.values():
            for place in row(everyone):
                with undone():
                    answer = client.post(place.address, {**dict.fromkeys(place.sends, NUL), **fields})
                    assert answer.status_code < 500, (role, place)


CONTENT_TYPES = (
    *("multipart/form-data; boundary*=foo''x", "text/plain; name*=foo''x"),
    *("multipart/form-data; boundary=x; charset=hex", "multipart/form-data; boundary=x; charset=idna"),
    *("text/plain; charset=rot13", "application/x-www-form-urlencoded; charset=utf-7"),
)
FORM = b'--x\r\nContent-Disposition: form-data; name="run_name"\r\n\r\nxn--a\xff\r\n--x--\r\n'


@pytest.mark.parametrize("content_type", CONTENT_TYPES)
def test_a_content_type_that_nobody_can_read_is_refused(everyone: Everyone, content_type: str) -> None:
    """As a server would be asked: Django takes the type apart before its own handling of errors begins."""
    for path, query in ((f"/api/v1{everyone.address}dev/submissions/", ""), ("/accounts/login/", "a=%ff")):
        for method in ("POST", "GET"):
            environ = {
                "REQUEST_METHOD": method,
                "PATH_INFO": path,
                "QUERY_STRING": query,
                "CONTENT_TYPE": content_type,
                "CONTENT_LENGTH": str(len(FORM)),
                "HTTP_HOST": "testserver",
                "wsgi.input": io.BytesIO(FORM),
            }
            setup_testing_defaults(environ)
            said: list[str] = []
            body = b"".join(application(environ, lambda status, *_, said=said: said.append(status)))  # type: ignore[misc]
            assert said == ["400 Bad Request"]
            assert b"could not be read" in body


def test_the_usual_content_types_are_read(everyone: Everyone) -> None:
    client = everyone.as_("visitor")
    for content_type in (
        "",
        "text/html; charset=UTF-8",
        'text/plain; charset="utf-8"',
        "nonsense",
        "text/x; x",
    ):
        assert client.generic("GET", "/", b"x", content_type=content_type).status_code == 200
