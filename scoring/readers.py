"""The strict JSON Lines reader: bytes become records or problems with line numbers, within bounded memory.

The bytes come in blocks of whole lines. Whatever is rare (long lines, escapes, deep brackets, carriage returns)
is looked for in a whole block at once, so an ordinary line costs one call of the decoder. A line the decoder
refuses, or that is suspicious, is looked at again by `syntax`, which finds the fault and words it.
"""

from __future__ import annotations

import io
import json
import math
import re
from collections.abc import Iterator
from hashlib import sha256
from itertools import accumulate
from typing import Any, BinaryIO, NamedTuple, Union

from scoring.fileformats import other_format
from scoring.problems import Faults, json_type, visible
from scoring.records import MIB, Limits, Line
from scoring.syntax import LARGEST_INTEGER, Fault, excerpt, explain

BLOCK = 128 * 1024
MOST_EXPLAINED = 20_000
"""After so many faulty lines the rest are E101 without a place: nobody reads on, and time is bounded."""

BOM = b"\xef\xbb\xbf"
WHITE = " \t\r\n"

_REFUSALS = (StopIteration, ValueError, TypeError, RecursionError)
_ODD = r"\\(?:\\u|u0000|u[dD][89abAB]..(?!\\u[dD][c-fC-F])|u[dD][c-fC-F](?<!\\u[dD][89abAB]..\\u[dD].))"
"""Escapes that may be NUL or half a surrogate pair."""
_ODD_LINE = re.compile(_ODD)
_ODD_BLOCK = re.compile(_ODD.encode(), re.DOTALL)
_STRINGS = re.compile(r'"[^"\\]*(?:\\.[^"\\]*)*"?')
_BRACKETS = re.compile(r"[\[\]{}]+")
_SURROGATE = re.compile("[\ud800-\udfff]")
_BRACKET_STEPS = {"{": 1, "[": 1, "}": -1, "]": -1}
_RECORDS_AFTER_CR = re.compile(rb"\r[ \t\r]*\{")
_PYTHON_LINE = re.compile(r"\s*\{\s*'")
_FENCES = ("```", "~~~")

Text = Union[str, bytes]
"""A line: text, or still bytes where it is too long or no UTF-8."""


class _Waiting(NamedTuple):
    """A line that ended too early: the next line shows whether the file is pretty-printed."""

    line: int
    next_line: int
    continued_by: str
    """Characters that would begin a continuation."""
    fault: Fault
    item_id: str | None


