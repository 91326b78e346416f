"""From SQLite to PostgreSQL: the rows of one, as they are, into the other."""

from __future__ import annotations

from django.db import connections, transaction
from django.db.backends.base.base import BaseDatabaseWrapper
from environ import Env

from competition.operations import archive, rows

ALIAS = "target"


class NotPostgres(Exception):
    """The address is not one of a PostgreSQL database."""


def connect(address: str) -> BaseDatabaseWrapper:
    """A second connection, to the database at this address."""
    try:
        told = Env.db_url_config(address)
    except (KeyError, ValueError) as fault:
        raise NotPostgres(
            "The address cannot be read. It looks like postgres://user:password@host/name."
        ) from fault
    if not told.get("ENGINE", "").endswith("postgresql"):
        raise NotPostgres("The address is not one of PostgreSQL: it begins with postgres://.")
    connections.databases[ALIAS] = {**connections.databases["default"], "OPTIONS": {}, **told}
    return connections[ALIAS]


def move(source: BaseDatabaseWrapper, target: BaseDatabaseWrapper) -> archive.Tally:
    """Copy every row, all or nothing, holding the source's write lock so that nothing comes in between."""
    if not rows.is_empty(target):
        raise archive.BackupRefused("The PostgreSQL database holds rows. Move into an empty one.")
    with transaction.atomic(using=source.alias), transaction.atomic(using=target.alias):
        return archive.fill(target, lambda model: rows.lines_of(model, source))
