"""Moving a phase's dates: an audited, announced act."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone

from django.db import transaction

from competition import clock, rules
from competition.domain import audit
from competition.exceptions import NotAllowed, Refused
from competition.models import Announcement, Phase, User

AOE = timezone(timedelta(hours=-12), "AoE")


@transaction.atomic
def move_phase(
    *,
    phase: Phase,
    opens_at: datetime,
    closes_at: datetime,
    moved_by: User,
    reason: str,
    at: datetime | None = None,
) -> Phase:
    """Give a phase other dates. People are told on the task's page; runs in flight are judged by the row as
    it is when they are accepted. Raises Refused without a reason.
    """
    moment = at or clock.now()
    if not rules.organizes(moved_by, phase.task):
        raise NotAllowed("Only organizers move a phase.")
    if not reason.strip():
        raise Refused("Say why the dates change: participants will read it.")
    held = Phase.objects.select_for_update().get(pk=phase.pk)
    before = {"opens_at": held.opens_at.isoformat(), "closes_at": held.closes_at.isoformat()}
    said = [
        f"{word} {in_words(new)} (before: {in_words(old)})"
        for word, old, new in (("opens", held.opens_at, opens_at), ("closes", held.closes_at, closes_at))
        if old != new
    ]
    if not said:
        return phase
    phase.opens_at = held.opens_at = opens_at
    phase.closes_at = held.closes_at = closes_at
    held.save(update_fields=["opens_at", "closes_at"])
    Announcement.objects.create(
        task=phase.task,
        at=moment,
        author=moved_by,
        text=f"{phase.name} now {' and '.join(said)}. {reason.strip()}",
    )
    audit.record(
        actor=moved_by,
        action="phase moved",
        target=phase,
        reason=reason.strip(),
        before=before,
        after={"opens_at": opens_at.isoformat(), "closes_at": closes_at.isoformat()},
        at=moment,
    )
    return phase


def in_words(moment: datetime) -> str:
    """26 May 2026 12:00 UTC (26 May 00:00 AoE)."""
    universal, anywhere = moment.astimezone(UTC), moment.astimezone(AOE)
    return f"{universal:%-d %b %Y %H:%M} UTC ({anywhere:%-d %b %H:%M} AoE)"
