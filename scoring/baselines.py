"""Baseline runs: what anyone could send without a system, made from a kind's declaration."""

from __future__ import annotations

from collections.abc import Iterator

from scoring.records import Gold, Items
from scoring.tracks.base import Baseline, Kind, Record


class UnknownBaseline(LookupError):
    """The kind has no baseline of this name. The message lists those it has."""


class GoldNeeded(ValueError):
    """The baseline is made from gold, and none was given."""


def baseline_run(
    kind: Kind, name: str, items: Items, gold: Gold | None = None, seed: int = 0
) -> Iterator[Record]:
    """The records of a baseline's run, one per item in the items' order; the same seed gives the same run.

    Raises `UnknownBaseline` and `GoldNeeded`, before the first record.
    """
    from random import Random  # a fiftieth of the start of every other command

    baseline = find_baseline(kind, name)
    if baseline.needs_gold and gold is None:
        raise GoldNeeded(f"The baseline {name} of {kind.name} is made from gold: name the gold file.")
    return baseline.make(items, gold, Random(seed))


def find_baseline(kind: Kind, name: str) -> Baseline:
    """The kind's baseline of this name. Raises `UnknownBaseline`."""
    for baseline in kind.baselines:
        if baseline.name == name:
            return baseline
    names = ", ".join(baseline.name for baseline in kind.baselines) or "none"
    raise UnknownBaseline(f'The kind {kind.name} has no baseline "{name}". It has: {names}.')
