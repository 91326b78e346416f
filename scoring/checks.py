"""Checking the three files of a track: items, gold and a run. One place for every rule about ids and fields.

The upload form, the site's interface, the command line and the stand-alone validator all call `check_run`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, BinaryIO, NamedTuple, Union

from scoring.ids import Ids
from scoring.problems import INVISIBLE, Faults, Problems, json_type, shown, visible
from scoring.readers import Reader
from scoring.records import INVALID_REASONS, ORGANIZER_LIMITS, Gold, Invalid, Items, Limits, Run
from scoring.tracks.base import Field, Kind, Record

Source = Union[bytes, BinaryIO]

JSON_TYPES = {"string": str, "integer": int, "boolean": bool, "list": list, "object": dict, "any": object}
SPOKEN = {
    "string": "a string",
    "integer": "a whole number",
    "boolean": "true or false",
    "list": "a list",
    "object": "an object",
}


class CheckedRun(NamedTuple):
    """`run` is None when any error was found; `problems` then say which."""

    run: Run | None
    problems: Problems
    lines: int
    digest: str

    @classmethod
    def clean(cls) -> CheckedRun:
        return cls(None, Problems(), 0, "")


class CheckedItems(NamedTuple):
    items: Items | None
    problems: Problems
    lines: int


class CheckedGold(NamedTuple):
    gold: Gold | None
    problems: Problems
    lines: int


class Shape:
    """The declared fields of one record, ready to be compared with many.

    In a run an unknown field is a warning; in items and gold it is kept, and null stands for an absent
    optional field.
    """

    def __init__(
        self, fields: Sequence[Field], id_field: str, *, in_run: bool, also: tuple[str, ...] = ()
    ) -> None:
        self.fields = [
            (field.name, JSON_TYPES[field.type], field) for field in fields if field.name != id_field
        ]
        self.known = {id_field, *also, *(field.name for field in fields)}
        self.in_run = in_run
        self.only = self.fields[0][:2] if len(self.fields) == 1 else ("", None)
        """The field and type of a record with one field beside the id, for a quick look."""

    def fits(self, record: Record, faults: Faults) -> bool:
        """Whether every declared field is there with its JSON type; reports E301, E302 and W501."""
        good = True
        present = 1
        for name, wanted, field in self.fields:
            value = record.get(name)
            if type(value) is wanted:
                present += 1
            elif name not in record:
                if field.required:
                    _missing_field(field, record, self.known, faults)
                    good = False
            else:
                present += 1
                if wanted is object or (value is None and not field.required and not self.in_run):
                    continue
                _wrong_type(field, value, faults)
                good = False
        if len(record) > present and self.in_run:
            for name in record:
                if name not in self.known:
                    _unknown_field(name, self.known, faults)
        return good


def check_run(
    kind: Kind,
    items: Items,
    source: Source,
    *,
    limits: Limits = Limits(),
    options: Mapping[str, Any] | None = None,
) -> CheckedRun:
    """Read a run and compare it with the items: every problem at once, in line order.

    `source` is the file's bytes or a binary stream. A run is whole or refused: exactly one line per item.
    `options` comes from `read_options`; only a taxonomy matters here.
    """
    problems = Problems()
    faults = Faults(problems)
    reader = Reader(source, faults, limits, kind.id_field)
    ids = Ids(items.records, kind.id_field, faults)
    also = ("invalid",) if kind.takes_invalid else ()
    shape = Shape(kind.run_fields, kind.id_field, in_run=True, also=also)
    fits, records, id_field, (only, wanted) = shape.fits, items.records, kind.id_field, shape.only
    read_answer = kind.answer_reader(items, options or {})
    answers: dict[str, Any] = {}
    lines = ids.lines

    def read(record: Record, item_id: str | None) -> Any:
        if "invalid" in record:
            return _read_invalid(kind, record, faults)
        if fits(record, faults) and item_id is not None:
            return read_answer(record, records[item_id], limits, faults)
        return None

    for number, record in reader:
        item_id: Any = record.get(id_field)
        item = records.get(item_id) if type(item_id) is str else None
        if item is None or lines.setdefault(item_id, number) != number:
            read(record, ids.explain(number, record))  # the rest of a line with a faulty id is checked too
            continue
        faults.item_id = item_id
        if len(record) == 2 and type(record.get(only)) is wanted:  # what nearly every line is
            answers[item_id] = read_answer(record, item, limits, faults)
        else:
            answers[item_id] = read(record, item_id)
    if not reader.unreadable:
        ids.finish(reader.salvaged)
    run = None if problems.errors else Run(answers, reader.digest, reader.lines)
    return CheckedRun(run, problems, reader.lines, reader.digest)


def check_items(kind: Kind, source: Source, *, file: str = "items.jsonl") -> CheckedItems:
    """Read an organizer's items. `file` names them in every problem."""
    problems = Problems()
    faults = Faults(problems, file)
    reader = Reader(source, faults, ORGANIZER_LIMITS, kind.id_field)
    # A reference is never proposed as a misspelt field of an item: renamed, it would be public.
    references = tuple(field.name for field in kind.gold_fields)
    shape = Shape(kind.item_fields, kind.id_field, in_run=False, also=references)
    records: dict[str, Record] = {}
    lines: dict[str, int] = {}
    for number, record in reader:
        item_id = _organizers_id(kind, number, record, lines, faults)
        if item_id is None or not shape.fits(record, faults):
            continue
        item = kind.read_item(record, faults)
        if item is not None:
            records[item_id] = item
    items = None if problems.errors else Items(records, reader.digest)
    return CheckedItems(items, problems, reader.lines)


