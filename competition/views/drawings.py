"""Which chart a diagnostic, a breakdown or a board is drawn as; the table beside it says the same."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from competition.charts.bars import bars, dumbbells, spread
from competition.charts.confusion import confusion
from competition.charts.drawing import Drawing
from competition.charts.histogram import Histogram, histogram
from competition.charts.lines import slope
from competition.charts.profile import profile
from competition.templatetags.podium import language
from scoring.tracks.base import Diagnostic, Score

LONGEST_UNDER_A_BAR = 10
MOST_UPRIGHT = 10
MOST_TEAMS = 20

Rows = Sequence[Sequence[Any]]


def of_matrix(diagnostic: Diagnostic, value: Mapping[str, Any]) -> Drawing | None:
    labels = [str(label) for label in value["labels"]]
    return confusion(labels, value["rows"], ordered=diagnostic.chart == "band")


def of_table(diagnostic: Diagnostic, columns: Sequence[str], rows: Rows) -> Drawing | None:
    """What the kind declares this table is drawn as; None where it is a table only."""
    if diagnostic.chart == "slope":
        series = [(name, [row[place] for row in rows]) for place, name in enumerate(columns) if place]
        return slope([row[0] for row in rows], series, columns[1])
    if diagnostic.chart == "bars":
        values = [(str(row[0]), float(row[-1])) for row in rows if row[-1] is not None]
        return of_scores(values, columns[-1], diagnostic.about)
    if diagnostic.chart == "languages":
        return of_languages(rows, columns)
    return None


def of_scores(values: Sequence[tuple[str, float]], measure: str, about: str = "") -> Drawing | None:
    """Fractions by name; None for fewer than two."""
    if len(values) < 2:
        return None
    named = measure[:1].upper() + measure[1:]
    return bars(values, spread(values, named), about or f"{named} in percent.", percent=True)


def of_languages(rows: Rows, columns: Sequence[str]) -> Drawing | None:
    """Precision and recall of each language on one axis."""
    p, r = columns.index("precision"), columns.index("recall")
    shown = [(language(row[0]), [("recall", float(row[r])), ("precision", float(row[p]))]) for row in rows]
    if len(shown) < 2:
        return None
    recalls = [(name, values[0][1]) for name, values in shown]
    return dumbbells(shown, spread(recalls, "Recall"), "Recall and precision over mentions, 0 to 100.")


def of_shares(title: str, rows: Rows, counted: int) -> Drawing | Histogram | None:
    """Counts over bands or labels; a band whose row ends in False is past a limit."""
    labels, counts = [str(row[0]) for row in rows], [row[counted] for row in rows]
    beyond = [label for label, row in zip(labels, rows, strict=True) if row[-1] is False]
    most = labels[counts.index(max(counts))]
    past = sum(count for label, count in zip(labels, counts, strict=True) if label in beyond)
    finding = f"{title}: most often {most}"
    if beyond:
        finding += f"; {past} past the limit" if past else "; none past the limit"
    if len(labels) > MOST_UPRIGHT or max(map(len, labels)) > LONGEST_UNDER_A_BAR:
        pairs = list(zip(labels, map(float, counts), strict=True))
        return bars(pairs, finding, "How often each was answered.", percent=False)
    return histogram(labels, counts, finding, beyond)


def profile_keys(keys: Sequence[str]) -> tuple[str, str] | None:
    """The keys of precision and recall that belong together: the first such pair the kind lists."""
    for key in keys:
        other = key.replace("precision", "recall")
        if key.endswith("precision") and other in keys:
            return key, other
    return None


def of_profile(
    scores: Sequence[Score], points: Sequence[tuple[str, Mapping[str, Any]]], finding: str = ""
) -> Drawing | None:
    """Precision against recall of named lines (a run and its slices, or the teams of a board)."""
    keys = profile_keys([score.key for score in scores])
    if keys is None:
        return None
    known = [
        (name, values[keys[0]], values[keys[1]])
        for name, values in points
        if values.get(keys[0]) is not None and values.get(keys[1]) is not None
    ]
    return profile(known, finding)


class BoardProfile(NamedTuple):
    """A drawing, and the columns of the board that hold its numbers. `first`: how many teams are drawn, where
    that is not all; else 0.
    """

    drawing: Drawing
    columns: tuple[str, ...]
    first: int


def board_profile(content: Mapping[str, Any]) -> BoardProfile | None:
    """Precision against recall of the ranked teams of a frozen board; None where it has no such scores."""
    scores = [Score(one["key"], one["title"], one["symbol"], "") for one in content["scores"]]
    keys = profile_keys([score.key for score in scores])
    lines = [(line["team"], line["scores"]) for line in content["entries"][:MOST_TEAMS]]
    if keys is None or len(lines) < 2:
        return None
    precise = sum((values.get(keys[0]) or 0.0) > (values.get(keys[1]) or 0.0) for _, values in lines)
    drawing = of_profile(scores, lines, f"{precise} of {len(lines)} teams are more precise than complete")
    columns = tuple(score.symbol for score in scores if score.key in keys)
    cut = len(content["entries"]) > MOST_TEAMS
    return BoardProfile(drawing, columns, MOST_TEAMS if cut else 0) if drawing else None
