"""What organizers should look at first: failures, waiting work, refused files, names that look alike."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from django.db.models import Count, Exists, OuterRef
from django.urls import reverse

from competition.enums import FileStatus, PhasePurpose, WorkStatus
from competition.models import Evaluation, FrozenLeaderboard, GoldVersion, Phase, SharedTask, Team, WorkerBeat

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
        *_about_boards(tasks, moment),
        *_about_names(tasks),
    ]
    return [Notice(message, reverse(f"admin:competition_{page}") + query) for message, page, query in found]


def _about_work(tasks: Any, moment: datetime) -> list[tuple[str, str, str]]:
    mine = Evaluation.objects.filter(submission__phase__task__in=tasks)
    newer = Evaluation.objects.filter(submission=OuterRef("submission"), pk__gt=OuterRef("pk"))
    failed = mine.filter(~Exists(newer), status=WorkStatus.FAILED, submission__withdrawn_at=None).count()
    waiting = mine.filter(status=WorkStatus.QUEUED, queued_at__lt=moment - PATIENCE).count()
    alive = WorkerBeat.objects.filter(seen_at__gte=moment - PATIENCE).exists()
    notices = []
    if failed:
        notices.append((f"{_runs(failed)} failed by our fault.", "submission_changelist", "?state=failed"))
    if waiting:
        why = "" if alive else " No worker is alive."
        notices.append(
            (f"{_runs(waiting)} waiting over two minutes.{why}", "evaluation_changelist", "?status=queued")
        )
    return notices


def _about_gold(tasks: Any) -> list[tuple[str, str, str]]:
    newer = GoldVersion.objects.filter(
        phase=OuterRef("phase"), track=OuterRef("track"), version__gt=OuterRef("version")
    )
    rejected = GoldVersion.objects.filter(~Exists(newer), phase__task__in=tasks, status=FileStatus.REJECTED)
    return [
        (f"Gold v{gold.version} of {gold.track}, {gold.phase}, was rejected.", "goldversion_changelist", "")
        for gold in rejected.select_related("track", "phase")
    ]


def _about_boards(tasks: Any, moment: datetime) -> list[tuple[str, str, str]]:
    frozen = FrozenLeaderboard.objects.filter(phase=OuterRef("pk"))
    closed = Phase.objects.filter(
        ~Exists(frozen), task__in=tasks, purpose=PhasePurpose.TEST, closes_at__lte=moment
    )
    notices = [(f"{phase} has closed and is not frozen.", "phase_changelist", "") for phase in closed]
    unpublished = FrozenLeaderboard.objects.filter(phase__task__in=tasks, publication=None)
    newer = FrozenLeaderboard.objects.filter(
        phase=OuterRef("phase"), track=OuterRef("track"), version__gt=OuterRef("version")
    )
    for board in unpublished.filter(~Exists(newer)).select_related("phase", "track"):
        notices.append((f"{board} is frozen and not published.", "frozenleaderboard_changelist", ""))
    return notices


def _about_names(tasks: Any) -> list[tuple[str, str, str]]:
    alike = (
        Team.objects.filter(task__in=tasks)
        .values("task", "lookalike_key")
        .annotate(teams=Count("pk"))
        .filter(teams__gt=1)
        .count()
    )
    return [("Some team names look alike.", "team_changelist", "?name=alike")] if alike else []


def _runs(count: int) -> str:
    return "1 run" if count == 1 else f"{count:,} runs"
