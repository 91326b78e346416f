"""Problems of a file as its report page lists them: by code, worst first, each with the line it is about."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from io import StringIO
from typing import Any

from defusedcsv import csv

from scoring.catalogue import CODES
from scoring.problems import SEVERITIES, visible

SHOWN = 5
"""Problems of one code that are shown in full; of those without a line, such as missing ids, just one."""

RIGHT_CHARACTERS = 200

WORDS = (
    ("error", "Must be fixed", "must be fixed", "bad"),
    ("warning", "Please look", "to look at", "warn"),
    ("info", "For information", "for information", "calm"),
)
ORDER = {"error": 0, "warning": 1, "info": 2}
COLUMNS = ("code", "severity", "line", "item_id", "field", "found", "expected", "message", "hint")


@dataclass
class Group:
    """All problems of one code: the first few in full, the rest in a table, the uncounted as a number."""

    code: str
    total: int
    problems: list[dict[str, Any]] = field(default_factory=list)
    more: list[dict[str, Any]] = field(default_factory=list)

    @property
    def severity(self) -> str:
        return SEVERITIES[self.code[0]]

    @property
    def title(self) -> str:
        return CODES[self.code].title if self.code in CODES else self.code

    @property
    def explanation(self) -> str:
        return CODES[self.code].explanation if self.code in CODES else ""

    @property
    def unkept(self) -> int:
        """How many more there are than the report lists."""
        return self.total - len(self.problems) - len(self.more)


@dataclass
class Section:
    """The groups of one severity."""

    title: str
    groups: list[Group]


@dataclass
class ShownReport:
    """The report of a check as a page shows it. `counts`: ("19 must be fixed", "bad"), …"""

    ok: bool
    errors: int
    lines: int
    items: int
    digest: str
    counts: list[tuple[str, str]]
    sections: list[Section]

    @property
    def groups(self) -> list[Group]:
        return [group for section in self.sections for group in section.groups]


def shown_report(
    report: Mapping[str, Any],
    excerpts: Mapping[str, Sequence[str]] | None = None,
    samples: Mapping[str, str] | None = None,
) -> ShownReport:
    """`excerpts`: place of a problem in the report, as text → its line before, at and after the fault.
    `samples`: item id → a valid line for it.
    """
    counts = report.get("counts", {})
    groups = grouped(report.get("problems", []), counts.get("codes", {}), excerpts, samples)
    sections, totals = [], []
    for severity, title, word, tone in WORDS:
        of_it = [group for group in groups if group.severity == severity]
        if of_it:
            sections.append(Section(title, of_it))
            totals.append((f"{sum(group.total for group in of_it):,} {word}", tone))
    return ShownReport(
        ok=bool(report.get("ok")),
        errors=counts.get("errors", 0),
        lines=counts.get("lines", 0),
        items=counts.get("items", 0),
        digest=report.get("digests", {}).get("run", ""),
        counts=totals,
        sections=sections,
    )


def grouped(
    problems: Sequence[dict[str, Any]],
    totals: Mapping[str, int],
    excerpts: Mapping[str, Sequence[str]] | None = None,
    samples: Mapping[str, str] | None = None,
) -> list[Group]:
    """Worst first. Arguments as in `shown_report`."""
    groups = {code: Group(code, total) for code, total in totals.items()}
    for place, problem in enumerate(problems):
        group = groups.setdefault(problem["code"], Group(problem["code"], 0))
        if len(group.problems) < (SHOWN if problem["line"] else 1):
            excerpt = (excerpts or {}).get(str(place))
            right = _right_line(problem, samples or {}) if group.severity == "error" else ""
            group.problems.append({**problem, "excerpt": excerpt, "right": right})
        else:
            group.more.append(problem)
    return sorted(groups.values(), key=lambda group: (ORDER[group.severity], -group.total, group.code))


def _right_line(problem: Mapping[str, Any], samples: Mapping[str, str]) -> str:
    """A valid line for the item of a problem, or of any item where the problem names none we know."""
    line = samples.get(problem["item_id"] or "") or next(iter(samples.values()), "")
    return visible(line, RIGHT_CHARACTERS)


def problems_csv(report: Mapping[str, Any]) -> str:
    """All problems of a report as a table in which no spreadsheet finds a formula."""
    table = StringIO()
    writer = csv.writer(table)
    writer.writerow(COLUMNS)
    for problem in report.get("problems", []):
        writer.writerow([problem.get(column) for column in COLUMNS])
    return "\ufeff" + table.getvalue()
