"""`multiple_choice`: exam questions with lettered options (FinMMEval 2026, Task 1)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from scoring.problems import Faults
from scoring.records import Items, Limits, Run
from scoring.tracks.base import Field, Kind, Record, Score, Scored, Slice, Tally
from scoring.tracks.labels import InGold, cells_from, chance_of, chosen_by, majority
from scoring.tracks.letters import read_letter, read_offered
from scoring.tracks.observing import (
    BY_LABEL,
    CONFUSION,
    DISTRIBUTION,
    ENTROPY,
    REPEATED,
    confusion,
    distribution,
    given,
)

if TYPE_CHECKING:
    from random import Random


class MultipleChoice(Kind):
    name = "multiple_choice"
    title = "Multiple choice"
    summary = "Choose one of the lettered options of each question."
    source = "FinMMEval 2026, Task 1 (financial exam question answering)"
    item_fields = (
        Field("question", "string", "the question", bulky=True),
        Field("options", "object", 'letter → text, {"A": "…", "B": "…"}'),
        Field("category", "string", "the subject, a slice", required=False),
        Field("language", "string", "the language, a slice", required=False),
    )
    gold_fields = (Field("answer", "string", "the letter of the right option"),)
    run_fields = (Field("prediction", "string", "the letter of one of the item's options, such as B"),)
    scores = (Score("accuracy", "Accuracy", "Acc", "right answers / items"),)
    slices = (Slice("category", "Category"), Slice("language", "Language"))
    diagnostics = (DISTRIBUTION, ENTROPY, REPEATED, CONFUSION, BY_LABEL)
    baselines = (
        chosen_by("random", "A random option", lambda item, rng: {"prediction": _random(item, rng)}),
        chosen_by("first", "The first option", lambda item, rng: {"prediction": next(iter(item["options"]))}),
        majority("prediction", lambda item: list(item["options"])),
    )
    example = {
        "items": [
            {
                "id": "q1",
                "question": "Which of these is a current asset?",
                "options": {"A": "Land", "B": "Inventory", "C": "Patents"},
                "category": "accounting",
                "language": "en",
            },
            {
                "id": "q2",
                "question": "央行提高利率，债券价格通常如何变化？",
                "options": {"A": "上升", "B": "下降"},
                "category": "markets",
                "language": "zh",
            },
            {
                "id": "q3",
                "question": "أي مما يلي يُعد التزاماً؟",
                "options": {"A": "النقدية", "B": "المباني", "C": "القروض", "D": "المخزون"},
                "category": "accounting",
                "language": "ar",
            },
        ],
        "gold": [{"id": "q1", "answer": "B"}, {"id": "q2", "answer": "B"}, {"id": "q3", "answer": "C"}],
        "run": [
            {"id": "q1", "prediction": "B"},
            {"id": "q2", "prediction": "A"},
            {"id": "q3", "prediction": "c"},
        ],
    }

    def read_item(self, item: Record, faults: Faults) -> Record | None:
        return read_offered(item, faults)

    def read_reference(self, record: Record, item: Record, faults: Faults) -> str | None:
        return read_letter(record["answer"], item["options"], "answer", InGold(faults))

    def read_answer(self, record: Record, item: Record, limits: Limits, faults: Faults) -> str | None:
        return read_letter(record["prediction"], item["options"], "prediction", faults)

    def tally(self, item: Record, prepared: Any, answer: Any, options: Mapping[str, Any]) -> Tally:
        return (int(prepared == answer), 1)

    def scores_of(self, total: Any, options: Mapping[str, Any]) -> dict[str, float]:
        right, n = total
        return {"accuracy": right / n if n else 0.0}

    def observe(self, items: Items, run: Run) -> dict[str, Any]:
        return distribution(given(run.answers.values()))

    def diagnose(self, scored: list[Scored], options: Mapping[str, Any]) -> dict[str, Any]:
        return confusion(cells_from(scored))

    def chance(self, items: Items) -> float | None:
        return chance_of(list(item["options"]) for item in items.records.values())


def _random(item: Record, generator: Random) -> str:
    letters: Sequence[str] = list(item["options"])
    return generator.choice(letters)


KIND = MultipleChoice()
