"""Guards of the tables that are written once: no row of theirs is updated, deleted, replaced or truncated.

They are triggers, so they also stop raw SQL and whoever has the database's password but forgot why. SQLite
remakes a table that is altered, and its triggers go with it: `install` runs after every migrate.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from django.apps import apps
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.models import Model, UniqueConstraint

FROZEN = ("FrozenLeaderboard", "FrozenStanding", "Publication", "AuditEntry")
FUNCTION = "podium_refuse_change"
REFUSAL = "Rows of this table are written once."


def frozen_models() -> list[type[Model]]:
    return [apps.get_model("competition", name) for name in FROZEN]


def install(connection: BaseDatabaseWrapper) -> None:
    """Put the guards on every frozen table that exists. Those in place stay, so that no table is locked."""
    tables = connection.introspection.table_names()
    with connection.cursor() as cursor:
        if connection.vendor == "postgresql":
            cursor.execute(_POSTGRESQL_FUNCTION)
            cursor.execute("SELECT tgname FROM pg_trigger WHERE NOT tgisinternal")
        else:
            cursor.execute("SELECT name FROM sqlite_master WHERE type = 'trigger'")
        present = {name for (name,) in cursor.fetchall()}
        for model in frozen_models():
            if model._meta.db_table in tables:
                for name, statement in _guards(connection, model).items():
                    if name not in present:
                        cursor.execute(statement)


def names(connection: BaseDatabaseWrapper, model: type[Model]) -> list[str]:
    """What the guards of a frozen table are called."""
    return list(_guards(connection, model))


def awake(connection: BaseDatabaseWrapper) -> set[str]:
    """The triggers that are there and enabled."""
    with connection.cursor() as cursor:
        if connection.vendor == "postgresql":
            cursor.execute("SELECT tgname FROM pg_trigger WHERE NOT tgisinternal AND tgenabled IN ('O', 'A')")
        else:
            cursor.execute("SELECT name FROM sqlite_master WHERE type = 'trigger'")
        return {name for (name,) in cursor.fetchall()}


@contextmanager
def suspended(connection: BaseDatabaseWrapper) -> Iterator[None]:
    """The one way around the guards, for flushing a test database."""
    with connection.cursor() as cursor:
        if connection.vendor == "postgresql":
            cursor.execute("SET session_replication_role = replica")
        else:
            for model in frozen_models():
                for name in _guards(connection, model):
                    cursor.execute(f"DROP TRIGGER IF EXISTS {name}")
    try:
        yield
    finally:
        if connection.vendor == "postgresql":
            with connection.cursor() as cursor:
                cursor.execute("SET session_replication_role = DEFAULT")
        else:
            install(connection)


_POSTGRESQL_FUNCTION = f"""
CREATE OR REPLACE FUNCTION {FUNCTION}() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION '% (% on %)', '{REFUSAL}', TG_OP, TG_TABLE_NAME
        USING ERRCODE = 'integrity_constraint_violation';
END $$
"""


def _guards(connection: BaseDatabaseWrapper, model: type[Model]) -> dict[str, str]:
    """Name → statement. A guard whose statement changes needs another name."""
    prefix = model._meta.db_table
    table = connection.ops.quote_name(prefix)
    if connection.vendor == "postgresql":
        run = f"EXECUTE FUNCTION {FUNCTION}()"
        events = {
            f"{prefix}_no_change": f"BEFORE UPDATE OR DELETE ON {table} FOR EACH ROW {run}",
            f"{prefix}_no_truncate": f"BEFORE TRUNCATE ON {table} FOR EACH STATEMENT {run}",
        }
    else:
        refuse = f"BEGIN SELECT RAISE(ABORT, '{REFUSAL}'); END"
        # The names in it are those of our own tables and columns.
        stored = f"EXISTS (SELECT 1 FROM {table} WHERE {_same_key(connection, model)})"  # nosec B608
        events = {
            f"{prefix}_no_update": f"BEFORE UPDATE ON {table} {refuse}",
            f"{prefix}_no_delete": f"BEFORE DELETE ON {table} {refuse}",
            # INSERT OR REPLACE removes the old row without firing a DELETE trigger.
            f"{prefix}_no_replace": f"BEFORE INSERT ON {table} WHEN {stored} {refuse}",
        }
    return {name: f"CREATE TRIGGER {name} {event}" for name, event in events.items()}


def _same_key(connection: BaseDatabaseWrapper, model: type[Model]) -> str:
    """SQL: a stored row that the new one would replace, by any of the table's unique keys."""
    quote = connection.ops.quote_name
    keys: list[list[str | None]] = [[field.column] for field in model._meta.concrete_fields if field.unique]
    for constraint in model._meta.constraints:
        if isinstance(constraint, UniqueConstraint) and constraint.fields:
            by_name = {field.name: field.column for field in model._meta.concrete_fields}
            keys.append([by_name[name] for name in constraint.fields])
    return " OR ".join(
        "(" + " AND ".join(f"{quote(column)} = NEW.{quote(column)}" for column in key if column) + ")"
        for key in keys
    )
