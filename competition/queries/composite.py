"""What a view over several tracks reads: official boards of a phase, and results with their item scores."""

from __future__ import annotations

from collections.abc import Iterable

from competition.models import FrozenLeaderboard, Phase, Result, SharedTask, Track


def official_boards(phase: Phase, tracks: Iterable[Track]) -> dict[int, FrozenLeaderboard]:
    """Track id → the newest published board of this phase, with its lines. Two queries."""
    boards = (
        FrozenLeaderboard.objects.published()
        .filter(phase=phase, track__in=list(tracks))
        .defer("content")
        .order_by("version")
        .prefetch_related("standings__team", "standings__submission")
    )
    return {board.track_id: board for board in boards}


def results_of(submissions: Iterable[str]) -> list[Result]:
    """Every result of these submissions (public ids), the newest first, with items and item scores named."""
    return list(
        Result.objects.filter(evaluation__submission__public_id__in=list(submissions))
        .select_related("evaluation__submission", "evaluation__item_set__track", "per_item")
        .defer("report", "per_item__packed")
        .order_by("-evaluation_id")
    )


def tracks_of(task: SharedTask) -> dict[str, Track]:
    """Slug → track, in the task's order."""
    return {track.slug: track for track in task.tracks.select_related("task")}
