"""McNemar's exact test for two systems that are right or wrong on the same items (McNemar 1947)."""

from __future__ import annotations

from fractions import Fraction
from math import comb, exp, fsum, lgamma, log
from typing import Iterable, NamedTuple, Tuple

EXACT_UP_TO = 1_000
"""Discordant items up to which the binomial sum is done in integers."""


class McNemar(NamedTuple):
    """`only_a` and `only_b` count items that just one system has right; `p` is exact and two-sided."""

    only_a: int
    only_b: int
    p: float


def mcnemar(outcomes: Iterable[Tuple[bool, bool]]) -> McNemar:
    """The test over (A is right, B is right), one pair per item."""
    only_a = only_b = 0
    for a, b in outcomes:
        only_a += a and not b
        only_b += b and not a
    return McNemar(only_a, only_b, exact_p(only_a, only_b))


def exact_p(only_a: int, only_b: int) -> float:
    """min(1, 2·P(X ≤ min)) for X binomial over the discordant items with probability one half."""
    n, least = only_a + only_b, min(only_a, only_b)
    if 2 * least >= n - 1:
        return 1.0
    if n <= EXACT_UP_TO:
        return float(Fraction(2 * sum(comb(n, k) for k in range(least + 1)), 2**n))
    whole = lgamma(n + 1) - (n - 1) * log(2)  # log of n! and of 2 · 2⁻ⁿ
    return min(1.0, fsum(exp(whole - lgamma(k + 1) - lgamma(n - k + 1)) for k in range(least + 1)))
