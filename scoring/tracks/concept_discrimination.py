"""MultiFinGround T2c: which excerpt's marked numbers belong to another concept than the rest?"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from scoring.metrics.ratio import ratio
from scoring.problems import Faults, shown
from scoring.records import Gold, Items, Limits, Run
from scoring.tracks.base import Baseline, Diagnostic, Field, Kind, Record, Score, Slice, Tally, is_invalid
from scoring.tracks.groups import GROUP_FIELDS, NO_INTERVAL, excerpt_languages, read_group, slim_group
from scoring.tracks.numbered import read_number

if TYPE_CHECKING:
    from random import Random


def _odd_language(item: Record, reference: tuple[int, bool]) -> tuple[str, ...]:
    return (excerpt_languages(item)[reference[0]],)


def _repetition(item: Record, reference: tuple[int, bool]) -> tuple[str, ...]:
    return ("repeated" if reference[1] else "unique",)


class ConceptDiscrimination(Kind):
    name = "concept_discrimination"
    title = "Concept discrimination"
    summary = "Find the excerpt whose marked numbers belong to another concept than all the others."
    source = "MultiFinGround, sections 3.6 and 4.1 (T2c)"
    item_fields = GROUP_FIELDS
    gold_fields = (
        Field("excerpt", "integer", "the number of the odd excerpt"),
        Field(
            "repeated",
            "boolean",
            "another excerpt has the odd one's language; counted if left out",
            required=False,
        ),
    )
    run_fields = (Field("excerpt", "integer", "the number of the chosen excerpt"),)
    scores = (
        Score("accuracy", "Accuracy", "Acc", "right excerpts / items"),
        Score("invalid_rate", "Invalid rate", "Invalid", "invalid items / items", higher_is_better=False),
    )
    slices = (
        Slice("odd_language", "Language of the odd excerpt", values=_odd_language),
        Slice("repetition", "Odd excerpt's language repeated or unique", values=_repetition),
    )
    resampling = NO_INTERVAL
    diagnostics = (Diagnostic("places_chosen", "Excerpts chosen", 0, "table"),)

    def slim(self, item: Record) -> Record:
        return slim_group(super().slim(item))

    def read_item(self, item: Record, faults: Faults) -> Record | None:
        return read_group(item, faults)

    def read_reference(self, record: Record, item: Record, faults: Faults) -> tuple[int, bool] | None:
        """(odd excerpt, whether another excerpt shares its language)."""
        languages = excerpt_languages(item)
        odd = read_number(record["excerpt"], languages, (), "excerpt", faults)
        if odd is None:
            return None
        repeated = list(languages.values()).count(languages[odd]) > 1
        if record.get("repeated") not in (None, repeated):
            faults.add(
                "E603",
                f'"repeated" says {shown(record["repeated"])}, the languages say {shown(repeated)}.',
                field="repeated",
                found=shown(record["repeated"]),
                expected=shown(repeated),
            )
            return None
        return odd, repeated

    def read_answer(self, record: Record, item: Record, limits: Limits, faults: Faults) -> int | None:
        return read_number(record["excerpt"], excerpt_languages(item), (), "excerpt", faults)

    def tally(
        self, item: Record, prepared: tuple[int, bool], answer: Any, options: Mapping[str, Any]
    ) -> Tally:
        """(right, invalid, items)."""
        return (float(answer == prepared[0]), float(is_invalid(answer)), 1.0)

    def scores_of(self, total: Tally, options: Mapping[str, Any]) -> dict[str, float]:
        right, invalid, items = total
        return {"accuracy": ratio(right, items), "invalid_rate": ratio(invalid, items)}

    def observe(self, items: Items, run: Run) -> dict[str, Any]:
        chosen = Counter(answer for answer in run.answers.values() if not is_invalid(answer))
        rows = [
            [f"excerpt {place}", chosen[place], ratio(chosen[place], len(run.answers))]
            for place in sorted(chosen)
        ]
        return {"places_chosen": {"columns": ["choice", "n", "share"], "rows": rows}}

    def chance(self, items: Items) -> float | None:
        counts = [len(item["excerpts"]) for item in items.records.values()]
        return ratio(sum(1 / count for count in counts), len(counts)) if counts else None


def _random(items: Items, gold: Gold | None, random: Random) -> Iterator[Record]:
    for item_id, item in items.records.items():
        yield {"id": item_id, "excerpt": random.choice(sorted(excerpt_languages(item)))}


def _first(items: Items, gold: Gold | None, random: Random) -> Iterator[Record]:
    for item_id, item in items.records.items():
        yield {"id": item_id, "excerpt": item["excerpts"][0]["excerpt"]}


ConceptDiscrimination.baselines = (
    Baseline("random", "Random excerpt", _random),
    Baseline("first", "Always the first excerpt", _first),
)

ConceptDiscrimination.example = {
    "items": [
        {
            "id": "d1",
            "group": "d1",
            "evidence": "joint",
            "excerpts": [
                {"excerpt": 1, "language": "en", "text": "Inventories 120"},
                {"excerpt": 2, "language": "fr", "text": "Stocks 98"},
                {"excerpt": 3, "language": "el", "text": "Υπεραξία 75"},
                {"excerpt": 4, "language": "el", "text": "Αποθέματα 31"},
            ],
        }
    ],
    "gold": [{"id": "d1", "excerpt": 3, "repeated": True}],
    "run": [{"id": "d1", "excerpt": 3}],
}

KIND = ConceptDiscrimination()
