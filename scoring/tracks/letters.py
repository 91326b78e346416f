"""Option letters: what an item offers and which one a line chose (multiple choice, MultiFinGround T2a)."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping
from typing import Any

from scoring.problems import Faults, shown
from scoring.tracks.base import Record

DRESSED = re.compile(r"\W*(\w+)\W*")
"""A letter in punctuation: "B.", "(B)", "B) "."""

LONGEST = 200
"""Longer answers are not normalised; no option has such a name."""


def read_offered(item: Record, faults: Faults) -> Record | None:
    """The item, if "options" offers two letters or more, each with a text or an object; else E603."""
    options = item["options"]
    texts = all(isinstance(option, (str, dict)) for option in options.values())
    if len(options) >= 2 and texts and all(name and letter_of(name) == name for name in options):
        return item
    faults.add(
        "E603",
        '"options" needs two or more options, each a text under a capital letter.',
        field="options",
        found=", ".join(shown(letter) for letter in list(options)[:5]) or "no option",
        expected='{"A": "…", "B": "…"}',
    )
    return None


def letter_of(text: str) -> str:
    """A chosen letter as it is compared: NFKC, trimmed, upper case."""
    return unicodedata.normalize("NFKC", text).strip().upper() if len(text) <= LONGEST else text


def read_letter(text: str, offered: Mapping[str, Any], field: str, faults: Faults) -> str | None:
    """The chosen letter, or None with E402 where the item does not offer it."""
    if text in offered:
        return text
    letter = letter_of(text)
    if letter in offered:
        return letter
    dressed = DRESSED.fullmatch(letter) if len(letter) <= LONGEST else None
    meant = dressed.group(1) if dressed else None
    listed = ", ".join(offered)
    if not letter:
        hint = 'Give a letter; a question without an answer is {"invalid": "refused"}.'
    elif meant in offered:
        hint = f'Write the letter alone: "{meant}".'
    else:
        hint = "Give the letter of an option, not its text."
    faults.add(
        "E402",
        f"The option {shown(text)} is not one of: {listed}.",
        field=field,
        found=shown(text),
        expected=f"one of {listed}",
        hint=hint,
    )
    return None
