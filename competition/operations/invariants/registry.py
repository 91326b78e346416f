"""What a check is, and the list of all."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

Found = Iterator[tuple[str, str]]
"""Where, and what is wrong there."""


@dataclass(frozen=True)
class Broken:
    """One place where the database is not what the site's rules make of it."""

    check: str
    where: str
    what: str

    def __str__(self) -> str:
        return f"{self.check}: {self.where}: {self.what}"


CHECKS: dict[str, Callable[[], Found]] = {}


def check(function: Callable[[], Found]) -> Callable[[], Found]:
    """Register a check under its own name. It reads and never writes."""
    CHECKS[function.__name__] = function
    return function
