"""How often somebody may ask for costly work. Counted in the shared cache, and kept nowhere else."""

from __future__ import annotations

import base64
import pickle  # nosec B403 - Django's own form of what it keeps in this table
from datetime import UTC, datetime
from hashlib import sha256
from typing import Any

from django.core.cache import cache
from django.core.cache.backends.db import DatabaseCache
from django.db import connections, router, transaction


def wait_until(who: str, *, most: int, seconds: int, moment: datetime) -> datetime | None:
    """Count one more of `who` in this window of `seconds`; when that is beyond `most`, the window's end."""
    window = int(moment.timestamp()) // seconds
    key = f"throttle:{sha256(who.encode()).hexdigest()}:{window}"
    if cache.add(key, 1, timeout=seconds) or cache.incr(key) <= most:
        return None
    return datetime.fromtimestamp((window + 1) * seconds, UTC)


class CountingDatabaseCache(DatabaseCache):
    """Django's cache in a table, except that `incr` loses no count when many ask at once, and leaves an
    entry's end where it was.
    """

    _table: str

    def incr(self, key: str, delta: int = 1, version: int | None = None) -> int:
        row = self.make_and_validate_key(key, version=version)
        connection = connections[router.db_for_write(self.cache_model_class)]
        table = connection.ops.quote_name(self._table)
        lock = " FOR UPDATE" if connection.features.has_select_for_update else ""
        # SQLite needs no lock of a row: its transactions take the whole file at their start.
        with transaction.atomic(using=connection.alias), connection.cursor() as cursor:
            cursor.execute(f"SELECT value FROM {table} WHERE cache_key = %s{lock}", [row])  # nosec B608
            found = cursor.fetchone()
            if found is None:
                raise ValueError(f"There is no count under {key}.")
            kept: Any = pickle.loads(base64.b64decode(found[0]))  # nosec B301
            value = int(kept) + delta
            packed = base64.b64encode(pickle.dumps(value, self.pickle_protocol)).decode("latin1")
            cursor.execute(f"UPDATE {table} SET value = %s WHERE cache_key = %s", [packed, row])  # nosec B608
        return value
