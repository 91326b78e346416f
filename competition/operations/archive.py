"""A backup is one ZIP file: a file of lines per table, and a manifest with the count and digest of each.

It holds everything, references and password hashes included: keep it as safe as the database.
"""

from __future__ import annotations

import hashlib
import json
import os
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any

from django.db import transaction
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.models import Model

from competition.operations import rows

FORMAT = "podium.backup.1"
MANIFEST = "manifest.json"


class BackupRefused(Exception):
    """A backup that cannot be made or restored; the message says why and what to do."""


@dataclass
class Tally:
    """What was copied: lines per table, and stored bytes that are not what their digest says."""

    tables: dict[str, int] = field(default_factory=dict)
    digests: dict[str, str] = field(default_factory=dict)
    faults: list[str] = field(default_factory=list)
    blobs: int = 0

    @property
    def rows(self) -> int:
        return sum(self.tables.values())


def write(path: Path, connection: BaseDatabaseWrapper, *, made_at: str) -> tuple[Tally, str]:
    """Write a backup of one moment of the database; returns the tally and the SHA-256 of its manifest.

    The file appears under its name only when it is whole, readable by its owner alone.
    """
    part = path.with_name(path.name + ".part")
    tally = Tally()
    descriptor = os.open(part, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    try:
        with os.fdopen(descriptor, "wb") as file:
            with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED, compresslevel=6) as archive:
                with rows.still(connection):
                    applied = rows.migrations_of(connection)
                    for model in rows.kept_models():
                        _write_table(archive, model, connection, tally)
                manifest = {
                    "format": FORMAT,
                    "made_at": made_at,
                    "migrations": applied,
                    "tables": {
                        label: {"rows": tally.tables[label], "sha256": tally.digests[label]}
                        for label in tally.tables
                    },
                }
                text = json.dumps(manifest, indent=1, sort_keys=True).encode()
                archive.writestr(MANIFEST, text)
            file.flush()
            os.fsync(file.fileno())
        os.replace(part, path)
    finally:
        part.unlink(missing_ok=True)
    return tally, hashlib.sha256(text).hexdigest()


def _write_table(
    archive: zipfile.ZipFile, model: type[Model], connection: BaseDatabaseWrapper, tally: Tally
) -> None:
    label = model._meta.label
    with archive.open(_name(label), "w", force_zip64=True) as file:
        _count(model, rows.lines_of(model, connection), tally, file)


def _count(model: type[Model], lines: Iterator[bytes], tally: Tally, file: IO[bytes] | None = None) -> None:
    """Pass lines on to a file and keep count, digest and faults."""
    for line in counted(model, lines, tally):
        if file is not None:
            file.write(line)


def counted(model: type[Model], lines: Iterator[bytes], tally: Tally) -> Iterator[bytes]:
    """The same lines; what went by is in the tally once they are through."""
    label = model._meta.label
    digest, number = hashlib.sha256(), 0
    for line in lines:
        digest.update(line)
        number += 1
        if fault := rows.fault_of(model, line):
            tally.faults.append(fault)
        tally.blobs += label in ("competition.Blob", "competition.GoldBlob")
        yield line
    tally.tables[label], tally.digests[label] = number, digest.hexdigest()


def manifest_of(archive: zipfile.ZipFile) -> dict[str, Any]:
    """The manifest, or BackupRefused when this is no backup of ours."""
    try:
        manifest = json.loads(archive.read(MANIFEST))
    except (KeyError, ValueError, zipfile.BadZipFile) as fault:
        raise BackupRefused(
            "This file is no backup of Podium: it has no manifest that can be read."
        ) from fault
    if manifest.get("format") != FORMAT:
        raise BackupRefused(
            f"This backup has the form {manifest.get('format')}; this version reads {FORMAT}."
        )
    return dict(manifest)


def verify(path: Path) -> tuple[dict[str, Any], list[str]]:
    """The manifest, and everything that does not agree with it: tables, counts, digests of stored bytes."""
    faults: list[str] = []
    models = {model._meta.label: model for model in rows.kept_models()}
    with _opened(path) as archive:
        manifest = manifest_of(archive)
        for label, told in manifest["tables"].items():
            tally = Tally()
            model = models.get(label)
            if model is None:
                faults.append(f"{label} is a table this version does not know")
                continue
            try:
                with archive.open(_name(label)) as file:
                    _count(model, iter(file), tally)
            except (KeyError, ValueError, zipfile.BadZipFile, OSError) as fault:
                faults.append(f"{label} cannot be read: {type(fault).__name__}")
                continue
            faults += tally.faults
            if (tally.tables[label], tally.digests[label]) != (told["rows"], told["sha256"]):
                faults.append(f"{label} is not what the manifest says: {tally.tables[label]} rows")
    return manifest, faults


def restore(path: Path, connection: BaseDatabaseWrapper) -> Tally:
    """Put every row of a backup into an empty database of the same version, all or nothing."""
    manifest, faults = verify(path)
    if faults:
        raise BackupRefused("The backup is damaged:\n" + "\n".join(faults))
    _require_same_version(manifest["migrations"], rows.migrations_of(connection))
    if not rows.is_empty(connection):
        raise BackupRefused("The database holds rows. Restore into a new one: create it and migrate first.")
    with _opened(path) as archive, transaction.atomic(using=connection.alias):
        return fill(connection, lambda model: _lines(archive, model, manifest), manifest["tables"])


def fill(connection: BaseDatabaseWrapper, lines_for: Any, expected: dict[str, Any] | None = None) -> Tally:
    """Insert every table in the caller's transaction, then read everything again and compare."""
    sent = Tally()
    rows.clear_made(connection)
    for model in rows.kept_models():
        rows.put(model, counted(model, lines_for(model), sent), connection)
    rows.reset_sequences(connection)
    found = Tally()
    for model in rows.kept_models():
        _count(model, rows.lines_of(model, connection), found)
    differ = [label for label in sent.digests if sent.digests[label] != found.digests[label]]
    if expected is not None:
        differ += [label for label in expected if expected[label]["sha256"] != found.digests.get(label)]
    if differ or found.faults:
        raise BackupRefused(f"After inserting, these differ: {', '.join(sorted({*differ, *found.faults}))}.")
    return found


def _lines(archive: zipfile.ZipFile, model: type[Model], manifest: dict[str, Any]) -> Iterator[bytes]:
    if model._meta.label in manifest["tables"]:
        with archive.open(_name(model._meta.label)) as file:
            yield from file


def _require_same_version(told: list[str], here: list[str]) -> None:
    missing, more = sorted({*told} - {*here}), sorted({*here} - {*told})
    if missing or more:
        raise BackupRefused(
            "The backup is of another version of the database. Only there: "
            f"{', '.join(missing) or 'nothing'}; only here: {', '.join(more) or 'nothing'}. "
            "Restore with the version that made it, then migrate."
        )


def _opened(path: Path) -> zipfile.ZipFile:
    try:
        return zipfile.ZipFile(path)
    except (OSError, zipfile.BadZipFile) as fault:
        raise BackupRefused(f"{path} cannot be read as a backup: {fault}") from fault


def _name(label: str) -> str:
    return f"tables/{label}.jsonl"
