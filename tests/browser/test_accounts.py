"""Accounts in a real browser: one form to take part, a security key, tokens, and each of their pages."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest
from allauth.account.models import EmailAddress, EmailConfirmationHMAC
from allauth.mfa.models import Authenticator
from playwright.sync_api import Page, expect

from competition.models import Team, User
from tests.browser.test_every_page import OVERFLOW, objections
from tests.support.builders import PASSWORD
from tests.support.pages import Scene

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

KEY = {
    "protocol": "ctap2",
    "transport": "usb",
    "hasUserVerification": True,
    "isUserVerified": True,
    "automaticPresenceSimulation": True,
}


def plug_in_a_key(page: Page) -> None:
    """A security key that answers at once, as if touched."""
    protocol = page.context.new_cdp_session(page)
    protocol.send("WebAuthn.enable")
    protocol.send("WebAuthn.addVirtualAuthenticator", {"options": KEY})


@pytest.mark.parametrize("scripts", [True, False])
def test_a_newcomer_takes_part_with_one_form(
    open_page: Callable[..., Page], scene: Scene, scripts: bool
) -> None:
    page = open_page(java_script_enabled=scripts)
    page.goto(f"{scene.address}submit/?phase=dev")
    page.get_by_role("link", name="Sign up").first.click()
    page.get_by_label("Email").fill("ada@example.org")
    page.get_by_label("Your name").fill("Ada")
    page.get_by_label("Password", exact=True).fill("a very long pass phrase")
    page.get_by_label("Password (again)").fill("a very long pass phrase")
    page.get_by_label("Your team in Ebisu 2027").fill("Λευκάδα")
    page.get_by_role("button", name="Sign up").click()
    expect(page.get_by_role("main")).to_contain_text("Please accept the terms")
    page.get_by_label("Password", exact=True).fill("a very long pass phrase")
    page.get_by_label("Password (again)").fill("a very long pass phrase")
    page.get_by_label("I accept the terms").check()
    page.get_by_role("button", name="Sign up").click()
    expect(page).to_have_url(re.compile(re.escape(f"{scene.address}submit/?phase=dev") + "$"))
    expect(page.get_by_label("Your run")).to_be_visible()
    assert Team.objects.get(name="Λευκάδα").captain == User.objects.get(email="ada@example.org")


def test_an_organizer_sets_up_a_security_key_and_logs_in_with_it(
    open_page: Callable[..., Page], scene: Scene, settings: Any
) -> None:
    settings.DEMO = False
    page = open_page()
    plug_in_a_key(page)
    log_in(page, scene.organizer)
    page.goto("/admin/")
    assert page.url.endswith("/accounts/2fa/")
    page.goto("/accounts/2fa/webauthn/add/")
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_role("button", name="Confirm").click()
    page.wait_for_url("**/webauthn/add/")
    page.get_by_role("button", name="Add").click()
    page.wait_for_url("**/recovery-codes/**")
    assert Authenticator.objects.filter(user=scene.organizer, type="webauthn").count() == 1
    page.goto("/admin/")
    assert page.get_by_role("heading", name="What would you like to look after?").is_visible()
    page.get_by_role("button", name="Log out").click()
    log_in(page, scene.organizer)
    expect(page).to_have_url(re.compile("/accounts/2fa/authenticate/$"))
    page.goto("/admin/")
    assert page.url.startswith(page.url.partition("/admin/")[0] + "/admin/login/")
    page.goto("/accounts/2fa/authenticate/")
    page.get_by_role("button", name="Use a security key").click()
    page.get_by_role("button", name="Log out").wait_for()
    page.goto("/admin/")
    assert page.get_by_role("heading", name="What would you like to look after?").is_visible()


def log_in(page: Page, user: User) -> None:
    page.goto("/accounts/login/")
    page.get_by_label("Email").fill(user.email)
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_role("button", name="Log in").click()
    expect(page).not_to_have_url(re.compile("/accounts/login/"))


def test_a_token_is_made_copied_and_revoked(
    page: Page, scene: Scene, sign_in: Callable[[Page, User], None]
) -> None:
    sign_in(page, scene.lead)
    page.goto("/accounts/tokens/")
    page.get_by_label("Name").fill("cluster <b>")
    page.get_by_label("read and submit").check()
    page.get_by_role("button", name="Make the token").click()
    assert page.get_by_label("Your new token").input_value().startswith("podium_")
    page.reload()
    assert page.get_by_label("Your new token").count() == 0
    page.get_by_role("button", name="revoke cluster <b>").click()
    expect(page.get_by_role("main")).to_contain_text("You have no token.")


MEMBERS_PAGES = [
    "/accounts/tokens/",
    "/accounts/delete/",
    "/accounts/email/",
    "/accounts/password/change/",
    "/accounts/2fa/",
    "/accounts/2fa/totp/activate/",
    "/accounts/2fa/webauthn/",
    "/accounts/2fa/webauthn/add/",
    "/accounts/2fa/recovery-codes/generate/",
]


def test_no_page_of_the_account_has_anything_axe_objects_to(
    open_page: Callable[..., Page], scene: Scene, sign_in: Callable[[Page, User], None]
) -> None:
    visitor, lead = open_page(), open_page()
    sign_in(lead, scene.lead)
    lead.goto("/accounts/tokens/")
    lead.get_by_label("Name").fill("a program with a name of some length, for the table")
    lead.get_by_role("button", name="Make the token").click()
    found = look_at(lead, "/accounts/reauthenticate/")
    lead.goto("/accounts/reauthenticate/")
    lead.get_by_label("Password").fill(PASSWORD)
    lead.get_by_role("button", name="Confirm").click()
    for address in MEMBERS_PAGES:
        found += look_at(lead, address)
    of_teammate = EmailAddress.objects.get(user=scene.teammate)
    letter = f"/accounts/confirm-email/{EmailConfirmationHMAC(of_teammate).key}/"
    for address in (
        *(f"/accounts/signup/?next={scene.address}", "/accounts/password/reset/done/"),
        *("/accounts/confirm-email/", "/accounts/confirm-email/none/", letter),
        f"/accounts/login/?next={letter}",
    ):
        found += look_at(visitor, address)
    found += look_at(lead, letter)
    teammate = open_page()
    sign_in(teammate, scene.teammate)
    found += look_at(teammate, letter)
    assert not found, "\n".join(found)


def look_at(page: Page, address: str) -> list[str]:
    page.set_viewport_size({"width": 1440, "height": 900})
    page.goto(address)
    found = []
    for scheme in ("light", "dark"):
        page.emulate_media(color_scheme=scheme)  # type: ignore[arg-type]
        found += [f"{address}, {scheme}: {fault}" for fault in objections(page)]
    for width in (1440, 768, 360):
        page.set_viewport_size({"width": width, "height": 900})
        if (over := page.evaluate(OVERFLOW)) > 0:
            found.append(f"{address}: {over} px wider than {width}")
    return found
