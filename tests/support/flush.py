"""The tests' one way around the triggers that keep frozen rows frozen.

Tests with real transactions end by emptying every table, which the triggers rightly refuse.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from django.core.cache import cache
from django.db import connection
from django.test import TransactionTestCase

from competition import triggers


@contextmanager
def triggers_asleep() -> Iterator[None]:
    """Inside, this connection may empty the guarded tables."""
    if connection.vendor == "sqlite":
        with triggers.suspended(connection):
            yield
        return
    with connection.cursor() as cursor:
        cursor.execute("SET session_replication_role = replica")
    try:
        yield
    finally:
        with connection.cursor() as cursor:
            cursor.execute("RESET session_replication_role")


def let_tests_empty_tables() -> None:
    """Put the way around under the clean-up that Django does after each test with real transactions."""
    empty_tables = TransactionTestCase._fixture_teardown

    def with_triggers_asleep(case: TransactionTestCase) -> None:
        with triggers_asleep():
            empty_tables(case)
        cache.clear()  # its table is no model's, so the flush passes it by

    TransactionTestCase._fixture_teardown = with_triggers_asleep
