"""MultiFinGround T1: which numbers of a passage or table are facts, and their type, period and balance."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from math import fsum
from typing import TYPE_CHECKING, Any

from scoring.metrics.ratio import ratio
from scoring.metrics.sets import Counts
from scoring.problems import Faults, shown
from scoring.records import Gold, Items, Limits, Run
from scoring.tracks.base import (
    Baseline,
    Diagnostic,
    Field,
    Kind,
    Record,
    Resampling,
    Score,
    Scored,
    Slice,
    Tally,
    is_invalid,
)
from scoring.tracks.numbered import list_of_objects, read_number, required_choice

if TYPE_CHECKING:
    from random import Random

TYPES = ("monetary", "per_share", "shares", "none")
PERIODS = ("instant", "duration")
BALANCES = ("debit", "credit")
NONE = "none"
CLASSES = (
    *(f"{period}-{balance}" for period in PERIODS for balance in BALANCES),
    "per_share",
    "shares",
    NONE,
)
"""The seven classes of section 4.1: monetary by period and balance, per share, shares, none."""

MONETARY = CLASSES[:4]
PLACE = {name: place for place, name in enumerate(CLASSES)}

# Columns of a tally after three per class (hits, predicted, expected).
FOUND, TYPE_RIGHT, BOTH_MONETARY, PERIOD_RIGHT, BALANCE_RIGHT, INVALID, ITEMS = range(3 * len(CLASSES), 28)


def class_of(fact: Record) -> str:
    """The class of a fact with a valid type, period and balance."""
    return f"{fact['period']}-{fact['balance']}" if fact["type"] == "monetary" else fact["type"]


class FactIdentification(Kind):
    name = "fact_identification"
    title = "Fact identification"
    summary = "For each number of a passage or table: is it a fact, and of which type, period and balance?"
    source = "MultiFinGround, sections 3.3 and 4.1 (T1)"
    aggregate = "class-macro"
    item_fields = (
        Field("language", "string", "language code of the text"),
        Field("format", "string", '"text" or "table"'),
        Field("issuer", "string", "who reports; intervals resample issuers within a language"),
        Field("text", "string", "the passage or the serialized table", bulky=True),
        Field("numbers", "list", 'the numbers to judge: [{"number": 1, "surface": "1 234"}, …]'),
    )
    gold_fields = (Field("facts", "list", "one fact for every number of the item"),)
    run_fields = (
        Field(
            "facts", "list", 'a list such as [{"number": 1, "type": "shares"}]; numbers left out are "none"'
        ),
    )
    scores = (
        Score("macro_f1", "Macro-F1", "F1", "mean F1 of the seven classes, counts pooled over items"),
        Score(
            "joint_f1",
            "Joint F1",
            "Joint",
            "micro F1 over numbers that are not none, right when the class is",
        ),
        Score("type_accuracy", "Type accuracy", "Type", "right types / numbers both sides call a fact"),
        Score(
            "period_accuracy",
            "Period accuracy",
            "Period",
            "right periods / found facts both sides call monetary",
        ),
        Score("balance_accuracy", "Balance accuracy", "Balance", "right balances / found monetary facts"),
        Score("invalid_rate", "Invalid rate", "Invalid", "invalid items / items", higher_is_better=False),
    )
    slices = (Slice("language", "Language"), Slice("format", "Format"))
    resampling = Resampling("cluster", ("issuer",), within="language", resamples=2_000)
    diagnostics = (
        Diagnostic(
            "classes_predicted", "Classes predicted", 0, "table", "Scored and unscored numbers alike."
        ),
        Diagnostic("numbers_left_out", "Numbers left out", 0, "percent", "A number left out counts as none."),
        Diagnostic("by_class", "By class", 1, "table", chart="bars"),
        Diagnostic("confusion", "Classes: gold by run", 1, "matrix"),
    )

    def read_item(self, item: Record, faults: Faults) -> Record | None:
        if item["format"] not in ("text", "table"):
            faults.add(
                "E603",
                f'"format" is "text" or "table", found {shown(item["format"])}.',
                field="format",
                found=shown(item["format"]),
                expected='"text" or "table"',
            )
            return None
        numbers = [entry.get("number") for entry in item["numbers"] if isinstance(entry, dict)]
        if len(numbers) < len(item["numbers"]) or any(type(number) is not int for number in numbers):
            _faulty_numbers("each entry is an object with a whole number", faults)
            return None
        if len(set(numbers)) < len(numbers):
            _faulty_numbers("no number occurs twice", faults)
            return None
        return item

    def read_reference(self, record: Record, item: Record, faults: Faults) -> dict[int, str] | None:
        """Number → class, for the scored numbers."""
        before = faults.problems.errors
        facts = self._read_facts(record, item, faults)
        missing = [entry["number"] for entry in item["numbers"] if entry["number"] not in facts]
        if missing and faults.problems.errors == before:
            faults.add(
                "E603",
                f"The numbers {', '.join(map(str, missing[:10]))} have no fact.",
                field="facts",
                expected="one fact for every number of the item",
                hint='Give type "none", or "scored": false for numbers that do not count.',
            )
        if faults.problems.errors > before:
            return None
        unscored = {fact["number"] for fact in record["facts"] if fact.get("scored") is False}
        return {number: name for number, name in facts.items() if number not in unscored}

    def read_answer(
        self, record: Record, item: Record, limits: Limits, faults: Faults
    ) -> dict[int, str] | None:
        """Number → class, for the numbers the run names."""
        before = faults.problems.errors
        facts = self._read_facts(record, item, faults)
        return None if faults.problems.errors > before else facts

    def _read_facts(self, record: Record, item: Record, faults: Faults) -> dict[int, str]:
        known = {entry["number"] for entry in item["numbers"]}
        facts: dict[int, str] = {}
        for fact in list_of_objects(record["facts"], "facts", faults):
            number = read_number(fact.get("number"), known, facts, "number", faults)
            name = _read_class(fact, faults)
            if number is not None and name is not None:
                facts[number] = name
        return facts

    def tally(self, item: Record, prepared: dict[int, str], answer: Any, options: Mapping[str, Any]) -> Tally:
        """Columns: hits, predicted, expected of each class, then the attribute counts."""
        columns = [0.0] * 28
        columns[ITEMS] = 1.0
        columns[INVALID] = 1.0 if is_invalid(answer) else 0.0
        given: Mapping[int, str] = {} if is_invalid(answer) else answer
        for number, expected in prepared.items():
            predicted = given.get(number, NONE)
            columns[3 * PLACE[predicted] + 1] += 1
            columns[3 * PLACE[expected] + 2] += 1
            if predicted == expected:
                columns[3 * PLACE[expected]] += 1
            if predicted != NONE and expected != NONE:
                _compare_attributes(predicted, expected, columns)
        return tuple(columns)

    def scores_of(self, total: Any, options: Mapping[str, Any]) -> dict[str, float]:
        classes = {name: Counts(*total[3 * place : 3 * place + 3]) for name, place in PLACE.items()}
        facts = [counts for name, counts in classes.items() if name != NONE]
        joint = Counts(*map(sum, zip(*facts)))
        return {
            "macro_f1": sum(counts.f1 for counts in classes.values()) / len(CLASSES),
            "joint_f1": joint.f1,
            "type_accuracy": ratio(total[TYPE_RIGHT], total[FOUND]),
            "period_accuracy": ratio(total[PERIOD_RIGHT], total[BOTH_MONETARY]),
            "balance_accuracy": ratio(total[BALANCE_RIGHT], total[BOTH_MONETARY]),
            "invalid_rate": ratio(total[INVALID], total[ITEMS]),
        }

    def inner_breakdowns(
        self, scored: list[Scored], options: Mapping[str, Any]
    ) -> dict[str, dict[str, dict[str, Any]]]:
        return {"class": {name: _class_cell(counts) for name, counts in _by_class(scored).items()}}

    def observe(self, items: Items, run: Run) -> dict[str, Any]:
        counts: Counter[str] = Counter()
        asked = 0
        for item_id, item in items.records.items():
            answer = run.answers[item_id]
            asked += len(item["numbers"])
            counts.update({} if is_invalid(answer) else Counter(answer.values()))
        named = sum(counts.values())
        return {
            "classes_predicted": {
                "columns": ["class", "n", "share"],
                "rows": [[name, counts[name], ratio(counts[name], named)] for name in CLASSES],
            },
            "numbers_left_out": ratio(asked - named, asked),
        }

    def diagnose(self, scored: list[Scored], options: Mapping[str, Any]) -> dict[str, Any]:
        pairs: Counter[tuple[str, str]] = Counter()
        for one in scored:
            given = {} if is_invalid(one.answer) else one.answer
            pairs.update((expected, given.get(number, NONE)) for number, expected in one.reference.items())
        rows: list[list[Any]] = [
            [name, int(counts.expected), counts.precision, counts.recall, counts.f1]
            for name, counts in _by_class(scored).items()
        ]
        return {
            "by_class": {"columns": ["class", "n", "precision", "recall", "f1"], "rows": rows},
            "confusion": {
                "labels": list(CLASSES),
                "rows": [[pairs[expected, predicted] for predicted in CLASSES] for expected in CLASSES],
            },
        }


def _by_class(scored: list[Scored]) -> dict[str, Counts]:
    tallies: list[Any] = [one.tally for one in scored]
    totals = list(map(fsum, zip(*tallies))) or [0.0] * 28
    return {name: Counts(*totals[3 * place : 3 * place + 3]) for name, place in PLACE.items()}


def _class_cell(counts: Counts) -> dict[str, Any]:
    return {
        "n": int(counts.expected),
        "precision": counts.precision,
        "recall": counts.recall,
        "f1": counts.f1,
    }


def _compare_attributes(predicted: str, expected: str, columns: list[float]) -> None:
    """Count a number both sides call a fact: type, and where both are monetary, period and balance."""
    columns[FOUND] += 1
    if predicted in MONETARY and expected in MONETARY:
        columns[TYPE_RIGHT] += 1
        columns[BOTH_MONETARY] += 1
        columns[PERIOD_RIGHT] += predicted.split("-")[0] == expected.split("-")[0]
        columns[BALANCE_RIGHT] += predicted.split("-")[1] == expected.split("-")[1]
    else:
        columns[TYPE_RIGHT] += predicted == expected


def _read_class(fact: Record, faults: Faults) -> str | None:
    kind = required_choice(fact, "type", TYPES, faults, code="E301")
    if kind != "monetary":
        return kind
    period = required_choice(fact, "period", PERIODS, faults, code="E410")
    balance = required_choice(fact, "balance", BALANCES, faults, code="E410")
    return f"{period}-{balance}" if period and balance else None


def _faulty_numbers(rule: str, faults: Faults) -> None:
    faults.add(
        "E603",
        f'"numbers" is faulty: {rule}.',
        field="numbers",
        expected='[{"number": 1, "surface": "…"}, …]',
    )


def _baseline(choose: str) -> Callable[[Items, Gold | None, Random], Iterator[Record]]:
    def make(items: Items, gold: Gold | None, random: Random) -> Iterator[Record]:
        for item_id, item in items.records.items():
            facts = [_as_fact(entry["number"], choose or random.choice(CLASSES)) for entry in item["numbers"]]
            yield {"id": item_id, "facts": facts}

    return make


def _as_fact(number: int, name: str) -> Record:
    if name in MONETARY:
        period, balance = name.split("-")
        return {"number": number, "type": "monetary", "period": period, "balance": balance}
    return {"number": number, "type": name}


FactIdentification.baselines = (
    Baseline("random", "Random class for each number", _baseline("")),
    Baseline("majority", "Every number duration-credit", _baseline("duration-credit")),
)

FactIdentification.example = {
    "items": [
        {
            "id": "el-0001",
            "language": "el",
            "format": "text",
            "issuer": "Παράδειγμα Α.Ε.",
            "text": "Τα έσοδα ανήλθαν σε 1.234 χιλ. ευρώ· οι μετοχές σε 500.000.",
            "numbers": [{"number": 1, "surface": "1.234"}, {"number": 2, "surface": "500.000"}],
        },
        {
            "id": "fr-0001",
            "language": "fr",
            "format": "table",
            "issuer": "Exemple SA",
            "text": "| Trésorerie | 98 | 2024 |",
            "numbers": [{"number": 1, "surface": "98"}, {"number": 2, "surface": "2024"}],
        },
    ],
    "gold": [
        {
            "id": "el-0001",
            "facts": [
                {"number": 1, "type": "monetary", "period": "duration", "balance": "credit"},
                {"number": 2, "type": "shares"},
            ],
        },
        {
            "id": "fr-0001",
            "facts": [
                {"number": 1, "type": "monetary", "period": "instant", "balance": "debit"},
                {"number": 2, "type": "none"},
            ],
        },
    ],
    "run": [
        {
            "id": "el-0001",
            "facts": [
                {"number": 1, "type": "monetary", "period": "duration", "balance": "credit"},
                {"number": 2, "type": "none"},
            ],
        },
        {"id": "fr-0001", "invalid": "budget_exhausted"},
    ],
}

KIND = FactIdentification()
