"""Moving a phase's dates: audited, announced, and confirmed where received runs would lie outside."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta, timezone
from typing import Any

from django.db import transaction
from django.db.models import Count, Q

from competition import clock, rules
from competition.domain import audit
from competition.exceptions import NotAllowed, NotConfirmed, Refused
from competition.models import Announcement, Phase, Submission, User

AOE = timezone(timedelta(hours=-12), "AoE")


@dataclass(frozen=True)
class Outside:
    """Runs taken within a phase's dates that other dates would leave outside, and how many teams sent them:
    `late` ones after the new close, `early` ones before the new opening.
    """

    late: int
    late_teams: int
    early: int
    early_teams: int

    @property
    def runs(self) -> int:
        return self.late + self.early

    @property
    def sentence(self) -> str:
        """How many there are, and what happens to them."""
        groups = (
            (self.late, self.late_teams, "after the new close"),
            (self.early, self.early_teams, "before the new opening"),
        )
        said = [
            f"{_counted(runs, 'received run')} of {_counted(teams, 'team')} would lie {where}"
            for runs, teams, where in groups
            if runs
        ]
        was, stays = ("it was", "it stays") if self.runs == 1 else ("they were", "they stay")
        return (
            f"With these dates {' and '.join(said)}. Nothing is lost: {was} accepted under the dates of "
            f"then, which receipts and the audit trail name, and {stays} counted."
        )


def runs_left_outside(
    phase: Phase, *, opens_at: datetime, closes_at: datetime, grace_seconds: int
) -> Outside:
    """What other dates would do to the runs that stand and that lie within the dates `phase` has."""
    end = closes_at + timedelta(seconds=grace_seconds)
    late, early = Q(received_at__gte=end), Q(received_at__lt=opens_at)
    within = Submission.objects.standing().filter(
        phase=phase,
        baseline_name="",
        received_at__gte=phase.opens_at,
        received_at__lt=phase.last_accepted_before,
    )
    return Outside(
        **within.aggregate(
            late=Count("pk", filter=late),
            late_teams=Count("team", filter=late, distinct=True),
            early=Count("pk", filter=early),
            early_teams=Count("team", filter=early, distinct=True),
        )
    )


@transaction.atomic
def move_phase(
    *,
    phase: Phase,
    opens_at: datetime,
    closes_at: datetime,
    moved_by: User,
    reason: str,
    grace_seconds: int | None = None,
    known_outside: int = 0,
    at: datetime | None = None,
) -> Phase:
    """Give a phase other dates. People are told on the task's page; runs in flight are judged by the row as
    it is when they are accepted.

    Raises Refused without a reason, and NotConfirmed when more received runs would lie outside than the
    `known_outside` that whoever moves it was told of.
    """
    moment = at or clock.now()
    if not rules.organizes(moved_by, phase.task):
        raise NotAllowed("Only organizers move a phase.")
    if not reason.strip():
        raise Refused("Say why the dates change: participants will read it.")
    held = Phase.objects.select_for_update().get(pk=phase.pk)
    grace = held.grace_seconds if grace_seconds is None else grace_seconds
    before = _dates(held)
    said = _changes(held, opens_at, closes_at, grace)
    if not said:
        return phase
    outside = runs_left_outside(held, opens_at=opens_at, closes_at=closes_at, grace_seconds=grace)
    if outside.runs > known_outside:
        raise NotConfirmed(outside.sentence)
    for row in (phase, held):
        row.opens_at, row.closes_at, row.grace_seconds = opens_at, closes_at, grace
    held.save(update_fields=["opens_at", "closes_at", "grace_seconds"])
    kept = " Runs received under the earlier dates stay counted." if outside.runs else ""
    Announcement.objects.create(
        task=phase.task,
        at=moment,
        author=moved_by,
        text=f"{phase.name} now {' and '.join(said)}.{kept} {reason.strip()}",
    )
    audit.record(
        actor=moved_by,
        action="phase moved",
        target=phase,
        reason=reason.strip(),
        before=before,
        after={**_dates(held), "runs outside": outside.runs},
        at=moment,
    )
    return phase


def _dates(phase: Phase) -> dict[str, Any]:
    return {
        "opens_at": phase.opens_at.isoformat(),
        "closes_at": phase.closes_at.isoformat(),
        "grace_seconds": phase.grace_seconds,
    }


def _changes(phase: Phase, opens_at: datetime, closes_at: datetime, grace: int) -> list[str]:
    """What differs from the dates the phase has, as an announcement says it."""
    moments = (("opens", phase.opens_at, opens_at), ("closes", phase.closes_at, closes_at))
    said = [f"{word} {in_words(new)} (before: {in_words(old)})" for word, old, new in moments if old != new]
    if grace != phase.grace_seconds:
        said.append(f"has a grace of {grace} seconds (before: {phase.grace_seconds})")
    return said


def _counted(number: int, one: str) -> str:
    return f"{number:,} {one}{'' if number == 1 else 's'}"


def in_words(moment: datetime) -> str:
    """26 May 2026 12:00 UTC (26 May 00:00 AoE)."""
    universal, anywhere = moment.astimezone(UTC), moment.astimezone(AOE)
    return f"{universal:%-d %b %Y %H:%M} UTC ({anywhere:%-d %b %H:%M} AoE)"
