"""A report's breakdowns and diagnostics as figures, charts and tables, made from what the kind declares.

Slices under eight items are merged on pages: a mean over three items says which of them was right.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from competition.charts.histogram import Histogram, histogram
from competition.domain.ranking import percent
from competition.templatetags.podium import language
from scoring.tracks.base import Diagnostic, Kind, Score

SMALLEST = 8
COUNT_COLUMNS = frozenset({"n", "items", "answers"})


@dataclass(frozen=True)
class Cell:
    """`kind` is the class of the table cell: num, text, or num diagonal."""

    text: str
    kind: str = "num"


@dataclass(frozen=True)
class Row:
    head: str
    cells: list[Cell]


@dataclass(frozen=True)
class Table:
    """A table as a page prints it; `note` says what was merged or left out."""

    title: str
    columns: list[str]
    rows: list[Row]
    about: str = ""
    note: str = ""

    @property
    def heads(self) -> list[Cell]:
        """Column heads, aligned like the cells below them."""
        first = self.rows[0].cells if self.rows else []
        kinds = ["text", *("text" if cell.kind == "text" else "num" for cell in first)]
        names = [name if len(name) == 1 else name[:1].upper() + name[1:] for name in self.columns]
        return [Cell(name, kind) for name, kind in zip(names, kinds, strict=False)]


@dataclass(frozen=True)
class Figure:
    title: str
    shown: str


@dataclass(frozen=True)
class Chart:
    """A histogram and the table that says the same."""

    drawing: Histogram
    table: Table


@dataclass
class Explained:
    figures: list[Figure] = field(default_factory=list)
    charts: list[Chart] = field(default_factory=list)
    tables: list[Table] = field(default_factory=list)

    def __bool__(self) -> bool:
        return bool(self.figures or self.charts or self.tables)


def explain(kind: Kind, found: Mapping[str, Any], levels: Iterable[int]) -> Explained:
    """The diagnostics of these levels that a report has, in the order the kind declares them."""
    wanted = set(levels)
    explained = Explained()
    for diagnostic in kind.shown_diagnostics:
        value = found.get(diagnostic.key)
        if diagnostic.level not in wanted or value in (None, {}, []):
            continue
        if diagnostic.display == "table":
            _add_table(explained, diagnostic, value)
        elif diagnostic.display == "matrix":
            explained.tables.append(_matrix(diagnostic, value))
        else:
            explained.figures.append(Figure(diagnostic.title, _figure(value, diagnostic.display)))
    return explained


def breakdown_tables(
    kind: Kind, scores: Sequence[Score], breakdowns: Mapping[str, Mapping[str, Mapping[str, Any]]]
) -> list[Table]:
    """One table per slice that has at least two values: items, then each score."""
    titles = {one.name: one.title for one in kind.slices}
    tables = []
    for name, values in breakdowns.items():
        rows, note = _merge_small(kind, scores, values)
        if len(rows) > 1:
            named = language if name == "language" else str
            shown = [Row(named(head), [Cell(str(n)), *map(Cell, cells)]) for head, n, cells in rows]
            columns = [titles.get(name, name), "Items", *(score.symbol for score in scores)]
            tables.append(Table(f"By {titles.get(name, name).lower()}", columns, shown, note=note))
    return tables


def small_values(sizes: Mapping[str, int]) -> list[str]:
    """The values to merge: those under eight items, and the next smallest until these hold eight."""
    merged: list[str] = []
    total = 0
    for value, n in sorted(sizes.items(), key=lambda pair: pair[1]):
        if n >= SMALLEST and (not merged or total >= SMALLEST):
            break
        merged.append(value)
        total += n
    return merged


def _merge_small(
    kind: Kind, scores: Sequence[Score], values: Mapping[str, Mapping[str, Any]]
) -> tuple[list[tuple[str, int, list[str]]], str]:
    small = set(small_values({value: cells["n"] for value, cells in values.items()}))
    rows = [
        (value, cells["n"], [percent(cells.get(score.key)) for score in scores])
        for value, cells in values.items()
        if value not in small
    ]
    if not small:
        return rows, ""
    n = sum(values[value]["n"] for value in small)
    if kind.aggregate == "item-mean" and n >= SMALLEST and rows:
        means = [
            sum(values[value]["n"] * values[value].get(score.key, 0.0) for value in small) / n
            for score in scores
        ]
        rows.append((f"{len(small)} values together", n, [percent(mean) for mean in means]))
        return rows, f"Values with fewer than {SMALLEST} items are merged."
    return rows, f"{len(small)} values with {n} items in all are too small to show."


def _add_table(explained: Explained, diagnostic: Diagnostic, value: Mapping[str, Any]) -> None:
    columns, rows, note = list(value["columns"]), value["rows"], ""
    counted = _count_column(columns)
    if diagnostic.level > 0 and counted is not None:
        kept = [row for row in rows if (row[counted] or 0) >= SMALLEST]
        if len(kept) < len(rows):
            note = f"Rows with fewer than {SMALLEST} items are left out."
        rows = kept
    if not rows:
        return
    named = language if columns[0] == "language" else str
    shown = [Row(named(row[0]), [_cell(cell) for cell in row[1:]]) for row in rows]
    table = Table(diagnostic.title, columns, shown, diagnostic.about, note)
    if "share" in columns and counted is not None:
        explained.charts.append(Chart(_distribution(diagnostic, rows, counted), table))
    else:
        explained.tables.append(table)


def _distribution(diagnostic: Diagnostic, rows: Sequence[Sequence[Any]], counted: int) -> Histogram:
    """Counts over bands; a band whose row ends in False is past a limit."""
    labels, counts = [str(row[0]) for row in rows], [row[counted] for row in rows]
    beyond = [label for label, row in zip(labels, rows, strict=True) if row[-1] is False]
    most = labels[counts.index(max(counts))]
    past = sum(count for label, count in zip(labels, counts, strict=True) if label in beyond)
    finding = f"{diagnostic.title}: most often {most}"
    if beyond:
        finding += f"; {past} past the limit" if past else "; none past the limit"
    return histogram(labels, counts, finding, beyond)


def _count_column(columns: Sequence[str]) -> int | None:
    return next((place for place, name in enumerate(columns) if name.lower() in COUNT_COLUMNS), None)


def _matrix(diagnostic: Diagnostic, value: Mapping[str, Any]) -> Table:
    labels = [str(label) for label in value["labels"]]
    rows = [
        Row(
            labels[place],
            [Cell(str(n), "num diagonal" if place == column else "num") for column, n in enumerate(counts)],
        )
        for place, counts in enumerate(value["rows"])
    ]
    return Table(diagnostic.title, ["References ↓ run →", *labels], rows, diagnostic.about)


def _figure(value: Any, display: str) -> str:
    return f"{percent(value)} %" if display == "percent" else _cell(value).text


def _cell(value: Any) -> Cell:
    """A whole number as it is, a fraction as percent, nothing as a dash."""
    if value is None:
        return Cell("–")
    if isinstance(value, bool):
        return Cell("yes" if value else "no", "text")
    if isinstance(value, float):
        return Cell(percent(value) if 0 <= value <= 1 else f"{value:.2f}")
    return Cell(str(value), "num" if isinstance(value, int) else "text")
