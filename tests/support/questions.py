"""What a piece of code asks of the database, without what depends on the minute it runs in."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from django.db import connection
from django.test.utils import CaptureQueriesContext

UNCOUNTED = ("SAVEPOINT", "RELEASE SAVEPOINT", "ROLLBACK", "BEGIN", "COMMIT")


@contextmanager
def questions() -> Iterator[list[str]]:
    """Fills with the SQL that was asked, once the block is left.

    Transactions are no question. Nor is the shared cache, which Redis keeps where there is one: in a table,
    it takes five statements more for the first call of a minute than for the next.
    """
    asked: list[str] = []
    with CaptureQueriesContext(connection) as caught:
        yield asked
    asked += [
        query["sql"]
        for query in caught.captured_queries
        if not query["sql"].startswith(UNCOUNTED) and "shared_cache" not in query["sql"]
    ]
