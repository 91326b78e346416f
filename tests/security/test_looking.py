"""Looking changes nothing. Every address is opened on a site nobody has looked at before, and after each look
every table is as it was.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from allauth.account.models import EmailAddress, EmailConfirmationHMAC
from django.contrib.sessions.models import Session
from django.core.cache import cache
from django.test import Client
from django.utils.http import int_to_base36

from competition.domain import samples, validators
from competition.middleware import LAST_SEEN
from competition.models import BuiltFile
from tests.security.desk import DESK
from tests.security.places import SITE
from tests.support.crawler import Rows, body_of, crawl
from tests.support.roles import Everyone, gather

pytestmark = pytest.mark.django_db

MOST = 150
"""Pages looked at by following links, beyond those of the matrix."""


@pytest.fixture
def everyone() -> Everyone:
    """Everybody, as gathered; nothing built for them, and nothing remembered in this process."""
    found = gather()
    BuiltFile.objects.all().delete()
    for kept in (validators._kept, validators._looked_at):
        kept.clear()
    for remembered in (samples._items, samples._sample, samples._chance):
        remembered.cache_clear()
    cache.clear()
    return found


def looks(everyone: Everyone, browser: Client, program: Client) -> Iterator[tuple[str, Any]]:
    """Every address of the matrix in every state, and whatever is reached from there."""
    rows = {id(row): row for row in (SITE | DESK).values()}.values()
    places = {place.address: place for row in rows for place in row(everyone)}
    for address, place in places.items():
        client: Client = program if place.by_token else browser
        answer: Any = client.get(address)
        body_of(answer)
        yield address, answer
        cache.clear()
    for address, answer, _ in crawl(browser, ["/", f"{everyone.address}data/", "/admin/"], most=MOST):
        if address not in places:
            yield address, answer


class Everything:
    """Every table's rows; of sessions, what is in them.

    One thing may move there: an organizer's session notes once a minute that somebody is here. Without it
    nobody idle could be logged out.
    """

    def __init__(self) -> None:
        self._rows, self._sessions = Rows({"django_session"}), self._said()

    def changed(self) -> set[str]:
        """The tables that are not as they were."""
        moved = self._rows.changed()
        return moved if self._said() == self._sessions else moved | {"django_session"}

    def _said(self) -> dict[str, Any]:
        sessions = {one.session_key: one.get_decoded() for one in Session.objects.all()}
        for said in sessions.values():
            said.pop(LAST_SEEN, None)
        return sessions


@pytest.mark.parametrize("role", ["superuser", "organizer", "member", "observer", "visitor"])
def test_no_look_changes_any_row(everyone: Everyone, role: str) -> None:
    browser, program = everyone.as_(role), everyone.program_of(role)
    written: list[str] = []
    seen, before = 0, Everything()
    for address, answer in looks(everyone, browser, program):
        seen += 1
        if moved := before.changed():
            written.append(f"{address} ({answer.status_code}): {', '.join(sorted(moved))}")
            before = Everything()
    print(f"{role}: {seen} looks, and every table watched after each")
    assert not written, "\n".join(written)
    assert seen > 250


def test_no_look_at_what_a_letter_leads_to_does_either(everyone: Everyone, settings: Any) -> None:
    """Where mail is set up, and even for an account whose row of the address was lost."""
    settings.EMAIL_CONFIGURED = True
    person, other = everyone.people["observer"], everyone.people["member"]
    assert person is not None
    assert other is not None
    confirmation = EmailConfirmationHMAC(EmailAddress.objects.get(user=other))
    EmailAddress.objects.filter(user=person).delete()
    reset = f"/accounts/password/reset/key/{int_to_base36(other.pk)}"
    before = Everything()
    for address in (f"/accounts/confirm-email/{confirmation.key}/", f"{reset}-abc-def/", f"{reset}-abc/"):
        assert Client().get(address).status_code == 200
        assert not before.changed(), address
    browser = everyone.as_("observer")
    before = Everything()
    for page in ("email/", "password/change/", "confirm-email/", "2fa/", "tokens/", "delete/"):
        assert browser.get(f"/accounts/{page}").status_code == 200
        assert not before.changed(), page
