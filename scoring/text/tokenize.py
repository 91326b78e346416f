"""Cutting text into tokens: `multi.1` for every script, `ascii.1` for comparison with published numbers.

A class over all of Unicode is slow: `re` tries ranges above U+FFFF one by one at each space. So a short
pattern, cut at U+FFFF, does the work. Text with rarer characters is spelled out as one class code per
character and cut by those; both give the same tokens.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable
from functools import cache

from scoring.patterns import pattern
from scoring.text import normalize
from scoring.text.scripts import (
    HAN,
    KANA,
    LAST_CODE,
    LAST_SHORT,
    character_class,
    different,
    digits,
    letters,
    marks,
    merged,
    outside,
    up_to,
)

PROFILES = ("multi.1", "ascii.1")


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


def cut(text: str) -> list[str]:
    """Tokens of text that went through `normalize.multi`."""
    if text.isascii():
        return _ASCII(text)
    if reaches_far(text):
        return _cut_far(text)
    return _short()(text)


def reaches_far(text: str) -> bool:
    """Whether `text` has a character above U+FFFF, which short patterns do not know."""
    # Such a character takes two units of UTF-16, which are counted faster than a pattern seeks.
    return len(text.encode("utf-16-le", "surrogatepass")) > 2 * len(text)


@cache
def _short() -> Callable[[str], list[str]]:
    """Finds tokens up to U+FFFF: a first character, where an ideograph or kana ends and a word runs on.

    Each part starts with a class and loops only where a mark follows, which keeps `re` on its fast path.
    """
    alone = up_to(merged(HAN, KANA), LAST_SHORT)
    word = outside(up_to(merged(letters(), digits()), LAST_SHORT), alone)
    letter = outside(up_to(letters(), LAST_SHORT), alone)
    one, mark, run = map(character_class, (alone, up_to(marks(), LAST_SHORT), word))
    first, after_letter = character_class(merged(alone, word)), character_class(letter)
    marked = f"(?:(?=[{mark}])(?<=[{after_letter}])[{mark}]+[{run}]*)*"
    return re.compile(f"[{first}](?:(?<=[{one}])|[{run}]*(?:(?![{mark}])|{marked}))").findall


SEPARATOR, MARK, ALONE = b" mh"
APART = (SEPARATOR, ALONE)

_UTF_32 = "utf-32-le" if sys.byteorder == "little" else "utf-32-be"
_BY_CLASS = pattern("h+|[ld]+(?:(?<=l)m+[ld]*)*")


def classes_of(text: str) -> str:
    """One letter per character: h stands alone, l letter, d digit, m mark, a space anything else."""
    codes = memoryview(text.encode(_UTF_32, "surrogatepass")).cast("I")
    return bytes(map(_classes().__getitem__, codes)).decode("ascii")


def _cut_far(text: str) -> list[str]:
    """Tokens of any text. Without marks, blanks in place of separators and around ideographs are enough."""
    class_of = _classes()
    classes = {character: class_of[ord(character)] for character in different(text)}
    found = set(classes.values())
    if MARK in found:
        return _cut_by_class(text)
    if found <= {ALONE, SEPARATOR}:
        return [character for character in text if classes[character] == ALONE]
    spaced = {
        ord(one): f" {one} " if code == ALONE else " " for one, code in classes.items() if code in APART
    }
    return text.translate(spaced).split()


def _cut_by_class(text: str) -> list[str]:
    """Tokens of any text, from the class of each character."""
    classes = classes_of(text)
    found: list[str] = []
    for match in _BY_CLASS.finditer(classes):
        start, end = match.span()
        if classes[start] == "h":
            found += text[start:end]
        else:
            found.append(text[start:end])
    return found


@cache
def _classes() -> bytes:
    """The class of every code point, one byte each."""
    classes = bytearray(b" ") * (LAST_CODE + 1)
    for code, ranges in ((b"l", letters()), (b"d", digits()), (b"m", marks()), (b"h", HAN), (b"h", KANA)):
        for low, high in ranges:
            classes[low : high + 1] = code * (high + 1 - low)
    return bytes(classes)
