"""Logging in: nobody learns who is registered, and no address leads elsewhere."""

from __future__ import annotations

import re
from typing import Any

import pytest
from allauth.account.models import EmailAddress
from django.test import Client

from tests.support.builders import PASSWORD, make_user

pytestmark = [pytest.mark.django_db, pytest.mark.both]

ELSEWHERE = [
    "https://evil.example/",
    "//evil.example/",
    "javascript:alert(1)",
    "/\\evil.example",
    "http:evil.example",
]


def log_in(login: str, password: str = PASSWORD, **more: str) -> Any:
    return Client().post("/accounts/login/", {"login": login, "password": password, **more})


DIFFERS = re.compile(r'name="csrfmiddlewaretoken" value="[^"]+"|data-now="[^"]+"')


def same_for_all(answer: Any, address: str) -> str:
    """The page without what differs for everybody: the token of the form, and what was typed."""
    return DIFFERS.sub("", answer.content.decode().replace(address, "ADDRESS"))


def test_known_and_unknown_get_the_same_page() -> None:
    make_user("known")
    tried = ("known@example.org", "nobody@example.org")
    pages = {same_for_all(log_in(address, "wrong"), address) for address in tried}
    assert len(pages) == 1


@pytest.mark.parametrize("address", ELSEWHERE)
def test_no_address_leads_elsewhere(address: str) -> None:
    make_user("known")
    assert log_in("known@example.org", next=address)["Location"] == "/"
    sent = {"email": "ada@example.org", "password1": PASSWORD, "password2": PASSWORD, "next": address}
    assert Client().post("/accounts/signup/", sent)["Location"] == "/"


def test_the_address_may_be_typed_in_any_case() -> None:
    make_user("known")
    assert log_in("KNOWN@Example.org").status_code == 302


def test_a_host_we_do_not_have_gets_nothing() -> None:
    assert Client().get("/accounts/login/", headers={"Host": "evil.example"}).status_code == 400


def test_with_mail_another_address_needs_the_password_first(settings: Any) -> None:
    settings.EMAIL_CONFIGURED = True
    user = make_user("known")
    client = Client()
    client.force_login(user)
    sent = {"email": "new@example.org", "action_add": ""}
    assert client.post("/accounts/email/", sent)["Location"].startswith("/accounts/reauthenticate/")
    assert not EmailAddress.objects.filter(email="new@example.org").exists()
    client.post("/accounts/reauthenticate/", {"password": PASSWORD, "next": "/accounts/email/"})
    assert EmailAddress.objects.filter(email="new@example.org", user=user).exists()
