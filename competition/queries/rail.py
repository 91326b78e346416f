"""What stands beside every page of a shared task: tracks, phases, what is open now, what comes next."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from competition.models import Announcement, FrozenLeaderboard, Phase, SharedTask, Submission, Track


@dataclass
class Rail:
    """A shared task at one moment. `open` has the phase that closes first in front."""

    task: SharedTask
    phases: list[Phase]
    tracks: list[Track]
    moment: datetime

    @property
    def open(self) -> list[Phase]:
        return sorted(
            (one for one in self.phases if one.is_open_at(self.moment)), key=lambda one: one.closes_at
        )

    @property
    def next(self) -> Phase | None:
        """The phase that opens next."""
        return next((one for one in self.phases if one.opens_at > self.moment), None)

    @property
    def last(self) -> Phase | None:
        """The phase that closed most recently, where nothing is open."""
        closed = [one for one in self.phases if one.closes_at <= self.moment]
        return max(closed, key=lambda one: one.closes_at, default=None)

    def phase_called(self, slug: str | None) -> Phase | None:
        return next((one for one in self.phases if one.slug == slug), None)

    def best_phase(self) -> Phase | None:
        """What a visitor wants first: the open phase, else the one that closed last, else the next."""
        return self.open[0] if self.open else self.last or self.next


@dataclass
class TrackCard:
    track: Track
    teams: int
    boards: list[FrozenLeaderboard] = field(default_factory=list)


@dataclass
class TaskCard(Rail):
    """A rail with what the front page says of each track."""

    cards: list[TrackCard] = field(default_factory=list)


def rail_of(task: SharedTask, moment: datetime) -> Rail:
    tracks = list(task.tracks.all())
    for track in tracks:
        track.task = task
    return Rail(task, list(task.phases.all()), tracks, moment)


def front_page(viewer: Any, moment: datetime) -> list[TaskCard]:
    """Every shared task this viewer may see, those with something open first. A fixed number of queries."""
    tasks = list(SharedTask.objects.visible_to(viewer).prefetch_related("phases", "tracks"))
    teams = _teams_by_track(tasks)
    boards = list(
        FrozenLeaderboard.objects.visible_to(viewer)
        .published()
        .filter(phase__task__in=tasks)
        .select_related("phase")
        .defer("content")
        .order_by("-version")
    )
    cards = []
    for task in tasks:
        rail = rail_of(task, moment)
        entries = [
            TrackCard(track, teams[track.pk], _newest(one for one in boards if one.track_id == track.pk))
            for track in rail.tracks
        ]
        cards.append(TaskCard(rail.task, rail.phases, rail.tracks, moment, entries))
    return sorted(cards, key=lambda card: (not card.open, card.next is None, card.task.name))


def news(tasks: Iterable[SharedTask], most: int = 5) -> list[Announcement]:
    """The latest announcements."""
    return list(Announcement.objects.filter(task__in=list(tasks)).select_related("task")[:most])


def _teams_by_track(tasks: list[SharedTask]) -> Counter[int]:
    """Track → how many participating teams have sent it a run that stands."""
    pairs = (
        Submission.objects.standing()
        .filter(track__task__in=tasks, team__role="participant")
        .values_list("track", "team")
        .distinct()
        .order_by()
    )
    return Counter(track for track, _ in pairs)


def _newest(boards: Iterable[FrozenLeaderboard]) -> list[FrozenLeaderboard]:
    """The newest version of each phase."""
    found: dict[int, FrozenLeaderboard] = {}
    for board in boards:
        found.setdefault(board.phase_id, board)
    return list(found.values())
