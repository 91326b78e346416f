"""With mail somebody may sign up with another's address, or add it to an account of their own. Until it is
verified that gives nothing, tells nothing, and keeps nobody out; and only who has the account's password can
verify it, by the letter.
"""

from __future__ import annotations

import re
from typing import Any

import pytest
from allauth.account.models import EmailAddress
from django.contrib.auth.hashers import PBKDF2PasswordHasher
from django.core import mail
from django.core.cache import cache
from django.core.management import call_command
from django.test import Client

from competition import clock
from competition.domain.accounts import whose_password
from competition.domain.tokens import create_token, find_token
from competition.models import AuditEntry, User
from tests.support.builders import PASSWORD, make_task, make_user

pytestmark = [pytest.mark.django_db, pytest.mark.both]

ADDRESS, OTHER = "owner@example.org", "another long pass phrase"


@pytest.fixture(autouse=True)
def _with_mail(settings: Any) -> None:
    settings.EMAIL_CONFIGURED = True
    settings.ACCOUNT_EMAIL_VERIFICATION = "mandatory"
    settings.EMAIL_BACKEND = "django.core.mail.backends.locmem.EmailBackend"
    cache.clear()


@pytest.fixture
def squatter() -> User:
    return squat()


def squat() -> User:
    """Somebody with a verified address who has added the owner's, through the page."""
    user = make_user("squatter")
    EmailAddress.objects.filter(user=user).update(verified=True)
    client = Client()
    client.post("/accounts/login/", {"login": user.email, "password": PASSWORD})
    client.post("/accounts/reauthenticate/", {"password": PASSWORD})
    client.post("/accounts/email/", {"email": ADDRESS, "action_add": ""})
    assert EmailAddress.objects.filter(user=user, email=ADDRESS, verified=False).exists()
    cache.clear()
    return user


def sign_up(address: str = ADDRESS, then: str = "") -> Client:
    client = Client()
    sent = {"email": address, "password1": OTHER, "password2": OTHER, "display_name": "Ada", "next": then}
    client.post("/accounts/signup/", sent)
    return client


def log_in(client: Client, address: str, password: str, then: str = "") -> Any:
    return client.post("/accounts/login/", {"login": address, "password": password, "next": then})


def text(answer: Any) -> str:
    return " ".join(re.sub(r"<[^>]+>", "", answer.content.decode()).split())


def verified() -> list[str]:
    return [str(row.user.public_id) for row in EmailAddress.objects.filter(email=ADDRESS, verified=True)]


def link(part: str) -> str:
    found = re.search(rf"http://testserver(/accounts/{part}/\S+)", mail.outbox[-1].body)
    return found.group(1) if found else ""


def test_the_owner_signs_up_and_confirms(squatter: User) -> None:
    client = sign_up()
    owner = User.objects.exclude(pk=squatter.pk).get()
    assert owner.email == ADDRESS
    client.post(link("confirm-email"))
    assert EmailAddress.objects.get(email=ADDRESS, verified=True).user == owner
    assert whose_password(ADDRESS, OTHER) == owner


# Confirming


@pytest.mark.parametrize("added", [True, False])
def test_a_letter_nobody_asked_for_says_so_and_its_link_gives_nothing(added: bool) -> None:
    """A stranger signs up with the owner's address, or adds it; the owner clicks whatever there is."""
    if added:
        squat()
    else:
        sign_up()
    letter, trap = mail.outbox[-1], link("confirm-email")
    assert letter.to == [ADDRESS]
    assert "If that was not you, do nothing." in letter.body
    assert "Ada" not in letter.body, "a stranger's words in our letter"
    assert "Squatter" not in letter.body
    owner = Client()
    page = text(owner.get(trap))
    assert f"{ADDRESS} for the account {'Squatter' if added else 'Ada'}" in page
    assert "If that was not you, do nothing." in page
    assert owner.post(trap).status_code == 403
    somebody = make_user("somebody")
    EmailAddress.objects.filter(user=somebody).update(verified=True)
    log_in(owner, somebody.email, PASSWORD)
    page = text(owner.get(trap))
    assert "This link is for another account" in page
    assert "you are logged in as Somebody" in page
    assert owner.post(trap).status_code == 403
    assert owner.session.get("_auth_user_id") == str(somebody.pk), "a look logs nobody out"
    assert verified() == []


def test_who_signs_up_confirms_in_the_same_browser_and_goes_on_where_they_came_from() -> None:
    make_task("ebisu")
    client = sign_up(then="/tasks/ebisu/")
    user = User.objects.get(email=ADDRESS)
    page = text(client.get("/accounts/confirm-email/"))
    assert "Open its link in this browser;" in page
    page = text(client.get(link("confirm-email")))
    assert f"{ADDRESS} for the account Ada" in page
    assert "letters that lead to a new password" in page
    answer = client.post(link("confirm-email"))
    assert (answer.status_code, answer["Location"]) == (302, "/tasks/ebisu/")
    assert verified() == [user.public_id]
    assert client.session["_auth_user_id"] == str(user.pk)


