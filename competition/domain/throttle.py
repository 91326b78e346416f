"""How often somebody may ask for costly work. Counted in the shared cache, and kept nowhere else."""

from __future__ import annotations

from datetime import UTC, datetime
from hashlib import sha256

from django.core.cache import cache


def wait_until(who: str, *, most: int, seconds: int, moment: datetime) -> datetime | None:
    """Count one more of `who` in this window of `seconds`; when that is beyond `most`, the window's end."""
    window = int(moment.timestamp()) // seconds
    key = f"throttle:{sha256(who.encode()).hexdigest()}:{window}"
    if cache.add(key, 1, timeout=seconds) or cache.incr(key) <= most:
        return None
    return datetime.fromtimestamp((window + 1) * seconds, UTC)
