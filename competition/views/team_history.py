"""A team's runs by track and phase, with the one that counts and why."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from django.db.models import OuterRef, Subquery

from competition.domain import visibility
from competition.domain.intake import submissions_left
from competition.domain.quota import Quota
from competition.domain.ranking import percent
from competition.domain.selection import RULES
from competition.enums import WorkStatus
from competition.models import Phase, RefusedUpload, Result, Submission, Team, Track
from competition.views.run_page import items_are_gone, short_state
from competition.views.run_report import selection_for
from competition.views.track_facts import kind_of, options_for


@dataclass(frozen=True)
class Run:
    number: int
    href: str
    received_at: datetime
    name: str
    by: Any
    state: str
    tone: str
    score: str
    digest: str
    withdrawn: bool
    counts: bool
    why: str


@dataclass
class EntryHistory:
    track: Track
    phase: Phase
    symbol: str
    rule: str
    quota: str
    runs: list[Run] = field(default_factory=list)


def history(viewer: Any, team: Team, now: datetime) -> list[EntryHistory]:
    """Each phase and track the team sent to, the newest phase first."""
    entries = team.entries.select_related("phase__task", "track__task").order_by(
        "-phase__opens_at", "track__order"
    )
    found = [_entry(viewer, team, entry.phase, entry.track, now) for entry in entries]
    return [entry for entry in found if entry.runs]


def refusals(team: Team) -> Any:
    return RefusedUpload.objects.filter(team=team).select_related("phase", "track").defer("problems")[:20]


def _entry(viewer: Any, team: Team, phase: Phase, track: Track, now: datetime) -> EntryHistory:
    kind = kind_of(track)
    primary = kind.primary_for(options_for(track, kind))
    selection = selection_for(viewer, team, phase, track, now)
    official = selection.run.submission_id if selection.run else None
    visible = visibility.scores_visible(viewer, phase, track, now)
    arrow = "↑" if primary.higher_is_better else "↓"
    quota = (
        submissions_left(team=team, phase=phase, track=track, moment=now) if phase.is_open_at(now) else None
    )
    entry = EntryHistory(track, phase, f"{primary.symbol} {arrow}", RULES[phase.counts], left(quota))
    newest = Result.objects.filter(evaluation__submission=OuterRef("pk"), evaluation__status=WorkStatus.DONE)
    runs = (
        Submission.objects.filter(team=team, phase=phase, track=track)
        .with_status()
        .annotate(score=Subquery(newest.order_by("-evaluation_id").values("primary")[:1]))
        .select_related("submitted_by")
        .order_by("-number")
    )
    for run in runs:
        word, tone = short_state(run)
        counts = run.pk == official
        why = selection.reason.partition(", ")[2].rstrip(".") if counts else ""
        entry.runs.append(
            Run(
                number=run.number,
                href=run.get_absolute_url(),
                received_at=run.received_at,
                name=run.run_name,
                by=run.submitted_by,
                state=word,
                tone=tone,
                score=percent(None if items_are_gone(run) else run.score) if visible else "hidden",
                digest=run.digest,
                withdrawn=run.is_withdrawn,
                counts=counts,
                why=why,
            )
        )
    return entry


def left(quota: Quota | None) -> str:
    """How many runs may still be sent: "3 of 5 left." """
    if quota is None:
        return "Closed."
    if quota.left is None:
        return "No limit."
    if quota.left_in_all is not None and quota.left == quota.left_in_all:
        return f"{quota.left} of {(quota.total or 0) + quota.extra} left."
    return f"{quota.left} of {quota.used_today + quota.left} left today."
