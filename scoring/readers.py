"""The strict JSON Lines reader: bytes become records or problems with line numbers, within bounded memory.

The bytes come in blocks of whole lines. Whatever is rare (long lines, odd escapes, deep brackets, carriage
returns) is looked for in a whole block at once, so an ordinary line costs one call of the decoder. A line the
decoder refuses or marks goes to `unusual`, which finds and words the fault.
"""

from __future__ import annotations

import io
import json
import math
from collections.abc import Callable, Iterator
from hashlib import sha256
from itertools import repeat
from typing import Any, BinaryIO, Union

from scoring import complaints
from scoring.fileformats import other_format
from scoring.nesting import SAFE_TO_DECODE, line_nests_deeper, value_nests_deeper
from scoring.problems import Faults
from scoring.records import Limits, Line
from scoring.syntax import LARGEST_INTEGER
from scoring.unusual import REFUSALS, Text, UnusualLines, in_megabytes, is_odd, may_hold_odd

BLOCK = 128 * 1024

Lines = tuple[list[Any], bool, bool]
"""Whole lines with their line feeds, whether they may nest deep, and whether they may hold odd characters."""

_BOM = b"\xef\xbb\xbf"


class Reader:
    """Iterates over the good lines of a JSON Lines file and reports everything else to `faults`.

    `source` is the file's bytes or a binary stream, which may hand out as little at a time as it likes.
    After the iteration: `lines` (physical lines, blank ones included), `records` (good lines), `digest`
    (SHA-256 of all raw bytes, hexadecimal), `salvaged` (ids that faulty lines seem to carry) and `unreadable`
    (the file was refused as a whole, so its ids say nothing). An iteration left early leaves them unfinished.
    """

    def __init__(
        self,
        source: Union[bytes, BinaryIO],
        faults: Faults,
        limits: Limits = Limits(),
        id_field: str = "id",
    ) -> None:
        self.lines = 0
        self.records = 0
        self.digest = ""
        self._faults = faults
        self._limits = limits
        self._stream = io.BytesIO(source) if isinstance(source, (bytes, bytearray, memoryview)) else source
        self._hash = sha256()
        self._ends_inside_line = False
        self._noted: list[bool] = []
        self._scan = _strict_scanner(self._noted)
        self._unusual = UnusualLines(faults, limits, id_field, self._scan, self._noted)

    @property
    def unreadable(self) -> bool:
        return self._unusual.unreadable

    @property
    def salvaged(self) -> set[str]:
        return self._unusual.salvaged

    def __iter__(self) -> Iterator[Line]:
        faults, noted, unusual = self._faults, self._noted, self._unusual
        scan, scan_crowded, look = self._scan, self._scan_crowded, unusual.look
        depth, new, line_of = self._limits.depth, tuple.__new__, Line
        number = 0
        for lines, deep, odd in self._blocks():
            for line in lines:
                number += 1
                try:
                    if deep and line.count("[") + line.count("{") > depth:
                        record, end = scan_crowded(line)
                    else:
                        record, end = scan(line, 0)
                except REFUSALS:
                    end = -1
                if end + 1 != len(line) or noted or record.__class__ is not dict or (odd and is_odd(line)):
                    record = look(number, line[:-1])
                    if record is None:
                        if unusual.unreadable:
                            break
                        continue
                faults.line, faults.item_id = number, None
                yield new(line_of, (number, record))
            self.records = number - unusual.without_record
            if unusual.unreadable:
                break
        while self._fill():  # the digest is that of all bytes, whatever was refused
            pass
        self.lines += self._ends_inside_line
        self.digest = self._hash.hexdigest()
        unusual.finish(number)
        faults.line = faults.item_id = None

    def _scan_crowded(self, line: str) -> tuple[Any, int]:
        """Decode a line with many opening brackets, which must not nest too deep."""
        depth = self._limits.depth
        if line.count("[") + line.count("{") > SAFE_TO_DECODE and line_nests_deeper(line, depth):
            return None, -1
        record, end = self._scan(line, 0)
        return record, -1 if value_nests_deeper(record, depth) else end

    def _fill(self) -> bytes:
        """The next block, full unless the file ends, so that lines fall the same way for every stream."""
        pieces = []
        missing = BLOCK
        while missing and (piece := self._stream.read(missing)):
            pieces.append(piece)
            missing -= len(piece)
        block = b"".join(pieces)
        if block:
            self._hash.update(block)
            self._ends_inside_line = not block.endswith(b"\n")
            self.lines += len(_lines_of(block)) - self._ends_inside_line
        return block

    def _blocks(self) -> Iterator[Lines]:
        """The file as lists of whole lines, up to the limits."""
        limits, refuse = self._limits, self._unusual.refuse
        lines_left = limits.lines
        pieces: list[bytes] = []
        held = 0
        for block in self._within(limits.file_bytes):
            cut = block.rfind(b"\n") + 1
            if cut:
                lines, deep, odd = self._split(b"".join([*pieces, block[:cut]]))
                yield lines[:lines_left], deep, odd
                if len(lines) > lines_left:
                    refuse(complaints.TOO_MANY_LINES, count=limits.lines)
                    return
                lines_left -= len(lines)
                pieces, held = [block[cut:]], len(block) - cut
            elif held <= limits.line_bytes:  # beyond that the line is refused anyway: drop its rest
                pieces.append(block)
                held += len(block)
        last = b"".join(pieces)
        if self.unreadable or not last:
            return
        if lines_left:
            yield self._split(last)
        else:
            refuse(complaints.TOO_MANY_LINES, count=limits.lines)

    def _within(self, room: int) -> Iterator[bytes]:
        """The blocks of a text file without its byte order mark, as far as the file may reach."""
        refuse = self._unusual.refuse
        block = self._fill()
        found = other_format(block[:1024])
        if found is not None:
            refuse(found[0], name=found[1])
            return
        if block.startswith(_BOM):
            self._unusual.say(complaints.BOM_DROPPED, 1)
            block = block[len(_BOM) :]
            room -= len(_BOM)
        while block:
            if len(block) > room:
                yield block[:room]
                limit = self._limits.file_bytes
                refuse(complaints.FILE_TOO_LARGE, size=in_megabytes(limit), count=limit)
                return
            room -= len(block)
            yield block
            block = self._fill()

    def _split(self, data: bytes) -> Lines:
        """Lines end at LF or CRLF only: U+2028, U+2029 and U+0085 are text."""
        if b"\r" in data:
            data = data.replace(b"\r\n", b"\n")
        longest, depth = self._limits.line_bytes, self._limits.depth
        pieces = _lines_of(data if data.endswith(b"\n") else data + b"\n")
        lines: list[Any]
        try:
            lines = list(map(bytes.decode, pieces))
        except UnicodeDecodeError:
            lines = []
        if not lines or len(data) > longest:
            return [_as_text(line, longest) for line in pieces], True, may_hold_odd(data)
        deep = b"[" in data or max(map(str.find, lines, repeat("{"), repeat(1))) > 0
        if deep:
            deep = sum(max(map(str.count, lines, repeat(bracket))) for bracket in "[{") > depth
        return lines, deep, may_hold_odd(data)


