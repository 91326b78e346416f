"""The one clock: the database's. Web and worker machines may disagree; their database does not.

Read it once per decision and pass the moment on. Tests move time by setting `override`.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime

from django.db import connection

override: Callable[[], datetime] | None = None
"""The seam for tests: when set, `now()` returns what it returns."""


def now() -> datetime:
    """One reading of the database clock, in UTC: microseconds on PostgreSQL, milliseconds on SQLite."""
    return override() if override is not None else _read()


def _read() -> datetime:
    with connection.cursor() as cursor:
        if connection.vendor == "postgresql":
            cursor.execute("SELECT clock_timestamp()")
            return cursor.fetchone()[0].astimezone(UTC)
        cursor.execute("SELECT strftime('%Y-%m-%dT%H:%M:%f', 'now')")
        return datetime.fromisoformat(cursor.fetchone()[0]).replace(tzinfo=UTC)
