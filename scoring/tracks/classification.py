"""`classification`: one label of a closed list per item, compared exactly, for any task."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from scoring.problems import Faults, shown
from scoring.records import Items, Limits, Run
from scoring.tracks.base import Field, Kind, Record, Score, Scored, Tally
from scoring.tracks.labels import (
    InGold,
    cells_from,
    chance_of,
    chosen_by,
    label_scores,
    majority,
    report_unlisted,
    tally_label,
    text_list,
)
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


class Classification(Kind):
    name = "classification"
    title = "Classification"
    summary = "Give each item one of its labels."
    source = "Sokolova and Lapalme (2009), multi-class measures"
    aggregate = "pooled"
    item_fields = (Field("labels", "list", 'the labels to choose from, ["high", "low"]'),)
    gold_fields = (Field("label", "string", "the right label"),)
    run_fields = (Field("label", "string", "one of the item's labels, written exactly alike"),)
    scores = (
        Score("accuracy", "Accuracy", "Acc", "right answers / items"),
        Score("macro_f1", "Macro-F1", "macro-F1", "mean of the F1 of each label that occurs in gold or run"),
    )
    diagnostics = (DISTRIBUTION, ENTROPY, REPEATED, CONFUSION, BY_LABEL)
    baselines = (
        chosen_by("random", "A random label", lambda item, rng: {"label": rng.choice(item["labels"])}),
        chosen_by("first", "The first label", lambda item, rng: {"label": item["labels"][0]}),
        majority("label", lambda item: item["labels"]),
    )
    example = {
        "items": [
            {"id": "c1", "text": "Profit doubled.", "labels": ["up", "down", "flat"]},
            {"id": "c2", "text": "売上高は前年並みでした。", "labels": ["up", "down", "flat"]},
            {"id": "c3", "text": "Ζημίες για δεύτερη χρονιά.", "labels": ["up", "down", "flat"]},
        ],
        "gold": [{"id": "c1", "label": "up"}, {"id": "c2", "label": "flat"}, {"id": "c3", "label": "down"}],
        "run": [{"id": "c1", "label": "up"}, {"id": "c2", "label": "down"}, {"id": "c3", "label": "down"}],
    }

    def read_item(self, item: Record, faults: Faults) -> Record | None:
        if text_list(item["labels"], least=2):
            return item
        faults.add(
            "E603",
            '"labels" needs two or more different, non-blank strings.',
            field="labels",
            found=f"[{', '.join(map(shown, item['labels'][:12]))}]",
            expected='["high", "low"]',
        )
        return None

    def read_reference(self, record: Record, item: Record, faults: Faults) -> str | None:
        return _read(record, item, InGold(faults))

    def read_answer(self, record: Record, item: Record, limits: Limits, faults: Faults) -> str | None:
        return _read(record, item, faults)

    def tally(self, item: Record, prepared: Any, answer: Any, options: Mapping[str, Any]) -> Tally:
        return tally_label(prepared, answer)

    def scores_of(self, total: Any, options: Mapping[str, Any]) -> dict[str, float]:
        return label_scores(total)

    def observe(self, items: Items, run: Run) -> dict[str, Any]:
        return distribution(given(run.answers.values()))

    def diagnose(self, scored: list[Scored], options: Mapping[str, Any]) -> dict[str, Any]:
        return confusion(cells_from(scored))

    def chance(self, items: Items) -> float | None:
        return chance_of(item["labels"] for item in items.records.values())


def _read(record: Record, item: Record, faults: Faults) -> str | None:
    label: str = record["label"]
    if label in item["labels"]:
        return label
    report_unlisted("E401", label, item["labels"], "label", faults)
    return None


KIND = Classification()
