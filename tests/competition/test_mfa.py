"""Organizers: a second factor, a fresh confirmation for what cannot be undone, and no idle session."""

from __future__ import annotations

import base64
import hmac
import re
import struct
import time
from types import SimpleNamespace
from typing import Any

import pytest
from allauth.mfa.models import Authenticator
from allauth.mfa.totp.internal import auth as totp
from allauth.mfa.totp.internal.auth import TOTP
from django.core.cache import cache
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.management import CommandError, call_command
from django.test import Client

from competition.middleware import IDLE_SECONDS, LAST_SEEN
from competition.models import AuditEntry, GoldVersion
from tests.support.builders import GOLD, PASSWORD, make_submission
from tests.support.pages import Scene, make_scene

pytestmark = [pytest.mark.django_db]

SECRET = base64.b32encode(b"twenty secret bytes!").decode()


@pytest.fixture(autouse=True)
def _outside_the_demo(settings: Any) -> None:
    settings.DEMO = False


@pytest.fixture(autouse=True)
def _within_thirty_seconds(monkeypatch: pytest.MonkeyPatch) -> None:
    """No code ends between being read off and being typed in."""
    moment = time.time()
    monkeypatch.setattr(totp, "time", SimpleNamespace(time=lambda: moment))


@pytest.fixture
def scene() -> Scene:
    return make_scene()


