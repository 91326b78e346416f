"""Cutting text into tokens: `multi.1` for every script, `ascii.1` for comparison with published numbers.

A class over all of Unicode is slow: ranges above U+FFFF are tried one by one at each space. So the short
pattern, cut at U+FFFF, does the work unless the text has such characters; both give the same tokens.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache

from scoring.text import normalize
from scoring.text.scripts import (
    HAN,
    KANA,
    LAST_CODE,
    LAST_SHORT,
    character_class,
    digits,
    letters,
    marks,
    merged,
    outside,
    up_to,
)

PROFILES = ("multi.1", "ascii.1")

_LONG = re.compile("[\U00010000-\U0010ffff]")
_SYMBOLS = re.compile("[\U0001f000-\U0001fbef]+")
"""Emoji and their neighbours: no letter, mark or digit among them, so they may go before the slow pattern."""


def tokens(text: str, profile: str = "multi.1") -> list[str]:
    """The tokens of raw text, in order. Raises KeyError for an unknown profile."""
    return {"multi.1": multi_tokens, "ascii.1": ascii_tokens}[profile](text)


def multi_tokens(text: str) -> list[str]:
    """`multi.1`: each Han ideograph and kana alone, else runs of letters and digits with a letter's marks."""
    return cut(normalize.multi(text))


def ascii_tokens(text: str) -> list[str]:
    """`ascii.1`: runs of a–z and 0–9 after lower-casing, as rouge-score cuts by default (without stemmer)."""
    return _ASCII(text.lower())


_ASCII = re.compile("[a-z0-9]+").findall


def reach(text: str) -> int:
    """How far a pattern must reach for `text`: `LAST_SHORT`, or all of Unicode."""
    return LAST_SHORT if text.isascii() or not _LONG.search(text) else LAST_CODE


def cut(text: str, last: int | None = None) -> list[str]:
    """Tokens of text that went through `normalize.multi`. `last` is its `reach`, where that is known."""
    if text.isascii():
        return _ASCII(text)
    if last is None:
        last = reach(text)
    if last == LAST_CODE:
        text = _SYMBOLS.sub(" ", text)
        last = reach(text)
    return _pattern(last)(text)


@cache
def _pattern(last: int) -> Callable[[str], list[str]]:
    """Finds tokens. A first character of any token; an ideograph or kana ends there, a word runs on.

    Each part starts with a class and loops only where a mark follows, which keeps `re` on its fast path.
    """
    alone = up_to(merged(HAN, KANA), last)
    word = outside(up_to(merged(letters(), digits()), last), alone)
    letter = outside(up_to(letters(), last), alone)
    one, mark, run = map(character_class, (alone, up_to(marks(), last), word))
    first, after_letter = character_class(merged(alone, word)), character_class(letter)
    marked = f"(?:(?=[{mark}])(?<=[{after_letter}])[{mark}]+[{run}]*)*"
    return re.compile(f"[{first}](?:(?<=[{one}])|[{run}]*(?:(?![{mark}])|{marked}))").findall
