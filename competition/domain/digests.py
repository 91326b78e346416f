"""How secrets that we hand out are kept: as their SHA-256. They are long and random, so that is enough."""

from __future__ import annotations

import hashlib


def token_digest(token: str) -> str:
    return hashlib.sha256(token.encode()).hexdigest()
