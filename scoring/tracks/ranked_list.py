"""`ranked_list`: names in order, best first, scored with HitRate@K and recall@K, for any task."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from math import fsum
from typing import TYPE_CHECKING, Any

from scoring.metrics.hit_rate import distinct, first_hit, hit_rate_at, recall_at
from scoring.problems import INVISIBLE, Faults, json_type, shown
from scoring.records import ORGANIZER_LIMITS, Gold, Invalid, Items, Limits, Run
from scoring.tracks.base import (
    AnswerReader,
    Baseline,
    Diagnostic,
    Field,
    Kind,
    Option,
    Record,
    Score,
    Scored,
    Tally,
)
from scoring.tracks.labels import InGold, text_list
from scoring.tracks.observing import given, lengths, mean, table
from scoring.tracks.taxonomy import TAXONOMY, Concepts

if TYPE_CHECKING:
    from random import Random

MOST_K = 20


def read_cuts(text: str) -> tuple[int, ...]:
    """ "1,5,10" → (1, 5, 10), ascending. Raises ValueError."""
    cuts = sorted({int(part) for part in text.split(",")})
    if not cuts or cuts[0] < 1 or cuts[-1] > 1_000_000 or len(cuts) > MOST_K:
        raise ValueError(f"give up to {MOST_K} whole numbers from 1, such as 1,5,10")
    return tuple(cuts)


def scores_at(cuts: tuple[int, ...]) -> tuple[Score, ...]:
    """HitRate@K of the largest K first, since it ranks; then the others; then recall@K."""
    return tuple(
        Score(
            f"hit_rate_{k}", f"HitRate@{k}", f"HR@{k}", f"items with a gold name among the first {k} / items"
        )
        for k in (cuts[-1], *cuts[:-1])
    ) + tuple(
        Score(
            f"recall_{k}",
            f"Recall@{k}",
            f"R@{k}",
            f"mean over items of the share of gold names among the first {k}",
        )
        for k in cuts
    )


def _pool(items: Items) -> list[str]:
    """Every candidate of the items, once, in order."""
    return distinct(name for item in items.records.values() for name in item.get("candidates") or ())


def _offered(items: Items, gold: Gold | None, generator: Random) -> Iterator[Record]:
    for item_id, item in items.records.items():
        yield {"id": item_id, "ranking": list(item.get("candidates") or ())}


def _random(items: Items, gold: Gold | None, generator: Random) -> Iterator[Record]:
    pool = _pool(items)
    for item_id, item in items.records.items():
        names = item.get("candidates") or pool
        yield {"id": item_id, "ranking": generator.sample(names, min(len(names), 100))}


def _popular(items: Items, gold: Gold | None, generator: Random) -> Iterator[Record]:
    counts = Counter(name for names in gold.references.values() for name in names) if gold else Counter()
    ranked = sorted(counts, key=lambda name: (-counts[name], name))[:100]
    for item_id in items.records:
        yield {"id": item_id, "ranking": ranked}


BASELINES = (
    Baseline("random", "Candidates in random order", _random),
    Baseline("first", "Candidates as the task gives them", _offered),
    Baseline("majority", "The commonest names of gold", _popular, needs_gold=True),
)


class RankedList(Kind):
    name = "ranked_list"
    title = "Ranked list"
    summary = "Rank names for each item, best first."
    source = "HitRate@K (Bordes et al., 2013); FinTagging's retrieval Acc@k"
    item_fields = (
        Field("candidates", "list", "the names to rank, where the task gives them", required=False),
    )
    gold_fields = (Field("answers", "list", "the right names, at least one"),)
    run_fields = (Field("ranking", "list", 'names, best first, ["…", "…"]; fewer than K are allowed'),)
    scores = scores_at((1, 5, 10))
    options = (
        Option("k", "1,5,10", "where rankings are cut, separated by commas", read=read_cuts),
        TAXONOMY,
    )
    diagnostics = (
        Diagnostic("list_lengths", "Names per ranking", 0, "table"),
        Diagnostic("empty_rate", "Empty rankings", 0, "percent"),
        Diagnostic("hit_curve", "HitRate by K", 1, "table", "How fast the hits come.", chart="slope"),
        Diagnostic(
            "mean_reciprocal_rank", "Mean reciprocal rank", 1, "number", "1 / rank of the first hit, or 0."
        ),
    )
    baselines = BASELINES
    example = {
        "items": [
            {"id": "r1", "query": "revenue from customers"},
            {"id": "r2", "query": "営業活動によるキャッシュ・フロー"},
        ],
        "gold": [
            {"id": "r1", "answers": ["us-gaap:Revenues", "us-gaap:SalesRevenueNet"]},
            {"id": "r2", "answers": ["us-gaap:NetCashProvidedByUsedInOperatingActivities"]},
        ],
        "run": [
            {"id": "r1", "ranking": ["us-gaap:Assets", "us-gaap:Revenues"]},
            {"id": "r2", "ranking": ["us-gaap:NetCashProvidedByUsedInOperatingActivities"]},
        ],
    }

    def scores_for(self, options: Mapping[str, Any]) -> tuple[Score, ...]:
        return scores_at(options["k"])

    def read_item(self, item: Record, faults: Faults) -> Record | None:
        return item if candidates_are_names(item, faults) else None

    def read_reference(self, record: Record, item: Record, faults: Faults) -> frozenset[str] | None:
        names = _read(record["answers"], "answers", ORGANIZER_LIMITS, InGold(faults))
        if names:
            return frozenset(names)
        if names is not None:
            faults.add("E603", '"answers" is empty.', field="answers", found="[]", expected="a name or more")
        return None

    def read_answer(self, record: Record, item: Record, limits: Limits, faults: Faults) -> list[str] | None:
        return _read(record["ranking"], "ranking", limits, faults)

    def answer_reader(self, items: Items, options: Mapping[str, Any]) -> AnswerReader:
        concepts = Concepts(items, options.get("taxonomy"))

        def read(record: Record, item: Record, limits: Limits, faults: Faults) -> list[str] | None:
            names = _read(record["ranking"], "ranking", limits, faults)
            if names is None:
                return None
            good = [concepts.fits(name, "ranking", faults) for name in names]
            return names if all(good) else None

        return read

    def tally(self, item: Record, prepared: Any, answer: Any, options: Mapping[str, Any]) -> Tally:
        cuts = options["k"]
        ranking = () if isinstance(answer, Invalid) else answer
        hits = tuple(hit_rate_at(k, prepared, ranking) for k in cuts)
        return (1, *hits, *(recall_at(k, prepared, ranking) for k in cuts))

    def scores_of(self, total: Any, options: Mapping[str, Any]) -> dict[str, float]:
        cuts = options["k"]
        n, sums = total[0], total[1:]
        means = [value / n if n else 0.0 for value in sums]
        found = {f"hit_rate_{k}": value for k, value in zip(cuts, means)}
        found.update({f"recall_{k}": value for k, value in zip(cuts, means[len(cuts) :])})
        return {score.key: found[score.key] for score in self.scores_for(options)}

    def annotation_of(self, answer: Any) -> Any:
        return frozenset(answer)

    def observe(self, items: Items, run: Run) -> dict[str, Any]:
        sizes = [len(answer) for answer in given(run.answers.values())]
        return {
            "list_lengths": lengths(sizes, "names"),
            "empty_rate": sizes.count(0) / len(sizes) if sizes else 0.0,
        }

    def diagnose(self, scored: list[Scored], options: Mapping[str, Any]) -> dict[str, Any]:
        cuts, n = options["k"], len(scored) or 1
        ranks = [
            None if isinstance(one.answer, Invalid) else first_hit(one.reference, one.answer)
            for one in scored
        ]
        return {
            "hit_curve": table(
                ["K", "HitRate"],
                ((k, fsum(one.tally[place] for one in scored) / n) for place, k in enumerate(cuts, 1)),
            ),
            "mean_reciprocal_rank": mean([1 / rank if rank else 0.0 for rank in ranks]),
        }


def candidates_are_names(item: Record, faults: Faults) -> bool:
    """Whether an item's candidates, if it has any, are different non-blank strings; reports E603."""
    if item.get("candidates") is None or text_list(item["candidates"]):
        return True
    faults.add(
        "E603",
        '"candidates" needs different, non-blank strings.',
        field="candidates",
        found=f"{len(item['candidates'])} entries",
        expected='["…", "…"]',
    )
    return False