def test_in_another_browser_the_link_asks_for_the_password_and_then_works() -> None:
    sign_up(then="/tasks/ebisu/")
    there, letters = link("confirm-email"), len(mail.outbox)
    cache.clear()
    other = Client()
    page = other.get(there)
    assert f'href="/accounts/login/?next={there}"' in page.content.decode().replace("%3A", ":")
    assert "Log in to confirm" in text(page)
    assert "the account that the letter is about" in text(other.get("/accounts/login/", {"next": there}))
    assert log_in(other, ADDRESS, OTHER, there)["Location"] == there
    assert len(mail.outbox) == letters, "no second letter for who has just opened the first"
    other.post(there)
    assert verified() == [User.objects.get(email=ADDRESS).public_id]
    assert other.session["_auth_user_id"]
    assert "You have confirmed" in text(other.get(there, follow=True)), "the link leads to the address now"


def test_a_link_that_was_used_or_is_none_says_what_to_do() -> None:
    client = sign_up()
    there = link("confirm-email")
    client.post(there)
    for used in (there, "/accounts/confirm-email/MQ:1vabc:none/"):
        for answer in (Client().get(used), Client().post(used)):
            assert "This link does not work" in text(answer)
            assert "log in" in text(answer).lower()
            assert ADDRESS not in text(answer)
        assert client.post(used)["Location"] == "/accounts/email/", "a second click harms nothing"


def test_a_link_of_another_account_sends_nobody_round_in_a_circle() -> None:
    """Who logs in to another account than the link's, not confirmed either, gets that one's letter."""
    sign_up()
    there = link("confirm-email")
    sign_up("second@example.org")
    cache.clear()
    other = Client()
    assert log_in(other, "second@example.org", OTHER, there)["Location"] == "/accounts/confirm-email/"
    assert mail.outbox[-1].to == ["second@example.org"]
    assert other.post(there).status_code == 403


def test_an_added_address_is_confirmed_by_who_added_it() -> None:
    user = squat()
    client = Client()
    log_in(client, user.email, PASSWORD)
    assert client.post(link("confirm-email"))["Location"] == "/accounts/email/"
    assert verified() == [user.public_id]


# What it does not do


def test_a_letter_about_the_password_never_leads_to_the_squatters_account(squatter: User) -> None:
    Client().post("/accounts/password/reset/", {"email": ADDRESS})
    assert mail.outbox[-1].to == [ADDRESS]
    assert not link("password/reset/key")
    Client().post("/accounts/password/reset/", {"email": squatter.email})
    assert link("password/reset/key")


def test_it_opens_nothing(squatter: User) -> None:
    assert whose_password(squatter.email, PASSWORD) == squatter
    assert whose_password(ADDRESS, PASSWORD) is None


@pytest.mark.parametrize("known", [True, False])
def test_it_tells_nobody_whether_the_owner_is_registered(
    known: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A log-in takes one hash: another salt at the address would make two of it for a known one."""
    if known:
        owner = make_user("owner")
        owner.set_password(OTHER)
        owner.save()
    squat()
    count, encode = [], PBKDF2PasswordHasher.encode

    def counted(self: Any, password: str, salt: str, iterations: int | None = None) -> str:
        count.append(salt)
        return encode(self, password, salt, iterations)

    monkeypatch.setattr(PBKDF2PasswordHasher, "encode", counted)
    whose_password(ADDRESS, "no such password")
    assert len(count) == 1


def test_with_a_password_that_was_reset_the_tokens_end() -> None:
    """Before mail was set up anybody could have signed up with the address, and made one."""
    stranger, other = make_user("owner"), make_user("other")
    tokens = [create_token(user=user, name="laptop", scope="submit") for user in (stranger, other)]
    Client().post("/accounts/password/reset/", {"email": ADDRESS})
    owner = Client()
    form = owner.get(link("password/reset/key"))["Location"]
    owner.post(form, {"password1": OTHER, "password2": OTHER})
    assert whose_password(ADDRESS, OTHER) == stranger
    found = [find_token(one.secret, moment=clock.now()) for one in tokens]
    assert found == [None, tokens[1].token]
    call_command("reset_password", other.email, reason="Asked in person.")
    assert find_token(tokens[1].secret, moment=clock.now()) is None
    assert AuditEntry.objects.filter(action="tokens revoked").count() == 2
