"""The leaderboard tab, frozen boards and their downloads."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from django.http import Http404, HttpRequest, HttpResponse
from django.views.decorators.http import require_safe

from competition import clock
from competition.domain.samples import chance_level
from competition.domain.standings import live_standings
from competition.exports import FORMATS
from competition.models import FrozenLeaderboard, ItemSet, Phase, Publication, Team, Track
from competition.queries.rail import rail_of
from competition.views.board_table import live_table
from competition.views.drawings import board_profile
from competition.views.frozen_table import frozen_table
from competition.views.pages import TABS, find_track, show
from competition.views.track_facts import kind_of

LABELS = {"csv": "CSV", "json": "JSON", "md": "Markdown", "tex": "LaTeX"}


@require_safe
def leaderboard(request: HttpRequest, task: str, track: str) -> HttpResponse:
    """The live board of one phase; the official one is linked above it."""
    now = clock.now()
    rail, found = find_track(request.user, task, track, now)
    asked = request.GET.get("phase")
    phase = rail.phase_called(asked) if asked else rail.best_phase()
    if asked and phase is None:
        raise Http404
    standings = live_standings(phase, found, request.user, now) if phase else None
    chance = chance_level(ItemSet.objects.current_for(phase, found)) if phase else None
    return show(
        request,
        "tracks/leaderboard.html",
        now=now,
        rail=rail,
        task=rail.task,
        track=found,
        kind=kind_of(found),
        tabs=TABS,
        tab="leaderboard/",
        phase=phase,
        standings=standings,
        board=live_table(standings, request.GET.dict(), chance) if standings else None,
        official=_newest(request, phase, found) if phase else None,
        wanted=request.GET.get("team", ""),
    )


@require_safe
def frozen(request: HttpRequest, public_id: str) -> HttpResponse:
    """An official board, as it was printed."""
    now = clock.now()
    found = _find(request, public_id)
    own = frozenset(Team.objects.of(request.user).values_list("public_id", flat=True))
    same = FrozenLeaderboard.objects.visible_to(request.user).filter(phase=found.phase, track=found.track)
    versions = list(same.defer("content").order_by("-version"))
    content = json.loads(found.content)
    return show(
        request,
        "boards/frozen.html",
        now=now,
        rail=rail_of(found.phase.task, now),
        task=found.phase.task,
        track=found.track,
        phase=found.phase,
        frozen=found,
        publication=Publication.objects.filter(board=found).first(),
        board=frozen_table(content, own, chance_level(_items_of(found, content))),
        profile=board_profile(content),
        versions=versions,
        newest=versions[0],
        exports=[(ending, LABELS[ending]) for ending in FORMATS],
    )


@require_safe
def export(request: HttpRequest, public_id: str, ending: str) -> HttpResponse:
    """A frozen board as a file."""
    if ending not in FORMATS:
        raise Http404
    found = _find(request, public_id)
    media_type, write = FORMATS[ending]
    name = f"{found.track.slug}-{found.phase.slug}-v{found.version}.{ending}"
    headers = {"Content-Disposition": f'attachment; filename="{name}"', "ETag": f'"{found.digest}-{ending}"'}
    return HttpResponse(
        write(json.loads(found.content), found.digest), content_type=media_type, headers=headers
    )


def _find(request: HttpRequest, public_id: str) -> FrozenLeaderboard:
    boards = FrozenLeaderboard.objects.visible_to(request.user).filter(public_id=public_id)
    found = boards.select_related("phase__task", "track__task").first()
    if found is None:
        raise Http404
    return found


def _items_of(board: FrozenLeaderboard, content: Mapping[str, Any]) -> ItemSet | None:
    """The items a frozen board was made with."""
    sets = ItemSet.objects.filter(phase=board.phase, track=board.track)
    return sets.filter(version=content["items"]["version"]).select_related("track").first()


def _newest(request: HttpRequest, phase: Phase, track: Track) -> FrozenLeaderboard | None:
    """The newest frozen board this viewer may see."""
    boards = FrozenLeaderboard.objects.visible_to(request.user).filter(phase=phase, track=track)
    return boards.select_related("publication").defer("content").order_by("-version").first()
