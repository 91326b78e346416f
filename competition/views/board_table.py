"""A board, live or frozen, as the one table template prints it.

All formatting happens here, so that a board of 300 rows stays cheap.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any
from urllib.parse import urlencode

from django.utils.html import format_html

from competition.charts.whisker import Axis, Whisker, axis, whisker
from competition.domain.invalid import KEY, SYMBOL, TITLE, InvalidShare, has_own_column
from competition.domain.ranking import percent
from competition.domain.standings import Board, Standing
from competition.domain.visibility import digits_shown
from scoring.tracks.base import Score

SHORT, LONG = 10, 25
"""Beyond `SHORT` lines a board can be searched; beyond `LONG` it scrolls in a frame, under its head."""


@dataclass(frozen=True)
class Column:
    symbol: str
    title: str
    arrow: str
    sorted: str = ""
    href: str = ""


INVALID_COLUMN = Column(SYMBOL, f"{TITLE}; lower is better", "↓")


@dataclass
class Line:
    rank: str
    team: str
    scores: list[str]
    sent: str
    href: str = ""
    under: str = ""
    mine: bool = False
    whisker: Whisker | None = None
    rank_interval: str = ""
    brackets: list[str] = field(default_factory=list)


@dataclass
class Section:
    name: str
    title: str
    rows: list[Line]


@dataclass
class BoardTable:
    """`lanes`: one per bracket column. `groups` and the notes are the sentences under the table."""

    caption: str
    columns: list[Column]
    sections: list[Section]
    rule: str
    axis: Axis | None = None
    lanes: list[int] = field(default_factory=list)
    has_ranks: bool = False
    groups: list[str] = field(default_factory=list)
    interval_note: str = ""
    signature: str = ""
    excluded: list[dict[str, str]] = field(default_factory=list)
    digests: list[tuple[str, str]] = field(default_factory=list)

    @property
    def long(self) -> bool:
        return sum(len(section.rows) for section in self.sections) > LONG

    @property
    def findable(self) -> bool:
        """Whether a search field is worth its place."""
        return sum(len(section.rows) for section in self.sections) > SHORT

    @property
    def width(self) -> int:
        """Columns in all, for a heading that spans them."""
        return len(self.lanes) + len(self.columns) + 3 + bool(self.axis) + bool(self.axis and self.has_ranks)


def chance_notes(title: str, chance: float | None) -> list[str]:
    return [f"Chance: a random valid run expects {title} {percent(chance)}."] if chance is not None else []


def live_table(board: Board, query: dict[str, str], chance: float | None = None) -> BoardTable | None:
    """The live board; None where nothing stands on it.

    `query`: the address' parameters, of which `sort` and `team` choose the order and the lines shown.
    """
    everything = [*board.ranked, *board.unranked, *board.baselines]
    if not everything:
        return None
    scale = axis(_finite(line.primary for line in everything), _axis_title(board.columns[0]))
    wanted, order = query.get("team", "").strip().casefold(), query.get("sort", "")
    sections = []
    for name, title, lines in (
        ("ranked", "", _ordered(board, order)),
        ("baseline", "Baselines, not ranked", board.baselines),
        ("unranked", "Waiting for a score", board.unranked),
    ):
        shown = [line for line in lines if wanted in line.name.casefold()]
        rows = [_live_line(board, line, scale) for line in shown]
        if rows:
            sections.append(Section(name, title, rows))
    teams = f"{board.n_teams} team{'' if board.n_teams == 1 else 's'}"
    notes = [f"The median of the field is {percent(board.median)}."] if board.median is not None else []
    notes += chance_notes(board.columns[0].title, chance)
    return BoardTable(
        caption=f"{board.track.name}, {board.phase.name}: {teams}",
        columns=[
            *_columns(board.columns, order, query),
            *extra_columns(keys_of(board.columns), [line.invalid for line in board.rows]),
        ],
        sections=sections,
        rule=f"{board.rule} Equal scores share a rank.",
        axis=scale,
        groups=notes,
        interval_note="A live board has no intervals; a frozen one does.",
        signature=board.signature,
    )


def brackets(groups: Sequence[frozenset[str]]) -> tuple[list[int], list[list[str]]]:
    """Lanes and, for each ranked line in order, the bracket piece in each lane.

    `groups`: the letters of each line; lines that share a letter cannot be told apart. A letter held by one
    line draws nothing.
    """
    spans = []
    for letter in sorted({letter for line in groups for letter in line}):
        places = [place for place, line in enumerate(groups) if letter in line]
        if len(places) > 1:
            spans.append((places[0], places[-1]))
    lanes: list[list[tuple[int, int]]] = []
    for span in sorted(spans):
        lane = next((lane for lane in lanes if lane[-1][1] < span[0]), None)
        if lane is None:
            lanes.append([span])
        else:
            lane.append(span)
    pieces = [[_piece(place, lane) for lane in lanes] for place in range(len(groups))]
    return list(range(len(lanes))), pieces


def _piece(place: int, lane: list[tuple[int, int]]) -> str:
    for first, last in lane:
        if first <= place <= last:
            return " in" + (" first" if place == first else "") + (" last" if place == last else "")
    return ""


def _ordered(board: Board, key: str) -> list[Standing]:
    """The ranked lines, by another score where the address asks for one; ranks stay what they are."""
    score = next((one for one in board.columns[1:] if one.key == key), None)
    if score is None:
        return board.ranked
    return sorted(
        board.ranked, key=lambda line: line.scores.get(score.key, 0.0), reverse=score.higher_is_better
    )


def _columns(scores: Sequence[Score], order: str, query: dict[str, str]) -> list[Column]:
    chosen = order if order in {score.key for score in scores[1:]} else scores[0].key
    columns = []
    for score in scores:
        address = {**query, "sort": score.key}
        if score is scores[0]:
            del address["sort"]
        columns.append(
            Column(
                score.symbol,
                f"{score.title}, {'higher' if score.higher_is_better else 'lower'} is better",
                "↑" if score.higher_is_better else "↓",
                ("descending" if score.higher_is_better else "ascending") if score.key == chosen else "",
                "?" + urlencode(address),
            )
        )
    return columns


def _live_line(board: Board, line: Standing, scale: Axis | None) -> Line:
    value = line.primary
    return Line(
        rank=str(line.rank) if line.rank else "–",
        team=line.name,
        href=f"/teams/{line.team.public_id}/"
        if line.name == line.team.name and not line.team.is_baseline
        else "",
        under=line.run.run_name + (" (older scoring)" if line.stale else ""),
        mine=line.is_own,
        scores=score_cells(keys_of(board.columns), line.scores, line.invalid),
        whisker=whisker(scale, digits_shown(value), None) if scale and value is not None else None,
        sent=short_moment(line.run.received_at),
    )


def keys_of(scores: Sequence[Score]) -> list[str]:
    return [score.key for score in scores]


def extra_columns(keys: Sequence[str], shares: Sequence[InvalidShare | None]) -> list[Column]:
    """The invalid rate as a column of its own, where the kind takes invalid answers and has no such score."""
    return [INVALID_COLUMN] if has_own_column(keys, shares) else []


def score_cells(keys: Sequence[str], scores: Mapping[str, float], invalid: InvalidShare | None) -> list[str]:
    """A line's scores, and how much of it is invalid, with the reasons."""
    if invalid is None:
        return [percent(scores.get(key)) for key in keys]
    told = _with_reasons(invalid)
    cells = [told if key == KEY else percent(scores.get(key)) for key in keys]
    return cells if KEY in keys else [*cells, told]


def _with_reasons(invalid: InvalidShare) -> str:
    """The rate, with its reasons in small print under it."""
    if not invalid.reasons:
        return invalid.shown
    return format_html('{}<span class="reasons">{}</span>', invalid.shown, invalid.listed)


def short_moment(moment: datetime) -> str:
    return f"{moment.astimezone(UTC):%Y-%m-%d %H:%M}"


def _axis_title(score: Score) -> str:
    return f"{score.title} in percent"


def _finite(values: Any) -> list[float]:
    return [value for value in values if value is not None]
