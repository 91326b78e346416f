"""Reading one file in a test: everything that comes out of it."""

from __future__ import annotations

import io

from scoring.problems import Faults, Problem, Problems
from scoring.readers import Reader
from scoring.records import Limits

GOOD = '{"id": "q1", "answer": "up"}\n{"id": "q2", "answer": "down"}\n'


class Reading:
    """All that comes out of reading one file."""

    def __init__(self, source, limits: Limits | None = None, id_field: str = "id") -> None:
        problems = Problems()
        self.faults = Faults(problems)
        self.reader = Reader(source, self.faults, limits or Limits(), id_field)
        self.records = []
        for line in self.reader:
            assert self.faults.line == line.number
            self.records.append(line)
        self.problems = problems.in_order()
        self.totals = problems.totals

    @property
    def codes(self) -> list[tuple[str, int | None]]:
        return [(problem.code, problem.line) for problem in self.problems]

    @property
    def numbers(self) -> list[int]:
        return [line.number for line in self.records]

    @property
    def outcome(self) -> tuple:
        reader = self.reader
        told = [problem.to_json() for problem in self.problems]
        rest = (reader.lines, reader.records, reader.digest, reader.unreadable, reader.salvaged)
        return self.records, told, self.totals, rest

    def only(self) -> Problem:
        (problem,) = self.problems
        return problem


def read(text: str | bytes, **settings) -> Reading:
    return Reading(text.encode("utf-8") if isinstance(text, str) else text, **settings)


class Trickle(io.RawIOBase):
    """A stream that hands out a few bytes at a time, as sockets do."""

    def __init__(self, data: bytes, sizes: list[int]) -> None:
        self._data, self._at, self._sizes, self._turn = data, 0, sizes, 0

    def read(self, size: int = -1) -> bytes:
        self._turn += 1
        step = min(size, self._sizes[self._turn % len(self._sizes)])
        piece = self._data[self._at : self._at + step]
        self._at += len(piece)
        return piece
