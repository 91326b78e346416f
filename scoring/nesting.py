"""How deep brackets nest, told without recursion and without a loop over characters."""

from __future__ import annotations

from itertools import accumulate
from typing import Any

from scoring.patterns import pattern

SAFE_TO_DECODE = 200
"""So many opening brackets cannot exhaust the decoder's stack, however they nest."""

_STRINGS = pattern(r'"[^"\\]*(?:\\.[^"\\]*)*"?')
_BRACKETS = pattern(r"[\[\]{}]+")
_STEPS = {"{": 1, "[": 1, "}": -1, "]": -1}


def line_nests_deeper(line: str, depth: int) -> bool:
    """Whether brackets outside strings nest more than `depth` deep, matching or not."""
    if line.count("[") + line.count("{") <= depth:
        return False
    brackets = "".join(_BRACKETS.findall(_STRINGS.sub("", line)))
    return max(accumulate(map(_STEPS.__getitem__, brackets)), default=0) > depth


def value_nests_deeper(value: Any, depth: int) -> bool:
    """Whether objects and lists of a decoded value nest more than `depth` deep; walks level by level."""
    level = [value]
    for _ in range(depth):
        level = [
            inner
            for outer in level
            for inner in (outer.values() if outer.__class__ is dict else outer)
            if inner.__class__ is dict or inner.__class__ is list
        ]
        if not level:
            return False
    return True
