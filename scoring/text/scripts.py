"""Which characters are letters, marks, digits, Han or kana: our own tables, so every Python cuts text alike.

General categories are those of Unicode 15.1 (`tables.py`). Script ranges below follow Scripts.txt of the same
version. A change here changes scores: it needs a new text profile.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable
from functools import cache, lru_cache

from scoring.text import tables

Ranges = tuple[tuple[int, int], ...]
"""Inclusive ranges of code points, ascending, disjoint."""

UNICODE = tables.UNICODE

LAST_SHORT = 0xFFFF
"""The last code point of the short patterns: see `tokenize`."""

LAST_CODE = 0x10FFFF


def read_ranges(text: str) -> Ranges:
    """ "41-5A AA" → ((0x41, 0x5A), (0xAA, 0xAA))."""
    pairs = (word.partition("-") for word in text.split())
    return tuple((int(low, 16), int(high or low, 16)) for low, _, high in pairs)


HAN = read_ranges(
    "3005 3007 3021-3029 3038-303B 3400-4DBF 4E00-9FFF F900-FA6D FA70-FAD9 16FE3 20000-2A6DF 2A700-2B739 "
    "2B740-2B81D 2B820-2CEA1 2CEB0-2EBE0 2EBF0-2EE5D 2F800-2FA1D 30000-3134A 31350-323AF"
)
"""Letters and numbers of the script Han: ideographs, iteration marks, U+3007 and the Hangzhou numerals.
Radicals are symbols and stay out."""

KANA = read_ranges(
    "3041-3096 309D-309F 30A1-30FA 30FC-30FF 31F0-31FF FF66-FF9D 1AFF0-1AFF3 1AFF5-1AFFB 1AFFD-1AFFE "
    "1B000-1B122 1B132 1B150-1B152 1B155 1B164-1B167"
)
"""Letters of the scripts Hiragana and Katakana, with the long-vowel mark U+30FC and its half-width form."""

_SCRIPTS = {
    "Latin": "41-5A 61-7A AA BA C0-D6 D8-F6 F8-2B8 2E0-2E4 1D00-1D25 1D2C-1D5C 1D62-1D65 1D6B-1D77 1D79-1DBE "
    "1E00-1EFF 2071 207F 2090-209C 212A-212B 2132 214E 2183-2184 2C60-2C7F A722-A787 A78B-A7CA A7D0-A7D1 "
    "A7D3 A7D5-A7D9 A7F2-A7FF AB30-AB5A AB5C-AB64 AB66-AB69 FB00-FB06 FF21-FF3A FF41-FF5A 10780-10785 "
    "10787-107B0 107B2-107BA 1DF00-1DF1E 1DF25-1DF2A",
    "Greek": "370-373 376-377 37A-37D 37F 386 388-38A 38C 38E-3A1 3A3-3E1 3F0-3F5 3F7-3FF 1D26-1D2A "
    "1D5D-1D61 1D66-1D6A 1DBF 1F00-1F15 1F18-1F1D 1F20-1F45 1F48-1F4D 1F50-1F57 1F59 1F5B 1F5D 1F5F-1F7D "
    "1F80-1FB4 1FB6-1FBC 1FBE 1FC2-1FC4 1FC6-1FCC 1FD0-1FD3 1FD6-1FDB 1FE0-1FEC 1FF2-1FF4 1FF6-1FFC "
    "2126 AB65",
    "Cyrillic": "400-481 48A-52F 1C80-1C88 1D2B 1D78 A640-A66E A67F-A69D 1E030-1E06D",
    "Hangul": "1100-11FF 3131-318E A960-A97C AC00-D7A3 D7B0-D7C6 D7CB-D7FB FFA0-FFBE FFC2-FFC7 FFCA-FFCF "
    "FFD2-FFD7 FFDA-FFDC",
    "Arabic": "620-63F 641-64A 66E-66F 671-6D3 6D5 6E5-6E6 6EE-6EF 6FA-6FC 6FF 750-77F 870-887 889-88E "
    "8A0-8C9 FB50-FBB1 FBD3-FD3D FD50-FD8F FD92-FDC7 FDF0-FDFB FE70-FE74 FE76-FEFC 1EE00-1EEBB",
    "Devanagari": "904-939 93D 950 958-961 971-97F A8F2-A8F7 A8FB A8FD-A8FE",
}

SCRIPTS = ("Latin", "Greek", "Cyrillic", "Han", "kana", "Hangul", "Arabic", "Devanagari", "digits", "other")
"""What `script_of` tells apart; "other" is a letter of any other script."""


@cache
def letters() -> Ranges:
    return read_ranges(tables.LETTERS)


@cache
def marks() -> Ranges:
    return read_ranges(tables.MARKS)


@cache
def digits() -> Ranges:
    return read_ranges(tables.DIGITS)


def merged(*several: Ranges) -> Ranges:
    """The union."""
    union: list[tuple[int, int]] = []
    for low, high in sorted(pair for ranges in several for pair in ranges):
        if union and low <= union[-1][1] + 1:
            union[-1] = (union[-1][0], max(high, union[-1][1]))
        else:
            union.append((low, high))
    return tuple(union)


def outside(ranges: Ranges, *removed: Ranges) -> Ranges:
    """What of `ranges` lies in none of `removed`."""
    left: list[tuple[int, int]] = []
    holes = merged(*removed)
    for low, high in ranges:
        for first, last in holes:
            if last < low:
                continue
            if first > high:
                break
            if first > low:
                left.append((low, first - 1))
            low = last + 1
        if low <= high:
            left.append((low, high))
    return tuple(left)


def up_to(ranges: Ranges, last: int) -> Ranges:
    """`ranges` cut at the code point `last`."""
    return tuple((low, min(high, last)) for low, high in ranges if low <= last)


def character_class(ranges: Iterable[tuple[int, int]]) -> str:
    """`ranges` as they stand inside the brackets of a pattern."""
    return "".join(f"{_in_class(low)}-{_in_class(high)}" for low, high in ranges)


def _in_class(code: int) -> str:
    # Characters themselves are read faster than their numbers; in ASCII some have a meaning.
    return chr(code) if code > 0x7F else f"\\x{code:02X}"


LONG = 1_000


def different(text: str) -> set[str]:
    """The different characters of a text.

    A set makes an object of every character beyond U+00FF, so what a long text mostly consists of is struck
    out first.
    """
    found: set[str] = set()
    mostly = not text.isascii()
    while mostly and len(text) > LONG:
        found.add(text[0])
        rest = text.replace(text[0], "")
        mostly = len(rest) < 0.9 * len(text)
        text = rest
    return found.union(text)


@lru_cache(maxsize=4096)
def script_of(character: str) -> str | None:
    """The script of a letter or decimal digit, one of `SCRIPTS`; None for everything else."""
    code = ord(character)
    for name, starts, ranges in _script_index():
        at = bisect_right(starts, code) - 1
        if at >= 0 and code <= ranges[at][1]:
            return name
    return None


@cache
def _script_index() -> tuple[tuple[str, list[int], Ranges], ...]:
    named = {name: read_ranges(text) for name, text in _SCRIPTS.items()}
    named.update({"Han": HAN, "kana": KANA, "digits": digits(), "other": letters()})
    return tuple((name, [low for low, _ in named[name]], named[name]) for name in SCRIPTS)
