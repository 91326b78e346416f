"""Bytes in the database: packed with zlib, addressed by the SHA-256 of what was given, salted for gold.

Store before a lock is taken, so that no lock is held over a large insert.
"""

from __future__ import annotations

import secrets
import zlib

from competition.models import Blob, GoldBlob
from competition.models.files import PackedBytes, filed_under


def store(content: bytes) -> Blob:
    """Keep bytes of a run, of items or of item scores; the same bytes are kept once."""
    digest = filed_under(content)
    blob = Blob.objects.filter(pk=digest).first()
    if blob is None:
        made = Blob(digest=digest, size=len(content), packed=zlib.compress(content, 6))
        # Two requests with the same bytes: one insert wins, the other does nothing, and both are right.
        Blob.objects.bulk_create([made], ignore_conflicts=True)
        return made
    return blob


def store_gold(content: bytes) -> GoldBlob:
    """Keep references, apart from everything else, under a digest that tells nobody what they are."""
    salt = secrets.token_hex(32)
    made = GoldBlob(
        digest=filed_under(content, salt), size=len(content), packed=zlib.compress(content, 6), salt=salt
    )
    made.save(force_insert=True)
    return made


def load(blob: PackedBytes) -> bytes:
    """The bytes as they were given. Raises CorruptBlob when they are not what the digest says."""
    return _load(type(blob), blob.digest)


def load_digest(digest: str) -> bytes:
    """The bytes of a run, of items or of item scores, by the digest a row names them with."""
    return _load(Blob, digest)


def unpacked(digest: str, packed: bytes, salt: str = "") -> bytes:
    """Stored bytes as they were given. Raises CorruptBlob when they are not what they are filed under."""
    try:
        content = zlib.decompress(packed)
    except zlib.error as error:
        raise CorruptBlob(f"Blob {digest[:8]} cannot be unpacked.") from error
    if filed_under(content, salt) != digest:
        raise CorruptBlob(f"Blob {digest[:8]} does not have the digest it is filed under.")
    return content


class CorruptBlob(Exception):
    """Stored bytes changed behind our back."""


def _load(model: type[PackedBytes], digest: str) -> bytes:
    kept_back = model._base_manager.filter(pk=digest).values_list(*model.KEPT_BACK).get()
    return unpacked(digest, *kept_back)
