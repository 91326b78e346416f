"""The organizers' commands of `python -m scoring`: overlap, screen, cover, sample, describe, agreement."""

from __future__ import annotations

import argparse
import json
from collections.abc import Hashable, Mapping, Sequence
from pathlib import Path
from typing import Any

from scoring import corpus
from scoring.agreement import Agreement, agreement, membership
from scoring.checks import check_items, check_run
from scoring.commands import Command, Refused, write_lines
from scoring.problems import Faults, Problems
from scoring.readers import Reader
from scoring.records import ORGANIZER_LIMITS, Invalid, Items
from scoring.tracks import UnknownKind, get_kind
from scoring.tracks.base import Kind


def _arrange_overlap(parser: argparse.ArgumentParser) -> None:
    _add_records(parser)
    parser.add_argument("--released", required=True, nargs="+", metavar="FILE")


def _arrange_cover(parser: argparse.ArgumentParser) -> None:
    _add_records(parser)
    parser.add_argument("--k", type=int, default=corpus.SEEDS_PER_COMPANY, help="positives kept per company")


def _arrange_sample(parser: argparse.ArgumentParser) -> None:
    _add_records(parser)
    parser.add_argument("-n", type=int, required=True, help="how many records")
    parser.add_argument("--by", default="", metavar="FIELDS", help="fields to stratify by, with commas")
    parser.add_argument("--distinct", default="", metavar="FIELD", help="at most one record per value")
    parser.add_argument("--seed", type=int, default=0)


def _arrange_describe(parser: argparse.ArgumentParser) -> None:
    _add_records(parser, written=False)
    parser.add_argument("--gold", metavar="GOLD", help="where the entities stand, joined by id")
    parser.add_argument("--by", default="", metavar="FIELD", help="one row per value of this field")


