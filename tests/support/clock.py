"""Moving the site's one clock, for this process and its live server; commands run beside it keep their own.

`frozen_at(moment)` stands still inside a `with`; `move_to(moment)` stands still until the test ends.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime

from competition import clock


def move_to(moment: datetime) -> None:
    """Stand still at `moment` from here on."""
    if moment.tzinfo is None:
        raise ValueError("A moment needs a time zone.")
    clock.override = lambda: moment


@contextmanager
def frozen_at(moment: datetime) -> Iterator[None]:
    """Stand still at `moment` inside the block; `move_to` may move on within it."""
    before = clock.override
    move_to(moment)
    try:
        yield
    finally:
        clock.override = before
