"""HitRate@K and recall@K of a ranking.

HitRate@K is 1 when any gold name stands among the first K (Bordes et al., 2013; FinTagging's Acc@k). Recall@K
is the share of gold names among the first K, which Ebisu's equation 17 calls HR@K. A repeated name counts at
its first position only. Fewer than K names are a legal ranking.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence, Set


def distinct(ranking: Iterable[str]) -> list[str]:
    """The names of a ranking, each at its first position."""
    return list(dict.fromkeys(ranking))


def first_hit(gold: Set[str], ranking: Sequence[str]) -> int | None:
    """Position from 1 of the first gold name in a ranking without repeats, or None."""
    return next((place for place, name in enumerate(ranking, start=1) if name in gold), None)


def hit_rate_at(k: int, gold: Set[str], ranking: Sequence[str]) -> float:
    """1 or 0: whether a ranking without repeats has a gold name among its first k."""
    return 0.0 if gold.isdisjoint(ranking[:k]) else 1.0


def recall_at(k: int, gold: Set[str], ranking: Sequence[str]) -> float:
    """Share of the gold names among the first k of a ranking without repeats; 0 where gold is empty."""
    return sum(name in gold for name in ranking[:k]) / len(gold) if gold else 0.0
