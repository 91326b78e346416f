"""Signing up, logging in and out."""

from __future__ import annotations

import re

import pytest
from django.test import Client

from competition.models import User
from competition.templatetags.podium import sentence_case
from tests.support.builders import make_user

pytestmark = [pytest.mark.django_db, pytest.mark.both]

SIGN_UP = {
    "email": "ada@example.org",
    "password1": "a very long pass phrase",
    "password2": "a very long pass phrase",
}


def test_a_newcomer_gives_a_name_and_goes_on_where_one_was() -> None:
    answer = Client().post("/accounts/signup/?next=/status", {**SIGN_UP, "display_name": "Ada Λ"})
    assert answer["Location"] == "/status"
    assert str(User.objects.get(email="ada@example.org")) == "Ada Λ"


def test_without_a_name_the_address_stays_private() -> None:
    Client().post("/accounts/signup/", SIGN_UP)
    assert str(User.objects.get()).startswith("member ")


def test_what_is_wrong_stands_at_its_field_and_on_top() -> None:
    answer = Client().post("/accounts/signup/", {**SIGN_UP, "password2": "another one entirely"})
    page = answer.content.decode()
    assert 'href="#id_password2"' in page
    assert 'id="id_password2_error"' in page
    assert "1 thing needs a correction" in page
    assert not User.objects.exists()


def test_nobody_learns_which_addresses_have_accounts() -> None:
    make_user("known")
    wrong = {"password": "wrong"}
    known = Client().post("/accounts/login/", {"login": "known@example.org", **wrong}).content.decode()
    unknown = Client().post("/accounts/login/", {"login": "nobody@example.org", **wrong}).content.decode()
    said = "The email address and/or password you specified are not correct."
    assert said in known
    assert said in unknown


def test_logging_out_takes_a_press_of_a_button() -> None:
    client = Client()
    client.force_login(make_user("known"))
    assert client.get("/accounts/logout/").status_code == 200
    assert "_auth_user_id" in client.session
    client.post("/accounts/logout/")
    assert "_auth_user_id" not in client.session


@pytest.mark.parametrize(
    ("title", "said"),
    [
        ("Reset My Password", "Reset my password"),
        ("\n  Two-Factor Authentication\n", "Two-factor authentication"),
        ("Lost it? Use Recovery Codes", "Lost it? Use recovery codes"),
        ("Activate TOTP at Podium", "Activate TOTP at Podium"),
        ("New Password (again)", "New password (again)"),
        ("May I Remove Ada.L@Example.org?", "May I remove Ada.L@Example.org?"),
    ],
)
def test_titles_are_written_as_sentences(title: str, said: str) -> None:
    assert sentence_case(title) == said


def test_pages_of_the_account_speak_as_the_others_do() -> None:
    """Headings, buttons and labels of the library have Capitals On Each Word; ours have none."""
    client = Client()
    client.force_login(make_user("known"), backend="competition.authentication.Backend")
    for name in (
        "password/reset/",
        "email/",
        "password/change/",
        "2fa/",
        "reauthenticate/",
        "tokens/",
        "delete/",
    ):
        page = client.get(f"/accounts/{name}").content.decode()
        said = re.findall(r"<(title|h1|h2|button|label)[^>]*>(.*?)</\1>", page, re.DOTALL)
        assert {kind for kind, _ in said} >= {"title", "h1"}, name
        for kind, text in said:
            words = re.sub(r"<[^>]+>", "", text).replace("·", ".").split()
            assert sentence_case(" ".join(words)) == " ".join(words) or "@" in text, (name, kind, text)


def test_who_was_invited_reads_so_before_logging_in() -> None:
    client = Client()
    for way in ("login", "signup"):
        invited = client.get(f"/accounts/{way}/?next=/invitations/abc/").content.decode()
        assert "A team invited you" in invited
        assert "A team invited you" not in client.get(f"/accounts/{way}/?next=/status").content.decode()


def test_the_way_to_a_new_password_is_offered_once() -> None:
    assert Client().get("/accounts/login/").content.decode().count("/accounts/password/reset/") == 1