def _lines_of(data: bytes) -> list[bytes]:
    """`data` cut behind each line feed. No other way of the standard library to cut or count is as fast."""
    return io.BytesIO(data).readlines()


def _as_text(line: bytes, limit: int) -> Text:
    """A line decoded, or as it is when it is longer than `limit` bytes without its line feed or no UTF-8."""
    if len(line) > limit + 1:
        return line
    try:
        return line.decode("utf-8")
    except UnicodeDecodeError:
        return line


def _strict_scanner(noted: list[bool]) -> Callable[[str, int], tuple[Any, int]]:
    """The standard decoder, (text, start) → (value, end), which marks in `noted` what it would let pass."""

    def as_object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        record = dict(pairs)
        if len(record) != len(pairs):
            noted.append(True)
        return record

    def as_integer(written: str) -> int:
        # More than 4,300 digits raise ValueError on newer Pythons, so the length is asked first.
        if len(written) < 16 or (len(written) < 18 and abs(int(written)) <= LARGEST_INTEGER):
            return int(written)
        noted.append(True)
        return 0

    def as_float(written: str) -> float:
        number = float(written)
        if math.isinf(number):
            noted.append(True)
        return number

    decoder = json.JSONDecoder(
        object_pairs_hook=as_object,
        parse_int=as_integer,
        parse_float=as_float,
        parse_constant=lambda name: noted.append(True),
    )
    scan: Callable[[str, int], tuple[Any, int]] = decoder.scan_once  # type: ignore[attr-defined]
    return scan
