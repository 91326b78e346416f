"""Faults in a file: one `Problem` each, gathered by `Problems`, found and worded by `Faults`.

A problem names what was found, what was expected and the fix. Its code is stable: E0xx bytes, E1xx syntax,
E2xx ids, E3xx fields and types, E4xx values, E6xx organizers' files, W5xx warnings, I9xx information.
`catalogue.CODES` explains each code. Wording is ours throughout, so every Python says the same.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

from scoring.patterns import pattern

SEVERITIES = {"E": "error", "W": "warning", "I": "info"}

KEPT = 1_000
"""How many problems a report carries, in line order; totals per code count the rest."""

SHOWN_CHARACTERS = 80

INVISIBLE = pattern(
    "[\x00-\x1f\x7f-\xa0\xad\u034f\u061c\u115f\u1160\u1680\u17b4\u17b5\u180b-\u180f\u2000-\u200f\u2028-\u202f"
    "\u205f-\u206f\u3000\u3164\ud800-\udfff\ufe00-\ufe0f\ufeff\uffa0\ufff0-\uffff"
    "\U0001d173-\U0001d17a\U000e0000-\U000e0fff]"
)


def visible(text: str, limit: int = SHOWN_CHARACTERS) -> str:
    """`text` cut at `limit` characters, with invisible characters spelled out as <U+200B>."""
    cut = text if len(text) <= limit else text[:limit] + "…"
    return INVISIBLE.sub(lambda match: f"<U+{ord(match.group()):04X}>", cut)


def shown(value: Any) -> str:
    """A JSON value as a problem prints it: strings quoted, everything visible and short."""
    if isinstance(value, str):
        return f'"{visible(value)}"'
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (int, float)):
        return repr(value)
    return json_type(value)


def json_type(value: Any) -> str:
    """The JSON name of a value's type, with its article."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true or false"
    if isinstance(value, (int, float)):
        return "a number"
    if isinstance(value, str):
        return "a string"
    return "a list" if isinstance(value, list) else "an object"


class Problem(NamedTuple):
    """One fault. `line` counts from 1 with blank lines; None where no line can be named (a missing id)."""

    code: str
    line: int | None
    item_id: str | None
    field: str | None
    found: str | None
    expected: str | None
    message: str
    hint: str | None

    @property
    def severity(self) -> str:
        return SEVERITIES[self.code[0]]

    def to_json(self) -> dict[str, Any]:
        """The problem as a plain object, keys in the order reports print them."""
        values = self._asdict()
        return {"code": values.pop("code"), "severity": self.severity, **values}

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> Problem:
        return cls(**{key: value for key, value in data.items() if key != "severity"})


class Problems:
    """Collects problems within bounded memory: the first `KEPT` of each code, and the total of each code."""

    def __init__(self) -> None:
        self.totals: dict[str, int] = {}
        self._kept: list[Problem] = []

    def add(self, problem: Problem) -> None:
        total = self.totals.get(problem.code, 0) + 1
        self.totals[problem.code] = total
        if total <= KEPT:
            self._kept.append(problem)

    def count(self, severity: str) -> int:
        return sum(total for code, total in self.totals.items() if SEVERITIES[code[0]] == severity)

    @property
    def errors(self) -> int:
        return self.count("error")

    @property
    def warnings(self) -> int:
        return self.count("warning")

    def in_order(self) -> list[Problem]:
        """The first `KEPT` problems by line; those without a line come last."""
        ordered = sorted(self._kept, key=lambda problem: (problem.line is None, problem.line or 0))
        return ordered[:KEPT]

    def first_of_each(self, most: int = 5) -> dict[str, list[Problem]]:
        """Code → its first `most` problems, codes sorted, for print and pages."""
        groups: dict[str, list[Problem]] = {code: [] for code in sorted(self.totals)}
        for problem in sorted(self._kept, key=lambda problem: (problem.line is None, problem.line or 0)):
            if len(groups[problem.code]) < most:
                groups[problem.code].append(problem)
        return groups

    def __iter__(self) -> Iterator[Problem]:
        return iter(self.in_order())


class Faults:
    """Where a check reports to: knows the file, the line and the id now being read.

    `file` names an organizers' file ("gold.jsonl") and then starts every message; it stays empty for a run.
    """

    def __init__(self, problems: Problems, file: str = "") -> None:
        self.problems = problems
        self.file = file
        self.line: int | None = None
        self.item_id: str | None = None

    def add(
        self,
        code: str,
        message: str,
        *,
        field: str | None = None,
        found: str | None = None,
        expected: str | None = None,
        hint: str | None = None,
    ) -> None:
        """Record one problem at the current line and id. `found` comes from `shown` or `visible`."""
        said = f"{self.file}: {message}" if self.file else message
        item_id = None if self.item_id is None else visible(self.item_id)
        self.problems.add(Problem(code, self.line, item_id, field, found, expected, said, hint))
