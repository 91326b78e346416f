"""Order on a board, and how a score is shown. Pure: values in, places out."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from decimal import ROUND_HALF_UP, Decimal
from typing import Generic, TypeVar

Subject = TypeVar("Subject")

HUNDREDTH = Decimal("0.01")


@dataclass(frozen=True)
class Contender(Generic[Subject]):
    """Somebody to be ranked: a team's name and the full-precision value of its primary score, if it has
    one.
    """

    name: str
    value: float | None
    subject: Subject


@dataclass(frozen=True)
class Place(Generic[Subject]):
    """A contender's line. `rank` is None in the unranked section; `tied` says that others share the rank."""

    rank: int | None
    tied: bool
    name: str
    value: float | None
    subject: Subject


@dataclass(frozen=True)
class Ranking(Generic[Subject]):
    """The ranked lines in order, then those without a finite score, by name."""

    ranked: list[Place[Subject]]
    unranked: list[Place[Subject]]

    @property
    def places(self) -> list[Place[Subject]]:
        return self.ranked + self.unranked


def rank(contenders: Iterable[Contender[Subject]], *, higher_is_better: bool = True) -> Ranking[Subject]:
    """Competition ranking on full precision: ties share a rank (1, 2, 2, 4) and are listed by team name.

    A value that is None, infinite or not a number has no rank and never stands among the ranked.
    """
    scored: list[tuple[float, Contender[Subject]]] = []
    unranked: list[Place[Subject]] = []
    for contender in contenders:
        value = contender.value
        if value is None or not math.isfinite(value):
            unranked.append(Place(None, False, contender.name, None, contender.subject))
        else:
            scored.append((-value if higher_is_better else value, contender))
    scored.sort(key=lambda pair: (pair[0], _by_name(pair[1].name)))
    holders: dict[float, int] = {}
    first: dict[float, int] = {}
    for position, (value, _) in enumerate(scored, start=1):
        holders[value] = holders.get(value, 0) + 1
        first.setdefault(value, position)
    ranked = [
        Place(first[value], holders[value] > 1, one.name, one.value, one.subject) for value, one in scored
    ]
    return Ranking(ranked, sorted(unranked, key=lambda place: _by_name(place.name)))


def _by_name(name: str) -> tuple[str, str]:
    return name.casefold(), name


def percent(value: float | None) -> str:
    """A fraction as percent with two decimals, half up on the decimal value Python prints: .30965 →
    "30.97".
    """
    if value is None or not math.isfinite(value):
        return "–"
    shown = (Decimal(repr(float(value))) * 100).quantize(HUNDREDTH, rounding=ROUND_HALF_UP)
    return str(shown.copy_abs() if shown == 0 else shown)