def check_gold(kind: Kind, items: Items, source: Source, *, file: str = "gold.jsonl") -> CheckedGold:
    """Read gold and compare it with the items: one reference, or an exclusion with its reason, per item."""
    problems = Problems()
    faults = Faults(problems, file)
    reader = Reader(source, faults, ORGANIZER_LIMITS, kind.id_field)
    shape = Shape(kind.gold_fields, kind.id_field, in_run=False)
    references: dict[str, Any] = {}
    excluded: dict[str, str] = {}
    lines: dict[str, int] = {}
    for number, record in reader:
        item_id = _organizers_id(kind, number, record, lines, faults)
        if item_id is None:
            continue
        if item_id not in items.records:
            faults.add(
                "E601",
                f"The id {shown(item_id)} is not among the items.",
                field=kind.id_field,
                found=shown(item_id),
                expected="an id of the items file",
                hint="Remove the line, or add the item.",
            )
        elif record.get("excluded", False) is not False:
            _read_exclusion(item_id, record, excluded, faults)
        elif shape.fits(record, faults):
            references[item_id] = kind.read_reference(record, items.records[item_id], faults)
    gold = Gold(references, reader.digest, excluded)
    _compare_gold(items, gold, lines, reader, faults)
    return CheckedGold(None if problems.errors else gold, problems, reader.lines)


def _compare_gold(items: Items, gold: Gold, lines: dict[str, int], reader: Reader, faults: Faults) -> None:
    faults.line = faults.item_id = None
    if gold.excluded:
        n = len(gold.excluded)
        excluded = "1 item is excluded" if n == 1 else f"{n} items are excluded"
        faults.add("I903", f"{excluded} from scoring.", found=str(n))
    if reader.unreadable or not lines:
        return
    if len(gold.excluded) == len(items.records):
        faults.add(
            "E602",
            "Every item is excluded, so nothing is left to score.",
            found="exclusions alone",
            expected="a reference for at least one item",
            hint="Give an item its reference.",
        )
    for item_id in items.records:
        if item_id not in lines and item_id not in reader.salvaged:
            faults.item_id = item_id
            faults.add(
                "E602",
                f"The item {shown(item_id)} has no reference.",
                found="no line",
                expected="one line per item",
                hint='Add its reference, or exclude it: {"excluded": true, "reason": "…"}.',
            )


