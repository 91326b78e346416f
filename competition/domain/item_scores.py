"""The score of each item of a run, as fine as a level of diagnostics shows it. References are in none of it.

Level 2 gives one score in quarters: finer figures, and precision beside recall, spell out references one
probe at a time (`docs/visibility.md`). At level 3 references may be seen, so all scores are exact.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Set
from dataclasses import dataclass
from math import floor
from typing import Any

from competition.domain.blobs import load_digest
from competition.enums import DiagnosticsLevel
from competition.models import Result, Submission, Track
from scoring.options import read_options
from scoring.records import MIB
from scoring.tracks import get_kind
from scoring.tracks.base import Score

OVER_LABELS = frozenset({"macro_f1", "macro_precision", "macro_recall", "span_macro_f1", "invalid_rate"})
"""Averages over labels, and a rate over items: of one item they say nothing."""

LARGEST_READ = MIB
"""Of a larger run the answers are not shown beside their scores."""


@dataclass(frozen=True)
class ItemScore:
    """One item's values by score key; `place` counts from 1 in the items' order."""

    place: int
    item_id: str
    values: dict[str, float]


@dataclass(frozen=True)
class ItemScores:
    scores: tuple[Score, ...]
    items: list[ItemScore]
    exact: bool

    def lowest(self, most: int) -> list[ItemScore]:
        """The items with the lowest first score. Equal ones stay in the items' order, so that the order says
        no more than the figures do.
        """
        first = self.scores[0]
        sign = 1 if first.higher_is_better else -1
        return sorted(self.items, key=lambda one: sign * one.values[first.key])[:most]

    def lines(self) -> Iterator[dict[str, Any]]:
        """One plain object an item, in the items' order."""
        for one in self.items:
            yield {"item_id": one.item_id, **one.values}


def item_scores(result: Result, track: Track, level: int) -> ItemScores | None:
    """The scores of a result's items that diagnostics of this level show; None where they show none."""
    if level < DiagnosticsLevel.ITEM_SCORES or result.per_item_id is None:
        return None
    exact = level >= DiagnosticsLevel.GOLD
    kind = get_kind(track.kind)
    scores = tuple(
        score for score in kind.scores_for(read_options(kind, track.options)) if score.key not in OVER_LABELS
    )
    shown = scores if exact else scores[:1]
    kept = [json.loads(line) for line in load_digest(result.per_item_id).splitlines() if line]
    items = [
        ItemScore(
            place,
            str(line["item_id"]),
            {one.key: line[one.key] if exact else in_quarters(line[one.key]) for one in shown},
        )
        for place, line in enumerate(kept, 1)
    ]
    return ItemScores(shown, items, exact)


def in_quarters(value: float) -> float:
    """The nearest of 0, .25, .5, .75 and 1."""
    return floor(value * 4 + 0.5) / 4


def answers_to(submission: Submission, item_ids: Set[str]) -> dict[str, dict[str, Any]]:
    """Item id → what a run answered there, by field; nothing where the run is large."""
    if submission.size > LARGEST_READ:
        return {}
    kind = get_kind(submission.track.kind)
    fields = ("invalid", *(field.name for field in kind.run_fields if field.name != kind.id_field))
    found = {}
    for line in load_digest(submission.blob_id).decode("utf-8-sig").split("\n"):
        record = json.loads(line) if line.strip() else {}
        if record.get(kind.id_field) in item_ids:
            found[record[kind.id_field]] = {name: record[name] for name in fields if name in record}
    return found
