"""MultiFinGround T2b: select every numbered fact that belongs to a given concept, in every language."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from scoring.metrics.ratio import ratio
from scoring.metrics.sets import Counts
from scoring.problems import Faults
from scoring.records import Gold, Items, Limits, Run
from scoring.tracks.base import Baseline, Diagnostic, Field, Kind, Record, Score, Scored, Tally, is_invalid
from scoring.tracks.groups import (
    CONDITION_SLICES,
    CONTRASTS,
    GROUP_FIELDS,
    NO_INTERVAL,
    PRIMARY,
    condition_of,
    contrasts,
    read_group,
    slim_group,
)
from scoring.tracks.numbered import read_number

if TYPE_CHECKING:
    from random import Random

BY_CONCEPT = ("f1", "precision", "recall")


class FactSelection(Kind):
    name = "fact_selection"
    title = "Fact selection"
    summary = "Select every numbered fact of the excerpts that belongs to the concept."
    source = "MultiFinGround, sections 3.5 and 4.1 (T2b)"
    aggregate = "concept-macro"
    item_fields = (
        *GROUP_FIELDS,
        Field("concept", "string", "the concept whose facts are sought; F1 is averaged within it first"),
        Field("facts", "list", 'the numbered facts: [{"number": 1, "language": "en"}, …]'),
    )
    gold_fields = (Field("facts", "list", "the numbers of all target facts"),)
    run_fields = (Field("facts", "list", "the numbers of the selected facts, such as [3, 7]"),)
    scores = (
        Score(
            "concept_macro_f1",
            "Concept-macro F1",
            "F1",
            "F1 per group, mean within concept, mean over concepts",
        ),
        Score(
            "complete_coverage", "Complete coverage", "Cover", "groups with every target selected / groups"
        ),
        Score("exact_set", "Exact set", "Exact", "groups with exactly the targets selected / groups"),
        Score("precision", "Precision", "P", "right selections / selections, averaged like F1"),
        Score("recall", "Recall", "R", "right selections / targets, averaged like F1"),
        Score("invalid_rate", "Invalid rate", "Invalid", "invalid items / items", higher_is_better=False),
    )
    slices = CONDITION_SLICES
    resampling = NO_INTERVAL
    diagnostics = (
        Diagnostic("selected", "Facts selected per group", 0, "table"),
        Diagnostic("by_language", "Mentions by language, pooled", 1, "table", chart="languages"),
        CONTRASTS,
    )

    def slim(self, item: Record) -> Record:
        return slim_group(super().slim(item))

    def read_item(self, item: Record, faults: Faults) -> Record | None:
        numbers = [fact.get("number") for fact in item["facts"] if isinstance(fact, dict)]
        whole = all(type(number) is int for number in numbers)
        if not numbers or len(numbers) < len(item["facts"]) or not whole or len(set(numbers)) < len(numbers):
            faults.add(
                "E603",
                '"facts" is a list of objects, each with its own whole number.',
                field="facts",
                expected='[{"number": 1, "language": "en"}, …]',
            )
            return None
        return read_group(item, faults)

    def read_reference(self, record: Record, item: Record, faults: Faults) -> frozenset[int] | None:
        targets = _read_selection(record["facts"], item, faults)
        if targets is not None and not targets:
            faults.add("E603", "A group needs at least one target.", field="facts", found="an empty list")
            return None
        return targets

    def read_answer(
        self, record: Record, item: Record, limits: Limits, faults: Faults
    ) -> frozenset[int] | None:
        selection = _read_selection(record["facts"], item, faults)
        if selection is not None and not selection:
            faults.add(
                "W505",
                "The selection is empty and scores 0.",
                field="facts",
                found="an empty list",
                expected="at least one number",
                hint='If the system gave no answer, send "invalid" with its reason.',
            )
        return selection

    def tally(self, item: Record, prepared: frozenset[int], answer: Any, options: Mapping[str, Any]) -> Tally:
        """Open columns: per concept the groups and their F1, P, R; per language hits, predicted, expected."""
        selected: frozenset[int] = frozenset() if is_invalid(answer) else answer
        counts = Counts(len(selected & prepared), len(selected), len(prepared))
        concept = item["concept"]
        tally: dict[Any, float] = {
            "groups": 1.0,
            "covered": float(prepared <= selected),
            "exact": float(prepared == selected),
            "invalid": float(is_invalid(answer)),
            ("groups", concept): 1.0,
            ("f1", concept): counts.f1,
            ("precision", concept): counts.precision,
            ("recall", concept): counts.recall,
        }
        for language, (hits, predicted, expected) in _by_language(item, prepared, selected).items():
            tally["hits", language] = float(hits)
            tally["predicted", language] = float(predicted)
            tally["expected", language] = float(expected)
        return tally

    def scores_of(self, total: Any, options: Mapping[str, Any]) -> dict[str, float]:
        concepts = [key[1] for key in total if isinstance(key, tuple) and key[0] == "groups"]
        means = {
            name: ratio(sum(total[name, one] / total["groups", one] for one in concepts), len(concepts))
            for name in BY_CONCEPT
        }
        groups = total["groups"]
        return {
            "concept_macro_f1": means["f1"],
            "complete_coverage": ratio(total["covered"], groups),
            "exact_set": ratio(total["exact"], groups),
            "precision": means["precision"],
            "recall": means["recall"],
            "invalid_rate": ratio(total["invalid"], groups),
        }

    def item_counts(self, tally: Any) -> dict[str, Any]:
        """{"languages": {language: [hits, selected, targets]}}."""
        spoken = [key[1] for key in tally if isinstance(key, tuple) and key[0] == "hits"]
        return {
            "languages": {
                language: [int(tally[name, language]) for name in Counts._fields] for language in spoken
            }
        }

    def in_primary(self, item: Record) -> bool:
        return condition_of(item) == PRIMARY

    def inner_breakdowns(
        self, scored: list[Scored], options: Mapping[str, Any]
    ) -> dict[str, dict[str, dict[str, Any]]]:
        primary = [one for one in scored if self.in_primary(one.item)]
        return {
            "language": {
                language: {
                    "n": counts.expected,
                    "precision": counts.precision,
                    "recall": counts.recall,
                    "f1": counts.f1,
                }
                for language, counts in _pooled(primary).items()
            }
        }

    def observe(self, items: Items, run: Run) -> dict[str, Any]:
        sizes = [len(answer) for answer in run.answers.values() if not is_invalid(answer)]
        bands = (("none", 0, 0), ("1 to 2", 1, 2), ("3 to 6", 3, 6), ("7 and more", 7, 10**9))
        rows = [[name, sum(low <= size <= high for size in sizes)] for name, low, high in bands]
        return {"selected": {"columns": ["facts selected", "groups"], "rows": rows}}

    def diagnose(self, scored: list[Scored], options: Mapping[str, Any]) -> dict[str, Any]:
        primary = [one for one in scored if self.in_primary(one.item)]
        rows = [
            [language, counts.expected, counts.precision, counts.recall, counts.f1]
            for language, counts in _pooled(primary).items()
        ]
        return {
            "by_language": {"columns": ["language", "mentions", "precision", "recall", "f1"], "rows": rows},
            "contrasts": contrasts(scored, lambda one: one.answer == one.reference),
        }


def _read_selection(value: list[Any], item: Record, faults: Faults) -> frozenset[int] | None:
    """The selected numbers; a repeated one counts once (W504)."""
    known = {fact["number"] for fact in item["facts"]}
    before = faults.problems.errors
    numbers = [read_number(number, known, (), "number", faults) for number in value]
    if faults.problems.errors > before:
        return None
    selection = frozenset(number for number in numbers if number is not None)
    if len(selection) < len(numbers):
        faults.add(
            "W504",
            "A number is given more than once; it counts once.",
            field="facts",
            found=f"{len(numbers)} numbers, {len(selection)} different",
            expected="each number once",
        )
    return selection


def _by_language(
    item: Record, targets: frozenset[int], selected: frozenset[int]
) -> dict[str, tuple[int, int, int]]:
    """Language → (hits, selected, targets) of one group."""
    found: dict[str, tuple[int, int, int]] = {}
    for fact in item["facts"]:
        number, language = fact["number"], str(fact.get("language", ""))
        hits, predicted, expected = found.get(language, (0, 0, 0))
        chosen, sought = number in selected, number in targets
        found[language] = (hits + (chosen and sought), predicted + chosen, expected + sought)
    return found


def _pooled(scored: list[Scored]) -> dict[str, Counts]:
    pooled: dict[str, Counts] = {}
    for one in scored:
        selected = frozenset() if is_invalid(one.answer) else one.answer
        for language, counts in _by_language(one.item, one.reference, selected).items():
            pooled[language] = pooled.get(language, Counts(0, 0, 0)).plus(Counts(*counts))
    return pooled


def _random(items: Items, gold: Gold | None, random: Random) -> Iterator[Record]:
    """Each fact with probability one half, and one fact if that leaves none."""
    for item_id, item in items.records.items():
        numbers = [fact["number"] for fact in item["facts"]]
        yield {
            "id": item_id,
            "facts": [one for one in numbers if random.random() < 0.5] or [random.choice(numbers)],
        }


def _select_all(items: Items, gold: Gold | None, random: Random) -> Iterator[Record]:
    for item_id, item in items.records.items():
        yield {"id": item_id, "facts": [fact["number"] for fact in item["facts"]]}


FactSelection.baselines = (
    Baseline("random", "Random selection", _random),
    Baseline("select_all", "Every fact", _select_all),
)

_EXCERPTS = [
    {"excerpt": 1, "language": "en", "text": "Inventories [1] 120, receivables [2] 40"},
    {"excerpt": 2, "language": "fr", "text": "Stocks [3] 98"},
    {"excerpt": 3, "language": "el", "text": "Αποθέματα [4] 75, υπεραξία [5] 12"},
]
_FACTS = [
    {"number": 1, "language": "en"},
    {"number": 2, "language": "en"},
    {"number": 3, "language": "fr"},
    {"number": 4, "language": "el"},
    {"number": 5, "language": "el"},
]

FactSelection.example = {
    "items": [
        {
            "id": "g1",
            "group": "g1",
            "evidence": "joint",
            "concept": "Inventories",
            "excerpts": _EXCERPTS,
            "facts": _FACTS,
        }
    ],
    "gold": [{"id": "g1", "facts": [1, 3, 4]}],
    "run": [{"id": "g1", "facts": [1, 3]}],
}

KIND = FactSelection()
