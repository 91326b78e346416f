"""Concept names such as us-gaap:Revenues: the public list a track may name, and the check of a run's names.

A track's option `taxonomy` names a table whose first column, headed `concept`, lists every concept
(FinTagging: the US-GAAP 2024 names). Only public names are ever suggested: the
taxonomy's and the items' candidates, never gold's.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from scoring.problems import Faults, shown
from scoring.records import Items
from scoring.tracks.base import Option

CONCEPT = re.compile(r"[^\s:]+:[^\s:]+")
"""A prefix, a colon, a name."""

US_GAAP = re.compile(r"\s*us\s*[-_ ]?\s*gaap\s*[:_./ -]\s*(?=\w)", re.IGNORECASE)
"""The prefix us-gaap however it is written."""

LONGEST = 1_000
"""Longer names are not compared loosely; no concept is."""


@dataclass(frozen=True)
class Taxonomy:
    """The concepts there are."""

    names: frozenset[str]

    def __str__(self) -> str:
        return f"{len(self.names)} concepts"


def read_taxonomy(text: str) -> Taxonomy | None:
    """The taxonomy in a file, or in `text` itself where it has more than one line; None for no text.

    The first line heads the columns; a concept is what stands before the first tab of a later line. Raises
    ValueError.
    """
    if not text.strip():
        return None
    if "\n" not in text:
        try:
            text = Path(text).read_text(encoding="utf-8-sig")
        except (OSError, UnicodeDecodeError) as fault:
            raise ValueError("it is not a UTF-8 file that can be read") from fault
    head, *lines = text.splitlines()
    names = frozenset(line.split("\t", 1)[0].strip() for line in lines if line.strip())
    if head.split("\t", 1)[0].strip() != "concept" or not names:
        raise ValueError('the table needs a first column "concept" and a line for each concept')
    return Taxonomy(names)


TAXONOMY = Option(
    "taxonomy",
    "",
    "the table of all concepts, tab-separated; names outside it raise a warning",
    read=read_taxonomy,
    signed=False,
)


class Concepts:
    """Judges the concept names of one run.

    `qualified` says whether every name needs a prefix and a colon where no taxonomy settles it.
    """

    def __init__(self, items: Items, taxonomy: Taxonomy | None = None, *, qualified: bool = False) -> None:
        self.items = items
        self.taxonomy = taxonomy
        self.qualified = qualified
        self.accepted: set[str] = set()
        self._known: frozenset[str] | None = None
        self._folded: dict[str, str] = {}

    def fits(self, name: str, field: str, faults: Faults) -> bool:
        """Whether a name may stand in a run; reports E408 with the fix, and W506."""
        if name in self.accepted:
            return True
        if name in self.known:
            self.accepted.add(name)
            return True
        meant = self._meant(name)
        if meant is None and self.taxonomy:
            faults.add(
                "W506",
                f"{shown(name)} is not among the {self.taxonomy} of the taxonomy and counts as wrong.",
                field=field,
                found=shown(name),
                expected="a concept of the taxonomy",
            )
            return True
        if meant is None and not self._misformed(name):
            self.accepted.add(name)
            return True
        faults.add(
            "E408",
            f"{shown(name)} is not a concept as it is written.",
            field=field,
            found=shown(name),
            expected=shown(meant) if meant else "prefix:Name, such as us-gaap:Assets",
            hint=f"Did you mean {shown(meant)}? Prefix, colon and case count."
            if meant
            else "Write the prefix, a colon and the name, without spaces.",
        )
        return False

    @property
    def known(self) -> frozenset[str]:
        """Every public name: the taxonomy's and the items' candidates."""
        if self._known is None:
            names = set(self.taxonomy.names if self.taxonomy else ())
            for item in self.items.records.values():
                names.update(item.get("candidates") or ())
            self._known = frozenset(names)
            self._folded = _fold_all(sorted(names))
        return self._known

    def _meant(self, name: str) -> str | None:
        return self._folded.get(_fold(name)) if len(name) <= LONGEST else None

    def _misformed(self, name: str) -> bool:
        prefix = US_GAAP.match(name)
        if prefix and prefix.group() != "us-gaap:":
            return True
        return self.qualified and not CONCEPT.fullmatch(name)


def _fold_all(names: Iterable[str]) -> dict[str, str]:
    """Loosely written forms → name: other case, and the name without its prefix."""
    folded: dict[str, str] = {}
    for name in names:
        loose = _fold(name)
        folded.setdefault(loose, name)
        folded.setdefault(loose.partition(":")[2] or loose, name)
    return folded


def _fold(name: str) -> str:
    plain = unicodedata.normalize("NFKC", name).strip()
    return US_GAAP.sub("us-gaap:", plain, count=1).casefold()
