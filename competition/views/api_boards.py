"""Leaderboards for programs: the live one by the policy that the page asks, and frozen ones as published.

A token shows what its owner would see as a participant, here too.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterable, Mapping
from datetime import datetime
from typing import Any

from django.contrib.auth.models import AnonymousUser
from django.http import Http404, HttpRequest, HttpResponse
from django.urls import reverse

from competition import clock
from competition.domain import visibility
from competition.domain.invalid import InvalidShare, invalid_on
from competition.domain.standings import Standing, live_standings
from competition.exports import FORMATS
from competition.models import FrozenLeaderboard, Team, User
from competition.views.api_access import answer, api, gives, here, revalidates
from competition.views.pages import find_track

ANYBODY = AnonymousUser()
Line = dict[str, Any]


@revalidates
@gives(ok="Board")
def show_live(request: HttpRequest, user: User, task: str, track: str, phase: str) -> HttpResponse:
    """The live board, and which frozen one is official."""
    now = clock.now()
    rail, of_track = find_track(ANYBODY, task, track, now)
    of_phase = rail.phase_called(phase)
    if of_phase is None:
        raise Http404
    board = live_standings(of_phase, of_track, user, now, as_organizer=False)
    newest = _published().filter(phase=of_phase, track=of_track).order_by("-version").first()
    fine = visibility.fineness(of_phase, of_track, now)
    keys = [score.key for score in board.columns]

    def lines(standings: Iterable[Standing]) -> list[Line]:
        return [_live_line(one, keys, fine) for one in standings]

    return answer(
        {
            "task": task,
            "track": track,
            "phase": phase,
            "state": "live",
            "hidden": board.hidden or None,
            "rule": board.rule,
            "n_teams": board.n_teams,
            "columns": [_column(score._asdict()) for score in board.columns],
            "entries": lines(board.ranked),
            "baselines": lines(board.baselines),
            "unranked": lines(board.unranked),
            "median": None if board.median is None else fine(board.median),
            "signature": board.signature,
            "official": _official(request, newest) if newest else None,
            "later": None,
            "url": here(request, "api_board", task, track, phase),
            "page": f"{here(request, 'leaderboard', task, track)}?phase={phase}",
        }
    )


@revalidates
@gives(ok="Board")
def show_frozen(request: HttpRequest, user: User, public_id: str) -> HttpResponse:
    """A published frozen board, as it was then."""
    found = _published().filter(public_id=public_id).first()
    if found is None:
        raise Http404
    content = json.loads(found.content)
    own = set(Team.objects.of(user).values_list("public_id", flat=True))
    newest = _published().filter(phase=found.phase, track=found.track).order_by("-version").first()
    assert newest is not None
    keys = [score["key"] for score in content["scores"]]

    def lines(section: str) -> list[Line]:
        return [_frozen_line(one, keys, section, own) for one in content[section]]

    return answer(
        {
            "task": content["task"]["slug"],
            "track": content["track"]["slug"],
            "phase": content["phase"]["slug"],
            "state": "frozen",
            "hidden": None,
            "rule": content["rule"],
            "n_teams": len(content["entries"]) + len(content["unranked"]),
            "columns": [_column(score) for score in content["scores"]],
            "entries": lines("entries"),
            "baselines": lines("baselines"),
            "unranked": lines("unranked"),
            "median": None,
            "signature": content["signature"],
            "official": _official(request, found),
            "later": None if newest == found else here(request, "api_frozen_board", newest.public_id),
            "url": here(request, "api_frozen_board", found.public_id),
            "page": request.build_absolute_uri(found.get_absolute_url()),
        }
    )


board = api(GET=show_live)
frozen_board = api(GET=show_frozen)


def _published() -> Any:
    """What a visitor may open: an organizer's token sees no board before it is published."""
    return (
        FrozenLeaderboard.objects.visible_to(ANYBODY)
        .published()
        .select_related("publication", "phase", "track")
    )


def _column(score: Mapping[str, Any]) -> dict[str, Any]:
    return {key: score[key] for key in ("key", "title", "symbol", "higher_is_better")}


def _official(request: HttpRequest, board: FrozenLeaderboard) -> dict[str, Any]:
    files = {ending: reverse("board_export", args=[board.public_id, ending]) for ending in FORMATS}
    return {
        "id": board.public_id,
        "version": board.version,
        "digest": board.digest,
        "previous_digest": board.previous_digest,
        "frozen_at": board.frozen_at.isoformat(),
        "published_at": board.publication.published_at.isoformat(),
        "reason": board.reason,
        "url": here(request, "api_frozen_board", board.public_id),
        "page": request.build_absolute_uri(board.get_absolute_url()),
        "exports": {ending: request.build_absolute_uri(path) for ending, path in files.items()},
    }


def _live_line(line: Standing, keys: list[str], fine: Callable[[float], float]) -> Line:
    known = line.name == line.team.name and not line.team.is_baseline
    share = line.invalid
    if share is not None:
        share = InvalidShare(fine(share.rate), {name: fine(part) for name, part in share.reasons.items()})
    return {
        "rank": line.rank,
        "tied": line.tied and line.rank is not None,
        "team": line.name,
        "team_id": line.team.public_id if known else None,
        "yours": line.is_own,
        "run_name": line.run.run_name,
        "received_at": line.run.received_at.isoformat(),
        "scores": _scores(keys, {key: fine(value) for key, value in line.scores.items()}),
        "invalid": share.to_json() if share else None,
        "interval": None,
        "rank_interval": None,
        "groups": "",
        "older_scoring": line.stale,
    }


def _frozen_line(line: Line, keys: list[str], section: str, own: set[str]) -> Line:
    share = invalid_on(line)
    return {
        "rank": line["rank"],
        "tied": line["tied"],
        "team": line["team"],
        "team_id": None if section == "baselines" else line["team_id"],
        "yours": line["team_id"] in own,
        "run_name": line["run_name"],
        "received_at": datetime.fromisoformat(line["received_at"]).isoformat(),
        "scores": _scores(keys, line["scores"]),
        "invalid": share.to_json() if share else None,
        "interval": line.get("interval"),
        "rank_interval": line.get("rank_interval"),
        "groups": line.get("groups", ""),
        "older_scoring": False,
    }


def _scores(keys: list[str], scores: Mapping[str, float | None]) -> dict[str, float | None]:
    """One for each column; None where there is no finite one."""
    found = {key: scores.get(key) for key in keys}
    return {key: None if value is None or not math.isfinite(value) else value for key, value in found.items()}
