"""Agreement of annotators: raw agreement, Cohen's κ, Krippendorff's α, macro-F1. Labels may be missing.

An annotator's file is a mapping unit → label. The unit is the item where annotators give labels; where they
give sets (facts, terms) it is (item, member) and the label says whether the member is in the set: see
`membership`. A value that is not defined (no shared unit, or one label everywhere so that chance explains
everything) is None.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from itertools import combinations
from math import fsum
from typing import Dict, Hashable, Iterable, List, Mapping, Optional, Tuple

Labels = Mapping[Hashable, Optional[Hashable]]
"""unit → label; a missing label is None or not there."""


@dataclass(frozen=True)
class Pair:
    """Two annotators; `n` units both labelled."""

    first: str
    second: str
    n: int
    raw: Optional[float]
    kappa: Optional[float]
    macro_f1: Optional[float]


@dataclass(frozen=True)
class Agreement:
    """`units` counts those with two labels or more, which make up α; `pairs` follow the annotators' order."""

    annotators: List[str]
    units: int
    alpha: Optional[float]
    pairs: List[Pair]


def agreement(annotators: Mapping[str, Labels]) -> Agreement:
    """Every measure over two or more annotators, name → labels."""
    return Agreement(
        annotators=list(annotators),
        units=sum(1 for labels in _by_unit(annotators.values()) if len(labels) > 1),
        alpha=krippendorff_alpha(annotators.values()),
        pairs=[
            Pair(
                first=one,
                second=other,
                n=len(_shared(annotators[one], annotators[other])),
                raw=raw_agreement(annotators[one], annotators[other]),
                kappa=cohen_kappa(annotators[one], annotators[other]),
                macro_f1=macro_f1(annotators[one], annotators[other]),
            )
            for one, other in combinations(annotators, 2)
        ],
    )


def membership(
    annotators: Mapping[str, Mapping[Hashable, Optional[Iterable[Hashable]]]],
) -> Dict[str, Dict[Hashable, bool]]:
    """Sets as labels: name → {(item, member): is in the set}.

    The members of an item are those any annotator names there, so what nobody named is no agreement. An
    annotator without a set for an item (None or absent; an empty set is one) has no labels there.
    """
    members: Dict[Hashable, Dict[Hashable, None]] = {}
    given = {
        name: {item: set(chosen) for item, chosen in sets.items() if chosen is not None}
        for name, sets in annotators.items()
    }
    for sets in given.values():
        for item, chosen in sets.items():
            members.setdefault(item, {}).update(dict.fromkeys(chosen))
    return {
        name: {(item, member): member in chosen for item, chosen in sets.items() for member in members[item]}
        for name, sets in given.items()
    }


def raw_agreement(first: Labels, second: Labels) -> Optional[float]:
    """Share of the units both labelled on which they agree."""
    shared = _shared(first, second)
    return sum(a == b for a, b in shared) / len(shared) if shared else None


def cohen_kappa(first: Labels, second: Labels) -> Optional[float]:
    """(p_o − p_e) / (1 − p_e), p_e from each annotator's own label shares (Cohen 1960)."""
    shared = _shared(first, second)
    n = len(shared)
    ones, others = Counter(a for a, _ in shared), Counter(b for _, b in shared)
    chance = sum(count * others[label] for label, count in ones.items())
    if chance == n * n:
        return None
    return (n * sum(a == b for a, b in shared) - chance) / (n * n - chance)


def macro_f1(first: Labels, second: Labels) -> Optional[float]:
    """Mean over labels either uses of 2·both / (first + second), on the units both labelled. Symmetric."""
    shared = _shared(first, second)
    if not shared:
        return None
    both = Counter(a for a, b in shared if a == b)
    used = Counter(label for pair in shared for label in pair)
    return fsum(2 * both[label] / count for label, count in used.items()) / len(used)


def krippendorff_alpha(annotators: Iterable[Labels]) -> Optional[float]:
    """α for nominal labels by coincidences (Krippendorff 2011, "Computing Krippendorff's Alpha-Reliability",
    section C).

    α = 1 − (n − 1)·Σ_{c≠k} o_ck / Σ_{c≠k} n_c·n_k, where a unit with m ≥ 2 labels adds its ordered pairs to
    o, each with weight 1/(m − 1), and n_c sums o over k. Ebisu's appendix prints another formula (the number
    of items in place of the number of paired labels in the expected disagreement); this is the standard one.
    """
    differing: List[float] = []
    totals: Counter[Hashable] = Counter()
    for labels in _by_unit(annotators):
        if len(labels) < 2:
            continue
        counts = Counter(labels)
        totals.update(counts)
        same_pairs = sum(count * (count - 1) for count in counts.values())
        differing.append((len(labels) * (len(labels) - 1) - same_pairs) / (len(labels) - 1))
    n = sum(totals.values())
    expected = n * n - sum(count * count for count in totals.values())
    return 1 - (n - 1) * fsum(differing) / expected if expected else None


def _shared(first: Labels, second: Labels) -> List[Tuple[Hashable, Hashable]]:
    return [
        (label, second[unit])
        for unit, label in first.items()
        if label is not None and second.get(unit) is not None
    ]


def _by_unit(annotators: Iterable[Labels]) -> Iterable[List[Hashable]]:
    """The labels of each unit, missing ones left out."""
    units: Dict[Hashable, List[Hashable]] = {}
    for labels in annotators:
        for unit, label in labels.items():
            if label is not None:
                units.setdefault(unit, []).append(label)
    return units.values()
