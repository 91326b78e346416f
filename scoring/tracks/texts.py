"""The checks every free-text answer passes: not blank, not too long, no long stacks of combining marks.

Nearly free for ordinary text: one scan finds out whether anything is suspicious, and only then are the rules
looked at one by one.
"""

from __future__ import annotations

import re
from functools import cache
from unicodedata import normalize
from zlib import adler32

from scoring.problems import Faults, shown, visible
from scoring.records import Limits
from scoring.text.scripts import (
    LAST_CODE,
    LAST_SHORT,
    character_class,
    different,
    marks,
    merged,
    read_ranges,
    up_to,
)
from scoring.text.tokenize import classes_of

GUIDELINE_WORDS = 100
"""Answers should keep to so many white-space words (FinMMEval 2026 Task 2, section 4.2). Never cut."""

FEW_CHARACTERS = 500
"""So many different characters are looked at one by one."""

GROWTH = 18
"""One character becomes at most so many under NFKC (U+FDFA)."""

INVISIBLE = read_ranges(
    "0-8 B-C E-1F 7F-84 86-9F AD 34F 61C 115F-1160 17B4-17B5 180B-180F 200B-200F 202A-202E 2060-206F 3164 "
    "FE00-FE0F FEFF FFA0 FFF0-FFFC 1BCA0-1BCA3 1D173-1D17A E0000-E0FFF"
)
"""Control, format and filler characters that nobody sees and that change what is compared. White space that
separates words (no-break and ideographic space, U+2028) is fine."""

_OTHER_SPACE = read_ranges("9 D 85 A0 1680 2000-200A 2028-2029 202F 205F 3000")
"""White space other than the space and the line feed."""

_TOLD = bytes(1 if code in b" \n" else 128 if code < 32 or code == 127 else 0 for code in range(256))
"""What a byte of UTF-8 says: 1 a gap, 128 a control character, 0 all else."""

_PLAIN = bytes([*range(0x20, 0x7F), 0x0A])
"""ASCII without control characters, but for the line feed."""

_SUMMABLE = 65_521
"""The lower half of an Adler-32 checksum that starts at 0 is the sum of all bytes, modulo this (RFC 1950)."""

_HALF_WIDTH_MARKS = read_ranges("FF9E-FF9F")
"""Letters that NFKC turns into marks."""


def check_text(text: str, field: str, limits: Limits, faults: Faults) -> bool:
    """Whether `text` may be an answer. Reports E303, E403, E404, E405 and, as warnings, W502 and W503."""
    if len(text) > limits.answer_characters:
        faults.add(
            "E403",
            f"The {field} is too long: {len(text):,} characters, limit {limits.answer_characters:,}.",
            field=field,
            found=f"{len(text):,} characters",
            expected=f"at most {limits.answer_characters:,} characters",
            hint="Send the short answer only.",
        )
        return False
    clean, gaps = first_look(text)
    may_grow = GROWTH * len(text) > limits.answer_characters and not text.isascii()
    if clean and gaps < GUIDELINE_WORDS and not may_grow and text and not text.isspace():
        return True
    characters = different(text) if may_grow or not clean else set()
    if not clean and not _check_characters(text, characters, field, limits, faults):
        return False
    if not text or text.isspace():
        _blank(text, field, faults)
        return False
    if not clean or gaps >= GUIDELINE_WORDS:
        _count_words(text, field, faults)
    return not may_grow or _fits_normalized(text, characters, field, limits, faults)


def first_look(text: str) -> tuple[bool, int]:
    """Whether nothing asks for a closer look, and then how many spaces and line feeds there are.

    Clean text has no other white space, so their number bounds its words. They are summed, not counted: a
    branch per byte, which the processor guesses wrong at every gap, takes several times as long.
    """
    coded = text.encode("utf-8", "surrogatepass")
    told = coded.translate(_TOLD)
    if not told.isascii():
        return False, 0
    if len(coded) != len(text):
        rest = coded.translate(None, _PLAIN).decode("utf-8", "surrogatepass")
        if unusual().search(rest):
            return False, 0
    return True, adler32(told, 0) & 0xFFFF if len(told) < _SUMMABLE else told.count(1)


def is_none(text: str) -> bool:
    """Whether an answer is the word None, which the task reserves for "no answer found"."""
    word = text.strip()
    if word.endswith("."):
        word = word[:-1].rstrip()
    return word == "None"


def word_count(text: str) -> int:
    """White-space words, as the guideline counts them."""
    return len(text.split())


