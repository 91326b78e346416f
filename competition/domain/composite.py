"""Several tracks side by side: a shared task's table, and MultiFinGround's recognition by coverage.

A team's line joins what stands for it in each track: the newest published board where there is one, else the
live standings. Nothing is shown here that the track's own board would not show this viewer.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from functools import lru_cache
from typing import Any

from competition import rules
from competition.domain import visibility
from competition.domain.blobs import load_digest
from competition.domain.samples import items_of
from competition.domain.standings import live_standings
from competition.enums import DiagnosticsLevel, Section, TeamRole
from competition.models import FrozenLeaderboard, Phase, Result, SharedTask, Team, Track
from competition.queries.composite import official_boards, results_of, tracks_of
from scoring.composite import Column, across_tracks, recognition_by_coverage
from scoring.records import Items
from scoring.tracks.base import Tally

RECOGNITION, SELECTION = "concept_recognition", "fact_selection"


@dataclass(frozen=True)
class Entered:
    """What stands for one team in one track. `run` is the submission's public id."""

    team: Team
    name: str
    scores: Mapping[str, float]
    run: str


@dataclass(frozen=True)
class Source:
    """Where a track's scores come from: a published board, or the live one; `hidden`: why there is none."""

    track: Track
    board: FrozenLeaderboard | None = None
    hidden: str = ""
    entered: Mapping[int, Entered] = field(default_factory=dict)


@dataclass(frozen=True)
class Value:
    """A cell. No score where the team has no scored run in the track; `run` only for who may open it."""

    score: float | None
    track: Track
    run: str = ""


@dataclass(frozen=True)
class Line:
    team: Team
    name: str
    is_own: bool
    values: list[Value]
    average: float | None


@dataclass(frozen=True)
class SideBySide:
    """`gaps`: lines that miss a column, and so have no average."""

    columns: list[Column]
    sources: list[Source]
    lines: list[Line]
    averaged: bool

    @property
    def gaps(self) -> int:
        return sum(any(value.score is None for value in line.values) for line in self.lines)


@dataclass(frozen=True)
class Paired:
    """One team's T2a and T2b runs together; `found` is what `recognition_by_coverage` gives."""

    team: Team
    name: str
    runs: tuple[str, str]
    found: dict[str, Any]


def columns_of(task: SharedTask) -> list[Column]:
    """The columns the organizers named that still exist, else each track's primary score."""
    tracks = tracks_of(task)
    named = [
        Column(one["track"], one["score"], one.get("title") or tracks[one["track"]].name)
        for one in task.columns
        if one["track"] in tracks and one["score"] in {score.key for score in tracks[one["track"]].scores}
    ]
    return named or [Column(slug, track.scores[0].key, track.name) for slug, track in tracks.items()]


def side_by_side(task: SharedTask, phase: Phase, viewer: Any, moment: datetime) -> SideBySide:
    """One line per participating team over the task's columns, as this viewer may see them."""
    columns = columns_of(task)
    tracks = tracks_of(task)
    used = [tracks[slug] for slug in dict.fromkeys(column.track for column in columns)]
    sources = sources_of(phase, used, viewer, moment)
    entered = {source.track.slug: source.entered for source in sources}
    teams = {pk: one for source in sources for pk, one in source.entered.items()}
    scores = {(str(pk), slug): one.scores for slug, by_team in entered.items() for pk, one in by_team.items()}
    opened = _Opened(viewer, task)
    rows = across_tracks(columns, scores, [str(pk) for pk in teams])
    lines = [
        Line(
            one.team,
            one.name,
            one.team.pk in opened.own,
            [
                Value(value, tracks[column.track], opened.run(entered[column.track].get(pk)))
                for column, value in zip(columns, row["values"], strict=True)
            ],
            row["average"] if task.columns_average else None,
        )
        for (pk, one), row in zip(teams.items(), rows, strict=True)
    ]
    return SideBySide(columns, sources, sorted(lines, key=_order), task.columns_average)


def sources_of(phase: Phase, tracks: Sequence[Track], viewer: Any, moment: datetime) -> list[Source]:
    """What each track shows this viewer of its teams, baselines left out."""
    boards = official_boards(phase, tracks) if rules.can_see_task(viewer, phase.task) else {}
    return [_source(phase, track, boards.get(track.pk), viewer, moment) for track in tracks]


