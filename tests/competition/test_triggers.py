"""Frozen tables are written once, whoever tries and however."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from django.db import IntegrityError, connection, transaction
from django.db.models import Model

from competition import triggers
from tests.support import builders

pytestmark = [pytest.mark.django_db, pytest.mark.both]


def frozen_row(name: str) -> Model:
    board = builders.make_board()
    rows: dict[str, Any] = {
        "FrozenLeaderboard": lambda: board,
        "FrozenStanding": lambda: builders.make_standing(board),
        "Publication": lambda: builders.publish(board),
        "AuditEntry": builders.make_audit_entry,
    }
    return rows[name]()


@pytest.fixture
def stranger_connection() -> Iterator[None]:
    """SQLite as another program opens it: our own connections also fire DELETE triggers on REPLACE."""
    if connection.vendor == "sqlite":
        connection.cursor().execute("PRAGMA recursive_triggers = OFF")
    yield
    if connection.vendor == "sqlite":
        connection.cursor().execute("PRAGMA recursive_triggers = ON")


def refused(sql: str, *parameters: Any) -> None:
    with pytest.raises(IntegrityError, match=triggers.REFUSAL), transaction.atomic():
        connection.cursor().execute(sql, parameters)


@pytest.mark.parametrize("name", triggers.FROZEN)
def test_a_frozen_row_is_neither_updated_nor_deleted(name: str) -> None:
    row = frozen_row(name)
    table = row._meta.db_table
    stored = type(row).objects.values().get(pk=row.pk)
    with pytest.raises(IntegrityError, match=triggers.REFUSAL), transaction.atomic():
        row.save()
    with pytest.raises(IntegrityError, match=triggers.REFUSAL), transaction.atomic():
        type(row).objects.filter(pk=row.pk).update(id=row.pk)
    with pytest.raises(IntegrityError, match=triggers.REFUSAL), transaction.atomic():
        type(row).objects.filter(pk=row.pk).delete()
    refused(f"UPDATE {table} SET id = id")
    refused(f"DELETE FROM {table} WHERE id = %s", row.pk)
    assert type(row).objects.values().get(pk=row.pk) == stored


@pytest.mark.usefixtures("stranger_connection")
@pytest.mark.parametrize("name", triggers.FROZEN)
def test_a_frozen_row_is_not_replaced(name: str) -> None:
    row = frozen_row(name)
    columns = ", ".join(f'"{field.column}"' for field in row._meta.concrete_fields)
    copy = f"SELECT {columns} FROM {row._meta.db_table} WHERE id = %s"
    if connection.vendor == "sqlite":
        refused(f"INSERT OR REPLACE INTO {row._meta.db_table} ({columns}) {copy}", row.pk)
    else:
        upsert = f"INSERT INTO {row._meta.db_table} ({columns}) {copy} ON CONFLICT (id) DO UPDATE"
        refused(f"{upsert} SET id = EXCLUDED.id", row.pk)
    assert type(row).objects.filter(pk=row.pk).exists()


@pytest.mark.usefixtures("stranger_connection")
def test_a_row_with_the_unique_key_of_another_does_not_replace_it() -> None:
    """On SQLite a REPLACE by version or by public id would remove the old row just as well."""
    if connection.vendor != "sqlite":
        return
    board = builders.make_board()
    others = [field.column for field in board._meta.concrete_fields if field.column != "id"]
    columns = ", ".join(f'"{column}"' for column in others)
    table = board._meta.db_table
    refused(f"INSERT OR REPLACE INTO {table} ({columns}) SELECT {columns} FROM {table}")


@pytest.mark.parametrize("name", triggers.FROZEN)
def test_postgresql_does_not_truncate_a_frozen_table(name: str) -> None:
    if connection.vendor == "postgresql":
        row = frozen_row(name)
        connection.check_constraints()  # foreign keys still to be checked would stop a TRUNCATE by themselves
        refused(f"TRUNCATE {row._meta.db_table} CASCADE")


def test_the_bypass_lets_go_and_takes_hold_again() -> None:
    entry = builders.make_audit_entry()
    with triggers.suspended(connection):
        type(entry).objects.filter(pk=entry.pk).update(action="something else")
    refused(f"UPDATE {entry._meta.db_table} SET action = 'a third thing'")
    entry.refresh_from_db()
    assert entry.action == "something else"


def test_a_remade_table_is_guarded_again() -> None:
    entry = builders.make_audit_entry()
    table = entry._meta.db_table
    name = f"{table}_no_update" if connection.vendor == "sqlite" else f"{table}_no_change"
    on_table = "" if connection.vendor == "sqlite" else f" ON {table}"
    connection.cursor().execute(f"DROP TRIGGER {name}{on_table}")
    triggers.install(connection)
    triggers.install(connection)
    refused(f"UPDATE {table} SET action = 'edited'")
