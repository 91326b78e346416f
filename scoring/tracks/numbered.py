"""Reading numbered things (facts, selected numbers, excerpts) and values of closed lists."""

from __future__ import annotations

from collections.abc import Container, Iterator, Sequence
from typing import Any

from scoring.problems import Faults, json_type, shown
from scoring.tracks.base import Record


def list_of_objects(value: list[Any], field: str, faults: Faults) -> Iterator[Record]:
    """The objects of a list; anything else in it is E302, and a wrapped list E304."""
    for place, entry in enumerate(value, start=1):
        if isinstance(entry, dict):
            yield entry
            continue
        faults.add(
            "E302",
            f'Entry {place} of "{field}" must be an object, found {json_type(entry)}.',
            field=field,
            found=shown(entry),
            expected="an object",
        )


def read_number(
    value: Any, known: Container[int], given: Container[int], field: str, faults: Faults
) -> int | None:
    """A number of the item that was not given before; reports E301, E302, E406 and E407."""
    if value is None:
        code, said = "E301", f'An entry has no "{field}".'
    elif type(value) is not int:
        code, said = "E302", f'"{field}" must be a whole number, found {json_type(value)} ({shown(value)}).'
    elif value not in known:
        code, said = "E406", f"The {field} {value} is not in this item."
    elif value in given:
        code, said = "E407", f"The {field} {value} is given twice."
    else:
        return value
    faults.add(
        code,
        said,
        field=field,
        found=shown(value),
        expected=f"a {field} of this item, once",
        hint='An output that gives one twice is sent as "invalid": "format".' if code == "E407" else None,
    )
    return None


def required_choice(
    record: Record, field: str, choices: Sequence[str], faults: Faults, *, code: str
) -> str | None:
    """A value of a closed list; `code` when the field is absent, E302 or E401 when its value is wrong."""
    value = record.get(field)
    listed = ", ".join(choices)
    if value is None:
        faults.add(code, f'"{field}" is missing.', field=field, found="nothing", expected=f"one of {listed}")
    elif not isinstance(value, str):
        faults.add(
            "E302",
            f'"{field}" must be a string, found {json_type(value)} ({shown(value)}).',
            field=field,
            found=shown(value),
            expected=f"one of {listed}",
        )
    elif value not in choices:
        folded = value.strip().casefold()
        faults.add(
            "E401",
            f'"{field}" is one of {listed}, not {shown(value)}.',
            field=field,
            found=shown(value),
            expected=f"one of {listed}",
            hint=next((f'Write "{choice}".' for choice in choices if choice.casefold() == folded), None),
        )
    else:
        return value
    return None
