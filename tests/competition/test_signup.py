"""Signing up: account, team and terms in one form, and nobody learns who is registered."""

from __future__ import annotations

from typing import Any

import pytest
from django.core import mail
from django.test import Client

from competition.domain.accounts import whose_password
from competition.domain.teams import create_team
from competition.exceptions import NameTaken
from competition.forms import accounts
from competition.models import AuditEntry, Team, TermsAcceptance, User
from tests.support.builders import make_task, make_team, make_user

pytestmark = [pytest.mark.django_db, pytest.mark.both]

SIGN_UP = {
    "email": "ada@example.org",
    "password1": "a very long pass phrase",
    "password2": "a very long pass phrase",
    "display_name": "Ada",
}
TEAM = {**SIGN_UP, "team_name": "Aegean", "affiliation": "Athens", "terms": "on"}
FROM_TASK = "/tasks/ebisu/"


def sign_up(sent: dict[str, str], next_: str = FROM_TASK) -> Any:
    return Client().post("/accounts/signup/", {**sent, "next": next_})


def test_one_form_makes_account_team_and_terms() -> None:
    task = make_task("ebisu", terms="For research only.")
    page = Client().get(f"/accounts/signup/?next={FROM_TASK}").content.decode()
    assert "Your team in Ebisu" in page
    assert "For research only." in page
    assert sign_up(TEAM)["Location"] == FROM_TASK
    user, team = User.objects.get(), Team.objects.get()
    assert (team.name, team.affiliation, team.captain, team.task) == ("Aegean", "Athens", user, task)
    assert team.memberships.get().user == user
    accepted = TermsAcceptance.objects.get()
    assert (accepted.user, accepted.digest) == (user, task.terms_digest)
    assert set(AuditEntry.objects.values_list("action", flat=True)) >= {"team created", "terms accepted"}


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"terms": ""}, "Please accept the terms"),
        ({"team_name": "a\u202eb"}, "direction"),
        ({"team_name": "RIVALS"}, "registered already"),
        ({"email": "no address"}, "valid email"),
    ],
)
def test_one_fault_and_neither_account_nor_team_is_made(changed: dict[str, str], said: str) -> None:
    make_team(make_task("ebisu", terms="For research only."), "Rivals", make_user("rival"))
    answer = sign_up({**TEAM, **changed})
    assert said in answer.content.decode()
    assert User.objects.count() == Team.objects.count() == 1


def test_the_team_can_wait() -> None:
    make_task("ebisu", terms="For research only.")
    assert sign_up(SIGN_UP)["Location"] == FROM_TASK
    assert User.objects.exists()
    assert not Team.objects.exists()
    assert not TermsAcceptance.objects.exists()


@pytest.mark.parametrize(
    "next_", ["", "/", "/status", "/tasks/hidden/", "/tasks/none/", "//evil.example/tasks/ebisu/"]
)
def test_from_elsewhere_only_an_account_is_asked_for(next_: str) -> None:
    make_task("ebisu")
    make_task("hidden", published=False)
    assert "team_name" not in Client().get("/accounts/signup/", {"next": next_}).content.decode()
    sign_up({**TEAM, "team_name": "Aegean"}, next_)
    assert User.objects.exists()
    assert not Team.objects.exists()


def test_a_name_taken_in_the_same_moment_makes_no_account(monkeypatch: pytest.MonkeyPatch) -> None:
    task = make_task("ebisu")

    def somebody_was_faster(**given: Any) -> Team:
        create_team(task=task, name=given["name"], captain=None)
        raise NameTaken("A team of this name is registered already. Please choose another name.")

    monkeypatch.setattr(accounts, "create_team", somebody_was_faster)
    answer = sign_up(TEAM)
    assert "registered already" in answer.content.decode()
    assert not User.objects.exists()


def test_with_mail_a_known_address_is_answered_like_a_new_one(settings: Any) -> None:
    settings.ACCOUNT_EMAIL_VERIFICATION = "mandatory"
    settings.EMAIL_BACKEND = "django.core.mail.backends.locmem.EmailBackend"
    make_task("ebisu", terms="For research only.")
    make_user("known")
    new, known = sign_up(TEAM), sign_up({**TEAM, "email": "KNOWN@example.org", "team_name": "Second"})
    assert (new.status_code, new["Location"]) == (known.status_code, known["Location"])
    assert new["Location"] == "/accounts/confirm-email/"
    assert [one.to for one in mail.outbox] == [["ada@example.org"], ["known@example.org"]]
    assert list(Team.objects.values_list("name", flat=True)) == ["Aegean"]


def test_where_no_mail_is_sent_the_way_to_a_new_password_says_so() -> None:
    make_user("known")
    said = [
        Client().post("/accounts/password/reset/", {"email": f"{who}@example.org"}).content.decode()
        for who in ("known", "nobody")
    ]
    assert all("This site sends no mail" in page for page in said)
    assert not mail.outbox


def test_a_letter_that_cannot_be_sent_changes_no_answer(
    settings: Any, caplog: pytest.LogCaptureFixture
) -> None:
    settings.EMAIL_CONFIGURED = True
    settings.EMAIL_BACKEND = "django.core.mail.backends.smtp.EmailBackend"
    settings.EMAIL_HOST, settings.EMAIL_PORT = "localhost", 1
    make_user("known")
    for who in ("known", "nobody"):
        answer = Client().post("/accounts/password/reset/", {"email": f"{who}@example.org"})
        assert (answer.status_code, answer["Location"]) == (302, "/accounts/password/reset/done/")
    assert caplog.text.count("A letter about a password could not be sent") == 2


def test_a_reset_is_answered_alike(settings: Any) -> None:
    settings.EMAIL_CONFIGURED = True
    settings.EMAIL_BACKEND = "django.core.mail.backends.locmem.EmailBackend"
    make_user("known")
    answers = [
        Client().post("/accounts/password/reset/", {"email": f"{who}@example.org"})
        for who in ("known", "nobody")
    ]
    assert {(one.status_code, one["Location"], one.content) for one in answers} == {
        (302, "/accounts/password/reset/done/", b"")
    }
    assert len(mail.outbox) == 2
    link = next(word for word in mail.outbox[0].body.split() if "/password/reset/key/" in word)
    client = Client()
    form = client.get(link.partition("testserver")[2], follow=True)
    new = {"password1": "another long phrase", "password2": "another long phrase"}
    client.post(form.redirect_chain[-1][0], new)
    assert whose_password("known@example.org", "another long phrase") == User.objects.get()
