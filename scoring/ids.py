"""Everything that can be wrong with an id: missing, mistyped, misspelt, unknown, twice, not sent."""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping
from typing import Any

from scoring.problems import INVISIBLE, Faults, json_type, shown, visible
from scoring.tracks.base import Record

FUZZY_IDS = 5_000
FUZZY_QUESTIONS = 50
"""Nearest ids are looked up by spelling only for so many ids and so many strangers: difflib is slow."""

LONGEST = 1_000
"""A longer id is not compared in other spellings: putting combining marks in order takes the square of their
number, minutes for a line of a megabyte."""


class Ids:
    """The ids of one run against the ids of the phase. `lines` says where each known id stands."""

    def __init__(self, known: Mapping[str, Record], field: str, faults: Faults) -> None:
        self.known = known
        self.field = field
        self.faults = faults
        self.lines: dict[str, int] = {}
        self._meant: set[str] = set()
        self._strangers: list[tuple[int, str]] = []
        self._folded: dict[str, str] | None = None

    def explain(self, line: int, record: Record) -> str | None:
        """Report why this line's id is not a fresh known id; unknown ids wait for `finish`.

        Returns the item it means all the same, if one can be told.
        """
        faults = self.faults
        faults.line, faults.item_id = line, None
        if self.field not in record:
            others = ", ".join(f'"{visible(name)}"' for name in list(record)[:5]) or "none"
            faults.add(
                "E201",
                f'The line has no "{self.field}".',
                field=self.field,
                found=f"fields: {others}",
                expected=f'"{self.field}" with an item id',
                hint=f'Name the item this line answers: {{"{self.field}": "…", …}}.',
            )
            return None
        item_id = record[self.field]
        if not isinstance(item_id, str):
            return self._not_a_string(item_id)
        faults.item_id = item_id
        if item_id in self.lines:
            before = self.lines[item_id]
            faults.add(
                "E208",
                f"The id {shown(item_id)} stands on line {before} already.",
                field=self.field,
                found=shown(item_id),
                expected="each id once",
                hint=f"Keep one of the lines {before} and {line}.",
            )
            return item_id
        meant = self._misspelt(item_id)
        if meant is None:
            self._strangers.append((line, item_id))
        return meant

    def finish(self, salvaged: set[str]) -> None:
        """Report unknown and missing ids, or only that no id belongs to this phase."""
        faults = self.faults
        seen = self.lines.keys() | self._meant | (salvaged & self.known.keys())
        if self._strangers and not seen:
            self._none_belongs()
            return
        for place, (line, item_id) in enumerate(self._strangers):
            faults.line, faults.item_id = line, item_id
            nearest = self._nearest(item_id) if place < FUZZY_QUESTIONS else None
            faults.add(
                "E207",
                f"The id {shown(item_id)} is not an item of this phase.",
                field=self.field,
                found=shown(item_id),
                expected=f"one of {len(self.known)} ids" + (f", such as {shown(nearest)}" if nearest else ""),
                hint=f"Did you mean {shown(nearest)}?"
                if nearest
                else "Use the ids of the phase's items file.",
            )
        if seen:
            self._missing([item_id for item_id in self.known if item_id not in seen])

    def _missing(self, missing: list[str]) -> None:
        self.faults.line = None
        for item_id in missing:
            self.faults.item_id = item_id
            self.faults.add(
                "E209",
                f"The item {shown(item_id)} has no line ({len(missing)} of {len(self.known)} missing).",
                field=self.field,
                found="no line",
                expected="one line per item",
                hint="Add a line with this id; a run answers every item.",
            )

    def _none_belongs(self) -> None:
        line, item_id = self._strangers[0]
        self.faults.line, self.faults.item_id = line, item_id
        example = next(iter(self.known))
        self.faults.add(
            "E210",
            f"None of the {len(self._strangers)} ids in this file belongs to this phase.",
            field=self.field,
            found=shown(item_id),
            expected=f"ids such as {shown(example)}",
            hint="Check that this is the run for this track and phase.",
        )

    def _not_a_string(self, item_id: Any) -> str | None:
        as_text = shown(item_id)
        if as_text in self.known:
            self._meant.add(as_text)
        self.faults.add(
            "E202",
            f'"{self.field}" must be a string, found {json_type(item_id)} ({as_text}).'
            if isinstance(item_id, (int, float, bool))
            else f'"{self.field}" must be a string, found {json_type(item_id)}.',
            field=self.field,
            found=as_text,
            expected="a string",
            hint=f'Write the id in double quotes: "{as_text}".'
            if isinstance(item_id, (int, float))
            else None,
        )
        return as_text if as_text in self.known else None

    def _misspelt(self, item_id: str) -> str | None:
        """The known id this one is another spelling of, once that is reported."""
        for code, spelling, what, hint in (
            ("E203", item_id.strip(), "has white space before or after it", "Remove the white space."),
            (
                "E204",
                INVISIBLE.sub("", item_id).strip(),
                "has invisible characters",
                "Remove the invisible characters.",
            ),
        ):
            if spelling != item_id and spelling in self.known:
                return self._report_spelling(code, item_id, spelling, what, hint)
        if len(item_id) > LONGEST:
            return None
        if self._folded is None:
            self._folded = {_fold(known): known for known in reversed(list(self.known))}
        known = self._folded.get(_fold(item_id))
        if known is None:
            return None
        if _unified(item_id) == _unified(known):
            what, hint = "is written in another Unicode form", "Copy the id from the items file."
            return self._report_spelling("E206", item_id, known, what, hint)
        return self._report_spelling(
            "E205", item_id, known, "differs in upper and lower case", "Write it as given."
        )

    def _report_spelling(self, code: str, item_id: str, known: str, what: str, hint: str) -> str:
        self._meant.add(known)
        self.faults.add(
            code,
            f"The id {shown(item_id)} {what}; the item is {shown(known)}.",
            field=self.field,
            found=shown(item_id),
            expected=shown(known),
            hint=hint,
        )
        return known

    def _nearest(self, item_id: str) -> str | None:
        if len(self.known) > FUZZY_IDS or len(item_id) > 200:
            return None
        from difflib import get_close_matches  # loads slowly, and most runs name no strange id

        matches = get_close_matches(item_id, self.known, n=1, cutoff=0.8)
        return matches[0] if matches else None


def _unified(item_id: str) -> str:
    return INVISIBLE.sub("", unicodedata.normalize("NFKC", item_id)).strip()


def _fold(item_id: str) -> str:
    return _unified(item_id).casefold()
