"""The lines of a JSON Lines file that are not plainly good: some are good all the same, others faulty."""

from __future__ import annotations

import json
import re
from typing import Any, Callable, NamedTuple, Union

from scoring import complaints
from scoring.complaints import Complaint
from scoring.nesting import line_nests_deeper
from scoring.patterns import pattern
from scoring.problems import Faults, json_type, visible
from scoring.records import MIB, Limits
from scoring.syntax import Effort, Fault, excerpt, explain

Text = Union[str, bytes]
"""A line: text, or still bytes where it is too long or no UTF-8."""

WHITE = " \t\r\n"
"""JSON white space; nothing else may stand around values."""

REFUSALS = (StopIteration, ValueError, TypeError, RecursionError)
"""What the decoder raises, by kind of fault and version of Python."""

_ODD_ESCAPED = (
    r"\\(?:\\u|u0000|u[dD][89abAB]..(?!\\u[dD][c-fC-F])|u[dD][c-fC-F](?<!\\u[dD][89abAB]..\\u[dD].))"
)
"""An escape that may stand for NUL or for half of a surrogate pair."""
_ODD_ESCAPE = pattern(_ODD_ESCAPED)
_ODD_ESCAPE_IN_BYTES = pattern(_ODD_ESCAPED.encode())

_ODD_TEXT = pattern("[\0\ud800-\udfff]")
_OLD_LINE_ENDS = pattern(r"\r[ \t]*\{")
_ARRAY_START = pattern(r"\[[ \t\r]*(?:\{|$)")
_PYTHON_START = pattern(r"[ \t]*\{[ \t]*'")
_FENCES = ("```", "~~~")


def may_hold_odd(data: bytes) -> bool:
    """Whether a line of this block may be odd. Carriage returns before line feeds are gone already."""
    return b"\r" in data or _ODD_ESCAPE_IN_BYTES.search(data) is not None


def is_odd(line: str) -> bool:
    """Whether the decoder might take what we refuse: a lone carriage return, NUL, half a character."""
    return "\r" in line or _ODD_ESCAPE.search(line) is not None


class _Waiting(NamedTuple):
    """A line that ended too early: the next one shows whether the file is pretty-printed."""

    line: int
    next_line: int
    opens_list: bool
    fault: Fault
    item_id: str | None

    def goes_on(self, number: int, stripped: str) -> bool:
        continued = stripped[0] in "\"'}]" or (self.opens_list and stripped[0] in "{[")
        return continued and number == self.next_line


