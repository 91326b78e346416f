"""Allowances: the UTC day, the total, extra attempts."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone

from hypothesis import given
from hypothesis import strategies as st

from competition.domain.quota import measure, spent_sentence

NOON = datetime(2026, 5, 10, 12, 0, tzinfo=UTC)


def at(day: int, hour: int = 0, minute: int = 0) -> datetime:
    return datetime(2026, 5, day, hour, minute, tzinfo=UTC)


def test_a_day_and_a_total():
    quota = measure([at(9, 23, 59), at(10), at(10, 11)], moment=NOON, daily=3, total=4)
    assert (quota.used_today, quota.used) == (2, 3)
    assert (quota.left_today, quota.left_in_all, quota.left) == (1, 1, 1)


def test_the_day_is_the_utc_day_whatever_zone_a_moment_is_written_in():
    tokyo = timezone(timedelta(hours=9))
    late_in_tokyo = datetime(2026, 5, 11, 8, 59, tzinfo=tokyo)
    quota = measure([late_in_tokyo], moment=NOON, daily=1, total=None)
    assert quota.left == 0
    assert quota.next_attempt_at == at(11)
    assert "from 2026-05-11 00:00 UTC" in spent_sentence(quota)


def test_at_midnight_utc_the_daily_allowance_is_whole_again():
    sent = [at(10, 10), at(10, 11)]
    assert measure(sent, moment=at(10, 23, 59), daily=2, total=None).left == 0
    assert measure(sent, moment=at(11), daily=2, total=None).left == 2


def test_no_limits_means_none():
    quota = measure([at(10)] * 99, moment=NOON, daily=None, total=None)
    assert quota.left is None
    assert not quota.is_spent


def test_a_spent_total_names_no_next_attempt():
    quota = measure([at(1), at(2)], moment=NOON, daily=5, total=2)
    assert quota.is_spent
    assert quota.next_attempt_at is None
    assert spent_sentence(quota) == "All 2 runs of this phase have been sent."


def test_extra_attempts_widen_both_limits_and_are_spent_once():
    assert measure([at(10)] * 2, moment=NOON, daily=2, total=2, extra=1).left == 1
    yesterday = measure([at(9)] * 3, moment=NOON, daily=2, total=None, extra=1)
    assert yesterday.left_today == 2
    assert measure([at(9)] * 2, moment=NOON, daily=2, total=None, extra=1).left_today == 3


moments = st.lists(st.datetimes(datetime(2026, 5, 1), datetime(2026, 5, 10, 12), timezones=st.just(UTC)))
limits = st.one_of(st.none(), st.integers(0, 30))


@given(moments, limits, limits, st.integers(0, 5))
def test_laws(sent, daily, total, extra):
    quota = measure(sent, moment=NOON, daily=daily, total=total, extra=extra)
    assert quota.left is None or quota.left >= 0
    assert quota.is_spent == (quota.left == 0)
    wider = measure(sent, moment=NOON, daily=daily, total=total, extra=extra + 1)
    assert quota.left is None or (wider.left is not None and wider.left in (quota.left, quota.left + 1))
    one_more = measure([*sent, NOON], moment=NOON, daily=daily, total=total, extra=extra)
    if quota.left:
        assert one_more.left == quota.left - 1
