"""What the three files of a track become once read: items, gold and a run."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, NamedTuple

MIB = 1024 * 1024

INVALID_REASONS = ("request_failed", "budget_exhausted", "refused", "format")
"""Why a system gave no answer (strict protocol of MultiFinGround, section 4.1)."""


class Limits(NamedTuple):
    """How large a run may be. Bytes count before decoding, characters are code points."""

    file_bytes: int = 5 * MIB
    line_bytes: int = MIB
    lines: int = 200_000
    answer_characters: int = 20_000
    marks_in_a_row: int = 30
    depth: int = 32


ORGANIZER_LIMITS = Limits(
    file_bytes=512 * MIB, line_bytes=32 * MIB, lines=2_000_000, answer_characters=1_000_000
)
"""For items and gold, which organizers write."""


class Line(NamedTuple):
    """One object of a JSON Lines file and its line number from 1."""

    number: int
    record: dict[str, Any]


class Invalid(NamedTuple):
    """An item a team reports as not answered; it counts as wrong."""

    reason: str


class Items(NamedTuple):
    """The public items: id → record, in file order. `digest` is the SHA-256 of the raw bytes, hexadecimal."""

    records: dict[str, dict[str, Any]]
    digest: str


class Gold(NamedTuple):
    """The references: id → what the kind reads from a gold record, for scored items only.

    `excluded` holds items voided by an erratum, id → public reason. `digest` as in `Items`.
    """

    references: dict[str, Any]
    digest: str
    excluded: Mapping[str, str] = MappingProxyType({})


class Run(NamedTuple):
    """A team's answers: id → what the kind reads from a line, or `Invalid`. Every item has exactly one."""

    answers: dict[str, Any]
    digest: str
    lines: int