def recognition_and_coverage(
    task: SharedTask, phase: Phase, viewer: Any, moment: datetime
) -> tuple[list[Source], list[Paired]]:
    """The tracks T2a and T2b of the task, if it has one of each, and every team whose pair may be seen."""
    by_kind = {track.kind: track for track in reversed(tracks_of(task).values())}
    if RECOGNITION not in by_kind or SELECTION not in by_kind:
        return [], []
    both = [by_kind[RECOGNITION], by_kind[SELECTION]]
    sources = sources_of(phase, both, viewer, moment)
    first, second = (source.entered for source in sources)
    opened = _Opened(viewer, task)
    public = all(visibility.aggregates_public(phase, track) for track in both)
    pairs = [
        (first[pk], second[pk])
        for pk in first
        if pk in second and (public or opened.aggregates(first[pk].team, phase, both, moment))
    ]
    results = _results([one for pair in pairs for one in pair])
    return sources, [
        Paired(a.team, a.name, (opened.run(a), opened.run(b)), found)
        for a, b in pairs
        if (found := _pair(results.get(a.run), results.get(b.run))) is not None
    ]


def _source(
    phase: Phase, track: Track, board: FrozenLeaderboard | None, viewer: Any, moment: datetime
) -> Source:
    if board is not None:
        return Source(
            track,
            board,
            entered={
                one.team_id: Entered(one.team, one.team_name, one.scores, one.submission.public_id)
                for one in board.standings.all()
                if one.section == Section.RANKED and one.submission is not None
            },
        )
    live = live_standings(phase, track, viewer, moment)
    if live.hidden:
        return Source(track, hidden=live.hidden)
    if not visibility.names_visible(viewer, phase, track):
        return Source(track, hidden="Teams are anonymous here until the leaderboard is published.")
    return Source(
        track,
        entered={
            one.team.pk: Entered(one.team, one.name, one.scores, one.run.public_id)
            for one in live.ranked
            if one.team.role == TeamRole.PARTICIPANT
        },
    )


def _order(line: Line) -> tuple[Any, ...]:
    """By average where there is one, then by how many columns are filled, then by the first of them."""
    values = [value.score for value in line.values]
    present = sum(value is not None for value in values)
    first = next((value for value in values if value is not None), 0.0)
    return (line.average is None, -(line.average or 0.0), -present, -first, line.name.casefold())


class _Opened:
    """What a viewer may open: the runs of the own teams, and to organizers all."""

    def __init__(self, viewer: Any, task: SharedTask) -> None:
        self.viewer = viewer
        self.own = set(Team.objects.of(viewer).values_list("pk", flat=True))
        self.every = rules.organizes(viewer, task)

    def aggregates(self, team: Team, phase: Phase, tracks: Sequence[Track], moment: datetime) -> bool:
        """Whether a team's aggregates against gold are open to this viewer before they are public: to
        organizers always, to members as their phase says.
        """
        if self.every:
            return True
        if team.pk not in self.own:
            return False
        levels = [visibility.diagnostics_level(self.viewer, team, phase, track, moment) for track in tracks]
        return all(level is not None and level >= DiagnosticsLevel.AGGREGATES for level in levels)

    def run(self, one: Entered | None) -> str:
        return one.run if one and (self.every or one.team.pk in self.own) else ""


# Recognition by coverage


def _results(entered: Sequence[Entered]) -> dict[str, Result]:
    """Run → the newest result that says what the board says; a later scoring with other values does not."""
    shown = {one.run: dict(one.scores) for one in entered}
    found: dict[str, Result] = {}
    for result in results_of(shown):
        run = result.evaluation.submission.public_id
        if result.scores == shown[run] and result.per_item_id is not None:
            found.setdefault(run, result)
    return found


def _pair(recognition: Result | None, selection: Result | None) -> dict[str, Any] | None:
    if recognition is None or selection is None:
        return None
    return recognition_by_coverage(
        {item_id: (row["accuracy"],) for item_id, row in _rows(recognition).items()},
        _items(recognition),
        {item_id: _selection_tally(row) for item_id, row in _rows(selection).items()},
        _items(selection),
    )


def _items(result: Result) -> Items:
    return items_of(result.evaluation.item_set)


def _rows(result: Result) -> dict[str, dict[str, Any]]:
    return _rows_in(str(result.per_item_id))


@lru_cache(maxsize=64)
def _rows_in(digest: str) -> dict[str, dict[str, Any]]:
    """Item id → the item's scores. Stored bytes never change, so the latest few stay in memory."""
    lines = load_digest(digest).decode("utf-8").splitlines()
    rows = (json.loads(line) for line in lines if line)
    return {row["item_id"]: row for row in rows}


def _selection_tally(row: Mapping[str, Any]) -> Tally:
    tally: dict[Any, float] = {"covered": row["complete_coverage"]}
    for language, counts in row["languages"].items():
        tally |= {
            (name, language): count
            for name, count in zip(("hits", "predicted", "expected"), counts, strict=True)
        }
    return tally
