"""What organizers do with a corpus before it becomes items: hold out, screen, cover, sample, describe.

Everything works on plain records (one JSON object a line) and gives plain records back, in their order.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from math import fsum
from random import Random
from typing import Any, NamedTuple

Record = Mapping[str, Any]

VALID_TYPES = (
    "integerItemType",
    "monetaryItemType",
    "perShareItemType",
    "sharesItemType",
    "percentItemType",
)
"""FinTagging, section 4.2: the five types that nearly all companies use."""

SHORTEST_TEXT = 20
"""A narrative text is kept when it is longer than this and has a number."""

SEEDS_PER_COMPANY = 10
"""FinTagging, algorithm 2: K."""

SELECT, CANDIDATE, NEGATIVE = "POS_SELECT", "POS_CANDIDATE", "NEG"

_NUMBER = re.compile(r"\d")
_CELL = re.compile(r"<t[dh]\b[^>]*>(.*?)</t[dh]>", re.IGNORECASE | re.DOTALL)


class HeldOut(NamedTuple):
    """`kept` is what no release holds; `report` has one row per tier and one for "all"."""

    kept: list[Record]
    report: list[dict[str, Any]]


class Screened(NamedTuple):
    """`kept` has a "screen" field on each record; `report` counts by structure, "excluded" included."""

    kept: list[dict[str, Any]]
    report: list[dict[str, Any]]


class Covered(NamedTuple):
    """`final` has a "cover" field ("seed" or "added") on each record; `left` the candidates left over."""

    final: list[dict[str, Any]]
    left: list[Record]
    report: list[dict[str, Any]]


def hold_out(candidates: Sequence[Record], released: Iterable[Record]) -> HeldOut:
    """Drop candidates whose `source_id` or whole `query` is in a public release (FinMMEval 2026, table 1).

    Texts compare exactly. Groups are those of `group`; an item without one stands for itself.
    """
    ids: set[Any] = set()
    queries: set[Any] = set()
    for record in released:
        ids.add(record.get("source_id"))
        queries.add(record.get("query"))
    ids.discard(None)
    queries.discard(None)
    kept = [one for one in candidates if one.get("source_id") not in ids and one.get("query") not in queries]
    tiers = list(dict.fromkeys(str(one["tier"]) for one in candidates if one.get("tier") is not None))
    report = [_held_out_row(tier, *(_of_tier(some, tier) for some in (candidates, kept))) for tier in tiers]
    return HeldOut(kept, [*report, _held_out_row("all", candidates, kept)])


def _of_tier(records: Sequence[Record], tier: str) -> list[Record]:
    return [one for one in records if str(one.get("tier")) == tier]


def _held_out_row(tier: str, candidates: Sequence[Record], kept: Sequence[Record]) -> dict[str, Any]:
    groups = Counter(str(one.get("group", f"item {place}")) for place, one in enumerate(kept))
    return {
        "tier": tier,
        "candidates": len(candidates),
        "overlap": len(candidates) - len(kept),
        "held_out": len(kept),
        "groups": len(groups),
        "items_per_group": len(kept) / len(groups) if groups else 0.0,
    }


def screen(instances: Iterable[Record]) -> Screened:
    """FinTagging, algorithm 1: each instance positive or negative, and whether it brings a new concept.

    An instance has "structure" ("text" or "table"), "text" (or "context") and "entities" (or "facts"), each
    with "Type" and "Tag". A text of 20 characters or fewer or without a number, and a table without a numeric
    cell, are excluded. Text and tables keep separate lists of concepts, as algorithm 2 takes them apart.
    """
    covered: dict[str, set[str]] = {}
    counts: dict[str, Counter[str]] = {}
    kept = []
    for instance in instances:
        structure = str(instance.get("structure", "text"))
        count = counts.setdefault(structure, Counter())
        if not _has_numbers(structure, text_of(instance)):
            count["excluded"] += 1
            continue
        concepts = concepts_of(instance)
        known = covered.setdefault(structure, set())
        found = NEGATIVE if not concepts else CANDIDATE if concepts <= known else SELECT
        known |= concepts
        count[found] += 1
        kept.append({**instance, "screen": found})
    names = (SELECT, CANDIDATE, NEGATIVE, "excluded")
    report = [
        {
            "structure": structure,
            **{name: count[name] for name in names},
            "concepts": len(covered.get(structure, ())),
        }
        for structure, count in counts.items()
    ]
    return Screened(kept, report)


def text_of(record: Record) -> str:
    return str(record.get("text") or record.get("context") or "")


def entities_of(record: Record) -> list[Record]:
    """The entities that are tagged with a concept and have a valid type; of a linking item, its one."""
    entities = record.get("entities") or record.get("facts") or []
    if "entity_type" in record:
        entities = [{"Type": record["entity_type"], "Tag": record.get("concept")}]
    return [one for one in entities if one.get("Tag") and one.get("Type") in VALID_TYPES]


def concepts_of(record: Record) -> set[str]:
    return {str(one["Tag"]) for one in entities_of(record)}


def _has_numbers(structure: str, text: str) -> bool:
    if structure != "table":
        return len(text) > SHORTEST_TEXT and _NUMBER.search(text) is not None
    cells = _CELL.findall(text) or re.split(r"[|\n]", text)
    return any(_NUMBER.search(cell) for cell in cells)


def cover(instances: Sequence[Record], most: int = SEEDS_PER_COMPANY) -> Covered:
    """FinTagging, algorithm 2: the first `most` positives of each company, then a greedy cover of the rest.

    Takes the POS_SELECT of `screen` (every record, where none says). The candidate that covers most open
    concepts goes first; ties by shorter text, fewer entities, earlier order. Text and tables apart.
    """
    final: list[dict[str, Any]] = []
    left: list[Record] = []
    report = []
    positives = [one for one in instances if one.get("screen", SELECT) == SELECT]
    for structure in dict.fromkeys(str(one.get("structure", "text")) for one in positives):
        own = [one for one in positives if str(one.get("structure", "text")) == structure]
        seed, pool = _seeds(own, most)
        covered = {concept for one in seed for concept in concepts_of(one)}
        added, rest = _greedy(pool, covered)
        final += [{**one, "cover": "seed"} for one in seed] + [{**one, "cover": "added"} for one in added]
        left += rest
        reached = covered | {concept for one in added for concept in concepts_of(one)}
        report.append(
            {
                "structure": structure,
                "seed": len(seed),
                "added": len(added),
                "left": len(rest),
                "concepts": len(reached),
            }
        )
    return Covered(final, left, report)


def _seeds(positives: Sequence[Record], most: int) -> tuple[list[Record], list[Record]]:
    taken: Counter[str] = Counter()
    seed: list[Record] = []
    pool: list[Record] = []
    for one in positives:
        company = str(one.get("company", ""))
        taken[company] += 1
        (seed if taken[company] <= most else pool).append(one)
    return seed, pool


def _greedy(pool: Sequence[Record], covered: set[str]) -> tuple[list[Record], list[Record]]:
    """(chosen, left over). A candidate's gain only falls, so only the best by its last count is looked at."""
    from heapq import heapify, heappop, heappush

    concepts = [concepts_of(one) for one in pool]
    reached = set(covered)
    heap = [
        (-len(concepts[place] - reached), len(text_of(one)), len(entities_of(one)), place)
        for place, one in enumerate(pool)
    ]
    heapify(heap)
    chosen: list[int] = []
    while heap:
        gain, length, entities, place = heappop(heap)
        now = -len(concepts[place] - reached)
        if now != gain:
            if now:
                heappush(heap, (now, length, entities, place))
        elif gain:
            chosen.append(place)
            reached |= concepts[place]
    taken = set(chosen)
    return [pool[place] for place in chosen], [one for place, one in enumerate(pool) if place not in taken]


