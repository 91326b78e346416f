"""What the pages of a track say, worked out from its kind's declaration and its public items."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from django.urls import reverse

from competition.domain.ranking import percent
from competition.domain.samples import item_in, items_of, sample_run, worked_example
from competition.domain.validators import Built, archive, archive_names, validator, validator_name
from competition.models import Blob, ItemSet, Track
from competition.queries.files import open_items
from competition.queries.rail import Rail
from scoring.options import options_of, read_options
from scoring.signature import signature
from scoring.tracks import get_kind
from scoring.tracks.base import Field, Kind

NOT_LATIN = frozenset({"ar", "bn", "el", "fa", "he", "hi", "ja", "ko", "ru", "th", "uk", "ur", "zh"})
LONG = 600


@dataclass(frozen=True)
class ShownField:
    name: str
    about: str
    text: str
    language: str

    @property
    def long(self) -> bool:
        return len(self.text) > LONG


@dataclass(frozen=True)
class File:
    """A line of the data table."""

    name: str
    about: str
    url: str
    item_set: ItemSet
    rows: int
    size: int
    digest: str


@dataclass(frozen=True)
class ArchiveFile:
    """The file with many validators, and the names it knows them by."""

    url: str
    size: int
    digest: str
    names: list[str]


def shown_fields(
    record: Mapping[str, Any], declared: Iterable[Field], language: str = ""
) -> list[ShownField]:
    """The declared fields this record has, as text with its language."""
    spoken = record.get("language") or language or _only(record.get("languages"))
    shown = []
    for field in declared:
        value = record.get(field.name)
        if value not in (None, "", []):
            text = _as_text(value)
            shown.append(ShownField(field.name, field.about, text, language_of(text, spoken)))
    return shown


def _as_text(value: Any) -> str:
    """A value as people read it: a list of words with commas, anything deeper as JSON."""
    if isinstance(value, str):
        return value
    if isinstance(value, list) and all(isinstance(one, str) for one in value):
        return ", ".join(value)
    return json.dumps(value, ensure_ascii=False)


def language_of(text: str, language: str) -> str:
    """The language to mark text with: an item in Chinese may ask in English."""
    return "en" if text.isascii() and language.split("-")[0] in NOT_LATIN else language


def specimen(track: Track, kind: Kind, item_set: ItemSet | None) -> dict[str, Any] | None:
    """A real public item, in the track's example language where there is one."""
    record = item_in(items_of(item_set), track.example_language) if item_set else None
    if item_set is None or record is None:
        return None
    return {
        "phase": item_set.phase,
        "language": record.get("language") or _only(record.get("languages")),
        "fields": shown_fields(record, declared(kind)),
    }


def declared(kind: Kind) -> tuple[Field, ...]:
    """An item's fields with its id in front."""
    return _with_id(kind, kind.item_fields, "the item's id")


def run_fields(kind: Kind) -> tuple[Field, ...]:
    return _with_id(kind, kind.run_fields, "the id of the item that is answered")


def worked(track: Track, kind: Kind) -> dict[str, Any] | None:
    """The kind's worked example for the page: what is asked, expected and answered, and what that scores."""
    example = worked_example(kind)
    if example is None:
        return None
    spoken = _only(example["item"].get("languages"))
    rows = [_row(field.name, field) for field in _without_id(kind, example["item"], kind.item_fields)]
    for label, part, fields in (
        ("The reference, which teams do not see", "gold", kind.gold_fields),
        ("The answer of a system", "run", kind.run_fields),
    ):
        rows += [_row(label, field, told=True) for field in _without_id(kind, example[part], fields, spoken)]
    scores = [
        {"title": score.title, "shown": percent(example["scores"][score.key])}
        for score in kind.scores_for(options_for(track, kind))
        if score.key in example["scores"]
    ]
    line = json.dumps(example["run"], ensure_ascii=False)
    return {"rows": rows, "scores": scores, "line": line}