def _check_characters(text: str, characters: set[str], field: str, limits: Limits, faults: Faults) -> bool:
    each_once = "".join(characters)
    stack = _stack_of_marks(text, limits.marks_in_a_row)
    if stack:
        faults.add(
            "E405",
            f"{len(stack)} combining marks in a row at character {text.index(stack) + 1}.",
            field=field,
            found=f"{len(stack)} combining marks, the first is <U+{ord(stack[0]):04X}>",
            expected=f"at most {limits.marks_in_a_row} combining marks in a row",
            hint="Look for text that was garbled by a conversion.",
        )
        return False
    if not invisibles().search(each_once):
        return True
    invisible = invisibles().findall(text)
    if not invisibles().sub("", each_once).strip():
        _blank(text, field, faults)
        return False
    names = ", ".join(f"<U+{ord(one):04X}>" for one in dict.fromkeys(invisible[:1000]))
    times = "1 invisible character" if len(invisible) == 1 else f"{len(invisible):,} invisible characters"
    faults.add(
        "W503",
        f"The {field} has {times}: {visible(names)}.",
        field=field,
        found=shown(text),
        expected="text without control and format characters",
        hint="They are kept, and one inside a word cuts it in two. Remove them if they slipped in.",
    )
    return True


def _blank(text: str, field: str, faults: Faults) -> None:
    faults.add(
        "E303",
        f"The {field} is empty." if not text else f"The {field} is blank: {shown(text)}.",
        field=field,
        found=shown(text),
        expected="text",
        hint='Every item needs an answer; write "None" where none can be found.',
    )


def _count_words(text: str, field: str, faults: Faults) -> None:
    words = word_count(text)
    if words > GUIDELINE_WORDS:
        faults.add(
            "W502",
            f"The {field} has {words:,} words; the guideline is {GUIDELINE_WORDS}.",
            field=field,
            found=f"{words:,} words",
            expected=f"at most {GUIDELINE_WORDS} words",
            hint="Nothing is cut; the whole text is scored.",
        )


def _fits_normalized(text: str, characters: set[str], field: str, limits: Limits, faults: Faults) -> bool:
    # Composing only shortens, so the longest decomposition bounds the growth without a look at the text.
    if len(characters) <= FEW_CHARACTERS:
        growth = max(len(normalize("NFKD", one)) for one in characters)
        if len(text) * growth <= limits.answer_characters:
            return True
    length = len(normalize("NFKC", text))
    if length <= limits.answer_characters:
        return True
    faults.add(
        "E404",
        f"The {field} is too long once written out: {len(text):,} characters become {length:,} under NFKC.",
        field=field,
        found=f"{length:,} characters after NFKC",
        expected=f"at most {limits.answer_characters:,} characters, before and after NFKC",
        hint="Replace ligatures and presentation forms by ordinary letters.",
    )
    return False


@cache
def invisibles() -> re.Pattern[str]:
    return re.compile(f"[{character_class(INVISIBLE)}]")


@cache
def unusual() -> re.Pattern[str]:
    """What asks for a closer look: invisible characters, unusual white space, marks, all above U+FFFF.

    One class without alternatives, which the engine scans several times as fast as a pair of marks.
    """
    rare = merged(INVISIBLE, _OTHER_SPACE, marks(), _HALF_WIDTH_MARKS)
    return re.compile(f"[{character_class(up_to(rare, LAST_SHORT))}\\U00010000-\\U{LAST_CODE:08X}]")


def _stack_of_marks(text: str, most: int) -> str:
    """The first run of more than `most` combining marks, or ""."""
    # Most long runs are emoji or rare letters: a few different characters tell that none is a mark.
    for run in _maybe_marks().findall(text):
        if len(run) > most and "m" in _marks_told("".join(different(run))):
            found = re.search(f"m{{{most + 1},}}", _marks_told(run))
            if found:
                return run[found.start() : found.end()]
    return ""


def _marks_told(text: str) -> str:
    """Classes of the characters, the half-width marks among them as what they become."""
    return classes_of(text.replace("\uff9e", "\u3099").replace("\uff9f", "\u309a"))


@cache
def _maybe_marks() -> re.Pattern[str]:
    """Two and more marks in a row, where any character above U+FFFF may be one."""
    either = f"[{_mark_class()}\\U00010000-\\U{LAST_CODE:08X}]"
    return re.compile(f"{either}{either}+")


def _mark_class() -> str:
    """Marks up to U+FFFF, and the two half-width letters that NFKC turns into marks."""
    return character_class(up_to(merged(marks(), _HALF_WIDTH_MARKS), LAST_SHORT))
