"""From stored bytes to a report. Runs where gold may be read: a worker's child, the freeze, `verify`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from competition.models.tasks import LARGEST_LIMITS
from scoring.checks import CheckedRun, check_gold, check_items, check_run
from scoring.evaluate import evaluate, prepare_gold
from scoring.options import read_options
from scoring.records import Gold, Items, Run
from scoring.report import Report
from scoring.tracks import get_kind
from scoring.tracks.base import Kind

LIMITS = LARGEST_LIMITS
"""A worker takes what intake took, by whichever track's limits."""

GOLD_LEVEL = 3


class StoredFileRefused(Exception):
    """Bytes that were accepted once no longer pass the check: ours to look into. Names the file, quotes
    nothing.
    """


@dataclass(frozen=True)
class Prepared:
    """A track's items and gold, read and tokenized once, ready for any number of runs."""

    kind: Kind
    options: Mapping[str, Any]
    items: Items
    gold: Gold
    references: dict[str, Any]


def prepare(kind_name: str, options: Mapping[str, Any], items: bytes, gold: bytes) -> Prepared:
    """Read items and gold. Raises StoredFileRefused when either does not pass."""
    kind = get_kind(kind_name)
    chosen = read_options(kind, options)
    read = read_items(kind, items)
    checked = check_gold(kind, read, gold)
    if checked.gold is None:
        raise StoredFileRefused("gold")
    return Prepared(kind, chosen, read, checked.gold, prepare_gold(kind, read, checked.gold, chosen))


def read_items(kind: Kind, content: bytes) -> Items:
    """Stored items as an object. Raises StoredFileRefused when they do not pass."""
    checked = check_items(kind, content)
    if checked.items is None:
        raise StoredFileRefused("items")
    return checked.items


def read_run(prepared: Prepared, content: bytes) -> Run:
    """A stored run as an object. Raises StoredFileRefused when it does not pass."""
    checked = _check(prepared, content)
    if checked.run is None:
        raise StoredFileRefused("run")
    return checked.run


def _check(prepared: Prepared, content: bytes) -> CheckedRun:
    return check_run(prepared.kind, prepared.items, content, limits=LIMITS, options=prepared.options)


def score(prepared: Prepared, content: bytes, *, gold_version: int) -> Report:
    """Check and score one stored run. `gold_version` is the number its signature names, as v2."""
    checked = _check(prepared, content)
    if checked.run is None:
        raise StoredFileRefused("run")
    return evaluate(
        prepared.kind,
        prepared.items,
        prepared.gold,
        checked.run,
        options=prepared.options,
        gold_version=f"v{gold_version}",
        prepared=prepared.references,
        checked=checked,
    )


def plain(prepared: Prepared, report: Report) -> dict[str, Any]:
    """What a child hands back: the report without what only gold may say, and the score of each item."""
    hidden = {one.key for one in prepared.kind.diagnostics if one.level >= GOLD_LEVEL}
    found = report.to_json()
    found["diagnostics"] = {key: value for key, value in found["diagnostics"].items() if key not in hidden}
    return {
        "report": found,
        "primary": report.scores[prepared.kind.primary_for(prepared.options).key],
        "per_item": report.per_item(prepared.kind, prepared.options),
    }


def check_gold_bytes(kind_name: str, items: bytes, gold: bytes) -> dict[str, Any]:
    """Whether gold fits the items: {"ok", "problems", "n_scored"}. The problems may quote references."""
    kind = get_kind(kind_name)
    checked = check_gold(kind, read_items(kind, items), gold)
    return {
        "ok": checked.gold is not None,
        "problems": [problem.to_json() for problem in checked.problems.in_order()],
        "n_scored": len(checked.gold.references) if checked.gold else 0,
    }