def _row(label: str, field: ShownField, told: bool = False) -> dict[str, Any]:
    return {"label": label, "text": field.text, "language": field.language, "told": told}


def _without_id(
    kind: Kind, record: Mapping[str, Any], fields: Iterable[Field], language: str = ""
) -> list[ShownField]:
    return shown_fields(record, (field for field in fields if field.name != kind.id_field), language)


def options_for(track: Track, kind: Kind) -> dict[str, Any]:
    return read_options(kind, track.options)


def settings_of(track: Track, kind: Kind) -> list[dict[str, Any]]:
    """The options of a track as its evaluation page lists them."""
    values = options_for(track, kind)
    shown = []
    for option in options_of(kind):
        value = values[option.name]
        if value not in ("", ()):
            text = ", ".join(map(str, value)) if isinstance(value, (tuple, list)) else str(value)
            shown.append({"name": option.name, "value": text, "about": option.about})
    return shown


def example_signature(track: Track, kind: Kind) -> str:
    options = options_for(track, kind)
    return signature(kind, kind.primary_for(options).key, options, gold_version="v1", n_scored=256)


def interval_rule(kind: Kind) -> str:
    """How sure a score is, in a sentence."""
    drawn = kind.resampling
    if drawn.unit == "none":
        return f"No intervals are given: {drawn.reason}"
    unit = "items" if drawn.unit == "item" else f"groups of items with the same {' and '.join(drawn.fields)}"
    within = f" within each {drawn.within}" if drawn.within else ""
    return (
        f"A frozen board gives each score a 95 % interval and each team the range of ranks it may hold, from "
        f"{drawn.resamples:,} resamples of {unit}{within}. Teams that cannot be told apart share a bracket. "
        "For brackets every pair is compared and the number of pairs corrected for (Holm), so "
        "they may join teams whose ranges of ranks do not meet."
    )


def files_of(item_set: ItemSet) -> list[File]:
    """What a phase gives away: items, a sample run and the validator, with address, size and digest."""
    track, phase, n_items = item_set.track, item_set.phase, item_set.n_items
    where = [track.task.slug, track.slug, phase.slug]
    stem = f"{track.slug}-{phase.slug}"

    def file(name: str, about: str, route: str, rows: int, content: Blob | Built) -> File:
        more = [name] if route == "validator_file" else []
        url = reverse(route, args=[*where, *more])
        return File(name, about, url, item_set, rows, content.size, content.digest)

    files = [file(f"{stem}-items.jsonl", "what to answer", "items_file", n_items, item_set.blob)]
    sample = sample_run(item_set)
    if sample:
        rows = sample.count(b"\n")
        files.append(file(f"{stem}-sample.jsonl", "a valid run", "sample_file", rows, Built.of(sample)))
    about = "says at home what the site would say"
    files.append(file(validator_name(item_set), about, "validator_file", n_items, validator(item_set)))
    return files


def archive_of(rail: Rail) -> ArchiveFile | None:
    """The validators of all tracks with something open, where there is anything open."""
    found = open_items(rail.task, rail.moment)
    built = archive(found)
    if built is None:
        return None
    return ArchiveFile(
        reverse("archive_file", args=[rail.task.slug]), built.size, built.digest, list(archive_names(found))
    )


def kind_of(track: Track) -> Kind:
    return get_kind(track.kind)


def example_lines(kind: Kind) -> str:
    """The first lines of the kind's example run."""
    return "\n".join(
        json.dumps(record, ensure_ascii=False) for record in list(kind.example.get("run", []))[:3]
    )


def _with_id(kind: Kind, fields: tuple[Field, ...], about: str) -> tuple[Field, ...]:
    if any(field.name == kind.id_field for field in fields):
        return fields
    return (Field(kind.id_field, "string", about), *fields)


def _only(languages: Any) -> str:
    """The language of an item that has just one, beside the English its questions are in."""
    if not isinstance(languages, list) or not languages:
        return ""
    others = [language for language in languages if language != "en"] or languages
    return str(others[0]) if len(others) == 1 else ""
