"""A shared task's tracks side by side, and recognition by coverage where it has both."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from django.http import Http404, HttpRequest, HttpResponse
from django.urls import reverse
from django.views.decorators.http import require_safe

from competition import clock
from competition.charts.bars import dumbbells, spread
from competition.charts.drawing import Drawing
from competition.charts.quadrant import quadrant
from competition.domain.composite import (
    Paired,
    SideBySide,
    Source,
    Value,
    recognition_and_coverage,
    side_by_side,
)
from competition.domain.ranking import percent
from competition.models import Phase
from competition.queries.rail import rail_of
from competition.templatetags.podium import language
from competition.views.explaining import SMALLEST, Cell, Row, Table
from competition.views.pages import find_task, show

MOST_DRAWN = 12
BANDS = ("1-2", "3-6", "7+")


@dataclass(frozen=True)
class Link:
    """A cell's text and where it leads: to the run for who may open it, else to the board it stands on."""

    text: str
    href: str = ""
    missing: bool = False


@require_safe
def together(request: HttpRequest, task: str) -> HttpResponse:
    """One table over all tracks of a phase. Gaps are shown as gaps."""
    now = clock.now()
    found = find_task(request.user, task)
    rail = rail_of(found, now)
    asked = request.GET.get("phase")
    phase = rail.phase_called(asked) if asked else rail.best_phase()
    if asked and phase is None:
        raise Http404
    context: dict[str, Any] = {}
    if phase is not None and rail.tracks:
        sides = side_by_side(found, phase, request.user, now)
        sources, paired = recognition_and_coverage(found, phase, request.user, now)
        context = {
            "sides": sides,
            "rows": _rows(sides, phase),
            "pairs": paired,
            "pair_sources": sources,
            "pair_tables": _pair_tables(paired),
            "quadrants": [quadrant(one.name, one.found["quadrants"]) for one in paired[:MOST_DRAWN]],
            "recall": _recall_by_language(paired[:MOST_DRAWN]),
        }
    return show(request, "composite/together.html", now=now, rail=rail, task=found, phase=phase, **context)


def source_href(source: Source, phase: Phase) -> str:
    """The board a track's scores are read from."""
    if source.board is not None:
        return source.board.get_absolute_url()
    return f"{source.track.get_absolute_url()}leaderboard/?phase={phase.slug}"


def _rows(sides: SideBySide, phase: Phase) -> list[dict[str, Any]]:
    boards = {source.track.pk: source_href(source, phase) for source in sides.sources}
    return [
        {
            "name": line.name,
            "href": line.team.get_absolute_url(),
            "mine": line.is_own,
            "cells": [_link(value, boards[value.track.pk]) for value in line.values],
            "average": percent(line.average),
        }
        for line in sides.lines
    ]


def _link(value: Value, board: str) -> Link:
    if value.score is None:
        return Link("missing", missing=True)
    href = reverse("submission", args=[value.run]) if value.run else board
    return Link(percent(value.score), href)


def _pair_tables(paired: Sequence[Paired]) -> list[Table]:
    """Omission, whole and by number of targets; precision and recall by language; the four quadrants."""
    if not paired:
        return []
    languages = [row["language"] for row in paired[0].found["by_language"]]
    return [
        Table(
            "Recognised groups that miss a fact",
            ["Team", "paired groups", "recognised", "omission rate", *(f"{band} targets" for band in BANDS)],
            [Row(one.name, _omission_cells(one)) for one in paired],
            "Among groups whose concept the team recognised: the share with a target left out. "
            "An invalid selection misses.",
            f"Bands of fewer than {SMALLEST} groups are not shown.",
        ),
        Table(
            "Facts found by language, among recognised groups",
            ["Team", *(f"{language(code)} {name}" for code in languages for name in ("P", "R"))],
            [Row(one.name, _language_cells(one, languages)) for one in paired],
            "Precision and recall over mentions.",
        ),
        Table(
            "Recognised and complete",
            ["Team", *paired[0].found["quadrants"]],
            [Row(one.name, [Cell(str(n)) for n in one.found["quadrants"].values()]) for one in paired],
            "Number of groups.",
        ),
    ]


def _omission_cells(one: Paired) -> list[Cell]:
    bands = {row["targets"]: row for row in one.found["by_band"]}
    shown = [
        percent(bands[band]["omission_rate"]) if band in bands and bands[band]["groups"] >= SMALLEST else "–"
        for band in BANDS
    ]
    counts = [str(one.found["groups"]), str(one.found["recognised"]), percent(one.found["omission_rate"])]
    return [Cell(text) for text in [*counts, *shown]]


def _language_cells(one: Paired, languages: Sequence[str]) -> list[Cell]:
    rows = {row["language"]: row for row in one.found["by_language"]}
    return [
        Cell(percent(rows[code][name]) if code in rows and rows[code]["mentions"] >= SMALLEST else "–")
        for code in languages
        for name in ("precision", "recall")
    ]


def _recall_by_language(paired: Sequence[Paired]) -> Drawing | None:
    rows = [
        (
            one.name,
            [
                (row["language"], row["recall"])
                for row in one.found["by_language"]
                if row["mentions"] >= SMALLEST
            ],
        )
        for one in paired
    ]
    if not rows or not rows[0][1]:
        return None
    means: dict[str, list[float]] = {}
    for _name, values in rows:
        for code, recall in values:
            means.setdefault(language(code), []).append(recall)
    finding = spread([(name, sum(some) / len(some)) for name, some in means.items()], "Mean recall")
    return dumbbells(rows, finding, "Recall of each language's mentions among recognised groups, 0 to 100.")
