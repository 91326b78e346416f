"""Whether this process should be sent requests."""

from __future__ import annotations

import secrets
from collections.abc import Iterator
from datetime import UTC, datetime

from django.db import DatabaseError, connection, transaction
from django.db.migrations.loader import MigrationLoader

from competition.models import WorkerBeat

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def unready() -> Iterator[str]:
    """Why this process should get no requests yet; nothing when it may."""
    loader = MigrationLoader(connection)
    missing = set(loader.graph.nodes) - set(loader.applied_migrations)
    if missing:
        yield f"{len(missing)} migrations are not applied"
    try:
        with transaction.atomic():
            WorkerBeat.objects.create(name=f"probe-{secrets.token_hex(8)}", started_at=EPOCH, seen_at=EPOCH)
            transaction.set_rollback(True)
    except DatabaseError as fault:
        yield f"the database takes no writes: {type(fault).__name__}"