def sample(
    records: Sequence[Record], n: int, *, by: Sequence[str] = (), distinct: str = "", seed: int = 0
) -> list[Record]:
    """`n` records, shared out over the strata of `by` in proportion (largest remainders), in their order.

    `distinct` names a field of which no value may come twice ("concept"). Fewer than `n` come back where
    there are no more. The same seed gives the same sample.
    """
    generator = Random(seed)  # nosec B311 - sampling, not secrecy
    strata: dict[tuple[str, ...], list[int]] = {}
    for place in generator.sample(range(len(records)), len(records)):
        strata.setdefault(tuple(str(records[place].get(field, "")) for field in by), []).append(place)
    seen: set[Any] = set()
    queues = {name: _distinct(records, places, distinct, seen) for name, places in sorted(strata.items())}
    quota = _shares({name: len(places) for name, places in queues.items()}, n)
    return [records[place] for place in sorted(p for name in queues for p in queues[name][: quota[name]])]


def _distinct(records: Sequence[Record], places: list[int], field: str, seen: set[Any]) -> list[int]:
    if not field:
        return places
    kept = []
    for place in places:
        value = records[place].get(field)
        if value not in seen:
            seen.add(value)
            kept.append(place)
    return kept


def _shares(sizes: Mapping[Any, int], n: int) -> dict[Any, int]:
    """`n` shared out in proportion to sizes: whole parts first, then the largest remainders."""
    total = sum(sizes.values())
    n = min(n, total)
    exact = {name: n * size / total for name, size in sizes.items()} if total else dict.fromkeys(sizes, 0.0)
    shares = {name: math.floor(share) for name, share in exact.items()}
    for name in sorted(exact, key=lambda one: (shares[one] - exact[one], str(one)))[
        : n - sum(shares.values())
    ]:
        shares[name] += 1
    return shares


