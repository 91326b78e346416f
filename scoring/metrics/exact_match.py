"""Exact match of free text under the profile `exact.1` (rule E0): nothing is folded but NFKC and case."""

from __future__ import annotations

from scoring.text.normalize import exact


def exact_match(prediction: str, reference: str) -> bool:
    """Whether both texts are the same after NFKC, lower-casing, trimming and collapsing white space."""
    return exact(prediction) == exact(reference)
