"""The signature beside every score: all that decides the number, in one line (idea: sacreBLEU)."""

from __future__ import annotations

import sys
import unicodedata
from collections.abc import Mapping
from typing import Any

import scoring
from scoring.tracks.base import Kind


def signature(
    kind: Kind,
    score_key: str,
    options: Mapping[str, Any],
    *,
    gold_version: str,
    n_scored: int,
    interval: str = "",
) -> str:
    """For example `short_answer.1|m:rouge1_f1|text:multi.1|agg:item-mean|gold:v2|n:256`.

    `gold_version` is a version name, never a digest of gold. `interval` is what the statistics room gives,
    `ci:cluster32x10000|seed:13`.
    """
    parts = [f"{kind.name}.{kind.version}", f"m:{score_key}"]
    profile = kind.text_profile(options)
    if profile:
        parts.append(f"text:{profile}")
    parts.append(f"agg:{kind.aggregate}")
    for option in kind.options:
        value = options[option.name]
        if option.signed and value != profile:
            parts.append(f"{option.name}:{_shown(value)}")
    parts += [f"gold:{gold_version}", f"n:{n_scored}"]
    if interval:
        parts.append(interval)
    return "|".join(parts)


def _shown(value: Any) -> str:
    return ",".join(map(str, value)) if isinstance(value, (list, tuple)) else str(value)


def environment() -> dict[str, str]:
    """What may differ between machines without being part of the definition."""
    return {
        "unicode": unicodedata.unidata_version,
        "python": sys.version.split()[0],
        "scoring": scoring.__version__,
    }
