"""Problems of a file as its report page lists them: by code, worst first, each with the line it is about."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from scoring.catalogue import CODES
from scoring.problems import SEVERITIES

SHOWN = 5
"""Problems of one code that are shown in full; of those without a line, such as missing ids, just one."""

WORDS = (
    ("error", "must be fixed", "bad"),
    ("warning", "to look at", "warn"),
    ("info", "for information", "calm"),
)
ORDER = {"error": 0, "warning": 1, "info": 2}


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


def grouped(
    problems: Sequence[dict[str, Any]], totals: Mapping[str, int], excerpts: Mapping[str, str] | None = None
) -> list[Group]:
    """Worst first. `totals`: code → how often; `excerpts`: line number as text → the line, made visible."""
    groups = {code: Group(code, total) for code, total in totals.items()}
    for problem in problems:
        group = groups.setdefault(problem["code"], Group(problem["code"], 0))
        if len(group.problems) < (SHOWN if problem["line"] else 1):
            group.problems.append({**problem, "excerpt": (excerpts or {}).get(str(problem["line"]))})
        else:
            group.more.append(problem)
    return sorted(groups.values(), key=lambda group: (ORDER[group.severity], -group.total, group.code))


def severity_counts(groups: Sequence[Group]) -> list[tuple[str, str]]:
    """The counts that stand on top of a report: ("19 must be fixed", "bad"), …"""
    totals = {
        severity: sum(group.total for group in groups if group.severity == severity) for severity in ORDER
    }
    return [(f"{totals[severity]:,} {word}", tone) for severity, word, tone in WORDS if totals[severity]]
