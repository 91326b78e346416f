"""What the web process's own PostgreSQL role may do: all that pages and the desk need, and no look at gold.

The role that owns the tables keeps everything: migrations, workers, sweepers and `verify` connect as it.
"""

from __future__ import annotations

from django.apps import apps
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.migrations.recorder import MigrationRecorder

from competition.triggers import frozen_models

SEEN_OF_GOLD = ("digest", "size", "created_at")
"""What web code may see of stored gold: not the references, and not the salt that would confirm a guess."""


def statements(connection: BaseDatabaseWrapper, role: str) -> list[str]:
    """GRANTs and REVOKEs that leave `role` with exactly this, whatever it had before."""
    quote = connection.ops.quote_name
    to = quote(role)
    gold = apps.get_model("competition", "GoldBlob")._meta.db_table
    seen = ", ".join(quote(name) for name in SEEN_OF_GOLD)
    written_once = {model._meta.db_table for model in frozen_models()}
    looked_at = {MigrationRecorder.Migration._meta.db_table}
    every_column = ", ".join(quote(name) for name in _columns(connection, gold))
    lines = [
        f"REVOKE ALL ON ALL TABLES IN SCHEMA public FROM {to}",
        f"REVOKE ALL ({every_column}) ON {quote(gold)} FROM {to}",
        f"GRANT USAGE ON SCHEMA public TO {to}",
        f"GRANT USAGE, SELECT ON ALL SEQUENCES IN SCHEMA public TO {to}",
    ]
    for table in sorted(connection.introspection.table_names()):
        if table == gold:
            lines.append(f"GRANT INSERT, SELECT ({seen}) ON {quote(table)} TO {to}")
        elif table in looked_at:
            lines.append(f"GRANT SELECT ON {quote(table)} TO {to}")
        elif table in written_once:
            lines.append(f"GRANT SELECT, INSERT ON {quote(table)} TO {to}")
        else:
            lines.append(f"GRANT SELECT, INSERT, UPDATE, DELETE ON {quote(table)} TO {to}")
    return lines


def _columns(connection: BaseDatabaseWrapper, table: str) -> list[str]:
    with connection.cursor() as cursor:
        described = connection.introspection.get_table_description(cursor, table)
    return [column.name for column in described]