def describe(records: Sequence[Record], by: str = "") -> list[dict[str, Any]]:
    """The papers' dataset statistics, a row per value of `by` and one for "all" (FinTagging, tables 3, 4).

    Items, positives (with a valid entity) and negatives, characters and tokens (`multi.1`) of the text with
    mean, standard deviation and largest, entities and different concepts.
    """
    values = list(dict.fromkeys(str(one.get(by, "")) for one in records)) if by else []
    rows = [_describe(value, [one for one in records if str(one.get(by, "")) == value]) for value in values]
    return [*rows, _describe("all", records)]


def _describe(name: str, records: Sequence[Record]) -> dict[str, Any]:
    from scoring.text.tokenize import multi_tokens

    entities = [len(entities_of(one)) for one in records]
    return {
        "part": name,
        "items": len(records),
        "positive": sum(n > 0 for n in entities),
        "negative": sum(n == 0 for n in entities),
        **_spread("characters", [len(text_of(one)) for one in records]),
        **_spread("tokens", [len(multi_tokens(text_of(one))) for one in records]),
        **_spread("entities", entities),
        "entities_total": sum(entities),
        "concepts": len({concept for one in records for concept in concepts_of(one)}),
        "types": len({one["Type"] for record in records for one in entities_of(record)}),
    }


def _spread(name: str, values: Sequence[int]) -> dict[str, Any]:
    """Mean, sample standard deviation and largest; None where there is none."""
    if not values:
        return {f"{name}_mean": None, f"{name}_sd": None, f"{name}_max": None}
    mean = fsum(values) / len(values)
    spread = math.sqrt(fsum((v - mean) ** 2 for v in values) / (len(values) - 1)) if len(values) > 1 else 0.0
    return {f"{name}_mean": mean, f"{name}_sd": spread, f"{name}_max": max(values)}


def as_rows(report: Iterable[Mapping[str, Any]]) -> Iterator[str]:
    """A report as lines of aligned columns."""
    rows = list(report)
    if not rows:
        return
    heads = list(rows[0])
    cells = [heads, *([_shown(row[head]) for head in heads] for row in rows)]
    widths = [max(len(line[at]) for line in cells) for at in range(len(heads))]
    for line in cells:
        first, *others = (
            cell.ljust(width) if at == 0 else cell.rjust(width)
            for at, (cell, width) in enumerate(zip(line, widths))
        )
        yield "  ".join([first, *others]).rstrip()


def _shown(value: Any) -> str:
    if value is None:
        return "-"
    return f"{value:.4f}" if isinstance(value, float) else str(value)
