"""Public items as objects, and the sample run made from them."""

from __future__ import annotations

import json
from functools import lru_cache
from random import Random
from typing import Any

from competition.domain.blobs import load_digest
from competition.models import ItemSet
from scoring.checks import check_items
from scoring.records import Items
from scoring.tracks import get_kind
from scoring.tracks.base import Kind

SEED = 13


def items_of(item_set: ItemSet) -> Items:
    """The items of a stored, accepted set. They never change, so the latest few sets stay in memory."""
    return _items(item_set.track.kind, item_set.blob_id)


def chance_level(item_set: ItemSet | None) -> float | None:
    """The primary score a random valid run expects on these items; None where that says nothing."""
    return _chance(item_set.track.kind, item_set.blob_id) if item_set else None


def sample_run(item_set: ItemSet) -> bytes:
    """A valid run for these items that anybody could make: the kind's first baseline that needs no gold."""
    return _sample(item_set.track.kind, item_set.blob_id)


@lru_cache(maxsize=8)
def _items(kind_name: str, digest: str) -> Items:
    items = check_items(get_kind(kind_name), load_digest(digest)).items
    if items is None:
        raise ValueError(f"the stored items {digest[:8]} are not valid any more")
    return items


@lru_cache(maxsize=64)
def _chance(kind_name: str, digest: str) -> float | None:
    return get_kind(kind_name).chance(_items(kind_name, digest))


@lru_cache(maxsize=8)
def _sample(kind_name: str, digest: str) -> bytes:
    kind = get_kind(kind_name)
    items = _items(kind_name, digest)
    baseline = next((one for one in kind.baselines if not one.needs_gold), None)
    if baseline is None:
        return b""
    return as_lines(baseline.make(items, None, Random(SEED)))  # nosec B311


def as_lines(records: Any) -> bytes:
    """Records as JSON Lines, in UTF-8 and readable."""
    return "".join(json.dumps(record, ensure_ascii=False) + "\n" for record in records).encode()


def item_in(items: Items, language: str) -> dict[str, Any] | None:
    """An item to show: one in this language where items say theirs, else the first."""
    for record in items.records.values():
        spoken = record.get("languages") or [record.get("language")]
        if language and language in spoken:
            return record
    return next(iter(items.records.values()), None)


def worked_example(kind: Kind) -> dict[str, Any] | None:
    """The first item of the kind's own example: item, reference, answer, and the scores of that answer."""
    from scoring.checks import check_gold, check_run
    from scoring.evaluate import evaluate

    example = kind.example
    if not example:
        return None
    items = check_items(kind, as_lines(example["items"][:1])).items
    if items is None:
        return None
    gold = check_gold(kind, items, as_lines(example["gold"][:1])).gold
    run = check_run(kind, items, as_lines(example["run"][:1])).run
    if gold is None or run is None:
        return None
    report = evaluate(kind, items, gold, run)
    return {
        "item": example["items"][0],
        "gold": example["gold"][0],
        "run": example["run"][0],
        "scores": report.scores,
        "signature": report.signature,
    }
