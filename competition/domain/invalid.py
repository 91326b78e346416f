"""Answers a team reports as invalid, whole and by reason, as they stand beside every score."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from competition.domain.ranking import percent
from scoring.records import INVALID_REASONS

KEY = "invalid_rate"
"""The rate in diagnostics, and in the scores of the kinds that have it among them."""

SYMBOL, TITLE = "Invalid", "Invalid answers, each counted as wrong"


@dataclass(frozen=True)
class InvalidShare:
    """Fractions of all items: `rate`, and by reason those that occur."""

    rate: float
    reasons: Mapping[str, float] = field(default_factory=dict)

    @property
    def shown(self) -> str:
        return percent(self.rate)

    @property
    def listed(self) -> str:
        """The reasons in words: "format 3.33, refused 1.67"."""
        return ", ".join(f"{name.replace('_', ' ')} {percent(rate)}" for name, rate in self.reasons.items())

    @property
    def text(self) -> str:
        return f"{self.shown} ({self.listed})" if self.reasons else self.shown

    def to_json(self) -> dict[str, Any]:
        return {"rate": self.rate, "reasons": dict(self.reasons)}


def invalid_share(rate: float | None, rows: Iterable[Sequence[Any]] | None) -> InvalidShare | None:
    """From the diagnostics `invalid_rate` and the rows of `invalid_by_reason`; None where a kind has none."""
    if rate is None:
        return None
    return InvalidShare(rate, {reason: share for reason, _, share in rows or ()})


def invalid_in(diagnostics: Mapping[str, Any]) -> InvalidShare | None:
    """What a report's diagnostics say."""
    return invalid_share(diagnostics.get(KEY), diagnostics.get("invalid_by_reason", {}).get("rows"))


def invalid_on(line: Mapping[str, Any]) -> InvalidShare | None:
    """What a line of a frozen board says."""
    return InvalidShare(**line["invalid"]) if line.get("invalid") else None


def has_own_column(keys: Sequence[str], shares: Iterable[InvalidShare | None]) -> bool:
    """Whether the rate stands beside the scores: invalid answers are taken, and no score is their rate."""
    return any(shares) and KEY not in keys


def reasons_on(shares: Iterable[InvalidShare | None]) -> tuple[str, ...]:
    """Every reason there is where invalid answers are taken, those that do not occur included."""
    found = [share.reasons for share in shares if share]
    met = {reason for reasons in found for reason in reasons}
    return (*INVALID_REASONS, *sorted(met.difference(INVALID_REASONS))) if found else ()
