"""`concept_linking`: link a numeric entity to its concept of a taxonomy (FinTagging FinCL)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from scoring.metrics.hit_rate import distinct
from scoring.problems import Faults, shown
from scoring.records import ORGANIZER_LIMITS, Gold, Invalid, Items, Limits, Run
from scoring.tracks.base import (
    AnswerReader,
    Baseline,
    Diagnostic,
    Field,
    Kind,
    Record,
    Score,
    Scored,
    Slice,
    Tally,
)
from scoring.tracks.facts import BY_COMPANY, STRUCTURE, structure_is_known
from scoring.tracks.labels import InGold
from scoring.tracks.observing import DISTRIBUTION, ENTROPY, REPEATED, distribution, given, table
from scoring.tracks.ranked_list import candidates_are_names
from scoring.tracks.taxonomy import TAXONOMY, Concepts

if TYPE_CHECKING:
    from random import Random

RETRIEVAL_CUTS = (1, 10, 20, 50, 100, 150, 200)
"""FinTagging, table 16."""

BANDS = ("head", "middle", "tail")
"""Of gold concepts: in five items or more, in two to four, in one."""

WRONG_SHOWN = 1_000


def _pool(items: Items, gold: Gold | None) -> list[str]:
    """Names to draw from where an item has no candidates: all items' candidates, else gold's concepts."""
    names = distinct(name for item in items.records.values() for name in item.get("candidates") or ())
    return names or sorted(set(gold.references.values()) if gold else ())


def _line(item_id: str, concept: str | None) -> Record:
    return {"id": item_id, "concept": concept} if concept else {"id": item_id, "invalid": "refused"}


def _random(items: Items, gold: Gold | None, generator: Random) -> Iterator[Record]:
    pool = _pool(items, gold)
    for item_id, item in items.records.items():
        names = item.get("candidates") or pool
        yield _line(item_id, generator.choice(names) if names else None)


def _first(items: Items, gold: Gold | None, generator: Random) -> Iterator[Record]:
    pool = _pool(items, gold)
    for item_id, item in items.records.items():
        yield _line(item_id, next(iter(item.get("candidates") or pool), None))


def _majority(items: Items, gold: Gold | None, generator: Random) -> Iterator[Record]:
    counts = Counter(gold.references.values()) if gold else Counter()
    commonest = min(counts, key=lambda name: (-counts[name], name), default=None)
    for item_id in items.records:
        yield _line(item_id, commonest)


class ConceptLinking(Kind):
    name = "concept_linking"
    title = "Concept linking"
    summary = "Name the taxonomy's concept for each number."
    source = "FinTagging, FinCL (section 3.3, appendix G, equation 8; rerank-only: section 4.4)"
    item_fields = (
        Field("entity", "string", "the number as it is written"),
        Field("entity_type", "string", "its type, such as monetaryItemType, a slice"),
        Field("context", "string", "what the number stands in", required=False, bulky=True),
        Field("structure", "string", '"text" or "table", a slice', required=False),
        Field("candidates", "list", "concepts the organizer's retrieval found, best first", required=False),
        Field("company", "string", "whose filing it is, a resampling unit", required=False),
    )
    gold_fields = (Field("concept", "string", "the right concept, us-gaap:Assets"),)
    run_fields = (Field("concept", "string", "prefix, colon and name of a concept, such as us-gaap:Assets"),)
    scores = (
        Score("accuracy", "Accuracy", "Acc", "right concepts / items"),
        Score(
            "rerank_accuracy",
            "Rerank accuracy",
            "Rerank",
            "right concepts / items whose gold concept is among the candidates; where items have candidates",
        ),
    )
    slices = (STRUCTURE, Slice("entity_type", "Type"))
    options = (TAXONOMY,)
    diagnostics = (
        DISTRIBUTION,
        ENTROPY,
        REPEATED,
        Diagnostic(
            "retrieval",
            "Retrieval Acc@k",
            1,
            "table",
            "Items whose gold concept is among k candidates.",
            chart="slope",
        ),
        Diagnostic(
            "gold_ranks",
            "Where gold stood in wrong answers",
            3,
            "table",
            f"The gold concept's rank among the candidates; the first {WRONG_SHOWN} wrong items.",
        ),
    )
    baselines = (
        Baseline("random", "A random candidate", _random),
        Baseline("first", "The first candidate", _first),
        Baseline("majority", "The commonest concept of gold", _majority, needs_gold=True),
    )
    resampling = BY_COMPANY
    example = {
        "items": [
            {
                "id": "l1",
                "entity": "46",
                "entity_type": "monetaryItemType",
                "context": "Revenues | $ | 46",
                "structure": "table",
                "candidates": ["us-gaap:Assets", "us-gaap:Revenues", "us-gaap:Liabilities"],
            },
            {
                "id": "l2",
                "entity": "4.9",
                "entity_type": "percentItemType",
                "context": "The effective tax rate was 4.9 %.",
                "structure": "text",
                "candidates": ["us-gaap:EffectiveIncomeTaxRateContinuingOperations", "us-gaap:Assets"],
            },
        ],
        "gold": [
            {"id": "l1", "concept": "us-gaap:Revenues"},
            {"id": "l2", "concept": "us-gaap:EffectiveIncomeTaxRateContinuingOperations"},
        ],
        "run": [
            {"id": "l1", "concept": "us-gaap:Revenues"},
            {"id": "l2", "concept": "us-gaap:Assets"},
        ],
    }

    def read_item(self, item: Record, faults: Faults) -> Record | None:
        good = [structure_is_known(item, faults), candidates_are_names(item, faults)]
        return item if all(good) else None

    def read_reference(self, record: Record, item: Record, faults: Faults) -> str | None:
        none = Items({}, "")
        reader = _reader(Concepts(none, qualified=True))
        return reader(record, item, ORGANIZER_LIMITS, InGold(faults))

    def answer_reader(self, items: Items, options: Mapping[str, Any]) -> AnswerReader:
        return _reader(Concepts(items, options.get("taxonomy"), qualified=True))

    def tally(self, item: Record, prepared: Any, answer: Any, options: Mapping[str, Any]) -> Tally:
        """(right, items, right with gold among the candidates, items with gold among them)."""
        candidates = item.get("candidates")
        if candidates and prepared in candidates:
            return (1, 1, 1, 1) if answer == prepared else (0, 1, 0, 1)
        return (1, 1, 0, 0) if answer == prepared else (0, 1, 0, 0)

    def scores_of(self, total: Any, options: Mapping[str, Any]) -> dict[str, float]:
        """`rerank_accuracy` is left out where no item has its gold concept among candidates."""
        right, n, reranked, within = total
        accuracy = right / n if n else 0.0
        return (
            {"accuracy": accuracy, "rerank_accuracy": reranked / within} if within else {"accuracy": accuracy}
        )

    def observe(self, items: Items, run: Run) -> dict[str, Any]:
        return distribution(given(run.answers.values()), "concept")

    def diagnose(self, scored: list[Scored], options: Mapping[str, Any]) -> dict[str, Any]:
        """Nothing where items have no candidates."""
        offered = [one for one in scored if one.item.get("candidates")]
        if not offered:
            return {}
        ranks = {one.item_id: _rank(one) for one in offered}
        found = Counter(rank for rank in ranks.values() if rank)
        wrong = [one for one in offered if one.answer != one.reference][:WRONG_SHOWN]
        return {
            "retrieval": table(
                ["k", "Acc@k"],
                (
                    (k, sum(n for rank, n in found.items() if rank <= k) / len(offered))
                    for k in RETRIEVAL_CUTS
                ),
            ),
            "gold_ranks": table(
                ["item", "gold concept", "rank", "answer"],
                (
                    (
                        one.item_id,
                        one.reference,
                        ranks[one.item_id],
                        None if isinstance(one.answer, Invalid) else one.answer,
                    )
                    for one in wrong
                ),
            ),
        }

    def inner_breakdowns(
        self, scored: list[Scored], options: Mapping[str, Any]
    ) -> dict[str, dict[str, dict[str, Any]]]:
        frequency = Counter(one.reference for one in scored)
        alike: Counter[Any] = Counter((frequency[one.reference], one.tally) for one in scored)
        totals: dict[str, tuple[float, ...]] = {}
        for (n, tally), times in alike.items():
            band = BANDS[0 if n >= 5 else 1 if n >= 2 else 2]
            total = totals.get(band, (0,) * len(tally))
            totals[band] = tuple(so_far + times * value for so_far, value in zip(total, tally))
        return {
            "gold_frequency": {
                band: {"n": int(totals[band][1]), **self.scores_of(totals[band], options)}
                for band in BANDS
                if band in totals
            }
        }


def _reader(concepts: Concepts) -> AnswerReader:
    accepted = concepts.accepted

    def read(record: Record, item: Record, limits: Limits, faults: Faults) -> str | None:
        name: str = record["concept"]
        return name if name in accepted or _fits(name, limits, concepts, faults) else None

    return read


def _fits(name: str, limits: Limits, concepts: Concepts, faults: Faults) -> bool:
    if not name.strip():
        faults.add(
            "E303",
            '"concept" is blank.',
            field="concept",
            found=shown(name),
            expected="a concept",
            hint='An item without an answer is {"invalid": "refused"}.',
        )
        return False
    if len(name) > limits.answer_characters:
        faults.add(
            "E403",
            f'"concept" has {len(name)} characters, {limits.answer_characters} at most.',
            field="concept",
            found=f"{len(name)} characters",
            expected=f"{limits.answer_characters} at most",
            hint="Give the concept alone.",
        )
        return False
    return concepts.fits(name, "concept", faults)


def _rank(one: Scored) -> int | None:
    """Gold's place among the candidates, from 1."""
    names = one.item["candidates"]
    return names.index(one.reference) + 1 if one.reference in names else None


KIND = ConceptLinking()