def _arrange_agreement(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("kind", metavar="KIND", help="a track kind; see: python -m scoring kinds")
    parser.add_argument("annotators", nargs="+", metavar="FILE", help="a file in a run's form each")
    parser.add_argument("--items", required=True, metavar="ITEMS")
    parser.add_argument("--json", action="store_true", help="print one JSON object and nothing else")


def _add_records(parser: argparse.ArgumentParser, *, written: bool = True) -> None:
    parser.add_argument("records", metavar="RECORDS", help="JSON Lines")
    if written:
        parser.add_argument("-o", dest="out", required=True, metavar="OUT", help="where to write")
    parser.add_argument("--json", action="store_true", help="print the report as JSON")


def _overlap(asked: argparse.Namespace) -> int:
    released = [record for path in asked.released for record in read(path)]
    found = corpus.hold_out(read(asked.records), released)
    write_lines(asked.out, found.kept, inputs=[asked.records, *asked.released])
    return _report(found.report, asked.json)


def _screen(asked: argparse.Namespace) -> int:
    found = corpus.screen(read(asked.records))
    write_lines(asked.out, found.kept, inputs=[asked.records])
    return _report(found.report, asked.json)


def _cover(asked: argparse.Namespace) -> int:
    if asked.k < 0:
        raise Refused("--k is the number of positives kept per company: 0 or more.")
    found = corpus.cover(read(asked.records), asked.k)
    write_lines(asked.out, found.final, inputs=[asked.records])
    return _report(found.report, asked.json)


def _sample(asked: argparse.Namespace) -> int:
    if asked.n < 0:
        raise Refused("-n is a number of records: 0 or more.")
    records = read(asked.records)
    by = [field.strip() for field in asked.by.split(",") if field.strip()]
    chosen = corpus.sample(records, asked.n, by=by, distinct=asked.distinct, seed=asked.seed)
    write_lines(asked.out, chosen, inputs=[asked.records])
    return _report([{"records": len(records), "asked": asked.n, "sampled": len(chosen)}], asked.json)


def _describe(asked: argparse.Namespace) -> int:
    gold = {record.get("id"): record for record in read(asked.gold)} if asked.gold else {}
    records = [{**record, **gold.get(record.get("id"), {})} for record in read(asked.records)]
    return _report(corpus.describe(records, asked.by), asked.json)


def _agreement(asked: argparse.Namespace) -> int:
    try:
        kind = get_kind(asked.kind)
    except UnknownKind as fault:
        raise Refused(str(fault.args[0])) from fault
    if len(asked.annotators) < 2:
        raise Refused("Agreement needs the files of two annotators or more.")
    items = check_items(kind, _bytes(asked.items), file=Path(asked.items).name)
    if items.items is None:
        raise Refused(f"{asked.items} is not fit to be items: {items.problems.errors} problems.")
    names = [Path(path).stem for path in asked.annotators]
    if len(set(names)) < len(names):
        names = asked.annotators
    files = {name: _labels(kind, items.items, path) for name, path in zip(names, asked.annotators)}
    found = agreement(as_units(files))
    if asked.json:
        print(json.dumps(_plain(found), indent=1))
    else:
        print(f"units with two labels or more: {found.units}")
        print(f"Krippendorff's alpha (nominal): {_number(found.alpha)}")
        print("\n".join(corpus.as_rows(_plain(found)["pairs"])))
    return 0


def as_units(files: Mapping[str, Mapping[str, Any]]) -> Mapping[str, Mapping[Hashable, Any]]:
    """Annotations as labels of units: of the item, of a place in it, or of membership in its set."""
    if any(isinstance(value, frozenset) for labels in files.values() for value in labels.values()):
        return membership(files)  # type: ignore[arg-type]
    units: dict[str, dict[Hashable, Any]] = {}
    for name, labels in files.items():
        own = units.setdefault(name, {})
        for item_id, value in labels.items():
            if isinstance(value, dict):
                own.update({(item_id, place): label for place, label in value.items()})
            else:
                own[item_id] = value
    return units


def _labels(kind: Kind, items: Items, path: str) -> dict[str, Any]:
    """Item → what this annotator says of it; items without a line have no label."""
    content = _bytes(path)
    given = {record.get(kind.id_field) for record in read(path)}
    part = Items({key: item for key, item in items.records.items() if key in given}, items.digest)
    checked = check_run(kind, part, content, limits=ORGANIZER_LIMITS)
    if checked.run is None:
        first = checked.problems.in_order()[0]
        raise Refused(f"{path}: {checked.problems.errors} problems; the first: {first.message}")
    answered = {key: one for key, one in checked.run.answers.items() if not isinstance(one, Invalid)}
    labels = {key: kind.annotation_of(one) for key, one in answered.items()}
    if any(label is None for label in labels.values()):
        raise Refused(f"The answers of {kind.name} are free text, which has no labels to agree on.")
    return labels


def _plain(found: Agreement) -> dict[str, Any]:
    return {
        "units": found.units,
        "alpha": found.alpha,
        "pairs": [
            {
                "pair": f"{one.first} - {one.second}",
                "n": one.n,
                "raw": one.raw,
                "kappa": one.kappa,
                "macro_f1": one.macro_f1,
            }
            for one in found.pairs
        ],
    }


def _number(value: float | None) -> str:
    return "-" if value is None else f"{value:.4f}"


def read(path: str) -> list[dict[str, Any]]:
    """The objects of a JSON Lines file. Raises `Refused` with the first problem."""
    problems = Problems()
    records = [
        line.record for line in Reader(_bytes(path), Faults(problems, Path(path).name), ORGANIZER_LIMITS)
    ]
    if problems.errors:
        first = problems.in_order()[0]
        raise Refused(f"{path}, line {first.line or '-'}: {first.message}")
    return records


def _bytes(path: str) -> bytes:
    try:
        return Path(path).read_bytes()
    except OSError as fault:
        raise Refused(f"{path}: cannot be read ({fault.strerror}).") from fault


def _report(rows: Sequence[Mapping[str, Any]], as_json: bool) -> int:
    print(json.dumps(list(rows), indent=1) if as_json else "\n".join(corpus.as_rows(rows)))
    return 0


COMMANDS = {
    "overlap": Command("drop candidates that a public release already holds", _arrange_overlap, _overlap),
    "screen": Command("positives and negatives (FinTagging, algorithm 1)", _add_records, _screen),
    "cover": Command("a minimal cover of all concepts (FinTagging, algorithm 2)", _arrange_cover, _cover),
    "sample": Command("a seeded sample, stratified by fields", _arrange_sample, _sample),
    "describe": Command("the papers' dataset statistics", _arrange_describe, _describe),
    "agreement": Command("how far annotators agree; labels may be missing", _arrange_agreement, _agreement),
}