def code_of(secret: str) -> str:
    """What an authenticator app shows now (RFC 6238)."""
    digest = hmac.digest(base64.b32decode(secret), struct.pack(">Q", int(totp.time.time()) // 30), "sha1")
    at = digest[-1] & 15
    return f"{(struct.unpack('>I', digest[at : at + 4])[0] & 0x7FFFFFFF) % 1_000_000:06d}"


def confirm_password(client: Client, then: str = "/") -> Any:
    return client.post(f"/accounts/reauthenticate/?next={then}", {"password": PASSWORD, "next": then})


def let_minutes_pass(client: Client, minutes: int) -> None:
    """As if whoever has this session had done all of it so long ago."""
    session = client.session
    for record in session.get("account_authentication_methods", []):
        record["at"] -= minutes * 60
    if LAST_SEEN in session:
        session[LAST_SEEN] -= minutes * 60
    session.save()


def with_factor(scene: Scene) -> Client:
    """The organizer, logged in with password and code."""
    TOTP.activate(scene.organizer, SECRET)
    client = Client()
    client.post("/accounts/login/", {"login": scene.organizer.email, "password": PASSWORD})
    client.post("/accounts/2fa/authenticate/", {"code": code_of(SECRET)})
    cache.clear()  # a code works once; the tests are faster than thirty seconds
    return client


def test_an_organizer_without_a_second_factor_gets_no_further_than_setting_one_up(scene: Scene) -> None:
    client = scene.as_(scene.organizer)
    for address in ("/admin/", "/", f"{scene.address}leaderboard/", "/admin/competition/submission/"):
        assert client.get(address)["Location"] == "/accounts/2fa/", address
    assert client.post(f"{scene.team.get_absolute_url()}invite/")["Location"] == "/accounts/2fa/"
    assert not scene.team.invitations.exists()
    page = client.get("/accounts/2fa/").content.decode()
    assert "Organizers need a second factor" in page
    assert "/accounts/2fa/totp/activate/" in page
    assert "/accounts/2fa/webauthn/" in page


def test_participants_and_the_demo_are_not_asked(scene: Scene, settings: Any) -> None:
    assert scene.as_(scene.lead).get(f"{scene.address}submit/").status_code == 200
    settings.DEMO = True
    assert scene.as_(scene.organizer).get("/admin/").status_code == 200


@pytest.mark.django_db(transaction=True)
def test_setting_up_an_app_opens_the_desk(scene: Scene) -> None:
    client = scene.as_(scene.organizer)
    there = "/accounts/2fa/totp/activate/"
    assert client.get(there)["Location"].startswith("/accounts/reauthenticate/")
    assert confirm_password(client, there)["Location"] == there
    secret = re.search(r'value="([A-Z2-7]{32})"', client.get(there).content.decode())
    assert secret is not None
    done = client.post(there, {"code": code_of(secret.group(1))})
    assert done["Location"] == "/accounts/2fa/recovery-codes/"
    assert set(Authenticator.objects.values_list("type", flat=True)) == {"totp", "recovery_codes"}
    assert client.get("/admin/").status_code == 200, "the code that was just given counts"


def test_the_desks_own_log_in_is_only_the_first_of_two_steps(scene: Scene) -> None:
    TOTP.activate(scene.organizer, SECRET)
    client = Client()
    first = client.post(
        "/admin/login/?next=/admin/", {"username": scene.organizer.email, "password": PASSWORD}
    )
    assert first["Location"] == "/admin/"
    asked = client.get("/admin/")["Location"]
    assert asked == "/accounts/2fa/reauthenticate/?next=%2Fadmin%2F"
    assert client.post(asked, {"code": "000000", "next": "/admin/"}).status_code == 200
    assert client.get("/admin/").status_code == 302
    assert client.post(asked, {"code": code_of(SECRET), "next": "/admin/"})["Location"] == "/admin/"
    assert client.get("/admin/").status_code == 200


def test_a_second_factor_of_another_account_does_not_count(scene: Scene) -> None:
    client = with_factor(scene)
    assert client.get("/admin/").status_code == 200
    other = Client()
    other.force_login(scene.organizer)
    session = other.session
    session["account_authentication_methods"] = [{"method": "mfa", "at": time.time()}]
    session["account_authentication_methods_user"] = str(scene.lead.pk)
    session.save()
    assert other.get("/admin/").status_code == 302


def sensitive(scene: Scene) -> dict[str, str]:
    return {
        "freeze": f"/admin/competition/freezerequest/{scene.dev.pk}/{scene.track.pk}/",
        "gold": "/admin/competition/goldversion/add/",
        "items": "/admin/competition/itemset/add/",
    }


def test_what_cannot_be_undone_asks_who_is_there(scene: Scene) -> None:
    client = with_factor(scene)
    for address in sensitive(scene).values():
        assert client.get(address)["Location"].startswith("/accounts/reauthenticate/"), address
    confirm_password(client)
    for address in sensitive(scene).values():
        assert client.get(address).status_code == 200, address
    let_minutes_pass(client, 4)
    assert client.get(sensitive(scene)["freeze"]).status_code == 200
    let_minutes_pass(client, 2)
    for address in sensitive(scene).values():
        assert client.get(address).status_code == 302, address


def test_a_form_sent_too_late_goes_on_once_it_is_confirmed(scene: Scene) -> None:
    client = with_factor(scene)
    run = make_submission(scene.team, scene.dev, scene.track)
    there, chosen = (
        "/admin/competition/submission/",
        {"action": "evaluate_again", "_selected_action": [run.pk]},
    )
    assert client.post(there, chosen)["Location"].startswith("/accounts/reauthenticate/")
    assert not run.evaluations.exists()
    confirm_password(client, there)
    assert run.evaluations.count() == 1


def test_gold_sent_too_late_is_not_kept(scene: Scene) -> None:
    client = with_factor(scene)
    before = GoldVersion.objects.count()
    sent: dict[str, Any] = {"phase": scene.dev.pk, "track": scene.track.pk, "reason": "new"}
    sent["file"] = SimpleUploadedFile("gold.jsonl", GOLD)
    assert client.post("/admin/competition/goldversion/add/", sent).status_code == 302
    assert GoldVersion.objects.count() == before


def test_an_idle_organizer_is_logged_out_and_a_participant_is_not(scene: Scene) -> None:
    client, lead = with_factor(scene), scene.as_(scene.lead)
    assert client.get("/admin/").status_code == 200
    lead.get("/")
    let_minutes_pass(client, IDLE_SECONDS // 60 - 1)
    assert client.get("/admin/").status_code == 200
    let_minutes_pass(client, IDLE_SECONDS // 60 + 1)
    assert client.get("/admin/?q=1")["Location"] == "/accounts/login/?next=/admin/%3Fq%3D1"
    assert "_auth_user_id" not in client.session
    assert "logged out after 30 minutes" in client.get("/accounts/login/").content.decode()
    let_minutes_pass(lead, 600)
    assert "_auth_user_id" in lead.session
    assert lead.get("/").status_code == 200
    assert "_auth_user_id" in lead.session


def test_who_lost_everything_starts_anew_and_it_is_on_record(scene: Scene) -> None:
    client = with_factor(scene)
    assert client.get("/admin/").status_code == 200
    other = scene.as_(scene.lead)
    with pytest.raises(CommandError, match="no account"):
        call_command("reset_second_factor", "nobody@example.org", reason="none")
    call_command("reset_second_factor", "ORGANIZER@example.org", reason="Called back by phone.")
    assert client.get("/admin/")["Location"].startswith("/admin/login/")
    assert other.get(scene.team.get_absolute_url()).status_code == 200
    assert scene.as_(scene.organizer).get("/admin/")["Location"] == "/accounts/2fa/"
    entry = AuditEntry.objects.get(action="second factor reset")
    assert (entry.reason, entry.after, entry.actor) == ("Called back by phone.", {"gone": 1}, None)


def test_a_password_alone_takes_no_second_factor_off(scene: Scene) -> None:
    """The desk's log-in asks for no code, so what it opens leads to the code and nowhere else."""
    TOTP.activate(scene.organizer, SECRET)
    client = Client()
    client.post("/admin/login/", {"username": scene.organizer.email, "password": PASSWORD})
    for address in ("/accounts/2fa/", "/accounts/tokens/", "/accounts/email/", "/accounts/2fa/webauthn/add/"):
        assert client.get(address)["Location"].startswith("/accounts/2fa/reauthenticate/"), address
    confirm_password(client)
    client.post("/accounts/2fa/totp/deactivate/")
    client.post("/accounts/tokens/", {"name": "laptop", "scope": "submit"})
    assert Authenticator.objects.filter(user=scene.organizer).count() == 1
    assert not scene.organizer.api_tokens.exists()
    asked = client.get("/accounts/tokens/")["Location"]
    client.post(asked, {"code": code_of(SECRET), "next": "/accounts/tokens/"})
    assert client.get("/accounts/tokens/").status_code == 200
    assert client.post("/accounts/logout/").status_code == 302
    assert "_auth_user_id" not in client.session
