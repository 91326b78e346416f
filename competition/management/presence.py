"""What long-running commands share: signs of life, and getting over a database that restarts."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import datetime
from types import TracebackType

from django.db import DatabaseError, InterfaceError, OperationalError, close_old_connections, connection

from competition import clock
from competition.models import WorkerBeat

log = logging.getLogger(__name__)

BEAT_SECONDS = 5.0
GONE = (OperationalError, InterfaceError)


class Presence:
    """Tells the status page that this process lives; `with` takes the sign away at the end."""

    def __init__(self, name: str, role: str) -> None:
        self.name, self.role = name, role
        self._started_at: datetime | None = None  # by the site's clock, so not before the database answers
        self._next = 0.0

    def beat(self, current: str = "", *, moment: datetime | None = None) -> None:
        """Say that this process lives, and what it is at: one statement, whether it is known or not."""
        self._next = time.monotonic() + BEAT_SECONDS
        seen_at = moment or clock.now()
        self._started_at = self._started_at or seen_at
        sign = WorkerBeat(
            name=self.name,
            role=self.role,
            started_at=self._started_at,
            seen_at=seen_at,
            current=current[:120],
        )
        told = ["role", "started_at", "seen_at", "current"]
        WorkerBeat.objects.bulk_create(
            [sign], update_conflicts=True, unique_fields=["name"], update_fields=told
        )

    def beat_when_due(self) -> None:
        if time.monotonic() >= self._next:
            self.beat()

    def __enter__(self) -> Presence:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        with suppress(DatabaseError, InterfaceError):
            WorkerBeat.objects.filter(name=self.name).delete()


@contextmanager
def surviving(leave: threading.Event) -> Iterator[None]:
    """Get over a database that restarts or is busy: what was claimed runs out and is queued again."""
    try:
        yield
    except GONE as error:
        log.warning("The database does not answer: %s", type(error).__name__)
        if not connection.in_atomic_block:
            connection.close()
        close_old_connections()
        leave.wait(1.0)
