"""Bytes in the database: packed with zlib, addressed by the SHA-256 of what was given.

Store before a lock is taken, so that no lock is held over a large insert.
"""

from __future__ import annotations

import hashlib
import zlib
from typing import TypeVar

from competition.models import Blob, GoldBlob
from competition.models.files import PackedBytes

Packed = TypeVar("Packed", bound=PackedBytes)


def store(content: bytes) -> Blob:
    """Keep bytes of a run, of items or of item scores; the same bytes are kept once."""
    return _store(Blob, content)


def store_gold(content: bytes) -> GoldBlob:
    """Keep references, apart from everything else."""
    return _store(GoldBlob, content)


def load(blob: PackedBytes) -> bytes:
    """The bytes as they were given. Raises CorruptBlob when they are not what the digest says."""
    packed = type(blob)._base_manager.filter(pk=blob.pk).values_list("packed", flat=True).get()
    try:
        content = zlib.decompress(packed)
    except zlib.error as error:
        raise CorruptBlob(f"Blob {blob.digest[:8]} cannot be unpacked.") from error
    if hashlib.sha256(content).hexdigest() != blob.digest:
        raise CorruptBlob(f"Blob {blob.digest[:8]} does not have the digest it is filed under.")
    return content


class CorruptBlob(Exception):
    """Stored bytes changed behind our back."""


def _store(model: type[Packed], content: bytes) -> Packed:
    digest = hashlib.sha256(content).hexdigest()
    blob = model._default_manager.filter(pk=digest).first()
    if blob is None:
        made = model(digest=digest, size=len(content), packed=zlib.compress(content, 6))
        # Two requests with the same bytes: one insert wins, the other does nothing.
        model._default_manager.bulk_create([made], ignore_conflicts=True)
        blob = model._default_manager.get(pk=digest)
    return blob
