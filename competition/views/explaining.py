"""A report's breakdowns and diagnostics as figures, charts and tables, made from what the kind declares.

Slices under eight items are merged on pages: a mean over three items says which of them was right.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from competition.charts.drawing import Drawing
from competition.charts.histogram import Histogram
from competition.domain.invalid import KEY, SYMBOL, InvalidShare
from competition.domain.ranking import percent
from competition.templatetags.podium import language
from competition.views import drawings
from scoring.tracks.base import Diagnostic, Kind, Score

SMALLEST = 8
COUNT_COLUMNS = frozenset({"n", "items", "answers", "gold", "gold terms", "groups", "mentions"})

PLAIN_COLUMNS = frozenset({"mean", "p (exploratory)"})
"""Columns whose numbers are no shares."""


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
    values: Sequence[tuple[str, Mapping[str, Any]]] = ()
    """Of a breakdown: each row's head and its scores as numbers."""

    @property
    def heads(self) -> list[Cell]:
        """Column heads, aligned like the cells below them."""
        first = self.rows[0].cells if self.rows else []
        kinds = ["text", *("text" if cell.kind == "text" else "num" for cell in first)]
        named = [name or "Of" for name in self.columns]
        names = [name if len(name) == 1 else name[:1].upper() + name[1:] for name in named]
        return [Cell(name, kind) for name, kind in zip(names, kinds, strict=False)]


@dataclass(frozen=True)
class Figure:
    title: str
    shown: str


@dataclass(frozen=True)
class Chart:
    """A drawing and the table that says the same."""

    drawing: Drawing | Histogram
    table: Table


@dataclass
class Explained:
    figures: list[Figure] = field(default_factory=list)
    charts: list[Chart] = field(default_factory=list)
    tables: list[Table] = field(default_factory=list)

    def add(self, table: Table, drawing: Drawing | Histogram | None) -> None:
        """The table, under its drawing where there is one."""
        if drawing is None:
            self.tables.append(table)
        else:
            self.charts.append(Chart(drawing, table))

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
            explained.add(_matrix(diagnostic, value), drawings.of_matrix(diagnostic, value))
        else:
            explained.figures.append(Figure(diagnostic.title, _figure(value, diagnostic.display)))
    return explained


def explain_breakdowns(
    kind: Kind,
    scores: Sequence[Score],
    whole: Mapping[str, float],
    breakdowns: Mapping[str, Mapping[str, Mapping[str, Any]]],
) -> Explained:
    """Each breakdown drawn by its first score, and precision against recall of the whole and its parts."""
    explained = Explained()
    tables = breakdown_tables(kind, scores, breakdowns)
    for table in tables:
        for score in scores:
            values = [(head, cells[score.key]) for head, cells in table.values if score.key in cells]
            if len(values) > 1:
                explained.add(table, drawings.of_scores(values, f"{score.title} {table.title.lower()}"))
                break
        else:
            explained.tables.append(table)
    parts = [pair for table in tables[:1] for pair in table.values][:5]
    drawing = drawings.of_profile(scores, [("All items", whole), *parts])
    if drawing is not None:
        explained.charts.append(Chart(drawing, _profile_table(scores, [("All items", whole), *parts])))
    return explained


def _profile_table(scores: Sequence[Score], points: Sequence[tuple[str, Mapping[str, Any]]]) -> Table:
    keys = drawings.profile_keys([score.key for score in scores]) or ("", "")
    rows = [Row(name, [Cell(percent(values.get(key))) for key in keys]) for name, values in points]
    return Table("Precision and recall", ["Of", "precision", "recall"], rows)


def breakdown_tables(
    kind: Kind, scores: Sequence[Score], breakdowns: Mapping[str, Mapping[str, Mapping[str, Any]]]
) -> list[Table]:
    """One table per slice that has at least two values: items, each score, and how much was invalid.

    Breakdowns below the item that have none of the scores are left to the kind's own diagnostics.
    """
    titles = {one.name: one.title for one in kind.slices}
    tables = []
    for name, values in breakdowns.items():
        rows, note = _merge_small(kind, values)
        given = [score for score in scores if any(score.key in cells for _, _, cells in rows)]
        if len(rows) < 2 or not given:
            continue
        named = language if name == "language" else str
        plain = [score for score in given if score.key != KEY]
        invalid = any("invalid_by_reason" in cells for _, _, cells in rows)
        shown = [
            Row(
                named(head),
                [
                    Cell(str(int(n))),
                    *(Cell(percent(cells.get(score.key))) for score in plain),
                    *([Cell(_invalid(cells))] if invalid else ()),
                ],
            )
            for head, n, cells in rows
        ]
        title = titles.get(name, name.replace("_", " "))
        columns = [title, "Items", *(score.symbol for score in plain), *([SYMBOL] if invalid else ())]
        tables.append(
            Table(
                f"By {title.lower()}",
                columns,
                shown,
                note=note,
                values=[(named(head), cells) for head, _, cells in rows],
            )
        )
    return tables


def _invalid(cells: Mapping[str, Any]) -> str:
    return InvalidShare(cells.get(KEY, 0.0), cells.get("invalid_by_reason", {})).text


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
    kind: Kind, values: Mapping[str, Mapping[str, Any]]
) -> tuple[list[tuple[str, int, Mapping[str, Any]]], str]:
    """(value, items, scores) of every value that is large enough, and what became of the others."""
    small = small_values({value: cells["n"] for value, cells in values.items()})
    rows = [(value, cells["n"], cells) for value, cells in values.items() if value not in small]
    if not small:
        return rows, ""
    n = sum(values[value]["n"] for value in small)
    if kind.aggregate == "item-mean" and n >= SMALLEST and rows:
        keys = set.intersection(
            *({key for key in values[value] if _is_share(values, value, key)} for value in small)
        )
        merged: dict[str, Any] = {
            key: sum(values[value]["n"] * values[value].get(key, 0.0) for value in small) / n for key in keys
        }
        rows.append((f"{len(small)} values together", n, merged))
        return rows, f"Values with fewer than {SMALLEST} items are merged."
    return rows, f"{len(small)} values with {int(n)} items in all are too small to show."


def _is_share(values: Mapping[str, Mapping[str, Any]], value: str, key: str) -> bool:
    return key != "n" and isinstance(values[value][key], (int, float))


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
    plain = [name in PLAIN_COLUMNS for name in columns[1:]]
    shown = [
        Row(named(row[0]), [_cell(cell, plain=one) for cell, one in zip(row[1:], plain, strict=True)])
        for row in rows
    ]
    table = Table(diagnostic.title, columns, shown, diagnostic.about, note)
    if "share" in columns and counted is not None:
        explained.add(table, drawings.of_shares(diagnostic.title, rows, counted))
    else:
        explained.add(table, drawings.of_table(diagnostic, columns, rows))


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


def _cell(value: Any, *, plain: bool = False) -> Cell:
    """A whole number as it is, a fraction as percent unless `plain`, nothing as a dash."""
    if value is None:
        return Cell("–")
    if isinstance(value, bool):
        return Cell("yes" if value else "no", "text")
    if isinstance(value, float):
        return Cell(f"{value:.3g}" if plain else percent(value) if 0 <= value <= 1 else f"{value:.2f}")
    return Cell(str(value), "num" if isinstance(value, int) else "text")
