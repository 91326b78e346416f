"""Number recall: how many of a reference's numbers an answer has. A diagnostic of ours, never ranked.

A number is digits of any script with full stops and commas inside, after NFKC; its commas are dropped.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache

from scoring.text import normalize
from scoring.text.scripts import character_class, digits, up_to
from scoring.text.tokenize import reach


def numbers(text: str) -> frozenset[str]:
    """The different numbers of raw text: "1,234.5 and 7." has "1234.5" and "7"."""
    return frozenset(find_numbers(normalize.multi(text)))


def find_numbers(text: str, last: int | None = None) -> list[str]:
    """Every number of text that went through `normalize.multi`, in order. `last` is its `reach`, if known."""
    # Between digits commas are dropped, elsewhere they separate nothing that a letter or space would not.
    return _finder(reach(text) if last is None else last)(text.replace(",", ""))


def number_recall(prediction: str, reference: str) -> float | None:
    """Share of the reference's numbers, as a set, that occur in the prediction; None where it has none."""
    wanted = numbers(reference)
    return len(wanted & numbers(prediction)) / len(wanted) if wanted else None


@cache
def _finder(last: int) -> Callable[[str], list[str]]:
    digit = character_class(up_to(digits(), last))
    return re.compile(rf"[{digit}][{digit}.]*(?<!\.)").findall
