"""`numeric_identification`: find the numbers of a filing and their types (FinTagging FinNI)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from math import fsum
from typing import Any

from scoring.metrics.sets import Counts, count
from scoring.problems import Faults
from scoring.records import ORGANIZER_LIMITS, Invalid, Items, Limits, Run
from scoring.tracks.base import Diagnostic, Field, Kind, Record, Score, Scored, Tally
from scoring.tracks.facts import (
    BY_COMPANY,
    CONTEXT_FIELDS,
    STRUCTURE,
    TYPES,
    Pair,
    as_records,
    numbers_in,
    read_facts,
    structure_is_known,
)
from scoring.tracks.labels import InGold, chosen_by
from scoring.tracks.observing import given, lengths, table

NONE: frozenset[Pair] = frozenset()


class NumericIdentification(Kind):
    name = "numeric_identification"
    title = "Numeric identification"
    summary = "Find the numeric facts of a text or table and give each its type."
    source = "FinTagging, FinNI (section 3.2, appendix G, equations 5 to 7)"
    aggregate = "pooled"
    item_fields = CONTEXT_FIELDS
    gold_fields = (Field("facts", "any", '[{"Fact": "4.9", "Type": "percentItemType"}], or []'),)
    run_fields = (
        Field("facts", "any", '[{"Fact": "4.9", "Type": "percentItemType"}], or [] where there is none'),
    )
    scores = (
        Score("f1", "F1", "F1", "2PR / (P + R) over the (Fact, Type) pairs of all items"),
        Score("precision", "Precision", "P", "right pairs / answered pairs"),
        Score("recall", "Recall", "R", "right pairs / gold pairs"),
    )
    slices = (STRUCTURE,)
    diagnostics = (
        Diagnostic("facts_per_item", "Facts per answer", 0, "table"),
        Diagnostic("empty_rate", "Items answered with nothing", 0, "percent"),
        Diagnostic("type_distribution", "Types answered", 0, "table"),
        Diagnostic(
            "mean_item_f1", "Mean F1 of items", 1, "percent", "An item with nothing on both sides counts 1."
        ),
        Diagnostic("empty_items", "Items without facts in gold", 1, "table"),
    )
    baselines = (
        chosen_by("empty", "No facts at all", lambda item, rng: {"facts": []}),
        chosen_by(
            "select_all",
            "Every number, as monetary",
            lambda item, rng: {"facts": as_records((n, TYPES[1]) for n in numbers_in(item["context"]))},
        ),
        chosen_by(
            "random",
            "Every number, with a random type",
            lambda item, rng: {
                "facts": as_records((n, rng.choice(TYPES)) for n in numbers_in(item["context"]))
            },
        ),
    )
    resampling = BY_COMPANY
    example = {
        "items": [
            {
                "id": "n1",
                "context": "Margins rose to 4.9 % on sales of $ 1,310 million.",
                "structure": "text",
            },
            {
                "id": "n2",
                "context": "<table><tr><td>Dividend</td><td>0.35</td></tr></table>",
                "structure": "table",
            },
            {"id": "n3", "context": "See note 12 for details.", "structure": "text"},
        ],
        "gold": [
            {
                "id": "n1",
                "facts": [
                    {"Fact": "4.9", "Type": "percentItemType"},
                    {"Fact": "1310", "Type": "monetaryItemType"},
                ],
            },
            {"id": "n2", "facts": [{"Fact": "0.35", "Type": "perShareItemType"}]},
            {"id": "n3", "facts": []},
        ],
        "run": [
            {"id": "n1", "facts": [{"Fact": "4.9", "Type": "percentItemType"}]},
            {"id": "n2", "facts": [{"Fact": "0.35", "Type": "monetaryItemType"}]},
            {"id": "n3", "facts": []},
        ],
    }

    def read_item(self, item: Record, faults: Faults) -> Record | None:
        return item if structure_is_known(item, faults) else None

    def read_reference(self, record: Record, item: Record, faults: Faults) -> frozenset[Pair] | None:
        return read_facts(record["facts"], ORGANIZER_LIMITS, InGold(faults))

    def read_answer(
        self, record: Record, item: Record, limits: Limits, faults: Faults
    ) -> frozenset[Pair] | None:
        return read_facts(record["facts"], limits, faults)

    def tally(self, item: Record, prepared: Any, answer: Any, options: Mapping[str, Any]) -> Tally:
        return tuple(count(prepared, NONE if isinstance(answer, Invalid) else answer))

    def scores_of(self, total: Any, options: Mapping[str, Any]) -> dict[str, float]:
        return pair_scores(Counts(*total))

    def observe(self, items: Items, run: Run) -> dict[str, Any]:
        return observe_facts(given(run.answers.values()))

    def diagnose(self, scored: list[Scored], options: Mapping[str, Any]) -> dict[str, Any]:
        empty = [one for one in scored if not one.reference]
        clean = sum(not isinstance(one.answer, Invalid) and not one.answer for one in empty)
        return {
            "mean_item_f1": fsum(map(item_f1, scored)) / len(scored) if scored else None,
            "empty_items": table(["", "items"], [("answered with nothing", clean), ("in all", len(empty))]),
        }

    def inner_breakdowns(
        self, scored: list[Scored], options: Mapping[str, Any]
    ) -> dict[str, dict[str, dict[str, Any]]]:
        return {"Type": by_type(scored, lambda counts: pair_scores(counts))}


def pair_scores(counts: Counts) -> dict[str, float]:
    """F1, precision and recall; nothing on both sides is perfect, and without gold recall is 1."""
    if not counts.expected:
        clean = 0.0 if counts.predicted else 1.0
        return {"f1": clean, "precision": clean, "recall": 1.0}
    return {"f1": counts.f1, "precision": counts.precision, "recall": counts.recall}


def item_f1(one: Scored) -> float:
    """F1 of one item's facts: nothing on both sides 1, an invalid answer 0."""
    return 0.0 if isinstance(one.answer, Invalid) else pair_scores(count(one.reference, one.answer))["f1"]


def by_type(scored: list[Scored], scores: Any) -> dict[str, dict[str, Any]]:
    """Type → {"n": gold facts, scores…}: the facts of each type that occurs, pooled over items."""
    cells: dict[str, Counts] = {}
    for one in scored:
        answer = NONE if isinstance(one.answer, Invalid) else one.answer
        for fact in one.reference | answer:
            expected, predicted = fact in one.reference, fact in answer
            counts = Counts(expected and predicted, predicted, expected)
            cells[fact[1]] = cells.get(fact[1], Counts()).plus(counts)
    return {name: {"n": int(cells[name].expected), **scores(cells[name])} for name in TYPES if name in cells}


def observe_facts(answers: list[frozenset[Pair]]) -> dict[str, Any]:
    """How many facts a run gives, how often none, and of which types."""
    types = Counter(fact[1] for answer in answers for fact in answer)
    total = sum(types.values()) or 1
    return {
        "facts_per_item": lengths([len(answer) for answer in answers], "facts"),
        "empty_rate": sum(not answer for answer in answers) / len(answers) if answers else 0.0,
        "type_distribution": table(
            ["type", "n", "share"], ((name, types[name], types[name] / total) for name in TYPES)
        ),
    }


KIND = NumericIdentification()
