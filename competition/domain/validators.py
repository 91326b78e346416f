"""The rules of a track and phase as one object, and the validators participants download.

Both come from the same data, so what a team reads at home is what the site says. Validators are built and
stored by `keep_built`, which every sweep calls; a look stores nothing. Who looks in the seconds before that
gets the same bytes, built for the look.
"""

from __future__ import annotations

import json
import logging
import time
from collections.abc import Callable, Iterator, Sequence
from datetime import datetime, timedelta
from functools import lru_cache, partial
from hashlib import sha256
from typing import Any, NamedTuple

from competition.domain import blobs
from competition.domain.samples import items_of, sample_run
from competition.models import BuiltFile, ItemSet
from competition.queries.files import current_items
from scoring.standalone import Rules
from scoring.tracks import get_kind, kind_names
from scoring.validator import build_archive, build_validator, rules_of, sources_digest

log = logging.getLogger(__name__)

ARCHIVE = "validators.pyz"

KEPT = 8
_kept: dict[str, Rules] = {}
"""The rules asked for lately, by recipe. They never change."""
_looked_at: dict[str, bytes] = {}
"""Files built for a look that came before the sweep, by recipe, until they are stored."""

SECONDS = 10.0
"""How long a sweep may go on building. A new release changes every file: the rest follows with the next."""
AHEAD = timedelta(minutes=1)
"""An archive changes when a phase opens: it is there before the rush."""


class Built(NamedTuple):
    """A file to take home. Its bytes are read when somebody takes it."""

    digest: str
    size: int
    read: Callable[[], bytes]

    @classmethod
    def of(cls, content: bytes) -> Built:
        return cls(sha256(content).hexdigest(), len(content), lambda: content)


class Plan(NamedTuple):
    """What a file is built from, as a digest, and how."""

    recipe: str
    build: Callable[[], bytes]


def rules_for(item_set: ItemSet) -> Rules:
    """What runs of this phase and track are judged by: the track's options and limits, and these items."""
    recipe = recipe_of(item_set)
    rules = _kept.get(recipe)
    if rules is None:
        rules = _keep(_kept, recipe, Rules(_data(item_set)))
    return rules


def validator_name(item_set: ItemSet) -> str:
    return f"validate_{item_set.track.slug}.py"


def validator(item_set: ItemSet) -> Built:
    """The stand-alone validator of these items."""
    return _look(_validator_plan(item_set))


def archive(item_sets: Sequence[ItemSet]) -> Built | None:
    """One file with the validators of all these items; None when there are none."""
    return _look(_archive_plan(item_sets)) if item_sets else None


def archive_names(item_sets: Sequence[ItemSet]) -> dict[str, ItemSet]:
    """What to call each in the archive: its track, with the phase where a track has several."""
    tracks = [item_set.track.slug for item_set in item_sets]
    return {
        track if tracks.count(track) == 1 else f"{track}/{item_set.phase.slug}": item_set
        for track, item_set in zip(tracks, item_sets, strict=True)
    }


def recipe_of(item_set: ItemSet) -> str:
    """A digest of everything that decides how runs of this phase and track are judged, and the names."""
    track, phase = item_set.track, item_set.phase
    stated = {
        **_names(item_set),
        "slugs": [track.slug, phase.slug],
        "kind": track.kind,
        "options": track.options,
        "limits": track.run_limits._asdict(),
        "items": item_set.blob_id,
        "sources": sources_digest((get_kind(track.kind),)),
    }
    return sha256(json.dumps(stated, sort_keys=True).encode()).hexdigest()


def _names(item_set: ItemSet) -> dict[str, str]:
    track, phase = item_set.track, item_set.phase
    return {"task": track.task.name, "track": track.name, "phase": phase.name}


def _data(item_set: ItemSet) -> dict[str, Any]:
    track = item_set.track
    return rules_of(
        get_kind(track.kind),
        items_of(item_set),
        options=track.options,
        limits=track.run_limits,
        sample=sample_run(item_set),
        **_names(item_set),
    )


# Building and keeping


def keep_built(moment: datetime, *, seconds: float = SECONDS) -> int:
    """Store every file a page lists now and that is not stored, and say how many were built.

    Whatever changed shows here: items, names, options, a phase that opened or closed, a release whose rules
    are new. One that cannot be built is told in the log and keeps no other waiting.
    """
    plans = {plan.recipe: plan for plan in _plans(moment)}
    stored = set(BuiltFile.objects.filter(pk__in=plans).values_list("pk", flat=True))
    until, built = time.monotonic() + seconds, 0
    for recipe, plan in plans.items():
        if recipe not in stored and time.monotonic() < until:
            try:
                blob = blobs.store(plan.build())
            except Exception:
                log.exception("A validator could not be built")
                continue
            # Two sweeps may build at once; their bytes are the same.
            BuiltFile.objects.bulk_create([BuiltFile(recipe=recipe, blob=blob)], ignore_conflicts=True)
            built += 1
    return built


def _plans(moment: datetime) -> Iterator[Plan]:
    """What is open comes first."""
    current = [item_set for item_set in current_items() if item_set.track.kind in kind_names()]
    for at in (moment, moment + AHEAD):
        opened: dict[int, list[ItemSet]] = {}
        for item_set in current:
            if item_set.phase.is_open_at(at):
                opened.setdefault(item_set.track.task_id, []).append(item_set)
        for item_sets in opened.values():
            yield from map(_validator_plan, item_sets)
            yield _archive_plan(item_sets)
    yield from map(_validator_plan, current)


def _look(plan: Plan) -> Built:
    """The stored file; or the same bytes, built in this process and kept in its memory for a while."""
    found = BuiltFile.objects.filter(pk=plan.recipe).select_related("blob").defer("blob__packed").first()
    if found is not None:
        _looked_at.pop(plan.recipe, None)
        return Built(found.blob.digest, found.blob.size, partial(blobs.load, found.blob))
    content = _looked_at.get(plan.recipe)
    return Built.of(_keep(_looked_at, plan.recipe, plan.build()) if content is None else content)


def _validator_plan(item_set: ItemSet) -> Plan:
    def build() -> bytes:
        rules = rules_for(item_set)
        return build_validator(rules.kind, rules.data, validator_name(item_set))

    return Plan(sha256(f"validator {recipe_of(item_set)}".encode()).hexdigest(), build)


def _archive_plan(item_sets: Sequence[ItemSet]) -> Plan:
    named = archive_names(item_sets)
    recipes = {name: recipe_of(item_set) for name, item_set in named.items()}

    def build() -> bytes:
        rules = {name: rules_for(item_set) for name, item_set in named.items()}
        return build_archive({name: (one.kind, one.data) for name, one in rules.items()})

    return Plan(sha256(json.dumps(recipes, sort_keys=True).encode()).hexdigest(), build)


def _keep(kept: dict[str, Any], recipe: str, value: Any) -> Any:
    """Remember a value, and forget the one remembered longest where there are many."""
    while len(kept) >= KEPT:
        kept.pop(next(iter(kept)), None)
    kept[recipe] = value
    return value


@lru_cache(maxsize=8)
def sample_lines(rules: Rules) -> dict[str, str]:
    """Item id → its line in the sample run: what a valid line looks like."""
    lines = rules.data["sample"].splitlines()
    return {json.loads(line)[rules.kind.id_field]: line for line in lines}
