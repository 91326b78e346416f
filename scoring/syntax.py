"""Says what is wrong with a line that the JSON decoder refused, in our own words.

A small strict scanner (RFC 8259) that runs on faulty lines only. It keeps the place, so that every Python names
the same column and uses the same sentence; the decoder's own messages differ between versions.
"""

from __future__ import annotations

import json
import math
import re
from typing import NamedTuple, NoReturn

from scoring.problems import visible
from scoring.records import Limits

LARGEST_INTEGER = 2**53
"""Beyond it a 64-bit float, which many JSON readers use, no longer holds every integer."""

MOST_STEPS = 50_000
"""Tokens looked at in one line before the scanner gives up naming the place."""

_BLANK = re.compile(r"[ \t\r\n]*")
_STRING_STOP = re.compile(r'["\\\x00-\x1f]')
_ESCAPE = re.compile(r'\\(?:["\\/bfnrt]|u([0-9a-fA-F]{4}))')
_NUMBER = re.compile(r"-?(?:0|[1-9][0-9]*)(\.[0-9]+)?([eE][-+]?[0-9]+)?")
_WORD = re.compile(r"[^\W\d][\w$]*")
_AFTER_NUMBER = re.compile(r"[\w.+-]")
_ESCAPED_LINE = re.compile(r'\s*[{\[]?\s*\\+"')

_PYTHON_WORDS = {"True": "true", "False": "false", "None": "null"}
_NOT_FINITE = {"nan", "inf", "infinity"}
_CURLY = "“”„‟«»‘’‚‛"
_BEFORE, _AFTER = 32, 24


class Fault(NamedTuple):
    """One fault of a line. `column` counts code points from 1; `field` is the outermost key around the place."""

    code: str
    column: int
    message: str
    field: str | None = None
    found: str | None = None
    expected: str | None = None
    hint: str | None = None


def explain(text: str, depth: int = Limits.depth) -> list[Fault]:
    """Every fault of one line, from left to right; empty when the line is strict JSON.

    The list ends with the first fault that breaks the syntax, since nothing behind it can be trusted. Duplicate
    keys, numbers out of range, NUL and lone surrogates do not break it.
    """
    return _Scanner(text, depth).run()


def excerpt(text: str, index: int) -> str:
    """The surroundings of `index` with » before the place and invisible characters spelled out."""
    start, end = max(0, index - _BEFORE), index + _AFTER
    before = ("…" if start else "") + text[start:index]
    after = text[index:end] + ("…" if end < len(text) else "")
    return visible(before) + "»" + visible(after)


class _Broken(Exception):
    """The syntax is broken here; the fault is already noted."""


