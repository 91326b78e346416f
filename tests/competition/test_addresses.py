"""Where no mail is set up an address proves nothing: it may have several accounts, and gives none of them
anything of another's.
"""

from __future__ import annotations

from importlib import import_module
from threading import Barrier, Thread
from typing import Any

import pytest
from allauth.account.models import EmailAddress
from allauth.mfa.totp.internal.auth import TOTP
from axes.models import AccessAttempt
from django.apps import apps
from django.contrib.auth.hashers import PBKDF2PasswordHasher, make_password
from django.core import mail
from django.core.cache import cache
from django.core.management import CommandError, call_command
from django.db import connection
from django.test import Client
from django.urls import reverse

from competition import clock
from competition.domain.accounts import CLAIMS, create_organizer, whose_password
from competition.models import AuditEntry, Membership, Team, User
from competition.models.people import accounts_at
from tests.support.builders import PASSWORD, make_task, make_user
from tests.support.clock import move_to
from tests.support.pages import Scene, make_scene

pytestmark = [pytest.mark.django_db, pytest.mark.both]

ADDRESS = "known@example.org"
OTHER = "another long pass phrase"
LOG_IN, SIGN_UP = "/accounts/login/", "/accounts/signup/"


def sign_up(password: str = OTHER, address: str = ADDRESS, **more: str) -> Client:
    client = Client()
    sent = {"email": address, "password1": password, "password2": password, **more}
    client.answer = client.post(SIGN_UP, sent)  # type: ignore[attr-defined]
    return client


def logged_in_as(client: Client) -> Any:
    return client.session.get("_auth_user_id")


def log_in(password: str, address: str = ADDRESS) -> Client:
    client = Client()
    client.answer = client.post(LOG_IN, {"login": address, "password": password})  # type: ignore[attr-defined]
    return client


# The row of an address


def test_every_way_of_making_an_account_keeps_its_address() -> None:
    make_user("made")
    sign_up(address="Signed.Up@Example.org")
    create_organizer(email="Lead@Example.org", password=OTHER)
    call_command("createsuperuser", username="root", email="root@example.org", interactive=False)
    User.objects.create_user("plain", "plain@example.org", OTHER)
    User.objects.create_user("nobody")
    kept = EmailAddress.objects.filter(primary=True, verified=False).values_list("user__username", "email")
    names = {name if not name.startswith("member-") else "member" for name, _ in kept}
    assert names == {"made@example.org", "member", "lead@example.org", "root", "plain"}
    assert {address for _, address in kept} == {
        *("made@example.org", "signed.up@example.org", "lead@example.org", "root@example.org"),
        "plain@example.org",
    }


def test_accounts_of_before_get_theirs_by_the_migration() -> None:
    without, other, whole = make_user("Without", email="Without@Example.org"), make_user("other"), make_user()
    EmailAddress.objects.filter(user=without).delete()
    EmailAddress.objects.filter(user=other).update(email="elsewhere@example.org")
    migration = import_module("competition.migrations.0009_an_address_proves_nothing")
    for _ in range(2):
        migration.keep_addresses(apps, connection.schema_editor())
    rows = set(EmailAddress.objects.values_list("user", "email", "primary", "verified"))
    assert rows == {
        (without.pk, "without@example.org", True, False),
        (other.pk, "elsewhere@example.org", True, False),
        (other.pk, "other@example.org", False, False),
        (whole.pk, whole.email, True, False),
    }


# A second account at an address


def test_a_taken_address_gives_an_account_of_its_own_that_sees_nothing_of_the_first() -> None:
    """`tests/security/test_access.py` has such an account among its cast, at every address."""
    scene: Scene = make_scene()
    first = scene.lead
    second = sign_up(address=first.email)
    assert second.answer.status_code == 302  # type: ignore[attr-defined]
    user = accounts_at(first.email).exclude(pk=first.pk).get()
    assert logged_in_as(second) == str(user.pk)
    assert not Membership.objects.filter(user=user).exists()
    assert not user.is_staff
    assert list(Team.objects.of(user)) == []
    team = scene.team.get_absolute_url()
    assert f"{team}invite/" in scene.as_(first).get(team).content.decode()
    assert f"{team}invite/" not in second.get(team).content.decode()


def test_each_password_opens_its_own_account() -> None:
    first = make_user("known")
    sign_up()
    second = accounts_at(ADDRESS).exclude(pk=first.pk).get()
    assert logged_in_as(log_in(PASSWORD)) == str(first.pk)
    assert logged_in_as(log_in(OTHER, "KNOWN@Example.org ")) == str(second.pk)
    assert logged_in_as(log_in("neither of the two")) is None


