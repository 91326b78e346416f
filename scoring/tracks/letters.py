"""Option letters: what an item offers and which one a line chose (multiple choice, MultiFinGround T2a)."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping
from typing import Any

from scoring.problems import Faults, json_type, shown
from scoring.tracks.base import Record

_LETTER_INSIDE = re.compile(r"\W*([A-Z])\W*")


def read_offered(item: Record, faults: Faults) -> Record | None:
    """The item, if "options" offers two letters or more, each with a text or an object; else E603."""
    options = item["options"]
    texts = all(isinstance(option, (str, dict)) for option in options.values())
    if len(options) < 2 or not texts or not all(re.fullmatch("[A-Z]", letter) for letter in options):
        faults.add(
            "E603",
            '"options" maps at least two letters from A to Z to their texts.',
            field="options",
            found=", ".join(shown(letter) for letter in list(options)[:5]) or "no option",
            expected='{"A": "…", "B": "…"}',
        )
        return None
    return item


def read_letter(value: Any, offered: Mapping[str, Any], field: str, faults: Faults) -> str | None:
    """The chosen letter after NFKC, trimming and upper-casing; E302 or E402 where that is none on offer."""
    listed = ", ".join(offered)
    if not isinstance(value, str):
        faults.add(
            "E302",
            f'"{field}" must be a letter, found {json_type(value)}.',
            field=field,
            found=shown(value),
            expected=f"one of {listed}",
        )
        return None
    letter = unicodedata.normalize("NFKC", value[:64]).strip().upper()
    if letter in offered:
        return letter
    inside = _LETTER_INSIDE.fullmatch(letter)
    meant = inside.group(1) if inside and inside.group(1) in offered else None
    faults.add(
        "E402",
        f"{shown(value)} is not one of the letters this item offers.",
        field=field,
        found=shown(value),
        expected=f"one of {listed}",
        hint=f'Write the letter alone: "{meant}".' if meant else "Send the letter of an option.",
    )
    return None