class UnusualLines:
    """Judges the lines that `Reader` passes on and remembers what several lines say together.

    `scan` is the decoder, `noted` the list in which it marks what it let pass. `unreadable` is set once the
    file is refused as a whole; `salvaged` holds the ids that faulty lines seem to carry.
    """

    def __init__(
        self,
        faults: Faults,
        limits: Limits,
        id_field: str,
        scan: Callable[[str, int], tuple[Any, int]],
        noted: list[bool],
    ) -> None:
        self.unreadable = False
        self.salvaged: set[str] = set()
        self.without_record = 0
        self._faults = faults
        self._limits = limits
        self._scan = scan
        self._noted = noted
        self._blank: list[int] = []
        self._fence_seen = False
        self._effort = Effort()
        self._python: tuple[int, Fault, str | None] | None = None
        self._more_python = 0
        self._waiting: _Waiting | None = None
        key = f"[\"']{re.escape(id_field)}[\"']"
        self._ids = pattern(rf"""{key}\s*:\s*(?:"([^"\\]*(?:\\.[^"\\]*)*)"|'([^'\\]*)')""")

    def look(self, number: int, line: Text) -> dict[str, Any] | None:
        """The record of a line that is good after all, or None for a blank or faulty one."""
        self._noted.clear()
        record = None
        if isinstance(line, bytes):
            self._no_text(number, line)
        else:
            stripped = line.strip(WHITE)
            if not stripped:
                self._blank_line(number)
                self.without_record += 1
                return None
            record = self._good_record(line, stripped)
            if record is None and not self._about_file(number, line, stripped):
                self._faulty(number, line)
        self.without_record += record is None
        return record

    def finish(self, lines: int) -> None:
        """Report what only the end of the file shows."""
        self._settle()
        if self._python is not None:
            line, fault, item_id = self._python
            if self._more_python:
                others = _counted(self._more_python, "more line is", "more lines are")
                fault = fault._replace(message=f"{fault.message} {others} like this.")
            self._report(line, fault, item_id)
        if self.unreadable:
            return
        if len(self._blank) == lines:
            self.refuse(complaints.EMPTY)
        elif self._blank:
            said = _counted(len(self._blank), "blank line was", "blank lines were")
            self.say(complaints.BLANK_SKIPPED, self._blank[0], count=said)

    # Lines that are fine

    def _good_record(self, line: str, stripped: str) -> dict[str, Any] | None:
        """The record of a line that only has white space around it or escapes that look odd but are not."""
        if stripped[0] != "{" or "\r" in line or line_nests_deeper(line, self._limits.depth):
            return None
        try:
            record, end = self._scan(stripped, 0)
        except REFUSALS:
            record, end = None, 0
        good = type(record) is dict and end == len(stripped) and not self._noted
        self._noted.clear()
        return None if not good or (_ODD_ESCAPE.search(line) and _has_odd_text(record)) else record

    def _blank_line(self, number: int) -> None:
        self._blank.append(number)
        if self._waiting is not None and self._waiting.next_line == number:
            self._waiting = self._waiting._replace(next_line=number + 1)

    def _is_first(self, number: int) -> bool:
        """Whether only blank lines came before."""
        return number == len(self._blank) + 1

    # Faults of the file that one line gives away

    def _about_file(self, number: int, line: str, stripped: str) -> bool:
        """Report what is wrong with the file rather than with this line, once."""
        if self._waiting is not None and self._waiting.goes_on(number, stripped):
            line_of_record, self._waiting = self._waiting.line, None
            self.refuse(complaints.PRETTY, line_of_record)
        elif stripped.startswith(_FENCES):
            if not self._fence_seen:
                self._fence_seen = True
                self.say(complaints.FENCE, number, found=visible(stripped), fence=stripped[:3])
        elif self._is_first(number) and _ARRAY_START.match(stripped):
            self.refuse(complaints.ARRAY, number)
        elif "\r" in line:
            self._carriage_return(number, line)
        elif self._python is not None and _PYTHON_START.match(line):
            self._more_python += 1
            self._salvage(line)
        else:
            return False
        return True

    def _carriage_return(self, number: int, line: str) -> None:
        if _OLD_LINE_ENDS.search(line):
            self.refuse(complaints.OLD_LINE_ENDS, number)
        else:
            place = line.index("\r")
            said = complaints.STRAY_RETURN
            message = f"Column {place + 1}: {said.message}."
            found = excerpt(line, place)
            fault = Fault(said.code, place + 1, message, None, found, said.expected, said.hint)
            self._report(number, fault, self._salvage(line))

    # Faults of one line

    def _no_text(self, number: int, line: bytes) -> None:
        """A line that is too long, or no UTF-8."""
        limit = self._limits.line_bytes
        if len(line) <= limit:
            self._no_utf8(number, line)
            return
        start = line[:4096].decode("utf-8", "replace")
        if b"\r" in line and _OLD_LINE_ENDS.search(line.decode("utf-8", "replace")):
            self.refuse(complaints.OLD_LINE_ENDS, number)
        elif self._is_first(number) and _ARRAY_START.match(start.lstrip(WHITE)):
            self.refuse(complaints.ARRAY, number)
        else:
            item_id = self._salvage(start)
            self.say(complaints.LINE_TOO_LONG, number, item_id, size=in_megabytes(limit), count=limit)

    def _no_utf8(self, number: int, line: bytes) -> None:
        try:
            line.decode("utf-8")
        except UnicodeDecodeError as error:
            before = line[: error.start].decode("utf-8")
            byte = f"{line[error.start]:02X}"
            after = line[error.start + 1 : error.start + 25].decode("utf-8", "backslashreplace")
            found = f"{excerpt(before, len(before))}<byte {byte}>{visible(after)}"
            item_id = self._salvage(line.decode("utf-8", "replace"))
            self.say(complaints.NO_UTF8, number, item_id, found=found, column=len(before) + 1, byte=byte)

    def _faulty(self, number: int, line: str) -> None:
        """Report every fault of a line."""
        item_id = self._salvage(line)
        if self._effort.left <= 0:
            self.say(complaints.MANY_FAULTY, number, item_id)
            return
        faults = explain(line, self._limits.depth, self._effort)
        for fault in faults:
            if fault.code == "E116":
                self._settle()
                opens_list = line.rstrip(WHITE).endswith("[")
                self._waiting = _Waiting(number, number + 1, opens_list, fault, item_id)
            elif fault.code != "E105":
                self._report(number, fault, item_id)
            elif self._python is None:
                self._python = number, fault, item_id
            else:
                self._more_python += 1
        if not faults:
            kind = json_type(json.loads(line))
            self.say(complaints.NO_OBJECT, number, found=visible(line.strip(WHITE)), kind=kind)

    def _settle(self) -> None:
        """Report a line that ended too early, now that no continuation followed."""
        if self._waiting is not None:
            self._report(self._waiting.line, self._waiting.fault, self._waiting.item_id)
            self._waiting = None

    def _salvage(self, line: str) -> str | None:
        """The first id of a faulty line; all are kept, so that none is called missing besides."""
        ids = [_unescaped(double) if double else single for double, single in self._ids.findall(line)]
        self.salvaged.update(ids)
        return ids[0] if ids else None

    # Reporting

    def say(
        self,
        complaint: Complaint,
        line: int | None,
        item_id: str | None = None,
        *,
        found: str | None = None,
        **words: object,
    ) -> None:
        code, message, expected, hint = (part and part.format(**words) for part in complaint)
        self._faults.line, self._faults.item_id = line, item_id
        self._faults.add(str(code), str(message), found=found, expected=expected, hint=hint)

    def refuse(self, complaint: Complaint, line: int | None = None, **words: object) -> None:
        """Report a fault of the whole file; nothing can be said about its ids any more."""
        self.unreadable = True
        self.say(complaint, line, **words)  # type: ignore[arg-type]

    def _report(self, line: int, fault: Fault, item_id: str | None) -> None:
        self._faults.line, self._faults.item_id = line, item_id
        self._faults.add(
            fault.code,
            fault.message,
            field=fault.field,
            found=fault.found,
            expected=fault.expected,
            hint=fault.hint,
        )


def _unescaped(body: str) -> str:
    try:
        return str(json.loads(f'"{body}"'))
    except ValueError:
        return body


def _has_odd_text(value: Any) -> bool:
    """Whether a key or string at any depth holds NUL or a lone surrogate."""
    if isinstance(value, str):
        return _ODD_TEXT.search(value) is not None
    if isinstance(value, dict):
        return any(map(_has_odd_text, value)) or any(map(_has_odd_text, value.values()))
    return isinstance(value, list) and any(map(_has_odd_text, value))


def _counted(count: int, one: str, many: str) -> str:
    return f"1 {one}" if count == 1 else f"{count:,} {many}"


def in_megabytes(count: int) -> str:
    """5,242,880 → "5 MB"; small limits in bytes."""
    return f"{count / MIB:.4g} MB" if count >= MIB / 10 else f"{count:,} bytes"
