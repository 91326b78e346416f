"""Which run stands for a team. Pure: a team's attempts in, the one that counts and the reason out."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Generic, TypeVar

Run = TypeVar("Run")


@dataclass(frozen=True)
class Attempt(Generic[Run]):
    """One accepted run. `value` is its primary score, None while it waits; `failed` is our fault."""

    number: int
    run: Run
    value: float | None = None
    failed: bool = False
    withdrawn: bool = False

    @property
    def stands(self) -> bool:
        return not self.withdrawn and not self.failed

    @property
    def has_score(self) -> bool:
        return self.value is not None and math.isfinite(self.value)


@dataclass(frozen=True)
class Selection(Generic[Run]):
    """The attempt that counts, or None, and one sentence saying why."""

    attempt: Attempt[Run] | None
    reason: str

    @property
    def run(self) -> Run | None:
        return None if self.attempt is None else self.attempt.run


RULES = {
    "last": "The last valid run of each team counts.",
    "best": "The best valid run of each team counts.",
    "chosen": "The run a team chose counts; without a choice, its last valid run.",
}
"""The rule of a phase in one sentence, as boards print it."""


def official_submission(
    attempts: Iterable[Attempt[Run]],
    *,
    counts: str,
    chosen: int | None = None,
    higher_is_better: bool = True,
    scores_visible: bool = True,
) -> Selection[Run]:
    """The attempt that counts under the phase's rule `counts` ("last", "best" or "chosen").

    Withdrawn runs and runs that failed through our fault never stand. `chosen` is the number of the chosen
    attempt. Where scores are hidden, `scores_visible=False` keeps the best run secret: naming it would
    compare scores.
    """
    standing = sorted((one for one in attempts if one.stands), key=lambda one: one.number)
    if not standing:
        return Selection(None, "No valid run yet.")
    if counts == "best":
        return _best(standing, higher_is_better, scores_visible)
    if counts == "chosen":
        for one in standing:
            if one.number == chosen:
                return Selection(one, f"Counts: run {one.number}, chosen by the team.")
        last = standing[-1]
        return Selection(last, f"Counts: run {last.number}, the last valid one, as no valid run is chosen.")
    last = standing[-1]
    return Selection(last, f"Counts: run {last.number}, the last valid one in this phase.")


def _best(standing: list[Attempt[Run]], higher_is_better: bool, scores_visible: bool) -> Selection[Run]:
    if not scores_visible:
        if len(standing) == 1:
            return Selection(standing[0], f"Counts: run {standing[0].number}, the only valid one.")
        return Selection(
            None, "The best valid run counts; which one that is shows when scores are published."
        )
    scored = [one for one in standing if one.has_score]
    if not scored:
        return Selection(None, "No valid run has a score yet.")
    sign = -1.0 if higher_is_better else 1.0
    best = min(scored, key=lambda one: (sign * (one.value or 0.0), one.number))
    tied = sum(one.value == best.value for one in scored) > 1
    why = "the first of those with the best score" if tied else "the best one in this phase"
    return Selection(best, f"Counts: run {best.number}, {why}.")
