"""`multiple_choice`: exam questions with lettered options (FinMMEval 2026, Task 1)."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping, Sequence
from random import Random
from typing import Any

from scoring.problems import Faults, shown
from scoring.records import Items, Limits, Run
from scoring.tracks.base import Field, Kind, Record, Score, Scored, Slice, Tally
from scoring.tracks.labels import InGold, cells_from, chance_of, chosen_by, majority
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

ALONE = re.compile(r"\W*(\w+)\W*")
"""A letter dressed in punctuation: "B.", "(B)", "B) "."""

LONGEST = 200
"""Longer answers are not normalised; no option has such a name."""


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
        options = item["options"]
        if len(options) >= 2 and all(_letter(name) == name and name for name in options):
            return item
        faults.add(
            "E603",
            '"options" needs two or more options, each under a capital letter.',
            field="options",
            found=", ".join(map(shown, options)) or "no option",
            expected='{"A": "…", "B": "…"}',
        )
        return None

    def read_reference(self, record: Record, item: Record, faults: Faults) -> str | None:
        return _read(record["answer"], "answer", item["options"], InGold(faults))

    def read_answer(self, record: Record, item: Record, limits: Limits, faults: Faults) -> str | None:
        return _read(record["prediction"], "prediction", item["options"], faults)

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


def _letter(text: str) -> str:
    return unicodedata.normalize("NFKC", text).strip().upper() if len(text) <= LONGEST else text


def _read(text: str, field: str, offered: Mapping[str, Any], faults: Faults) -> str | None:
    """The letter after NFKC, trimming and upper-casing; reports E402 where the item does not offer it."""
    if text in offered:
        return text
    letter = _letter(text)
    if letter in offered:
        return letter
    dressed = ALONE.fullmatch(letter) if len(letter) <= LONGEST else None
    meant = dressed.group(1) if dressed else None
    listed = ", ".join(offered)
    if not letter:
        hint: str | None = 'Give a letter; a question without an answer is {"invalid": "refused"}.'
    elif meant in offered:
        hint = f'Write the letter alone: "{meant}".'
    else:
        hint = "Give the letter of an option, not its text."
    faults.add(
        "E402",
        f"The option {shown(text)} is not one of: {listed}.",
        field=field,
        found=shown(text),
        expected=f"one of {listed}",
        hint=hint,
    )
    return None


def _random(item: Record, generator: Random) -> str:
    letters: Sequence[str] = list(item["options"])
    return generator.choice(letters)


KIND = MultipleChoice()
