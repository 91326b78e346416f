"""A PostgreSQL database of one's own beside the test's, empty, thrown away afterwards."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import psycopg
import pytest
from django.db import connection


@contextmanager
def new_postgres(suffix: str) -> Iterator[str]:
    """The address of a new database on the tests' server."""
    if connection.vendor != "postgresql":
        pytest.skip("This needs PostgreSQL: leave PODIUM_TEST_DATABASE unset.")
    name, host = f"{connection.settings_dict['NAME']}_{suffix}", connection.settings_dict["HOST"]
    with psycopg.connect(dbname="postgres", host=host, user="podium", autocommit=True) as server:
        server.execute(f"DROP DATABASE IF EXISTS {name} WITH (FORCE)")
        server.execute(f"CREATE DATABASE {name}")
        try:
            yield f"postgres://podium@/{host}/{name}"
        finally:
            server.execute(f"DROP DATABASE {name} WITH (FORCE)")
