"""Every row of the site as text, and back: what a backup holds and what a move to another database carries.

One row is one JSON list of its columns, in the order of the model; bytes are base64, moments ISO 8601 with
microseconds. The form is the same for SQLite and PostgreSQL, so a backup of one restores into the other, and
equal rows give equal text: PostgreSQL keeps JSON by value, so keys are sorted and numbers written one way.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from datetime import datetime
from itertools import islice
from typing import Any

from django.apps import apps
from django.contrib.contenttypes.models import ContentType
from django.core.management.color import no_style
from django.db import transaction
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.migrations.recorder import MigrationRecorder
from django.db.models import Field, ForeignKey, Model

from competition.domain.blobs import CorruptBlob, unpacked
from competition.models.files import PackedBytes

BATCH = 200
BATCH_OF_BYTES = 8

LEFT_OUT = {"sessions", "axes", "django_rq"}
"""Apps whose rows are not kept: people log in again, and lockouts start anew."""

MADE_BY_MIGRATE = ("contenttypes.ContentType", "auth.Permission")
"""Rows a new database has already, under numbers of its own."""


def kept_models() -> list[type[Model]]:
    """Every table that is the site's memory, the joining ones included, in a fixed order."""
    found = apps.get_models(include_auto_created=True)
    kept = [
        one
        for one in found
        if one._meta.managed and not one._meta.proxy and one._meta.app_label not in LEFT_OUT
    ]
    return sorted(kept, key=lambda one: one._meta.label)


def migrations_of(connection: BaseDatabaseWrapper) -> list[str]:
    """What was applied to this database, of the apps that are kept."""
    applied = MigrationRecorder(connection).applied_migrations()
    return sorted(f"{app}.{name}" for app, name in applied if app not in LEFT_OUT)


@contextmanager
def still(connection: BaseDatabaseWrapper) -> Iterator[None]:
    """Inside, every read sees one moment; writers go on, and what they write is not seen."""
    if connection.vendor == "postgresql":
        with transaction.atomic(using=connection.alias, durable=True):
            with connection.cursor() as cursor:
                cursor.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY")
            yield
        return
    # Not atomic(): on SQLite that would take the write lock, and runs would wait for the backup.
    with connection.cursor() as cursor:
        cursor.execute("BEGIN DEFERRED")
        try:
            yield
        finally:
            cursor.execute("ROLLBACK")


def lines_of(model: type[Model], connection: BaseDatabaseWrapper) -> Iterator[bytes]:
    """Every row in the order of its key. Raises nothing for rows that break rules: the database is copied as
    it is.
    """
    names = [field.attname for field in model._meta.concrete_fields]
    rows = model._base_manager.using(connection.alias).order_by("pk").values_list(*names)
    size = BATCH_OF_BYTES if issubclass(model, PackedBytes) else BATCH
    for row in rows.iterator(chunk_size=size):
        plain = [_plain(value) for value in row]
        text = json.dumps(plain, ensure_ascii=False, sort_keys=True, separators=(",", ":"))
        yield text.encode("utf-8", "surrogatepass") + b"\n"


def fault_of(model: type[Model], line: bytes) -> str:
    """What is wrong with stored bytes, or "": they must unpack to what their digest says."""
    if not issubclass(model, PackedBytes):
        return ""
    row = dict(zip((field.attname for field in model._meta.concrete_fields), json.loads(line), strict=True))
    try:
        unpacked(row["digest"], base64.b64decode(row["packed"]), row.get("salt", ""))
    except (ValueError, CorruptBlob) as fault:
        return f"{model._meta.label} {row['digest']}: {fault}"
    return ""


def put(model: type[Model], lines: Iterable[bytes], connection: BaseDatabaseWrapper) -> int:
    """Insert rows as they were, keys included. Returns how many."""
    fields = list(model._meta.concrete_fields)
    size = BATCH_OF_BYTES if issubclass(model, PackedBytes) else BATCH
    rows, number = iter(lines), 0
    while batch := list(islice(rows, size)):
        made = [_made(model, fields, json.loads(line)) for line in batch]
        model._base_manager.using(connection.alias).bulk_create(made)
        number += len(made)
    return number


def is_empty(connection: BaseDatabaseWrapper) -> bool:
    """Whether nothing but what migrating makes is there."""
    made = {*MADE_BY_MIGRATE}
    models = (one for one in kept_models() if one._meta.label not in made)
    return not any(one._base_manager.using(connection.alias).exists() for one in models)


def clear_made(connection: BaseDatabaseWrapper) -> None:
    """Take away the rows that migrating made, so that the kept ones come back under their own numbers."""
    for label in reversed(MADE_BY_MIGRATE):
        apps.get_model(label)._base_manager.using(connection.alias).all().delete()
    ContentType.objects.clear_cache()


def reset_sequences(connection: BaseDatabaseWrapper) -> None:
    """Let numbers go on after the highest that was inserted."""
    with connection.cursor() as cursor:
        for statement in connection.ops.sequence_reset_sql(no_style(), kept_models()):
            cursor.execute(statement)


def _plain(value: Any) -> Any:
    if isinstance(value, datetime):
        return value.isoformat(timespec="microseconds")
    if isinstance(value, bytes | memoryview):
        return base64.b64encode(value).decode("ascii")
    return _by_value(value) if isinstance(value, dict | list) else value


def _by_value(value: Any) -> Any:
    """JSON as PostgreSQL gives it back: it has neither a negative zero nor exponents."""
    if isinstance(value, dict):
        return {key: _by_value(inner) for key, inner in value.items()}
    if isinstance(value, list):
        return [_by_value(inner) for inner in value]
    if isinstance(value, float) and value.is_integer():
        return int(value) if abs(value) >= 1e16 else value + 0.0
    return value


def _made(model: type[Model], fields: list[Field], values: list[Any]) -> Model:
    given = {}
    for field, value in zip(fields, values, strict=True):
        inner = field.target_field if isinstance(field, ForeignKey) else field
        is_json = inner.get_internal_type() == "JSONField"
        given[field.attname] = value if is_json else inner.to_python(value)
    return model(**given)
