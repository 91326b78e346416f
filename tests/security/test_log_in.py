"""Log-in, reset and sign-up tell nobody who has an account; guessing is stopped and locks nobody for long."""

from __future__ import annotations

import re
from datetime import timedelta
from typing import Any

import pytest
from allauth.account.models import EmailAddress
from axes.models import AccessAttempt
from django.conf import settings
from django.core import mail
from django.core.cache import cache
from django.test import Client
from django.utils import timezone

from tests.support.builders import PASSWORD, make_organizer_of, make_task, make_user

pytestmark = pytest.mark.django_db

TRIES = 100
LOG_IN, RESET, SIGN_UP, DESK = (
    *("/accounts/login/", "/accounts/password/reset/", "/accounts/signup/", "/admin/login/"),
)
LONG = "a long enough phrase 7"


def plain(answer: Any, *said: str) -> str:
    """An answer without what differs from request to request and without what was typed: status, headers,
    where it leads, names of cookies, and every byte of the page.
    """
    text = answer.content.decode()
    text = re.sub(r'(csrfmiddlewaretoken" value|name="csrf\S*" content|data-now)="[^"]+"', "", text)
    heads = {name: value for name, value in answer.headers.items() if name not in ("X-Request-ID", "Expires")}
    heads.pop("Content-Length", None)
    whole = f"{answer.status_code} {heads} {sorted(answer.cookies)} {text}"
    for word in said:
        whole = whole.replace(word, "…")
    return whole


FORMS = {
    LOG_IN: lambda address: {"login": address, "password": "wrong horse battery"},
    RESET: lambda address: {"email": address},
    SIGN_UP: lambda address: {
        "email": address,
        "display_name": "Somebody",
        "password1": LONG,
        "password2": LONG,
    },
}
KNOWN = {
    "a participant": lambda: make_user("known"),
    "an organizer": lambda: make_organizer_of(make_task(), "known"),
    "somebody verified": lambda: EmailAddress.objects.filter(user=make_user("known")).update(verified=True),
    "somebody locked out": lambda: make_user("known", is_active=False),
    "two accounts": lambda: [make_user("known", username=name) for name in ("one", "two")],
}


def asked(form: str, address: str) -> str:
    """What a stranger is answered, and the page it leads to."""
    cache.clear()
    AccessAttempt.objects.all().delete()
    client = Client()
    answer = client.post(form, FORMS[form](address))
    led = client.get(answer["Location"]) if answer.status_code == 302 else None
    return plain(answer, address) + (plain(led, address) if led else "")


@pytest.mark.parametrize("mailing", [False, True], ids=["no mail", "mail"])
@pytest.mark.parametrize("known", KNOWN)
@pytest.mark.parametrize("form", FORMS)
def test_known_and_unknown_are_answered_alike(form: str, known: str, mailing: bool, settings: Any) -> None:
    """In every byte, wherever it leads. With mail a letter tells the owner of the address, nobody else."""
    settings.EMAIL_CONFIGURED = mailing
    settings.ACCOUNT_EMAIL_VERIFICATION = "mandatory" if mailing else "none"
    KNOWN[known]()
    answers = {name: asked(form, f"{name}@example.org") for name in ("known", "newcomer")}
    assert answers["known"] == answers["newcomer"]
    told = {letter.to[0] for letter in mail.outbox}
    if mailing and form == SIGN_UP:
        assert told == {"known@example.org", "newcomer@example.org"}
    if form == LOG_IN:
        assert told == set()


@pytest.mark.parametrize("form", [LOG_IN, DESK])
def test_a_hundred_guesses_stop_being_heard(form: str) -> None:
    """By account and address: the right password is refused from there too, and heard from elsewhere."""
    user = make_organizer_of(make_task(), "organizer")
    name = "login" if form == LOG_IN else "username"
    guesses = [guess(form, name, f"wrong horse {number}") for number in range(TRIES)]
    assert 429 in guesses[:30]
    assert set(guesses[30:]) == {429}
    assert not signed_in(form, name, "192.0.2.1"), "the right password, while locked"
    cache.clear()  # allauth's own count of failures is per account as well, for five minutes
    assert signed_in(form, name, "198.51.100.7"), "somebody else's guesses keep nobody out elsewhere"
    assert user.is_staff


def test_slips_of_one_person_lock_nobody_else_at_the_same_address() -> None:
    """A room full of people shares an address."""
    make_organizer_of(make_task(), "organizer")
    for number in range(10):
        sends = {"login": f"slip{number % 2}@example.org", "password": "wrong horse"}
        answer = Client(REMOTE_ADDR="192.0.2.1").post(LOG_IN, sends)
        cache.clear()
    assert answer.status_code == 429
    assert b"That was a little too often" in answer.content
    assert signed_in(LOG_IN, "login", "192.0.2.1")


def guess(form: str, name: str, password: str, remote: str = "192.0.2.1", **headers: str) -> int:
    sends = {name: "organizer@example.org", "password": password}
    return Client(REMOTE_ADDR=remote, headers=headers).post(form, sends).status_code


def signed_in(form: str, name: str, remote: str) -> bool:
    client = Client(REMOTE_ADDR=remote)
    client.post(form, {name: "organizer@example.org", "password": PASSWORD})
    return "_auth_user_id" in client.session


def test_an_organizer_is_never_kept_out_for_more_than_fifteen_minutes() -> None:
    """Even by who goes on guessing: tries while locked do not move the end of the lock."""
    make_organizer_of(make_task(), "organizer")
    for number in range(10):
        guess(DESK, "username", f"wrong horse {number}")
    assert timedelta(minutes=15) >= settings.AXES_COOLOFF_TIME
    assert not signed_in(DESK, "username", "192.0.2.1")
    first = AccessAttempt.objects.get()
    for number in range(5):
        guess(DESK, "username", f"still wrong {number}")
    assert AccessAttempt.objects.get().attempt_time == first.attempt_time
    AccessAttempt.objects.update(attempt_time=timezone.now() - timedelta(minutes=15, seconds=1))
    cache.clear()
    assert signed_in(DESK, "username", "192.0.2.1")


def test_a_made_up_address_of_origin_counts_for_nothing() -> None:
    make_organizer_of(make_task(), "organizer")
    headers = [{"X-Forwarded-For": f"203.0.113.{number}"} for number in range(20)]
    guesses = [guess(DESK, "username", "wrong horse", **header) for header in headers]
    assert guesses[-1] == 429


@pytest.mark.parametrize("form", [LOG_IN, DESK])
def test_a_field_more_in_the_form_counts_for_nothing(form: str) -> None:
    """Each guess is counted for the account it aims at, whatever else is sent."""
    make_organizer_of(make_task(), "organizer")
    name = "login" if form == LOG_IN else "username"
    for number in range(10):
        sends = dict.fromkeys(("username", "email", "login"), f"nobody{number}@example.org")
        sends |= {name: "organizer@example.org", "password": "wrong horse battery"}
        status = Client(REMOTE_ADDR="192.0.2.1").post(form, sends).status_code
        cache.clear()
    assert status == 429


def test_the_session_key_changes_with_who_one_is() -> None:
    user = make_user("known")
    client = Client()
    client.get(LOG_IN)
    session = client.session
    session["before"] = 1
    session.save()
    client.cookies["sessionid"] = session.session_key
    client.post(LOG_IN, {"login": user.email, "password": PASSWORD})
    assert client.cookies["sessionid"].value != session.session_key
    inside = client.cookies["sessionid"].value
    client.post("/accounts/logout/")
    stolen = Client()
    stolen.cookies["sessionid"] = inside
    assert stolen.get("/accounts/email/").status_code == 302
