"""Entity spans of BIO labels, read leniently (Tjong Kim Sang and De Meulder, 2003, as CoNLL's script does).

B-X starts a span of X; I-X carries on a span of X, and starts one where there is none. O, or a label of
another class, ends it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple


class Span(NamedTuple):
    """Tokens `start` up to, but not including, `stop`, of class `name`."""

    name: str
    start: int
    stop: int


def spans_of(labels: Sequence[str]) -> list[Span]:
    """The spans of one item's labels, in order."""
    spans = []
    name, start = "", 0
    for place, label in enumerate(labels):
        mark, _, now = label.partition("-")
        if name and (mark != "I" or now != name):
            spans.append(Span(name, start, place))
            name = ""
        if not name and mark in ("B", "I"):
            name, start = now, place
    if name:
        spans.append(Span(name, start, len(labels)))
    return spans


def orphans(labels: Sequence[str]) -> list[int]:
    """Places of each I- that carries on no span of its class."""
    found = []
    before = ""
    for place, label in enumerate(labels):
        mark, _, now = label.partition("-")
        if mark == "I" and before != now:
            found.append(place)
        before = now
    return found
