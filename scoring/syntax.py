"""Says what is wrong with a line that the JSON decoder refused, in our own words.

A small strict scanner (RFC 8259) that runs on faulty lines only. It keeps the place, so that every Python
names the same column and uses the same sentence; the decoder's own messages differ between versions.
"""

from __future__ import annotations

import json
import math
import re
from contextlib import suppress
from typing import NamedTuple, NoReturn

from scoring import complaints
from scoring.complaints import Complaint
from scoring.patterns import pattern
from scoring.problems import visible
from scoring.records import Limits

LARGEST_INTEGER = 2**53
"""Beyond it a 64-bit float, which many JSON readers use, no longer holds every integer."""

MOST_STEPS = 50_000
"""Parts of one line looked at before the scanner gives up naming the place."""

MOST_FAULTS = 20
"""Faults told of one line; whoever has more has the same one over and over."""

_BLANK = pattern(r"[ \t\r\n]*")
_STRING_STOP = pattern(r'["\\\x00-\x1f]')
_ESCAPE = pattern(r'\\(?:["\\/bfnrt]|u([0-9a-fA-F]{4}))')
_NUMBER = pattern(r"-?(?:0|[1-9][0-9]*)(\.[0-9]+)?([eE][-+]?[0-9]+)?")
_NUMBER_GOES_ON = pattern(r"[\w.+-]")
_NUMBER_LIKE = pattern(r"[\w.+-]+")
_WORD = pattern(r"[^\W\d][\w$]*")
_ESCAPED_QUOTE = pattern(r'\\{1,9}"')

_PYTHON_WORDS = {"True": "true", "False": "false", "None": "null"}
_NOT_FINITE = ("nan", "inf", "infinity")
_STRING_PREFIXES = ("b", "f", "r", "u")
_TYPOGRAPHIC = "“”„‟«»‘’‚‛"
_ESCAPES = {"\t": ("a tab", "\\t"), "\r": ("a carriage return", "\\r"), "\n": ("a line break", "\\n")}
_BEFORE, _AFTER = 32, 24


class Fault(NamedTuple):
    """One fault of a line. `column` counts code points from 1; `field` is the outermost key around it."""

    code: str
    column: int
    message: str
    field: str | None = None
    found: str | None = None
    expected: str | None = None
    hint: str | None = None


class Effort:
    """How much explaining a file may still cost, so that time stays bounded. The unit is a part of a line."""

    EACH_LINE = 10

    def __init__(self, left: int = 200_000) -> None:
        self.left = left


def explain(text: str, depth: int = Limits().depth, effort: Effort | None = None) -> list[Fault]:
    """The faults of one line, from left to right; empty when the line is strict JSON.

    The list ends with the first fault that breaks the syntax, since nothing behind it can be trusted, or
    after `MOST_FAULTS`. Duplicate keys, numbers out of range, NUL and lone surrogates do not break it.
    What it cost is taken from `effort`.
    """
    scanner = _Scanner(text, depth)
    with suppress(_Broken):
        scanner.run()
    if effort is not None:
        effort.left -= Effort.EACH_LINE + scanner.steps
    return scanner.faults


def excerpt(text: str, index: int) -> str:
    """The surroundings of `index` with » before the place and invisible characters spelled out."""
    start, end = max(0, index - _BEFORE), index + _AFTER
    before = ("…" if start else "") + text[start:index]
    after = text[index:end] + ("…" if end < len(text) else "")
    return f"{visible(before)}»{visible(after)}"


class _Broken(Exception):
    """The syntax is broken here, or enough was said; the fault is noted."""


