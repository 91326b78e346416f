"""`tagging`: find, type and link every number of a filing, end to end (FinTagging)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from scoring.metrics.sets import Counts
from scoring.problems import Faults
from scoring.records import ORGANIZER_LIMITS, Gold, Invalid, Items, Limits, Run
from scoring.tracks.averages import average_scores, averages, bands_of, class_table, classes_of, count_classes
from scoring.tracks.base import AnswerReader, Baseline, Diagnostic, Field, Kind, Record, Scored, Tally
from scoring.tracks.facts import (
    BY_COMPANY,
    CONTEXT_FIELDS,
    STRUCTURE,
    Pair,
    as_records,
    numbers_in,
    read_facts,
    structure_is_known,
)
from scoring.tracks.labels import InGold, chosen_by
from scoring.tracks.numeric_identification import NONE, by_type, observe_facts, pair_scores
from scoring.tracks.observing import given, table
from scoring.tracks.taxonomy import TAXONOMY, Concepts

if TYPE_CHECKING:
    from random import Random


def _majority(items: Items, gold: Gold | None, generator: Random) -> Iterator[Record]:
    references = gold.references.values() if gold else ()
    counts: Counter[Pair] = Counter(fact[1:] for facts in references for fact in facts)
    commonest = min(counts, key=lambda pair: (-counts[pair], pair), default=None)
    for item_id, item in items.records.items():
        numbers = numbers_in(item["context"])
        facts = as_records((number, *commonest) for number in numbers) if commonest else []
        yield {"id": item_id, "facts": facts}


class Tagging(Kind):
    name = "tagging"
    title = "Tagging, end to end"
    summary = "Find every numeric fact with its type and its concept."
    source = "FinTagging (section 3.1, table 5, appendix G)"
    aggregate = "macro-concept"
    item_fields = CONTEXT_FIELDS
    gold_fields = (Field("facts", "any", '[{"Fact": "4.9", "Type": "percentItemType", "Tag": "us-gaap:…"}]'),)
    run_fields = (
        Field(
            "facts",
            "any",
            '[{"Fact": "46", "Type": "monetaryItemType", "Tag": "us-gaap:Assets"}], or [] for none',
        ),
    )
    scores = average_scores("(Fact, Type, Tag) triplets", "concepts")
    slices = (STRUCTURE,)
    options = (TAXONOMY,)
    diagnostics = (
        Diagnostic("facts_per_item", "Facts per answer", 0, "table"),
        Diagnostic("empty_rate", "Items answered with nothing", 0, "percent"),
        Diagnostic("type_distribution", "Types answered", 0, "table"),
        Diagnostic(
            "stages",
            "What is lost where",
            1,
            "table",
            "Pairs found without their Tag, then whole triplets.",
            chart="bars",
        ),
        Diagnostic("by_concept", "The commonest concepts", 1, "table"),
    )
    baselines = (
        chosen_by("empty", "No facts at all", lambda item, rng: {"facts": []}),
        Baseline(
            "majority", "Every number, with gold's commonest type and concept", _majority, needs_gold=True
        ),
    )
    resampling = BY_COMPANY
    example = {
        "items": [
            {"id": "t1", "context": "Revenues were $ 46 million, up 4.9 %.", "structure": "text"},
            {
                "id": "t2",
                "context": "<table><tr><td>Assets</td><td>510</td></tr></table>",
                "structure": "table",
            },
        ],
        "gold": [
            {"id": "t1", "facts": [{"Fact": "46", "Type": "monetaryItemType", "Tag": "us-gaap:Revenues"}]},
            {"id": "t2", "facts": [{"Fact": "510", "Type": "monetaryItemType", "Tag": "us-gaap:Assets"}]},
        ],
        "run": [
            {"id": "t1", "facts": [{"Fact": "46", "Type": "monetaryItemType", "Tag": "us-gaap:Revenues"}]},
            {
                "id": "t2",
                "facts": [{"Fact": "510", "Type": "monetaryItemType", "Tag": "us-gaap:Liabilities"}],
            },
        ],
    }

    def read_item(self, item: Record, faults: Faults) -> Record | None:
        return item if structure_is_known(item, faults) else None

    def read_reference(self, record: Record, item: Record, faults: Faults) -> frozenset[Pair] | None:
        concepts = Concepts(Items({}, ""), qualified=True)
        return read_facts(record["facts"], ORGANIZER_LIMITS, InGold(faults), tag=concepts.fits)

    def answer_reader(self, items: Items, options: Mapping[str, Any]) -> AnswerReader:
        concepts = Concepts(items, options.get("taxonomy"), qualified=True)

        def read(record: Record, item: Record, limits: Limits, faults: Faults) -> frozenset[Pair] | None:
            return read_facts(record["facts"], limits, faults, tag=concepts.fits)

        return read

    def tally(self, item: Record, prepared: Any, answer: Any, options: Mapping[str, Any]) -> Tally:
        facts = NONE if isinstance(answer, Invalid) else answer
        return count_classes(_by_tag(prepared), _by_tag(facts))

    def scores_of(self, total: Any, options: Mapping[str, Any]) -> dict[str, float]:
        return averages(classes_of(total))

    def observe(self, items: Items, run: Run) -> dict[str, Any]:
        return observe_facts(given(run.answers.values()))

    def diagnose(self, scored: list[Scored], options: Mapping[str, Any]) -> dict[str, Any]:
        totals = {"Fact": Counts(), "Fact, Type": Counts(), "Fact, Type, Tag": Counts()}
        for one in scored:
            answer = NONE if isinstance(one.answer, Invalid) else one.answer
            for size, stage in enumerate(totals, start=1):
                gold_parts = {fact[:size] for fact in one.reference}
                parts = {fact[:size] for fact in answer}
                found = Counts(len(gold_parts & parts), len(parts), len(gold_parts))
                totals[stage] = totals[stage].plus(found)
        return {
            "stages": table(
                ["compared", "precision", "recall", "F1"],
                ((stage, one.precision, one.recall, one.f1) for stage, one in totals.items()),
            ),
            "by_concept": class_table(_concepts(scored), "concept"),
        }

    def inner_breakdowns(
        self, scored: list[Scored], options: Mapping[str, Any]
    ) -> dict[str, dict[str, dict[str, Any]]]:
        def micro_scores(counts: Counts) -> dict[str, float]:
            return {f"micro_{key}": value for key, value in pair_scores(counts).items()}

        return {"Type": by_type(scored, micro_scores), "gold_frequency": bands_of(_concepts(scored))}


def _by_tag(facts: frozenset[Pair]) -> list[tuple[str, Pair]]:
    return [(fact[2], fact) for fact in facts]


def _concepts(scored: list[Scored]) -> dict[str, Counts]:
    total: Counter[Any] = Counter()
    for one in scored:
        total.update(one.tally)
    return classes_of(total)


KIND = Tagging()
