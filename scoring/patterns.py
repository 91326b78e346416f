"""Patterns that are compiled when first used: most serve faulty lines, and every start would pay for all."""

from __future__ import annotations

import re
from typing import Any, AnyStr, cast


class _Waiting:
    def __init__(self, text: str | bytes) -> None:
        self._text = text

    def __getattr__(self, method: str) -> Any:
        found = getattr(re.compile(self._text), method)
        setattr(self, method, found)
        return found


def pattern(text: AnyStr) -> re.Pattern[AnyStr]:
    """Stands for `re.compile(text)`, whose methods it has."""
    return cast("re.Pattern[AnyStr]", _Waiting(text))