def test_who_has_an_account_is_sent_to_log_in_and_gets_no_second_one() -> None:
    first = make_user("known")
    TOTP.activate(first, "A" * 32)
    again = sign_up(PASSWORD, next="/status")
    assert again.answer["Location"] == f"{LOG_IN}?next=%2Fstatus"  # type: ignore[attr-defined]
    assert logged_in_as(again) is None
    assert "You have an account with this address and password" in again.get(LOG_IN).content.decode()
    assert User.objects.count() == 1
    again.post(LOG_IN, {"login": ADDRESS, "password": PASSWORD})
    assert logged_in_as(again) is None, "the second factor is asked for as ever"


@pytest.mark.django_db(transaction=True)
def test_a_double_click_makes_one_account() -> None:
    together = Barrier(4)

    def click() -> None:
        together.wait()
        sign_up()
        connection.close()

    clicks = [Thread(target=click) for _ in range(4)]
    for one in clicks:
        one.start()
    for one in clicks:
        one.join()
    assert User.objects.count() == 1


def test_a_team_is_registered_for_the_second_account_as_for_any() -> None:
    task = make_task("ebisu")
    make_user("known")
    sign_up(team_name="Second", next="/tasks/ebisu/")
    team = Team.objects.get(task=task)
    assert team.captain.email == ADDRESS
    assert team.memberships.count() == 1


# What a second account could be used for


