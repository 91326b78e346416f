"""How many runs a team may still send. Pure: the moments of accepted runs in, a `Quota` out.

What is counted is decided here once: accepted runs of one entry (team × phase × track), withdrawn ones
included, those that failed through our fault left out. Refused files were never accepted. The day is the
UTC day.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime, time, timedelta


@dataclass(frozen=True)
class Quota:
    """An entry's allowance at one moment. `daily` and `total` are None where the phase sets no such limit.

    `extra` attempts were granted by an organizer on top of both; `extra_spent` of them went on earlier days.
    """

    daily: int | None
    total: int | None
    used_today: int
    used: int
    extra: int
    extra_spent: int
    day_ends_at: datetime

    @property
    def left_today(self) -> int | None:
        if self.daily is None:
            return None
        return max(0, self.daily + max(0, self.extra - self.extra_spent) - self.used_today)

    @property
    def left_in_all(self) -> int | None:
        return None if self.total is None else max(0, self.total + self.extra - self.used)

    @property
    def left(self) -> int | None:
        """Runs that may be sent now; None means without limit."""
        limits = [left for left in (self.left_today, self.left_in_all) if left is not None]
        return min(limits) if limits else None

    @property
    def is_spent(self) -> bool:
        return self.left == 0

    @property
    def next_attempt_at(self) -> datetime | None:
        """When a spent daily allowance comes back; None if the total is spent too, or nothing is."""
        return self.day_ends_at if self.left_today == 0 and self.left_in_all != 0 else None


def measure(
    accepted: Iterable[datetime], *, moment: datetime, daily: int | None, total: int | None, extra: int = 0
) -> Quota:
    """The quota at `moment`, given when each counted run was received."""
    today = moment.astimezone(UTC).date()
    days = Counter(received_at.astimezone(UTC).date() for received_at in accepted)
    spent = 0 if daily is None else sum(max(0, n - daily) for day, n in days.items() if day != today)
    midnight = datetime.combine(today + timedelta(days=1), time.min, tzinfo=UTC)
    return Quota(daily, total, days[today], sum(days.values()), extra, spent, midnight)


def spent_sentence(quota: Quota) -> str:
    """Why nothing can be sent now, as a page says it."""
    if quota.left_in_all == 0:
        return f"All {(quota.total or 0) + quota.extra} runs of this phase have been sent."
    allowed = (quota.daily or 0) + max(0, quota.extra - quota.extra_spent)
    return (
        f"{quota.used_today} of {allowed} runs sent today. "
        f"The next can be sent from {quota.day_ends_at:%Y-%m-%d %H:%M} UTC."
    )
