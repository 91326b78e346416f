"""With mail somebody may add another's address to an account of their own. Until it is verified that gives
nothing, tells nothing, and keeps nobody out.
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
from tests.support.builders import PASSWORD, make_user

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


def sign_up() -> Client:
    client = Client()
    client.post("/accounts/signup/", {"email": ADDRESS, "password1": OTHER, "password2": OTHER})
    return client


def link(part: str) -> str:
    found = re.search(rf"http://testserver(/accounts/{part}/\S+)", mail.outbox[-1].body)
    return found.group(1) if found else ""


def test_the_owner_signs_up_and_confirms_in_any_browser(squatter: User) -> None:
    sign_up()
    owner = User.objects.exclude(pk=squatter.pk).get()
    assert owner.email == ADDRESS
    Client().post(link("confirm-email"))
    assert EmailAddress.objects.get(email=ADDRESS, verified=True).user == owner
    assert whose_password(ADDRESS, OTHER) == owner


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