def _read(names: list[Any], field: str, limits: Limits, faults: Faults) -> list[str] | None:
    """The names, each at its first position; reports E302, E303, E403, and W503, W504, W505."""
    good = True
    for place, name in enumerate(names, start=1):
        if not isinstance(name, str):
            faults.add(
                "E302",
                f'Name {place} of "{field}" must be a string, found {json_type(name)}.',
                field=field,
                found=shown(name),
                expected="a string",
            )
            good = False
        elif not name.strip():
            faults.add(
                "E303",
                f'Name {place} of "{field}" is blank.',
                field=field,
                found=shown(name),
                expected="a name",
                hint="Leave it out.",
            )
            good = False
    if not good:
        return None
    size = max(map(len, names), default=0)
    if size > limits.answer_characters:
        faults.add(
            "E403",
            f'A name of "{field}" has {size} characters, {limits.answer_characters} at most.',
            field=field,
            found=f"{size} characters",
            expected=f"{limits.answer_characters} at most",
            hint="Give the name alone.",
        )
        return None
    if not names:
        faults.add(
            "W505",
            f'"{field}" is empty; the item counts as a miss.',
            field=field,
            found="[]",
            expected="a name or more",
        )
    unseen = next((name for name in names if INVISIBLE.search(name)), None)
    if unseen is not None:
        faults.add(
            "W503",
            f"The name {shown(unseen)} has invisible characters, which count.",
            field=field,
            found=shown(unseen),
            hint="Remove them if they are a slip.",
        )
    once = distinct(names)
    if len(once) < len(names):
        repeated, times = Counter(names).most_common(1)[0]
        faults.add(
            "W504",
            f"{shown(repeated)} stands {times} times in the list; its first position counts.",
            field=field,
            found=f"{len(names) - len(once)} repeats",
            expected="each name once",
            hint="Remove the repeats.",
        )
    return once


KIND = RankedList()
