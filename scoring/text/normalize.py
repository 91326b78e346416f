"""The three text profiles before any cutting into tokens (tracks.md, "Text profiles").

NFKC uses the tables of the running Python, whose Unicode version every report records as environment.
"""

from __future__ import annotations

from unicodedata import normalize


def multi(text: str) -> str:
    """The text `multi.1` cuts: NFKC, then lower case. In this order: 630 code points differ otherwise."""
    return normalize("NFKC", text).lower()


def collapsed(text: str) -> str:
    """`text` trimmed, every run of white space one space."""
    return " ".join(text.split())


def exact(text: str) -> str:
    """`exact.1`, for exact match of text: `multi` with white space trimmed and collapsed."""
    return collapsed(multi(text))