@pytest.mark.parametrize("accounts", [0, 1, 3])
def test_a_log_in_takes_one_hash_however_many_accounts_the_address_has(
    accounts: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Else the time would tell, and a thousand accounts would keep the first from logging in."""
    for number in range(accounts):
        sign_up(f"{OTHER} {number}")
    count, encode = [], PBKDF2PasswordHasher.encode

    def counted(self: Any, password: str, salt: str, iterations: int | None = None) -> str:
        count.append(iterations)
        return encode(self, password, salt, iterations)

    with monkeypatch.context() as here:
        here.setattr(PBKDF2PasswordHasher, "encode", counted)
        assert whose_password(ADDRESS, "no such password") is None
        assert len(count) == 1
        log_in("no such password")
        assert len(count) == 2
        sign_up(f"{OTHER} new")
        assert len(count) == 4, "one to look, one to keep"
        if accounts:
            log_in(f"{OTHER} 0")
            assert len(count) == 5


def test_new_passwords_stay_with_the_salt_of_the_address(settings: Any) -> None:
    for number in range(3):
        sign_up(f"{OTHER} {number}")
    salts = {user.password.split("$")[2] for user in accounts_at(ADDRESS)}
    assert len(salts) == 1
    user = accounts_at(ADDRESS).last()
    user.set_password("changed to this one")
    user.save()
    assert {user.password.split("$")[2] for user in accounts_at(ADDRESS)} == salts
    assert whose_password(ADDRESS, "changed to this one") == user
    alone = make_user("alone")
    before = alone.password
    alone.set_password(PASSWORD)
    assert alone.password.split("$")[2] != before.split("$")[2], "nobody to share with: a new one"


def test_an_old_hash_is_made_anew_and_costs_no_less_meanwhile(monkeypatch: pytest.MonkeyPatch) -> None:
    user = make_user("known")
    user.password = PBKDF2PasswordHasher().encode(PASSWORD, "a" * 22, 1_000)
    user.save()
    hardened: list[str] = []
    monkeypatch.setattr(PBKDF2PasswordHasher, "harden_runtime", lambda *said: hardened.append(said[-1]))
    assert logged_in_as(log_in("no such password")) is None
    assert hardened == [user.password]
    assert logged_in_as(log_in(PASSWORD)) == str(user.pk)
    user.refresh_from_db()
    assert int(user.password.split("$")[1]) == PBKDF2PasswordHasher.iterations


def test_a_password_chosen_for_ones_own_account_is_never_tried_on_another() -> None:
    """Else its owner could try one after the other, and a right guess would open the first account."""
    first = make_user("known")
    sign_up()
    second = accounts_at(ADDRESS).exclude(pk=first.pk).get()
    second.set_password(PASSWORD)
    second.save()
    assert logged_in_as(log_in(PASSWORD)) == str(second.pk)
    mover = make_user("mover")
    client = Client()
    client.force_login(mover)
    client.post("/accounts/email/", {"email": ADDRESS, "password": PASSWORD})
    assert accounts_at(ADDRESS).first() == mover, "older, and last to come to the address"


def test_logging_in_to_ones_own_account_clears_no_tries_on_another() -> None:
    make_user("known")
    sign_up()
    for _ in range(3):
        log_in("wrong horse")
    cache.clear()
    assert logged_in_as(log_in(OTHER)) is not None
    assert AccessAttempt.objects.get(username=ADDRESS).failures_since_start == 3


@pytest.mark.parametrize("known", [True, False])
def test_signing_up_is_no_way_to_guess_on(known: bool) -> None:
    """As many tries for a known address as for one nobody has; then even the right password is not heard."""
    move_to(clock.now())
    if known:
        make_user("known")
    statuses = [sign_up(f"{OTHER} {number}").answer.status_code for number in range(CLAIMS + 1)]  # type: ignore[attr-defined]
    assert statuses == [302] * CLAIMS + [429]
    assert sign_up(PASSWORD).answer.status_code == 429  # type: ignore[attr-defined]
    assert accounts_at(ADDRESS).count() == CLAIMS + known


# Another address


def test_an_address_is_changed_with_the_password_and_nothing_else_moves() -> None:
    user = make_user("ada")
    client = Client()
    client.force_login(user)
    page = client.get("/accounts/email/").content.decode()
    assert "ada@example.org" in page
    assert user.public_id in page
    assert "erif" not in page, "nothing about verification where no mail is sent"
    refused = client.post("/accounts/email/", {"email": "new@example.org", "password": "wrong horse"})
    assert "Incorrect password." in refused.content.decode()
    assert "already" in client.post("/accounts/email/", {"email": "ADA@example.org"}).content.decode()
    client.post("/accounts/email/", {"email": "New@Example.org", "password": PASSWORD})
    user.refresh_from_db()
    assert user.email == "new@example.org"
    assert EmailAddress.objects.get().email == "new@example.org"
    assert logged_in_as(client) == str(user.pk), "this browser stays logged in"
    assert client.get("/accounts/email/").status_code == 200
    assert logged_in_as(log_in(PASSWORD, "new@example.org")) == str(user.pk)
    assert logged_in_as(log_in(PASSWORD, "ada@example.org")) is None
    told = AuditEntry.objects.get(action="address changed")
    assert "example.org" not in f"{told.before}{told.after}{told.reason}"


def test_changing_to_a_taken_address_is_answered_like_any_other() -> None:
    first, ada = make_user("known"), make_user("ada")
    client = Client()
    client.force_login(ada)
    answers = [
        client.post("/accounts/email/", {"email": address, "password": PASSWORD})
        for address in ("free@example.org", ADDRESS)
    ]
    assert {(one.status_code, one["Location"]) for one in answers} == {(302, "/accounts/email/")}
    assert set(accounts_at(ADDRESS)) == {first, ada}


# Organizers and operators


def test_nobody_becomes_an_organizer_by_signing_up_with_an_organizers_address(
    capsys: pytest.CaptureFixture[str],
) -> None:
    task = make_task("demo")
    squatter = make_user("squatter", email="lead@example.org", username="member-x")
    call_command("create_organizer", "Lead@example.org", task=["demo"])
    said = capsys.readouterr().out
    assert "password " in said
    assert "1 signed up with this address before" in said
    squatter.refresh_from_db()
    assert not squatter.is_staff
    organizer = task.organizer_roles.get().user
    assert organizer != squatter
    call_command("create_organizer", "lead@example.org", task=["demo"])
    assert "password " not in capsys.readouterr().out, "the account made before"
    assert User.objects.count() == 2


def test_an_account_is_made_an_organizer_by_its_id_or_its_verified_address() -> None:
    make_task("demo")
    by_id, verified = make_user("ida"), make_user("vera", username="member-v")
    EmailAddress.objects.filter(user=verified).update(verified=True)
    call_command("create_organizer", by_id.public_id, task=["demo"])
    call_command("create_organizer", "vera@example.org", task=["demo"])
    assert {user for user in User.objects.all() if user.is_staff} == {by_id, verified}
    with pytest.raises(CommandError, match="no e-mail address, and no account's id"):
        call_command("create_organizer", "nobody", task=["demo"])


def test_an_operator_says_which_of_several_accounts() -> None:
    first = make_user("known")
    sign_up()
    second = accounts_at(ADDRESS).exclude(pk=first.pk).get()
    TOTP.activate(first, "A" * 32)
    with pytest.raises(CommandError, match="Several accounts have the address") as told:
        call_command("reset_second_factor", ADDRESS, reason="Called back.")
    assert first.public_id in str(told.value)
    assert second.public_id in str(told.value)
    call_command("reset_second_factor", first.public_id, reason="Called back.")
    with pytest.raises(CommandError, match="Several accounts"):
        call_command("reset_password", ADDRESS, reason="Asked in person.")


def test_who_forgot_a_password_gets_one_from_an_operator(capsys: pytest.CaptureFixture[str]) -> None:
    user = make_user("known")
    client = log_in(PASSWORD)
    call_command("reset_password", "Known@example.org", reason="Asked in person.")
    password = capsys.readouterr().out.split("password ")[1].split(" ")[0]
    assert client.get("/accounts/tokens/").status_code == 302, "its sessions have ended"
    assert logged_in_as(log_in(password)) == str(user.pk)
    assert logged_in_as(log_in(PASSWORD)) is None
    told = AuditEntry.objects.get(action="password reset")
    assert (told.reason, password in f"{told.before}{told.after}") == ("Asked in person.", False)
    with pytest.raises(CommandError, match="no account"):
        call_command("reset_password", "nobody@example.org", reason="Asked in person.")


def test_the_desk_says_of_each_account_what_its_address_is_worth() -> None:
    root = make_user("root", is_staff=True, is_superuser=True)
    first, verified = make_user("known"), make_user("vera")
    sign_up()
    EmailAddress.objects.filter(user=verified).update(verified=True)
    client = Client()
    client.force_login(root)
    rows = client.get(reverse("admin:competition_user_changelist")).context["cl"].result_list
    said = {row.pk: ("verified" if row.verified else "shared" if row.shared else "") for row in rows}
    second = accounts_at(ADDRESS).exclude(pk=first.pk).get()
    assert said == {root.pk: "", first.pk: "shared", second.pk: "shared", verified.pk: "verified"}


# When mail is set up later


@pytest.fixture
def with_mail(settings: Any) -> Any:
    def switch_on() -> None:
        settings.EMAIL_CONFIGURED = True
        settings.ACCOUNT_EMAIL_VERIFICATION = "mandatory"
        settings.EMAIL_BACKEND = "django.core.mail.backends.locmem.EmailBackend"
        cache.clear()

    return switch_on


def newest_link() -> str:
    """The path of the link in the letter sent last."""
    return next(word for word in mail.outbox[-1].body.split() if "/confirm-email/" in word).split(
        "testserver"
    )[1]


def test_later_the_address_is_whose_who_has_mailbox_and_password(with_mail: Any) -> None:
    owner = make_user("known")
    sign_up()
    stranger = accounts_at(ADDRESS).exclude(pk=owner.pk).get()
    with_mail()
    strangers = log_in(OTHER)
    assert logged_in_as(strangers) is None
    trap = newest_link()
    assert Client().post(trap).status_code == 403
    assert not EmailAddress.objects.filter(verified=True).exists(), "the owner's click verifies no stranger"
    cache.clear()
    owners = log_in(PASSWORD)
    link = newest_link()
    assert link != trap
    assert not EmailAddress.objects.filter(verified=True).exists()
    strangers.post(link)
    assert not EmailAddress.objects.filter(verified=True).exists(), "nor does the stranger's browser"
    owners.post(link)
    assert EmailAddress.objects.get(verified=True).user == owner
    assert logged_in_as(log_in(PASSWORD)) == str(owner.pk)
    cache.clear()
    assert logged_in_as(log_in(OTHER)) is None
    strangers.post(newest_link())
    assert EmailAddress.objects.get(verified=True).user == owner
    assert stranger.email == owner.email


def test_with_mail_a_known_address_gets_no_second_account(with_mail: Any) -> None:
    make_user("known")
    with_mail()
    for password in (OTHER, PASSWORD):
        assert sign_up(password).answer["Location"] == "/accounts/confirm-email/"  # type: ignore[attr-defined]
    assert User.objects.count() == 1


def test_accounts_whose_hashes_share_nothing_are_all_tried() -> None:
    """Made at a prompt, one has a salt of its own."""
    make_user("known")
    apart = User.objects.create_user("prompt", ADDRESS, OTHER)
    assert apart.password.split("$")[2] != make_password(OTHER).split("$")[2]
    assert whose_password(ADDRESS, OTHER) == apart
    assert whose_password(ADDRESS, PASSWORD).email == ADDRESS  # type: ignore[union-attr]
