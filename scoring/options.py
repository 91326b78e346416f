"""Settings of a track: what a kind lets an organizer choose, read from text and filled with defaults."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from scoring.tracks.base import Kind, Option


class BadOption(ValueError):
    """An option the kind does not have, or a value it does not take. The message is for people."""


def _field_names(text: str) -> tuple[str, ...]:
    return tuple(name.strip() for name in text.split(",") if name.strip())


SLICES = Option(
    "slices", "", "further item fields to break scores down by, separated by commas", read=_field_names
)
"""Every kind takes this one."""


def options_of(kind: Kind) -> tuple[Option, ...]:
    return (*kind.options, SLICES)


def read_options(kind: Kind, given: Mapping[str, str]) -> dict[str, Any]:
    """Every option of the kind with its value, `given` first and defaults else. Raises `BadOption`."""
    known = {option.name: option for option in options_of(kind)}
    for name in given:
        if name not in known:
            raise BadOption(f'The kind {kind.name} has no option "{name}". It takes: {", ".join(known)}.')
    return {name: _read(option, given.get(name, option.default)) for name, option in known.items()}


def _read(option: Option, text: str) -> Any:
    if option.choices and text not in option.choices:
        raise BadOption(f'{option.name} is one of {", ".join(option.choices)}, not "{text}".')
    try:
        return option.read(text)
    except ValueError as fault:
        raise BadOption(f'{option.name} cannot be "{text}": {fault}') from fault