def _organizers_id(
    kind: Kind, line: int, record: Record, lines: dict[str, int], faults: Faults
) -> str | None:
    """The id of an items or gold record, if it is fit to be one and new; reports E201 to E204 and E604."""
    faults.line, faults.item_id = line, None
    field = kind.id_field
    item_id = record.get(field)
    if field not in record:
        faults.add("E201", f'The line has no "{field}".', field=field, expected=f'"{field}" with an item id')
    elif not isinstance(item_id, str):
        faults.add(
            "E202",
            f'"{field}" must be a string, found {json_type(item_id)}.',
            field=field,
            found=shown(item_id),
            expected="a string",
        )
    elif not item_id.strip() or item_id != item_id.strip():
        faults.add(
            "E203",
            f"The id {shown(item_id)} is blank or has white space before or after it.",
            field=field,
            found=shown(item_id),
            expected="an id without outer white space",
        )
    elif INVISIBLE.search(item_id.replace(" ", "")):
        faults.add(
            "E204", f"The id {shown(item_id)} has invisible characters.", field=field, found=shown(item_id)
        )
    elif item_id in lines:
        faults.item_id = item_id
        faults.add(
            "E604",
            f"The id {shown(item_id)} stands on line {lines[item_id]} already.",
            field=field,
            found=shown(item_id),
            expected="each id once",
        )
    else:
        faults.item_id = item_id
        lines[item_id] = line
        return item_id
    return None


def _read_exclusion(item_id: str, record: Record, excluded: dict[str, str], faults: Faults) -> None:
    reason = record.get("reason")
    if record["excluded"] is not True or not isinstance(reason, str) or not reason.strip():
        faults.add(
            "E603",
            "An excluded item needs a reason, which teams will read.",
            field="excluded",
            found=f"excluded: {shown(record['excluded'])}, reason: {shown(reason)}",
            expected='"excluded": true and "reason": "…"',
        )
        return
    excluded[item_id] = reason


def _read_invalid(kind: Kind, record: Record, faults: Faults) -> Invalid | None:
    """An item the team reports as not answered (MultiFinGround, strict protocol)."""
    reason = record["invalid"]
    allowed = ", ".join(INVALID_REASONS)
    if not kind.takes_invalid:
        faults.add(
            "E412",
            f'A {kind.name} run cannot mark an item as "invalid".',
            field="invalid",
            found=shown(reason),
            expected=", ".join(f'"{field.name}"' for field in kind.run_fields),
            hint="Answer every item.",
        )
    elif reason not in INVALID_REASONS:
        faults.add(
            "E411",
            f'"invalid" gives the reason, one of: {allowed}.',
            field="invalid",
            found=shown(reason),
            expected=allowed,
        )
    elif any(field.name in record for field in kind.run_fields):
        faults.add(
            "E306",
            'The line has both an answer and "invalid".',
            field="invalid",
            found=", ".join(f'"{visible(name)}"' for name in record),
            expected='an answer or "invalid", not both',
            hint="Remove one of the two.",
        )
    else:
        return Invalid(reason)
    return None


def _missing_field(field: Field, record: Record, known: Iterable[str], faults: Faults) -> None:
    names = [name for name in record if name not in known]
    others = ", ".join(f'"{visible(name)}"' for name in names[:5])
    faults.add(
        "E301",
        f'The field "{field.name}" is missing.',
        field=field.name,
        found=f"other fields: {others}" if others else "no such field",
        expected=f'"{field.name}": {SPOKEN.get(field.type, "a value")}',
        hint=f'Is "{visible(names[0])}" meant to be "{field.name}"? Rename it.'
        if names
        else f"Add it: {field.about}",
    )


def _wrong_type(field: Field, value: Any, faults: Faults) -> None:
    wanted, found = SPOKEN[field.type], json_type(value)
    number = type(value) in (int, float)
    faults.add(
        "E302",
        f'The field "{field.name}" must be {wanted}, found {found}'
        + (f" ({shown(value)})." if number else "."),
        field=field.name,
        found=shown(value),
        expected=wanted,
        hint=f'Write it in double quotes: "{shown(value)}".' if number and field.type == "string" else None,
    )


def _unknown_field(name: str, known: Iterable[str], faults: Faults) -> None:
    faults.add(
        "W501",
        f'The field "{visible(name)}" is not used.',
        field=visible(name),
        found=f'"{visible(name)}"',
        expected=", ".join(f'"{one}"' for one in sorted(known)),
        hint="It is ignored; check that its name is not a slip.",
    )
