"""What organizers should look at first: failures, waiting work, stale scores, gold that was rejected, boards
that wait, names that look alike.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from django.db.models import Count, Exists, F, OuterRef, Subquery
from django.urls import reverse

from competition.enums import FileStatus, PhasePurpose, WorkStatus
from competition.models import (
    Evaluation,
    FrozenLeaderboard,
    GoldVersion,
    ItemSet,
    Phase,
    SharedTask,
    Team,
    Track,
    WorkerBeat,
)
from competition.models.work import ITEMS_GONE

PATIENCE = timedelta(minutes=2)
"""Work that waits longer than this is worth a look."""


@dataclass(frozen=True)
class Notice:
    """One thing to look at: a sentence and where to go."""

    message: str
    url: str


def attention(user: Any, moment: datetime) -> list[Notice]:
    """Notices for the shared tasks this user organizes, the most pressing first."""
    tasks = SharedTask.objects.organized_by(user)
    found = [
        *_about_work(tasks, moment),
        *_about_gold(tasks),
        *_about_stale_scores(tasks),
        *_about_boards(tasks, moment),
        *_about_names(tasks),
    ]
    return [Notice(message, url) for message, url in found]


def _about_work(tasks: Any, moment: datetime) -> list[tuple[str, str]]:
    mine = Evaluation.objects.filter(submission__phase__task__in=tasks)
    newer = Evaluation.objects.filter(submission=OuterRef("submission"), pk__gt=OuterRef("pk"))
    unscored = mine.filter(~Exists(newer), status=WorkStatus.FAILED, submission__withdrawn_at=None)
    gone = unscored.filter(failure_kind=ITEMS_GONE).count()
    failed = unscored.count() - gone
    waiting = mine.filter(status=WorkStatus.QUEUED, queued_at__lt=moment - PATIENCE).count()
    alive = WorkerBeat.objects.filter(seen_at__gte=moment - PATIENCE).exists()
    notices = []
    if failed:
        notices.append((f"{_runs(failed)} failed by our fault.", _list("submission", "?state=failed")))
    if gone:
        message = (
            f"{_runs(gone)} cannot be scored: the items were replaced. Ask for runs that fit the new ones, "
            "then withdraw."
        )
        notices.append((message, _list("submission", "?state=failed")))
    if waiting:
        why = "" if alive else " No worker is alive."
        notices.append(
            (f"{_runs(waiting)} waiting over two minutes.{why}", _list("evaluation", "?status=queued"))
        )
    return notices


def _about_gold(tasks: Any) -> list[tuple[str, str]]:
    newer = GoldVersion.objects.filter(
        phase=OuterRef("phase"), track=OuterRef("track"), version__gt=OuterRef("version")
    )
    rejected = GoldVersion.objects.filter(~Exists(newer), phase__task__in=tasks, status=FileStatus.REJECTED)
    notices = [
        (
            f"Gold v{gold.version} of {_board(gold.phase, gold.track)} was rejected.",
            reverse("admin:competition_goldversion_change", args=[gold.pk]),
        )
        for gold in rejected.select_related("track", "phase__task")
    ]
    for gold in _of_replaced_items(tasks):
        board = _board(gold.phase, gold.track)
        message = (
            f"{board}: the items were replaced since gold v{gold.version} was checked. Upload gold again."
        )
        again = f"?phase={gold.phase_id}&track={gold.track_id}"
        notices.append((message, reverse("admin:competition_goldversion_add") + again))
    return notices


def _of_replaced_items(tasks: Any) -> Any:
    """Gold in force that was checked against other items than teams answer now."""
    items = ItemSet.objects.current().filter(phase=OuterRef("phase"), track=OuterRef("track"))
    gold = GoldVersion.objects.current().filter(phase__task__in=tasks)
    others = gold.annotate(now=Subquery(items.values("blob")[:1])).exclude(item_set__blob=F("now"))
    return others.select_related("track", "phase__task")


def _about_stale_scores(tasks: Any) -> list[tuple[str, str]]:
    """Runs whose newest score was made with an older gold version than the current one."""
    current = GoldVersion.objects.filter(
        phase=OuterRef("submission__phase"), track=OuterRef("submission__track"), status=FileStatus.READY
    ).order_by("-version")
    newer = Evaluation.objects.filter(submission=OuterRef("submission"), pk__gt=OuterRef("pk"))
    stale = (
        Evaluation.objects.filter(
            ~Exists(newer),
            submission__phase__task__in=tasks,
            submission__withdrawn_at=None,
            status=WorkStatus.DONE,
        )
        .annotate(current=Subquery(current.values("version")[:1]))
        .filter(gold_version__version__lt=F("current"))
        .values("submission__phase", "submission__track")
        .annotate(runs=Count("pk"))
    )
    phases = Phase.objects.select_related("task").in_bulk([row["submission__phase"] for row in stale])
    tracks = Track.objects.in_bulk([row["submission__track"] for row in stale])
    return [
        (
            f"{_board(phases[phase], tracks[track])}: {_runs(row['runs'])} scored by older gold.",
            _list("submission", f"?phase__id__exact={phase}&track__id__exact={track}"),
        )
        for row in stale
        for phase, track in [(row["submission__phase"], row["submission__track"])]
    ]


def _about_boards(tasks: Any, moment: datetime) -> list[tuple[str, str]]:
    closed = Phase.objects.filter(task__in=tasks, purpose=PhasePurpose.TEST, closes_at__lte=moment)
    frozen = set(FrozenLeaderboard.objects.filter(phase__in=closed).values_list("phase", "track"))
    notices = [
        (
            f"{_board(phase, track)} has closed and is not frozen.",
            reverse("admin:competition_freeze", args=[phase.pk, track.pk]),
        )
        for phase in closed.select_related("task").prefetch_related("task__tracks")
        for track in phase.task.tracks.all()
        if (phase.pk, track.pk) not in frozen
    ]
    unpublished = FrozenLeaderboard.objects.filter(phase__task__in=tasks, publication=None)
    newer = FrozenLeaderboard.objects.filter(
        phase=OuterRef("phase"), track=OuterRef("track"), version__gt=OuterRef("version")
    )
    for board in unpublished.filter(~Exists(newer)).select_related("phase__task", "track"):
        message = f"{_board(board.phase, board.track)}, version {board.version}, is frozen and not published."
        notices.append((message, reverse("admin:competition_publish", args=[board.pk])))
    return notices


def _about_names(tasks: Any) -> list[tuple[str, str]]:
    alike = (
        Team.objects.filter(task__in=tasks)
        .values("task", "lookalike_key")
        .annotate(teams=Count("pk"))
        .filter(teams__gt=1)
        .count()
    )
    return [("Some team names look alike.", _list("team", "?name=alike"))] if alike else []


def _list(model: str, query: str) -> str:
    return reverse(f"admin:competition_{model}_changelist") + query


def _board(phase: Phase, track: Track) -> str:
    return f"{phase.task}: {track}, {phase}"


def _runs(count: int) -> str:
    return "1 run" if count == 1 else f"{count:,} runs"
