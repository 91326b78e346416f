"""Every address, asked by everybody, with every method, about objects in every state."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from django.core.cache import cache
from django.test import Client

from tests.security.desk import DESK
from tests.security.places import SITE, Place
from tests.support.crawler import Rows, addresses, undone
from tests.support.roles import ROLES, VISITOR, Everyone, gather

pytestmark = pytest.mark.django_db

ROWS = {**SITE, **DESK}
UNUSUAL = ("PUT", "PATCH", "DELETE", "OPTIONS", "TRACE")
WITH_ANY_METHOD = {"visitor", "member", "superuser"}
LOG_IN = "/admin/login/"  # leads the signed-in on when they GET it, and only then
PARTS = {
    "pages": {route for route in SITE if not route.startswith("accounts/")},
    "accounts": {route for route in SITE if route.startswith("accounts/")},
    "desk": set(DESK),
}


@pytest.fixture
def everyone() -> Everyone:
    return gather()


def test_every_address_has_a_row_and_every_row_an_address() -> None:
    served = {route for route, _ in addresses()}
    assert served - ROWS.keys() == set(), "Say in places.py or desk.py who these are for."
    assert ROWS.keys() - served == set()


def places(everyone: Everyone, part: str) -> Iterator[Place]:
    for row in {id(ROWS[route]): ROWS[route] for route in sorted(PARTS[part])}.values():
        yield from row(everyone)


def browsers_and_programs(everyone: Everyone) -> dict[tuple[str, bool], Client]:
    browsers = {(role, False): everyone.as_(role) for role in ROLES}
    return browsers | {(role, True): everyone.program_of(role) for role in ROLES}


@pytest.mark.parametrize("part", PARTS)
def test_each_address_answers_each_role_as_its_row_says(everyone: Everyone, part: str) -> None:
    clients = browsers_and_programs(everyone)
    wrong: list[str] = []
    with undone():
        rows = Rows()
        for place in places(everyone, part):
            for role in ROLES:
                client = clients[role, place.by_token]
                answer: Any = client.get(place.address)
                if answer.status_code != place.answer_to(role):
                    wrong.append(f"{place.address} ({place.state}), {role}: {answer.status_code}")
                if role != VISITOR and "private" not in answer.headers.get("Cache-Control", ""):
                    wrong.append(f"{place.address}, {role}: may be kept for others")
                if role not in WITH_ANY_METHOD:
                    continue
                head = client.head(place.address).status_code
                if head >= 500 or (head == 200 != answer.status_code and place.address != LOG_IN):
                    wrong.append(f"{place.address}, {role}: HEAD answers {head}")
                for method in UNUSUAL:
                    status = client.generic(method, place.address).status_code
                    if status >= 500 or status == 201:
                        wrong.append(f"{method} {place.address}, {role}: {status}")
            cache.clear()  # what is limited here is not who may come by
        moved = rows.changed()
    assert not wrong, "\n".join(wrong)
    assert not moved


@pytest.mark.parametrize("part", PARTS)
def test_only_those_named_change_anything_by_posting(everyone: Everyone, part: str) -> None:
    clients = browsers_and_programs(everyone)
    wrong: list[str] = []
    rows = Rows()
    for place in places(everyone, part):
        changers = set()
        for role in ROLES:
            with undone():
                for sent in place.sends.values():
                    if hasattr(sent, "seek"):
                        sent.seek(0)
                client = clients[role, place.by_token]
                cookies = client.cookies.copy()
                answer = client.post(place.address, place.sends)
                client.cookies = cookies  # whoever logged out did not
                if rows.changed():
                    changers.add(role)
            if answer.status_code >= 500:
                wrong.append(f"{place.address}, {role}: {answer.status_code}")
            cache.clear()
        if changers != place.changes:
            wrong.append(f"{place.address} ({place.state}) is changed by {sorted(changers)}")
    assert not wrong, "\n".join(wrong)
