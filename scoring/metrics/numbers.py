"""Number recall: how many of a reference's numbers an answer has. A diagnostic of ours, never ranked.

After NFKC all commas are dropped; a number is then a run of digits and full stops that starts and ends with a
digit. Digits 0–9 and digits of other scripts do not mix in one number.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from itertools import repeat

from scoring.text import normalize
from scoring.text.scripts import character_class, digits, outside

_KEPT = bytes(code if chr(code) in "0123456789." else 32 for code in range(256))
"""For `bytes.translate`, faster here than a pattern: all but digits and full stops is blank."""


def numbers(text: str) -> frozenset[str]:
    """The different numbers of raw text: "1,234.5 and 7." has "1234.5" and "7"."""
    text = normalize.multi(text)
    return frozenset([one.decode() for one in plain_numbers(text) if one] + other_numbers(text))


def plain_numbers(text: str) -> Iterator[bytes]:
    """Every number written in 0–9, in order, of text that went through `normalize.multi`; some are empty."""
    return map(bytes.strip, text.encode("ascii", "replace").translate(_KEPT, b",").split(), repeat(b"."))


def other_numbers(text: str) -> list[str]:
    """Every number in digits of other scripts, in order, of text that went through `normalize.multi`."""
    return [] if text.isascii() else _others().findall(text.replace(",", ""))


def number_recall(prediction: str, reference: str) -> float | None:
    """Share of the reference's numbers, as a set, that occur in the prediction; None where it has none."""
    wanted = numbers(reference)
    return len(wanted & numbers(prediction)) / len(wanted) if wanted else None


@cache
def _others() -> re.Pattern[str]:
    digit = character_class(outside(digits(), ((0x30, 0x39),)))
    return re.compile(rf"[{digit}][{digit}.]*(?<!\.)")
