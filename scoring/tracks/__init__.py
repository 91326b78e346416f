"""The registry of track kinds. A new kind is one module here and one line below."""

from __future__ import annotations

from importlib import import_module

from scoring.tracks.base import Kind

_NAMES = (
    "short_answer",
    "multiple_choice",
    "classification",
    "ranked_list",
    "commitment",
    "term_extraction",
    "numeric_identification",
    "concept_linking",
    "tagging",
    "bio_tagging",
    "fact_identification",
    "concept_recognition",
    "fact_selection",
    "concept_discrimination",
)
"""A kind's name is its module's, which offers `KIND`. Modules load when first asked for."""

_LOADED: dict[str, Kind] = {}


class UnknownKind(LookupError):
    """No track kind has this name. The message lists those there are."""

    def __init__(self, name: str) -> None:
        super().__init__(f'"{name}" is not a track kind. Choose one of: {", ".join(kind_names())}.')


def kind_names() -> tuple[str, ...]:
    """Every kind's name, in the order of the documents."""
    return _NAMES + tuple(name for name in _LOADED if name not in _NAMES)


def get_kind(name: str) -> Kind:
    """The kind of this name. Raises `UnknownKind`."""
    if name not in _LOADED:
        if name not in _NAMES:
            raise UnknownKind(name)
        _LOADED[name] = import_module(f"scoring.tracks.{name}").KIND
    return _LOADED[name]


def all_kinds() -> list[Kind]:
    return [get_kind(name) for name in kind_names()]


def register(kind: Kind) -> None:
    """Add a kind that lives outside this package. Raises ValueError when the name is taken by another."""
    if kind.name in _NAMES or _LOADED.get(kind.name, kind) is not kind:
        raise ValueError(f'a track kind named "{kind.name}" exists already')
    _LOADED[kind.name] = kind
