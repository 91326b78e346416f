"""Precision, recall and F1 of sets, as counts that add up.

F1 = 2·|G ∩ P| / (|G| + |P|), the harmonic mean of precision |G ∩ P| / |P| and recall |G ∩ P| / |G|
(FinTagging, appendix G, equations 5 to 7; Ebisu, appendix F, equations 13 to 16). A ratio whose divisor is 0
is 0 here; a kind that means otherwise says so itself.
"""

from __future__ import annotations

from collections.abc import Set
from typing import NamedTuple


class Counts(NamedTuple):
    """How many were right, how many the run gave and how many gold holds. Counts of several items add up."""

    hits: float = 0
    predicted: float = 0
    expected: float = 0

    @property
    def precision(self) -> float:
        return self.hits / self.predicted if self.predicted else 0.0

    @property
    def recall(self) -> float:
        return self.hits / self.expected if self.expected else 0.0

    @property
    def f1(self) -> float:
        both = self.predicted + self.expected
        return 2 * self.hits / both if both else 0.0

    @property
    def occurs(self) -> bool:
        """Whether anything was given or expected at all."""
        return bool(self.predicted or self.expected)

    def plus(self, other: Counts) -> Counts:
        return Counts(*(ours + theirs for ours, theirs in zip(self, other)))


def count(gold: Set[object], given: Set[object]) -> Counts:
    """The counts of one item's gold set and answered set."""
    return Counts(len(gold & given), len(given), len(gold))
