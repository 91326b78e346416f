"""What the data page lists: the released items of each phase, and those they replaced."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from django.db.models import QuerySet

from competition.enums import FileStatus
from competition.models import ItemSet, Phase, SharedTask, Track


def released_items(track: Track, moment: datetime, *, unopened: bool = False) -> QuerySet[ItemSet]:
    """The current items of each phase that has opened; `unopened` adds the rest, for organizers."""
    return _opened(ItemSet.objects.current(), track, moment, unopened)


def current_items() -> QuerySet[ItemSet]:
    """The current items of every track and phase, in the order pages and archives list them."""
    found = ItemSet.objects.current().select_related("phase", "track__task", "blob").defer("blob__packed")
    return found.order_by("track__order", "track__pk", "phase__opens_at", "phase__pk")


def open_items(task: SharedTask, moment: datetime) -> list[ItemSet]:
    """The current items of every track and phase of a task that is open."""
    return list(
        current_items().filter(track__task=task, phase__opens_at__lte=moment, phase__closes_at__gt=moment)
    )


def sending_phase(phases: Sequence[Phase], track: Track) -> Phase | None:
    """Of these open phases the first with items in this track, where a run can be sent; else the first."""
    if len(phases) < 2:
        return phases[0] if phases else None
    ready = ItemSet.objects.filter(phase__in=phases, track=track, status=FileStatus.READY)
    released = set(ready.values_list("phase", flat=True))
    return next((phase for phase in phases if phase.pk in released), phases[0])


def replaced_items(track: Track, moment: datetime, *, unopened: bool = False) -> QuerySet[ItemSet]:
    """Ready items that a later version has replaced."""
    current = ItemSet.objects.current().values("pk")
    ready = ItemSet.objects.filter(status=FileStatus.READY).exclude(pk__in=current)
    return _opened(ready, track, moment, unopened)


def _opened(sets: QuerySet[ItemSet], track: Track, moment: datetime, unopened: bool) -> QuerySet[ItemSet]:
    found = sets.filter(track=track).select_related("phase", "track", "blob").defer("blob__packed")
    if not unopened:
        found = found.filter(phase__opens_at__lte=moment)
    return found.order_by("-phase__opens_at", "-version")
