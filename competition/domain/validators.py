"""The rules of a track and phase as one object, and the validators participants download.

Both come from the same data, so what a team reads at home is what the site says.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from functools import lru_cache
from hashlib import sha256
from typing import Any

from competition.domain import blobs
from competition.domain.samples import items_of, sample_run
from competition.models import Blob, BuiltFile, ItemSet
from scoring.standalone import Rules
from scoring.tracks import get_kind
from scoring.validator import build_archive, build_validator, rules_of, sources_digest

ARCHIVE = "validators.pyz"

KEPT = 8
_kept: dict[str, Rules] = {}
"""The rules asked for lately, by recipe. They never change."""


def rules_for(item_set: ItemSet) -> Rules:
    """What runs of this phase and track are judged by: the track's options and limits, and these items."""
    recipe = recipe_of(item_set)
    rules = _kept.get(recipe)
    if rules is None:
        while len(_kept) >= KEPT:
            _kept.pop(next(iter(_kept)), None)
        rules = _kept[recipe] = Rules(_data(item_set))
    return rules


def validator_name(item_set: ItemSet) -> str:
    return f"validate_{item_set.track.slug}.py"


def validator(item_set: ItemSet) -> Blob:
    """The stand-alone validator of these items, built the first time anybody asks."""

    def build() -> bytes:
        rules = rules_for(item_set)
        return build_validator(rules.kind, rules.data, validator_name(item_set))

    return _built(sha256(f"validator {recipe_of(item_set)}".encode()).hexdigest(), build)


def archive(item_sets: Sequence[ItemSet]) -> Blob | None:
    """One file with the validators of all these items; None when there are none."""
    named = archive_names(item_sets)
    if not named:
        return None
    recipes = {name: recipe_of(item_set) for name, item_set in named.items()}

    def build() -> bytes:
        rules = {name: rules_for(item_set) for name, item_set in named.items()}
        return build_archive({name: (one.kind, one.data) for name, one in rules.items()})

    return _built(sha256(json.dumps(recipes, sort_keys=True).encode()).hexdigest(), build)


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


def _built(recipe: str, build: Callable[[], bytes]) -> Blob:
    found = BuiltFile.objects.filter(pk=recipe).select_related("blob").defer("blob__packed").first()
    if found is not None:
        return found.blob
    blob = blobs.store(build())
    # Two requests may build at once; their bytes are the same.
    BuiltFile.objects.bulk_create([BuiltFile(recipe=recipe, blob=blob)], ignore_conflicts=True)
    return blob


@lru_cache(maxsize=8)
def sample_lines(rules: Rules) -> dict[str, str]:
    """Item id → its line in the sample run: what a valid line looks like."""
    lines = rules.data["sample"].splitlines()
    return {json.loads(line)[rules.kind.id_field]: line for line in lines}