class Reader:
    """Iterates over the good lines of a JSON Lines file; reports everything else to `faults`.

    After the iteration: `lines` (physical lines, blank ones included), `records` (good lines), `digest` (SHA-256
    of all raw bytes, hexadecimal), `salvaged` (ids seen in faulty lines) and `unreadable` (the file was refused as
    a whole, so nothing can be said about its ids). An iteration left early leaves them unfinished.
    """

    def __init__(
        self, source: bytes | BinaryIO, faults: Faults, limits: Limits | None = None, id_field: str = "id"
    ) -> None:
        self.lines = 0
        self.records = 0
        self.digest = ""
        self.unreadable = False
        self.salvaged: set[str] = set()
        self._faults = faults
        self._limits = limits or Limits()
        self._stream = io.BytesIO(source) if isinstance(source, (bytes, bytearray, memoryview)) else source
        self._hash = sha256()
        self._ends_with_break = True
        self._blank: list[int] = [0, 0]  # how many, and the first one's line
        self._refused = 0
        self._explained = 0
        self._seen_text = False
        self._fence = False
        self._python: list[Any] = []  # of the first such line: number, fault, id, and how many followed
        self._waiting: _Waiting | None = None
        self._noted: list[bool] = []
        self._scan = self._decoder().scan_once
        name = re.escape(id_field)
        self._ids = re.compile(rf"""["']{name}["']\s*:\s*(?:"([^"\\]*(?:\\.[^"\\]*)*)"|'([^'\\]*)')""")

    def _decoder(self) -> json.JSONDecoder:
        """The standard decoder, which notes what it would let pass: only then are lines looked at again."""
        noted = self._noted

        def as_object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
            record = dict(pairs)
            if len(record) != len(pairs):
                noted.append(True)
            return record

        def as_integer(digits: str) -> int:
            if len(digits) < 16:
                return int(digits)
            if len(digits) < 19 and -LARGEST_INTEGER <= int(digits) <= LARGEST_INTEGER:
                return int(digits)
            noted.append(True)
            return 0

        def as_float(digits: str) -> float:
            number = float(digits)
            if math.isinf(number):
                noted.append(True)
            return number

        return json.JSONDecoder(
            object_pairs_hook=as_object,
            parse_int=as_integer,
            parse_float=as_float,
            parse_constant=lambda name: noted.append(True),
        )

    def __iter__(self) -> Iterator[Line]:
        faults, noted, scan, closer = self._faults, self._noted, self._scan, self._look_closer
        depth = self._limits.depth
        line_of, new = Line, tuple.__new__
        is_odd = _ODD_LINE.search
        number = 0
        for lines, deep, odd in self._blocks():
            for line in lines:
                number += 1
                try:
                    if deep and line.count("[") + line.count("{") > depth and _depth(line) > depth:
                        end = -1
                    else:
                        record, end = scan(line, 0)
                except _REFUSALS:
                    end = -1
                if end != len(line) or noted or record.__class__ is not dict or (odd and is_odd(line)):
                    record = closer(number, line)
                    if record is None:
                        if self.unreadable:
                            break
                        continue
                faults.line, faults.item_id = number, None
                yield new(line_of, (number, record))
            self.records = number - self._refused
            if self.unreadable:
                break
        self._finish(number)

    # Bytes to lines

    def _fill(self) -> bytes:
        """The next block, full unless the file ends, however little the stream hands out at a time."""
        block = self._stream.read(BLOCK) or b""
        while block and len(block) < BLOCK:
            more = self._stream.read(BLOCK - len(block))
            if not more:
                break
            block += more
        if block:
            self._hash.update(block)
            self.lines += block.count(b"\n")
            self._ends_with_break = block.endswith(b"\n")
        return block

    def _blocks(self) -> Iterator[tuple[list[Any], bool, bool]]:
        """Lists of whole lines, each with whether deep brackets or odd escapes may occur in it."""
        limits = self._limits
        room, lines_left = limits.file_bytes, limits.lines
        pieces: list[bytes] = []
        held = 0
        first = True
        while block := self._fill():
            if first:
                first = False
                self._judge_file(block)
                if self.unreadable:
                    return
                if block.startswith(BOM):
                    block = block[3:]
                    self._say(1, None, "I901", "A byte order mark at the start of the file was ignored.")
            too_large = len(block) > room
            block = block[:room]
            room -= len(block)
            cut = block.rfind(b"\n") + 1
            if cut:
                pieces.append(block[:cut])
                lines = self._split(b"".join(pieces))
                if len(lines[0]) > lines_left:
                    yield lines[0][:lines_left], lines[1], lines[2]
                    self._refuse(
                        "E010", f"The file has more than {limits.lines:,} lines, the most allowed here."
                    )
                    return
                lines_left -= len(lines[0])
                yield lines
                pieces, held = [block[cut:]], len(block) - cut
            elif held <= limits.line_bytes:
                pieces.append(block)
                held += len(block)
            if too_large:
                self._refuse(
                    "E002",
                    f"The file is larger than {_size(limits.file_bytes)}, the most allowed here.",
                    expected=f"at most {limits.file_bytes:,} bytes",
                )
                return
        last = b"".join(pieces)
        if last and lines_left < 1:
            self._refuse("E010", f"The file has more than {limits.lines:,} lines, the most allowed here.")
        elif last:
            yield self._split(last)

    def _split(self, data: bytes) -> tuple[list[Any], bool, bool]:
        """Lines end at LF or CRLF only: U+2028, U+2029 and U+0085 are text."""
        if b"\r" in data:
            data = data.replace(b"\r\n", b"\n")
        limit = self._limits.line_bytes
        text = _as_text(data, limit)
        lines: list[Any]
        if isinstance(text, str):
            lines = text.split("\n")
        else:
            lines = [_as_text(line, limit) for line in data.split(b"\n")]
        if data.endswith(b"\n"):
            lines.pop()
        inner = data.count(b"{") - data.count(b"\n{") - data.startswith(b"{")
        odd = b"\\u" in data and _ODD_BLOCK.search(data) is not None
        return lines, inner + data.count(b"[") >= self._limits.depth, odd

    def _judge_file(self, start: bytes) -> None:
        """Refuse a file that is something else altogether, by its first bytes."""
        found = other_format(start[:1024])
        if found is not None:
            self._refuse(found.code, f"The file is not UTF-8 text: it is {found.name}.", hint=found.hint)

    def _finish(self, number: int) -> None:
        while self._fill():
            pass
        if not self._ends_with_break:
            self.lines += 1
        self.digest = self._hash.hexdigest()
        self._settle()
        if self._python:
            line, fault, item_id, others = self._python
            if others:
                plural = "s" * (others != 1)
                fault = fault._replace(message=f"{fault.message} {others} more line{plural} like this.")
            self._report(line, fault, item_id)
        blank, first_blank = self._blank
        if not self.unreadable and blank == number:
            self._refuse("E001", "The file is empty.", hint="Was it written before the results were there?")
        elif blank and not self.unreadable:
            said = "1 blank line was" if blank == 1 else f"{blank:,} blank lines were"
            self._say(first_blank, None, "I902", f"{said} skipped.")
        self._faults.line = self._faults.item_id = None

    # A line that is not plainly good

    def _look_closer(self, number: int, line: Text) -> dict[str, Any] | None:
        """The record of an unusual line that is good nevertheless, or None once its faults are reported."""
        self._noted.clear()
        if isinstance(line, str):
            stripped = line.strip(WHITE)
            if not stripped:
                self._blank_line(number)
                return None
            record = self._unusual(line)
            if record is not None:
                self._seen_text = True
                return record
        self._refused += 1
        first, self._seen_text = not self._seen_text, True
        if isinstance(line, bytes):
            self._not_text(number, line, first)
        elif not (self._goes_on(number, stripped) or self._whole_file(number, line, stripped, first)):
            self._faulty(number, line)
        return None

    def _unusual(self, line: str) -> dict[str, Any] | None:
        """The record of a line that is strict JSON after all: white space around it, harmless escapes."""
        if _depth(line) > self._limits.depth:
            return None
        at = len(line) - len(line.lstrip(WHITE))
        try:
            record, end = self._scan(line, at)
        except _REFUSALS:
            self._noted.clear()
            return None
        good = not self._noted and type(record) is dict and not line[end:].strip(WHITE) and "\r" not in line
        self._noted.clear()
        return record if good and not (_ODD_LINE.search(line) and _has_odd_text(record)) else None

    def _blank_line(self, number: int) -> None:
        self._refused += 1
        self._blank[0] += 1
        self._blank[1] = self._blank[1] or number
        if self._waiting is not None and self._waiting.next_line == number:
            self._waiting = self._waiting._replace(next_line=number + 1)

    def _goes_on(self, number: int, stripped: str) -> bool:
        """Whether this line continues a record that the line before left open; then the file is refused."""
        waiting = self._waiting
        if waiting is None or waiting.next_line != number or stripped[0] not in waiting.continued_by:
            return False
        self._waiting = None
        self._refuse(
            "E103",
            "The file looks pretty-printed: each record must be on one line.",
            line=waiting.line,
            hint="Write json.dumps(record) without indent and one line break after each record.",
        )
        return True

    def _whole_file(self, number: int, line: str, stripped: str, first: bool) -> bool:
        """Report what is wrong with the file rather than with this line."""
        if stripped.startswith(_FENCES):
            if not self._fence:
                self._fence = True
                self._say(
                    number,
                    None,
                    "E104",
                    f"This is a code-fence line ({stripped[:3]}) of Markdown, not a record.",
                    found=visible(stripped),
                    hint="Remove the fence lines; keep the records between them.",
                )
            return True
        if first and stripped[0] == "[" and stripped[1:].lstrip(WHITE)[:1] in ("", "{"):
            self._array(number)
            return True
        if "\r" in line:
            self._carriage_return(number, line)
            return True
        if self._python and _PYTHON_LINE.match(line):
            self._python[3] += 1
            self._salvage(line)
            return True
        return False

    def _array(self, number: int) -> None:
        self._refuse(
            "E102",
            "One JSON object per line expected, found a JSON array that holds the records.",
            line=number,
            found="[",
            expected="a line {…} for each record",
            hint="Write each element on a line of its own, without the brackets and without commas between.",
        )

    def _carriage_return(self, number: int, line: str) -> None:
        records = [part for part in line.split("\r") if part.lstrip(WHITE).startswith("{")]
        if len(records) > 1:
            self._old_line_ends(number)
            return
        fault = Fault(
            "E008",
            line.index("\r") + 1,
            f"Column {line.index(chr(13)) + 1}: a carriage return (U+000D) stands in the line without a line feed.",
            found=excerpt(line, line.index("\r")),
            expected="lines that end with LF or CRLF",
            hint="Inside a text write it as \\r; elsewhere remove it.",
        )
        self._report(number, fault, self._salvage(line))

    def _old_line_ends(self, number: int) -> None:
        self._refuse(
            "E008",
            "Lines end with a lone carriage return (CR), as on old Macs, so records cannot be told apart.",
            line=number,
            expected="lines that end with LF or CRLF",
            hint="Save the file with Unix (LF) or Windows (CRLF) line ends.",
        )

    def _not_text(self, number: int, line: bytes, first: bool) -> None:
        """A line that is too long, or no UTF-8."""
        limit = self._limits.line_bytes
        start = line[:4096].decode("utf-8", "replace")
        if len(line) > limit:
            if _RECORDS_AFTER_CR.search(line):
                self._old_line_ends(number)
            elif first and re.match(r"\s*\[\s*\{", start):
                self._array(number)
            else:
                self._say(
                    number,
                    self._salvage(start),
                    "E009",
                    f"This line is longer than {_size(limit)}, the most allowed for one line.",
                    expected=f"at most {limit:,} bytes",
                    hint="Are all records on one line, or did a text repeat without end?",
                )
            return
        try:
            line.decode("utf-8")
        except UnicodeDecodeError as error:
            before = line[: error.start].decode("utf-8")
            place = len(before) + 1
            shown = excerpt(before + "�", place - 1).replace("�", f"<byte {line[error.start]:02X}>")
            fault = Fault(
                "E004",
                place,
                f"Column {place}: invalid UTF-8, the byte {line[error.start]:02X} (hexadecimal) is no character.",
                found=shown,
                expected="UTF-8",
                hint="The file seems saved in another encoding (Latin-1, Windows-1252, Shift JIS …): save it as UTF-8.",
            )
            self._report(number, fault, self._salvage(line.decode("utf-8", "replace")))

    def _faulty(self, number: int, line: str) -> None:
        """Report every fault of a line, as `explain` finds them."""
        self._explained += 1
        item_id = self._salvage(line)
        if self._explained > MOST_EXPLAINED:
            self._say(number, item_id, "E101", "This line is faulty, as many before it.")
            return
        faults = explain(line, self._limits.depth)
        for fault in faults:
            if fault.code == "E116":
                self._settle()
                continued_by = "\"'}]{[" if line.rstrip(WHITE).endswith("[") else "\"'}]"
                self._waiting = _Waiting(number, number + 1, continued_by, fault, item_id)
            elif fault.code == "E105" and self._python:
                self._python[3] += 1
            elif fault.code == "E105":
                self._python = [number, fault, item_id, 0]
            else:
                self._report(number, fault, item_id)
        if not faults:
            value = json.loads(line)
            self._say(
                number,
                None,
                "E113",
                f"A JSON object is expected on each line, found {json_type(value)}.",
                found=visible(line.strip(WHITE)),
                expected="an object {…}",
            )

    def _settle(self) -> None:
        """Report a line that ended too early, now that no continuation followed."""
        if self._waiting is not None:
            self._report(self._waiting.line, self._waiting.fault, self._waiting.item_id)
            self._waiting = None

    def _salvage(self, line: str) -> str | None:
        """The first id that a faulty line seems to carry; all are kept, so none is called missing."""
        ids = []
        for double, single in self._ids.findall(line):
            try:
                ids.append(json.loads(f'"{double}"') if double else single)
            except ValueError:
                ids.append(double)
        self.salvaged.update(ids)
        return ids[0] if ids else None

    # Reporting

    def _report(self, line: int, fault: Fault, item_id: str | None) -> None:
        self._say(
            line,
            item_id,
            fault.code,
            fault.message,
            field=fault.field,
            found=fault.found,
            expected=fault.expected,
            hint=fault.hint,
        )

    def _say(self, line: int | None, item_id: str | None, code: str, message: str, **rest: Any) -> None:
        self._faults.line, self._faults.item_id = line, item_id
        self._faults.add(code, message, **rest)

    def _refuse(self, code: str, message: str, *, line: int | None = None, **rest: Any) -> None:
        """Report a fault of the whole file and read no further lines."""
        self.unreadable = True
        self._say(line, None, code, message, **rest)


def _as_text(data: bytes, limit: int) -> Text:
    """Decoded, or as it is when it is longer than `limit` bytes or no UTF-8."""
    if len(data) > limit:
        return data
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        return data


def _depth(line: str) -> int:
    """How deep brackets nest outside strings, whether or not they match. Never recursive, never slow."""
    brackets = "".join(_BRACKETS.findall(_STRINGS.sub("", line)))
    return max(accumulate(map(_BRACKET_STEPS.__getitem__, brackets)), default=0)


def _has_odd_text(value: Any) -> bool:
    """Whether a key or string at any depth holds NUL or a lone surrogate."""
    if isinstance(value, str):
        return "\0" in value or _SURROGATE.search(value) is not None
    if isinstance(value, dict):
        return any(map(_has_odd_text, value)) or any(map(_has_odd_text, value.values()))
    return isinstance(value, list) and any(map(_has_odd_text, value))


def _size(count: int) -> str:
    """5,242,880 → "5 MB"; small limits in bytes."""
    return f"{count / MIB:.4g} MB" if count >= MIB / 10 else f"{count:,} bytes"