class _Scanner:
    def __init__(self, text: str, depth: int) -> None:
        self.text = text
        self.depth = depth
        self.at = 0
        self.steps = 0
        self.faults: list[Fault] = []
        self.open: list[dict[str, int] | None] = []
        """Brackets not yet closed: an object's keys with their columns, or None for a list."""
        self.field: str | None = None

    def run(self) -> list[Fault]:
        try:
            self._skip_blank()
            self._value()
            while self.open:
                self._next()
            self._end()
        except _Broken:
            pass
        return self.faults

    # Places

    def _skip_blank(self) -> str:
        """Step over JSON white space; the character there, or "" at the end of the line."""
        self.at = _BLANK.match(self.text, self.at).end()  # type: ignore[union-attr]
        return self.text[self.at : self.at + 1]

    def _note(
        self,
        code: str,
        message: str,
        at: int | None = None,
        *,
        expected: str | None = None,
        hint: str | None = None,
    ) -> None:
        place = self.at if at is None else at
        said = f"Column {place + 1}: {message}"
        self.faults.append(
            Fault(code, place + 1, said, self.field, excerpt(self.text, place), expected, hint)
        )

    def _break(
        self,
        code: str,
        message: str,
        at: int | None = None,
        *,
        expected: str | None = None,
        hint: str | None = None,
    ) -> NoReturn:
        self._note(code, message, at, expected=expected, hint=hint)
        raise _Broken

    def _step(self) -> None:
        self.steps += 1
        if self.steps > MOST_STEPS:
            self._break(
                "E101",
                f"this line is not valid JSON somewhere after this place; its first {MOST_STEPS:,} parts are fine",
                hint="Write each line with a JSON library.",
            )

    # Grammar

    def _next(self) -> None:
        """One step inside an open object or list, after its opening bracket or after a value."""
        keys = self.open[-1]
        closing = "]" if keys is None else "}"
        char = self._skip_blank()
        if char == closing:
            self._close()
            return
        if char != ",":
            self._unexpected_after_value(char, closing)
        comma = self.at
        self.at += 1
        char = self._skip_blank()
        if char in ("}", "]"):
            self._trailing_comma(comma, char)
        if keys is None:
            self._value()
        else:
            self._member(keys)

    def _close(self) -> None:
        self.at += 1
        self.open.pop()
        if len(self.open) == 1:
            return
        if not self.open:
            self.field = None

    def _value(self) -> None:
        """One value; an opening bracket is entered and its first member read."""
        self._step()
        char = self._skip_blank()
        if char == '"':
            self._string()
        elif char in ("{", "["):
            self._enter(char)
        elif char == "-" or "0" <= char <= "9":
            self._number()
        else:
            self._other_value(char)

    def _enter(self, bracket: str) -> None:
        if len(self.open) >= self.depth:
            self._break(
                "E110",
                f"brackets are nested more than {self.depth} deep",
                expected=f"at most {self.depth} levels",
                hint="Flatten the value; no field needs such depth.",
            )
        keys: dict[str, int] | None = {} if bracket == "{" else None
        self.open.append(keys)
        self.at += 1
        char = self._skip_blank()
        if char == ("]" if keys is None else "}"):
            self._close()
        elif keys is None:
            self._value()
        else:
            self._member(keys)

    def _member(self, keys: dict[str, int]) -> None:
        """`"key": value` of an object."""
        self._step()
        char = self._skip_blank()
        if char != '"':
            self._other_key(char)
        start = self.at
        key = self._string()
        if len(self.open) == 1:
            self.field = key
        if key in keys:
            self._note(
                "E106",
                f'the key "{visible(key, 40)}" occurs twice in one object (first at column {keys[key]})',
                start,
                expected="each key once",
                hint="Keep one of the two; readers would disagree on which one counts.",
            )
        keys.setdefault(key, start + 1)
        char = self._skip_blank()
        if char != ":":
            self._no_colon(char, key)
        self.at += 1
        self._skip_blank()
        self._value()

    def _end(self) -> None:
        """What stands behind the outermost value."""
        char = self._skip_blank()
        if not char:
            return
        place = self.at
        if char == ",":
            self.at += 1
            follower = self._skip_blank()
            if not follower:
                self._break(
                    "E117",
                    "a comma follows the object",
                    place,
                    expected="the end of the line",
                    hint="Remove the comma: lines of a JSON Lines file are not joined by commas.",
                )
            char = follower if follower == "{" else char
        if char == "{":
            self._break(
                "E115",
                "a second object begins on the same line",
                place,
                expected="one object a line",
                hint="Start a new line here, without a comma.",
            )
        self._stray(char, place)
        self._break(
            "E101",
            f"there is more text after the end of the value, starting with {_shown(char)}",
            place,
            expected="the end of the line",
            hint="Remove it, or write the line with a JSON library.",
        )

    # Tokens

    def _string(self) -> str:
        """Read a string from its opening quote; its text."""
        opening = self.at
        at = opening + 1
        plain = True
        high: int | None = None
        while True:
            stop = _STRING_STOP.search(self.text, at)
            if stop is None:
                self._break(
                    "E116",
                    'the line ends inside the string that begins here: its closing " is missing',
                    opening,
                    expected='a closing "',
                    hint="Was the file cut off, or does the text contain a line break? Write a break as \\n.",
                )
            place = stop.start()
            if high is not None and place > at:
                self._lone(high)
                high = None
            char = stop.group()
            if char == '"':
                break
            if char != "\\":
                self._raw_control(char, place)
            escape = _ESCAPE.match(self.text, place)
            if escape is None:
                self._bad_escape(place)
            plain = False
            self._step()
            high = self._code_unit(escape, place, high)
            at = escape.end()
        if high is not None:
            self._lone(high)
        self.at = stop.end()
        body = self.text[opening : self.at]
        return body[1:-1] if plain else json.loads(body)

    def _code_unit(self, escape: re.Match[str], place: int, high: int | None) -> int | None:
        """Judge one escape; the place of a high surrogate that waits for its low one."""
        value = int(escape.group(1), 16) if escape.group(1) else 0x20
        low = 0xDC00 <= value <= 0xDFFF
        if high is not None and not low:
            self._lone(high)
        if low and high is None:
            self._lone(place)
        if value == 0:
            self._nul(place)
        return place if 0xD800 <= value <= 0xDBFF else None

    def _lone(self, place: int) -> None:
        self._note(
            "E111",
            f"{self.text[place : place + 6]} is half of a character (a lone surrogate)",
            place,
            expected="both halves, or the character itself",
            hint="The text was cut in the middle of a character, often an emoji; cut it elsewhere.",
        )

    def _nul(self, place: int) -> None:
        self._note(
            "E112", "the text contains a NUL character (U+0000)", place, hint="Remove it from the text."
        )

    def _raw_control(self, char: str, place: int) -> NoReturn:
        if char == "\0":
            self._break(
                "E112", "the text contains a NUL character (U+0000)", place, hint="Remove it from the text."
            )
        escaped = {"\t": "\\t", "\r": "\\r", "\n": "\\n"}.get(char, f"\\u{ord(char):04x}")
        name = {"\t": "a tab", "\r": "a carriage return"}.get(char, "a control character")
        self._break(
            "E114",
            f"{name} (U+{ord(char):04X}) stands in a string as it is",
            place,
            expected=f"{escaped} inside strings",
            hint=f"Write it as {escaped}; a JSON library does this for you.",
        )

    def _bad_escape(self, place: int) -> NoReturn:
        sequence = self.text[place : place + 2]
        if len(sequence) == 1:
            self._break("E116", "the line ends after a backslash", place, expected='a closing "')
        if sequence == "\\u":
            self._break(
                "E101",
                "\\u needs four hexadecimal digits after it",
                place,
                expected="an escape such as \\u00e9",
                hint="Write \\\\ for a backslash that belongs to the text.",
            )
        self._break(
            "E101",
            f"{visible(sequence)} is not an escape that JSON knows",
            place,
            expected='one of \\" \\\\ \\/ \\b \\f \\n \\r \\t \\u0000',
            hint="Write \\\\ for a backslash that belongs to the text (LaTeX, Windows paths).",
        )

    def _number(self) -> None:
        start = self.at
        match = _NUMBER.match(self.text, start)
        if match is None:
            if self.text[start + 1 : start + 4].lower() in ("inf", "nan"):
                self._not_finite(_WORD.match(self.text, start + 1).group(), start)  # type: ignore[union-attr]
                return
            self._break("E101", "a minus sign without a number", expected="a number such as -1")
        self.at = match.end()
        if _AFTER_NUMBER.match(self.text, self.at):
            self._bad_number(start)
        written = match.group()
        if match.group(1) or match.group(2):
            if math.isinf(float(written)):
                self._note("E108", f"the number {visible(written, 24)} is too large to be held", start)
        elif len(written) > 17 or abs(int(written)) > LARGEST_INTEGER:
            self._note(
                "E109",
                f"the whole number {visible(written, 24)} has {len(written.lstrip('-'))} digits and is beyond 2^53",
                start,
                expected=f"at most {LARGEST_INTEGER}",
                hint="Readers would round it. Write it as a string if it is a name or an id.",
            )

    def _bad_number(self, start: int) -> NoReturn:
        written = re.match(r"[\w.+-]*", self.text[start : start + 24]).group()  # type: ignore[union-attr]
        hint = "Put text in double quotes."
        if re.match(r"-?0[0-9]", written):
            hint = 'JSON numbers have no leading zeros: write 7 for 07, or "07" if it is a name.'
        elif re.match(r"-?[0-9]+\.(?![0-9])", written):
            hint = "Write a digit after the point: 1.0, not 1."
        self._break("E101", f"{visible(written)} is not a JSON number", start, expected="a number", hint=hint)

    def _not_finite(self, word: str, start: int) -> None:
        self.at = start + len(word) + (self.text[start] == "-")
        sign = "-" if self.text[start] == "-" else ""
        self._note(
            "E107",
            f"{sign}{word} is not valid JSON: it has no NaN and no infinity",
            start,
            expected="a finite number, a string or null",
            hint="Empty cells of a data frame become NaN; fill them before writing the file.",
        )

    # What stands where something else belongs

    def _other_value(self, char: str) -> None:
        word = _WORD.match(self.text, self.at)
        if word is not None:
            self._word(word.group())
            return
        if not char:
            self._too_early("a value")
        if char in ("}", "]", ",", ":"):
            self._break("E101", f"a value is missing before {char}", expected="a value")
        if char == "(":
            self._python("a Python tuple")
        if char in "+.":
            self._bad_number(self.at)
        self._stray(char, self.at)
        if not self.open:
            self._no_object()
        self._break(
            "E101",
            f"{_shown(char)} where a value belongs",
            expected="a string, number, list, object, true, false or null",
        )

    def _word(self, word: str) -> None:
        start = self.at
        after = self.text[start + len(word) : start + len(word) + 1]
        if word in ("true", "false", "null"):
            self.at += len(word)
        elif word in _PYTHON_WORDS:
            self._python(f"{word} (JSON writes {_PYTHON_WORDS[word]})")
        elif word.lower() in _NOT_FINITE:
            self._not_finite(word, start)
        elif after == "'" and word.lower() in ("u", "b", "r", "f"):
            self._python(f"{word}'…'")
        elif not self.open:
            self._no_object()
        else:
            self._break(
                "E101",
                f"the text {visible(word, 24)} stands without quotes",
                expected="a value",
                hint="Put text in double quotes; JSON knows only true, false and null without them.",
            )

    def _other_key(self, char: str) -> NoReturn:
        word = _WORD.match(self.text, self.at)
        if word is not None:
            self._break(
                "E101",
                f"the key {visible(word.group(), 24)} stands without quotes",
                expected=f'"{visible(word.group(), 24)}"',
                hint="Put every key in double quotes.",
            )
        if not char:
            self._too_early('a key or "}"')
        if char == ",":
            self._break("E101", "a comma too many", expected="a key", hint="Remove one comma.")
        self._stray(char, self.at)
        self._break(
            "E101",
            f"{_shown(char)} where a key belongs",
            expected="a key in double quotes",
            hint='An object is {"key": value, …}.',
        )

    def _no_colon(self, char: str, key: str) -> NoReturn:
        if not char:
            self._too_early(f'":" after the key "{visible(key, 24)}"')
        if char in ",}":
            self._break("E101", f'the key "{visible(key, 24)}" has no value', expected='":" and a value')
        self._stray(char, self.at)
        self._break(
            "E101",
            f'{_shown(char)} where the ":" after the key "{visible(key, 24)}" belongs',
            expected='":"',
            hint='A " inside a text must be written \\".',
        )

    def _unexpected_after_value(self, char: str, closing: str) -> NoReturn:
        if not char:
            self._too_early(f'"," or "{closing}"')
        if char in "]}":
            self._break(
                "E101", f"{char} closes what was opened with another bracket", expected=f'"," or "{closing}"'
            )
        if char == '"':
            self._break(
                "E101",
                "a comma is missing before this string",
                expected=f'"," or "{closing}"',
                hint='If this " belongs to the text, write it \\".',
            )
        if char in "{[":
            self._break("E101", f"a comma is missing before {char}", expected=f'"," or "{closing}"')
        if self.text[self.at - 1] == '"' or self.text[: self.at].rstrip(" \t").endswith('"'):
            self._stray(char, self.at, quotes=False)
            self._break(
                "E101",
                f"a string ended just before this place, yet text goes on with {_shown(char)}",
                expected=f'"," or "{closing}"',
                hint='A " inside a text must be written \\"; a JSON library does this for you.',
            )
        self._stray(char, self.at)
        self._break("E101", f"{_shown(char)} after a value", expected=f'"," or "{closing}"')

    def _trailing_comma(self, comma: int, char: str) -> NoReturn:
        self._break(
            "E117",
            f"a comma stands before the closing {char}",
            comma,
            expected=f'"{char}"',
            hint="Remove the comma after the last entry.",
        )

    def _too_early(self, expected: str) -> NoReturn:
        closing = "".join("}" if keys is not None else "]" for keys in reversed(self.open[-8:]))
        self._break(
            "E116",
            f"the line ends too early: {len(self.open)} bracket{'s' * (len(self.open) != 1)} still open"
            if self.open
            else "the line ends too early",
            expected=f"{expected}, at last {closing}" if closing else expected,
            hint="Was the file cut off, or one object spread over several lines?",
        )

    def _python(self, what: str) -> NoReturn:
        self._break(
            "E105",
            f"this is Python, not JSON: {what}",
            expected="double quotes, true, false, null",
            hint="Write lines with json.dumps(record), not with str(record) or print(record).",
        )

    def _no_object(self) -> NoReturn:
        hint = "Write one {…} a line with a JSON library; no header, no CSV, no remarks."
        if self.text[self.at] == "<":
            hint = "This looks like a web page or XML. Was a log-in page saved instead of the file?"
        self._break(
            "E101", "this line is not JSON: it does not begin with {", expected="a line {…}", hint=hint
        )

    def _stray(self, char: str, place: int, *, quotes: bool = True) -> None:
        """Report what is wrong with this character wherever it stands outside strings; return if nothing is."""
        if char == "'" and quotes:
            self.at = place
            self._python("single quotes (strings must use double quotes)")
        if char == "\0":
            self._raw_control(char, place)
        if char == "\ufeff":
            self._break(
                "E011",
                "a byte order mark (U+FEFF) stands inside the file",
                place,
                hint="Files were joined; remove the mark or save them without one first.",
            )
        if char and char in _CURLY and quotes:
            self._break(
                "E101",
                f"{char} is a typographic quote",
                place,
                expected='the straight quote "',
                hint="A word processor replaced the quotes; write the file with a JSON library.",
            )
        if char == "\\" and _ESCAPED_LINE.match(self.text):
            self._break(
                "E101",
                "the quotes of this line are escaped, as if it had been written to JSON twice",
                place,
                hint="Call json.dumps once a record.",
            )
        if char == "/" or char == "#":
            self._break(
                "E101", f"{char} begins a remark, and JSON has no remarks", place, hint="Remove the remark."
            )
        if char < " " and char:
            self._break(
                "E114", f"a control character {_shown(char)} stands between values", place, hint="Remove it."
            )
        if visible(char) != char:
            self._break(
                "E101",
                f"the invisible character {_shown(char)} stands outside the strings",
                place,
                expected="ordinary spaces at most",
                hint="Remove it; it often comes from copying out of a web page.",
            )


def _shown(char: str) -> str:
    """A character as a sentence names it."""
    named = visible(char)
    return named if named != char else f'"{char}"' if char != '"' else "a quote"
