"""ROUGE-1 on one item: overlap of unigrams with clipped counts.

C.-Y. Lin, "ROUGE: A Package for Automatic Evaluation of Summaries", 2004; as FinMMEval 2026 Task 2 (section
4.2) uses it: a multiset overlap, F1 = 2PR / (P + R), and 0 when P + R = 0. No stemming, no stop words.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from sys import intern

from scoring.metrics.sets import Counts

Unigrams = dict[str, int]


def unigrams(tokens: Sequence[str]) -> Unigrams:
    """Token → how often. Made once per reference; references share the memory of the words they share."""
    return dict(Counter(map(intern, tokens)))


def overlap(tokens: Sequence[str], reference: Unigrams) -> int:
    """How many tokens meet one of the reference, each of which can be met once."""
    left = reference.copy()
    hits = 0
    for token in filter(left.__contains__, tokens):
        if still := left[token]:
            left[token] = still - 1
            hits += 1
    return hits


def ratios(hits: int, predicted: int, expected: int) -> tuple[float, float, float]:
    """F1, precision and recall, as `Counts` derives them, in one step for the many items of a run."""
    if not hits:
        return 0.0, 0.0, 0.0
    return 2 * hits / (predicted + expected), hits / predicted, hits / expected


def rouge1(prediction: Sequence[str], reference: Sequence[str]) -> Counts:
    """Counts of a prediction's tokens against a reference's: `.precision`, `.recall`, `.f1`."""
    return Counts(overlap(prediction, unigrams(reference)), len(prediction), len(reference))
