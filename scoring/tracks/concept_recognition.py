"""MultiFinGround T2a: which accounting concept do the marked numbers of several excerpts share?"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from scoring.metrics.ratio import ratio
from scoring.problems import Faults
from scoring.records import Gold, Items, Limits, Run
from scoring.text.tokenize import multi_tokens
from scoring.tracks.base import (
    Baseline,
    Diagnostic,
    Field,
    Kind,
    Record,
    Score,
    Scored,
    Slice,
    Tally,
    is_invalid,
)
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
from scoring.tracks.labels import InGold
from scoring.tracks.letters import read_letter, read_offered

if TYPE_CHECKING:
    from random import Random


class ConceptRecognition(Kind):
    name = "concept_recognition"
    title = "Concept recognition"
    summary = "Choose the accounting concept that the marked numbers of the excerpts share."
    source = "MultiFinGround, sections 3.4, 3.7 and 4.1 (T2a)"
    item_fields = (
        *GROUP_FIELDS,
        Field("options", "object", 'letter → concept, or → {"label": …, "label_en": …}'),
        Field("labels", "string", "how options are written: C1, C2 or C3", required=False),
        Field("option_set", "string", "base, hard4 or hard20", required=False),
    )
    gold_fields = (Field("option", "string", "the letter of the right option"),)
    run_fields = (Field("option", "string", "the letter of the chosen option"),)
    scores = (
        Score(
            "accuracy",
            "Accuracy",
            "Acc",
            "right options / items, over joint evidence, C1 labels, base options",
        ),
        Score("invalid_rate", "Invalid rate", "Invalid", "invalid items / items", higher_is_better=False),
    )
    slices = (
        *CONDITION_SLICES,
        Slice("labels", "Label presentation", values=lambda item, _: (condition_of(item).labels,)),
        Slice("option_set", "Option set", values=lambda item, _: (condition_of(item).option_set,)),
    )
    resampling = NO_INTERVAL
    diagnostics = (Diagnostic("options_chosen", "Options chosen", 0, "table"), CONTRASTS)

    def slim(self, item: Record) -> Record:
        return {**slim_group(super().slim(item)), "options": dict.fromkeys(item["options"], "")}

    def read_item(self, item: Record, faults: Faults) -> Record | None:
        return read_group(item, faults) and read_offered(item, faults)

    def read_reference(self, record: Record, item: Record, faults: Faults) -> str | None:
        return read_letter(record["option"], item["options"], "option", InGold(faults))

    def read_answer(self, record: Record, item: Record, limits: Limits, faults: Faults) -> str | None:
        return read_letter(record["option"], item["options"], "option", faults)

    def tally(self, item: Record, prepared: str, answer: Any, options: Mapping[str, Any]) -> Tally:
        """(right, invalid, items)."""
        return (float(answer == prepared), float(is_invalid(answer)), 1.0)

    def scores_of(self, total: Tally, options: Mapping[str, Any]) -> dict[str, float]:
        right, invalid, items = total
        return {"accuracy": ratio(right, items), "invalid_rate": ratio(invalid, items)}

    def in_primary(self, item: Record) -> bool:
        return condition_of(item) == PRIMARY

    def observe(self, items: Items, run: Run) -> dict[str, Any]:
        chosen = Counter(answer for answer in run.answers.values() if not is_invalid(answer))
        rows = [
            [letter, chosen[letter], ratio(chosen[letter], len(run.answers))] for letter in sorted(chosen)
        ]
        return {"options_chosen": {"columns": ["option", "n", "share"], "rows": rows}}

    def diagnose(self, scored: list[Scored], options: Mapping[str, Any]) -> dict[str, Any]:
        return {"contrasts": contrasts(scored, lambda one: one.answer == one.reference)}

    def chance(self, items: Items) -> float | None:
        offered = [len(item["options"]) for item in items.records.values() if self.in_primary(item)]
        return ratio(sum(1 / count for count in offered), len(offered)) if offered else None


def _english_label(option: Any) -> str:
    return (
        str(option.get("label_en") or option.get("label") or "") if isinstance(option, dict) else str(option)
    )


def _marked_words(item: Record) -> set[str]:
    """Words of the marked rows; of the whole excerpts where none are marked."""
    rows: list[str] = []
    for excerpt in item["excerpts"]:
        marked = excerpt.get("marked")
        rows += (
            [str(row) for row in marked]
            if isinstance(marked, list) and marked
            else [str(excerpt.get("text", ""))]
        )
    return set(multi_tokens(" ".join(rows)))


def _random(items: Items, gold: Gold | None, random: Random) -> Iterator[Record]:
    for item_id, item in items.records.items():
        yield {"id": item_id, "option": random.choice(sorted(item["options"]))}


def _first(items: Items, gold: Gold | None, random: Random) -> Iterator[Record]:
    for item_id, item in items.records.items():
        yield {"id": item_id, "option": next(iter(item["options"]))}


def _overlap(items: Items, gold: Gold | None, random: Random) -> Iterator[Record]:
    """The option whose English label shares most words with the marked rows, first on ties (section 5.6)."""
    for item_id, item in items.records.items():
        words = _marked_words(item)
        shared = {
            letter: len(words & set(multi_tokens(_english_label(option))))
            for letter, option in item["options"].items()
        }
        yield {"id": item_id, "option": max(shared, key=lambda letter: shared[letter])}


ConceptRecognition.baselines = (
    Baseline("random", "Random option", _random),
    Baseline("first", "Always the first option", _first),
    Baseline("overlap", "Option with most words in common", _overlap),
)

_EXCERPTS = [
    {
        "excerpt": 1,
        "language": "en",
        "issuer": "Example plc",
        "text": "Inventories 120",
        "marked": ["Inventories 120"],
    },
    {"excerpt": 2, "language": "fr", "issuer": "Exemple SA", "text": "Stocks 98", "marked": ["Stocks 98"]},
    {
        "excerpt": 3,
        "language": "el",
        "issuer": "Παράδειγμα Α.Ε.",
        "text": "Αποθέματα 75",
        "marked": ["Αποθέματα 75"],
    },
]
_OPTIONS = {"A": "Inventories", "B": "Trade receivables", "C": "Goodwill", "D": "Provisions"}

ConceptRecognition.example = {
    "items": [
        {"id": "g1-joint", "group": "g1", "evidence": "joint", "excerpts": _EXCERPTS, "options": _OPTIONS},
        {
            "id": "g1-no-en",
            "group": "g1",
            "evidence": "no_en",
            "excerpts": _EXCERPTS[1:],
            "options": _OPTIONS,
        },
    ],
    "gold": [{"id": "g1-joint", "option": "A"}, {"id": "g1-no-en", "option": "A"}],
    "run": [{"id": "g1-joint", "option": "A"}, {"id": "g1-no-en", "invalid": "refused"}],
}

KIND = ConceptRecognition()
