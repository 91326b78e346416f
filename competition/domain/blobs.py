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
    return _load(type(blob), blob.digest)


def load_digest(digest: str) -> bytes:
    """The bytes of a run, of items or of item scores, by the digest a row names them with."""
    return _load(Blob, digest)


class CorruptBlob(Exception):
    """Stored bytes changed behind our back."""


def _load(model: type[PackedBytes], digest: str) -> bytes:
    packed = model._base_manager.filter(pk=digest).values_list("packed", flat=True).get()
    try:
        content = zlib.decompress(packed)
    except zlib.error as error:
        raise CorruptBlob(f"Blob {digest[:8]} cannot be unpacked.") from error
    if hashlib.sha256(content).hexdigest() != digest:
        raise CorruptBlob(f"Blob {digest[:8]} does not have the digest it is filed under.")
    return content


def _store(model: type[Packed], content: bytes) -> Packed:
    digest = hashlib.sha256(content).hexdigest()
    blob = model._default_manager.filter(pk=digest).first()
    if blob is None:
        made = model(digest=digest, size=len(content), packed=zlib.compress(content, 6))
        # Two requests with the same bytes: one insert wins, the other does nothing, and both are right.
        model._default_manager.bulk_create([made], ignore_conflicts=True)
        return made
    return blob
