"""The one division every rate is made with."""

from __future__ import annotations


def ratio(part: float, whole: float) -> float:
    """part / whole; 0 of nothing."""
    return part / whole if whole else 0.0