class _Scanner:
    """Recursive descent, at most `depth` levels down. `at` is the place reached in the text."""

    def __init__(self, text: str, depth: int) -> None:
        self.text = text
        self.depth = depth
        self.at = 0
        self.steps = 0
        self.level = 0
        self.field: str | None = None
        self.faults: list[Fault] = []

    def run(self) -> None:
        self._value()
        self._end()

    def _note(self, complaint: Complaint, at: int | None = None, **words: object) -> None:
        place = self.at if at is None else at
        code, message, expected, hint = (part and part.format(**words) for part in complaint)
        said = f"Column {place + 1}: {message}."
        field, found = self.field and visible(self.field), excerpt(self.text, place)
        self.faults.append(Fault(str(code), place + 1, said, field, found, expected, hint))
        if len(self.faults) == MOST_FAULTS:
            raise _Broken

    def _break(self, complaint: Complaint, at: int | None = None, **words: object) -> NoReturn:
        self._note(complaint, at, **words)
        raise _Broken

    def _skip_blank(self) -> str:
        """Step over JSON white space; the character there, or "" at the end of the line."""
        self.at = _end_of(_BLANK, self.text, self.at)
        return self.text[self.at : self.at + 1]

    def _step(self) -> None:
        self.steps += 1
        if self.steps > MOST_STEPS:
            self._break(complaints.TOO_INTRICATE)

    # Grammar

    def _value(self) -> None:
        self._step()
        char = self._skip_blank()
        if char == '"':
            self._string()
        elif char == "{":
            self._object()
        elif char == "[":
            self._list()
        elif char == "-" or "0" <= char <= "9":
            self._number()
        else:
            self._word(char)

    def _open(self) -> str:
        """Step over an opening bracket; the character behind it."""
        if self.level >= self.depth:
            self._break(complaints.TOO_DEEP, depth=self.depth)
        self.level += 1
        self.at += 1
        return self._skip_blank()

    def _goes_on(self, closing: str) -> bool:
        """After a value: step over a comma, or over the closing bracket."""
        char = self._skip_blank()
        if char == closing:
            self.at += 1
            self.level -= 1
            return False
        if char != ",":
            self._instead_of_comma(char, closing)
        comma = self.at
        self.at += 1
        char = self._skip_blank()
        if char and char in "}]":
            self._break(complaints.TRAILING_COMMA, comma, found=char)
        return True

    def _list(self) -> None:
        if self._open() == "]":
            self._goes_on("]")
            return
        self._value()
        while self._goes_on("]"):
            self._value()

    def _object(self) -> None:
        if self._open() == "}":
            self._goes_on("}")
            return
        columns: dict[str, int] = {}
        self._member(columns)
        while self._goes_on("}"):
            self._member(columns)

    def _member(self, columns: dict[str, int]) -> None:
        """`"key": value`. `columns` says where the object's earlier keys stand."""
        self._step()
        char = self._skip_blank()
        if char != '"':
            self._instead_of_key(char)
        start = self.at
        key = self._string()
        if self.level == 1:
            self.field = key
        if key in columns:
            self._note(complaints.TWICE, start, key=visible(key, 40), first=columns[key])
        columns.setdefault(key, start + 1)
        char = self._skip_blank()
        if char != ":":
            self._instead_of_colon(char, visible(key, 40))
        self.at += 1
        self._value()
        if self.level == 1:
            self.field = None

    def _end(self) -> None:
        """What stands behind the outermost value."""
        char = self._skip_blank()
        if not char:
            return
        place = self.at
        if char == ",":
            self.at += 1
            char = self._skip_blank()
            if not char:
                self._break(complaints.COMMA_BEHIND, place)
        if char == "{":
            self._break(complaints.SECOND_OBJECT, place)
        self._stray(char)
        self._break(complaints.TEXT_BEHIND, place, found=_named(self.text[place]))

    # Tokens

    def _string(self) -> str:
        """Read a string from its opening quote; its text."""
        opening = self.at
        at = opening + 1
        escaped = False
        high: int | None = None  # where an upper surrogate waits for its lower one
        while True:
            stop = _STRING_STOP.search(self.text, at)
            if stop is None:
                self._break(complaints.OPEN_STRING, opening)
            place = stop.start()
            if high is not None and (place > at or stop.group() != "\\"):
                self._lone_surrogate(high)
                high = None
            if stop.group() == '"':
                break
            if stop.group() != "\\":
                self._raw_control(stop.group(), place)
            escape = _ESCAPE.match(self.text, place)
            if escape is None:
                self._bad_escape(place)
            self._step()
            escaped = True
            high = self._escape(escape.group(1), place, high)
            at = escape.end()
        self.at = stop.end()
        body = self.text[opening : self.at]
        return str(json.loads(body)) if escaped else body[1:-1]

    def _escape(self, digits: str | None, place: int, high: int | None) -> int | None:
        """Judge one escape; its place when it is an upper surrogate, which a lower one must follow."""
        unit = int(digits, 16) if digits else 0x20
        lower = 0xDC00 <= unit <= 0xDFFF
        if high is not None and not lower:
            self._lone_surrogate(high)
        if lower and high is None:
            self._lone_surrogate(place)
        if unit == 0:
            self._note(complaints.NUL, place)
        return place if 0xD800 <= unit <= 0xDBFF else None

    def _lone_surrogate(self, place: int) -> None:
        self._note(complaints.LONE_SURROGATE, place, found=self.text[place : place + 6])

    def _raw_control(self, char: str, place: int) -> NoReturn:
        if char == "\0":
            self._break(complaints.NUL, place)
        name, escaped = _ESCAPES.get(char, ("a control character", f"\\u{ord(char):04x}"))
        self._break(complaints.RAW_CONTROL, place, name=name, found=f"U+{ord(char):04X}", escaped=escaped)

    def _bad_escape(self, place: int) -> NoReturn:
        found = self.text[place : place + 2]
        if len(found) == 1:
            self._break(complaints.ENDS_EARLY, place, wanted='a closing "')
        self._break(
            complaints.SHORT_ESCAPE if found == "\\u" else complaints.BAD_ESCAPE, place, found=visible(found)
        )

    def _number(self) -> None:
        start = self.at
        match = _NUMBER.match(self.text, start)
        if match is None:
            self._minus()
            return
        self.at = match.end()
        if _NUMBER_GOES_ON.match(self.text, self.at):
            self._bad_number(start)
        written = match.group()
        if match.group(1) or match.group(2):
            if math.isinf(float(written)):
                self._note(complaints.OVERFLOW, start, found=visible(written, 24))
        elif len(written) > 17 or abs(int(written)) > LARGEST_INTEGER:
            digits = len(written.lstrip("-"))
            self._note(complaints.HUGE_INTEGER, start, found=visible(written, 24), digits=digits)

    def _minus(self) -> None:
        """A minus sign that no digit follows."""
        word = _WORD.match(self.text, self.at + 1)
        if word is None or word.group().lower() not in _NOT_FINITE:
            if self.text[self.at + 1 : self.at + 2] == ".":
                self._bad_number(self.at)
            self._break(complaints.MINUS_ALONE)
        self._note(complaints.NOT_FINITE, found="-" + word.group())
        self.at = word.end()

    def _bad_number(self, start: int) -> NoReturn:
        written = self.text[start : _end_of(_NUMBER_LIKE, self.text, start)]
        complaint = complaints.BAD_NUMBER
        if re.match(r"-?0[0-9]", written):
            complaint = complaints.LEADING_ZERO
        elif re.match(r"-?(?:[0-9]+\.(?![0-9])|\.[0-9])", written):
            complaint = complaints.BARE_POINT
        self._break(complaint, start, found=visible(written, 24))

    def _word(self, char: str) -> None:
        """true, false, null, or whatever else stands where a value belongs."""
        match = _WORD.match(self.text, self.at)
        if match is None:
            self._instead_of_value(char)
        word = match.group()
        if word.lower() in _NOT_FINITE:
            self._note(complaints.NOT_FINITE, found=word)
        elif word in _PYTHON_WORDS:
            self._break(complaints.PYTHON, what=f"{word} is {_PYTHON_WORDS[word]} in JSON")
        elif self.text[match.end() : match.end() + 1] in ("'", '"') and word.lower() in _STRING_PREFIXES:
            self._break(complaints.PYTHON, what=f"the {word} before a string")
        elif word not in ("true", "false", "null"):
            if not self.level:
                self._break(complaints.NOT_JSON)
            self._break(complaints.BARE_WORD, found=visible(word, 24))
        self.at = match.end()

    # Something else than belongs here

    def _instead_of_value(self, char: str) -> NoReturn:
        if not char:
            self._ends_early("a value")
        if char in "}],:":
            self._break(complaints.NO_VALUE, found=char)
        if char == "(":
            self._break(complaints.PYTHON, what="a tuple (…) is a list […] in JSON")
        if char in "+.":
            self._bad_number(self.at)
        self._stray(char)
        if not self.level:
            self._break(complaints.WEB_PAGE if char == "<" else complaints.NOT_JSON)
        self._break(complaints.NOT_A_VALUE, found=_named(char))

    def _instead_of_key(self, char: str) -> NoReturn:
        word = _WORD.match(self.text, self.at)
        if word is not None:
            self._break(complaints.BARE_KEY, found=visible(word.group(), 24))
        if not char:
            self._ends_early("a key")
        if char == ",":
            self._break(complaints.TWO_COMMAS)
        self._stray(char)
        self._break(complaints.NOT_A_KEY, found=_named(char))

    def _instead_of_colon(self, char: str, key: str) -> NoReturn:
        if not char:
            self._ends_early(f'":" after the key "{key}"')
        if char in ",}":
            self._break(complaints.KEY_ALONE, key=key)
        self._stray(char)
        self._break(complaints.NO_COLON, found=_named(char), key=key)

    def _instead_of_comma(self, char: str, closing: str) -> NoReturn:
        if not char:
            self._ends_early(f'"," or "{closing}"')
        if char in "]}":
            self._break(complaints.OTHER_BRACKET, found=char, closing=closing)
        if char in '"{[':
            self._break(complaints.NO_COMMA, found=_named(char), closing=closing)
        if self.text[: self.at].rstrip(" \t").endswith('"') and char.isprintable():
            self._break(complaints.TEXT_GOES_ON, found=_named(char), closing=closing)
        self._stray(char)
        self._break(complaints.AFTER_VALUE, found=_named(char), closing=closing)

    def _ends_early(self, wanted: str) -> NoReturn:
        self._break(complaints.ENDS_EARLY, wanted=wanted)

    def _stray(self, char: str) -> None:
        """Report a character that is wrong wherever it stands outside strings; return if it is none."""
        if char == "'":
            self._break(complaints.PYTHON, what="strings must use double quotes, not single ones")
        if char == "\ufeff":
            self._break(complaints.BOM_INSIDE)
        if char == "\0":
            self._break(complaints.NUL)
        if char < " ":
            self._break(complaints.CONTROL_OUTSIDE, found=visible(char))
        if visible(char) != char:
            self._break(complaints.INVISIBLE_OUTSIDE, found=visible(char))
        if char in _TYPOGRAPHIC:
            self._break(complaints.TYPOGRAPHIC, found=char)
        if char in "/#":
            self._break(complaints.REMARK, found=char)
        if char == "\\" and _ESCAPED_QUOTE.match(self.text, self.at):
            self._break(complaints.ESCAPED_TWICE)


def _end_of(pattern: re.Pattern[str], text: str, at: int) -> int:
    match = pattern.match(text, at)
    return at if match is None else match.end()


def _named(char: str) -> str:
    """A character as a sentence names it."""
    named = visible(char)
    return named if named != char else f'"{char}"' if char != '"' else "a quote"
