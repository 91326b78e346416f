"""Limits hold exactly when two hundred ask at once, on either shared cache; lock-outs end."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from axes.models import AccessAttempt
from django.core.cache import caches
from django.core.management import call_command
from django.db import connection, connections
from django.test import Client

from competition import clock
from competition.domain import throttle
from competition.domain.tokens import create_token
from tests.support import services
from tests.support.builders import PASSWORD, make_organizer_of, make_task, make_user
from tests.support.clock import move_to

MOMENT = datetime(2027, 3, 4, 5, 6, 7, tzinfo=UTC)
HOUR = 3_600
"""The counts of two hundred at once live for as long, however slowly they are answered."""
IN_THE_TABLE = {
    "default": {"BACKEND": "competition.domain.throttle.CountingDatabaseCache", "LOCATION": "shared_cache"}
}


@pytest.fixture
def in_the_table(settings: Any) -> None:
    """Count as a site without Redis does."""
    settings.CACHES = IN_THE_TABLE
    call_command("createcachetable", verbosity=0)
    caches["default"].clear()


def at_once(times: int, what: Any) -> list[Any]:
    def one(_: int) -> Any:
        try:
            return what()
        finally:
            connections.close_all()

    with ThreadPoolExecutor(20) as pool:
        return list(pool.map(one, range(times)))


@pytest.mark.both
@pytest.mark.django_db(transaction=True)
def test_two_hundred_at_once_are_counted_one_by_one_in_the_table(in_the_table: None) -> None:
    answers = at_once(200, lambda: throttle.wait_until("crowd", most=17, seconds=HOUR, moment=MOMENT))
    assert answers.count(None) == 17
    assert set(answers) == {None, MOMENT.replace(minute=0, second=0) + timedelta(hours=1)}


@pytest.mark.django_db(transaction=True)
@pytest.mark.skipif(services.on_sqlite(), reason="counts in Redis: leave PODIUM_TEST_DATABASE unset")
def test_two_hundred_at_once_are_counted_one_by_one_in_redis() -> None:
    answers = at_once(200, lambda: throttle.wait_until("crowd", most=17, seconds=HOUR, moment=MOMENT))
    assert answers.count(None) == 17


@pytest.mark.both
@pytest.mark.django_db
def test_a_count_in_the_table_keeps_its_end_and_knows_who_is_missing(in_the_table: None) -> None:
    cache = caches["default"]
    cache.add("n", 1, timeout=7200)
    with connection.cursor() as cursor:
        cursor.execute("SELECT expires FROM shared_cache")
        before = cursor.fetchall()
        assert cache.incr("n") == 2
        assert cache.incr("n", 5) == 7
        cursor.execute("SELECT expires FROM shared_cache")
        assert cursor.fetchall() == before
    assert cache.get("n") == 7
    with pytest.raises(ValueError, match="no count"):
        cache.incr("nothing")


@pytest.mark.django_db(transaction=True)
def test_two_hundred_requests_at_the_api_get_what_is_allowed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("competition.views.api_access.REQUESTS", 13)
    monkeypatch.setattr("competition.views.api_access.WINDOW", HOUR)
    move_to(clock.now())
    secret = create_token(user=make_user("ada"), name="a", scope="read").secret
    headers = {"Authorization": f"Bearer {secret}"}
    answers = at_once(200, lambda: Client().get("/api/v1/tasks/", headers=headers).status_code)
    assert {code: answers.count(code) for code in set(answers)} == {200: 13, 429: 187}


@pytest.mark.django_db(transaction=True)
def test_two_hundred_passwords_at_once_are_five_tries() -> None:
    make_user("ada")
    wrong = {"login": "ada@example.org", "password": "wrong"}
    pages = at_once(200, lambda: Client().post("/accounts/login/", wrong).content.decode())
    tried = sum("password you specified are not correct" in page for page in pages)
    assert 1 <= tried <= 5
    locked = Client().post("/accounts/login/", {"login": "ada@example.org", "password": PASSWORD})
    assert "_auth_user_id" not in locked.client.session


@pytest.mark.django_db
def test_sign_ups_from_one_address_are_bounded() -> None:
    def sign_up(number: int) -> int:
        sent = {"email": f"a{number}@example.org", "password1": "", "password2": ""}
        return Client().post("/accounts/signup/", sent).status_code

    answers = [sign_up(number) for number in range(21)]
    assert answers == [200] * 20 + [429]


# The desk's log-in


def try_desk(password: str, *, username: str = "lead@example.org", address: str = "10.0.0.1") -> int:
    sent = {"username": username, "password": password}
    return Client(REMOTE_ADDR=address).post("/admin/login/?next=/admin/", sent).status_code


@pytest.mark.both
@pytest.mark.django_db
def test_a_hundred_tries_lock_account_and_address_however_it_is_spelled() -> None:
    make_organizer_of(make_task(), "lead")
    spellings = ("lead@example.org", "LEAD@example.org", "Lead@Example.org")
    answers = [try_desk("wrong", username=spellings[number % 3]) for number in range(100)]
    assert answers.count(200) == 4, "the fifth locks"
    assert set(answers[4:]) == {429}
    assert try_desk(PASSWORD) == 429, "from there not even with the password"
    assert try_desk(PASSWORD, address="10.0.0.2") == 302, "the organizer elsewhere is not locked out"


@pytest.mark.both
@pytest.mark.django_db
def test_a_lock_ends_after_fifteen_minutes_even_if_the_tries_go_on() -> None:
    make_organizer_of(make_task(), "lead")
    for _ in range(5):
        try_desk("wrong")
    locked_at = AccessAttempt.objects.get().attempt_time
    assert [try_desk("wrong") for _ in range(20)] == [429] * 20
    assert AccessAttempt.objects.get().attempt_time == locked_at
    for minutes, answer in ((14, 429), (16, 302)):
        AccessAttempt.objects.update(attempt_time=locked_at - timedelta(minutes=minutes))
        assert try_desk(PASSWORD) == answer
