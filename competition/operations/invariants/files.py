"""Stored bytes, items and gold."""

from __future__ import annotations

from collections.abc import Iterator

from django.db.models import Count, F, Max, Q

from competition.domain import blobs
from competition.enums import FileStatus
from competition.models import Blob, GoldBlob, GoldVersion, ItemSet
from competition.models.files import PackedBytes
from competition.operations.invariants.registry import Found, check


def _all_bytes(model: type[PackedBytes]) -> Iterator[tuple[str, int, bytes | str]]:
    """Digest, told size and content of each stored file, or what is wrong with it."""
    stored = model._base_manager.order_by("pk").values_list("digest", "size", *model.KEPT_BACK)
    for digest, size, *kept_back in stored.iterator(chunk_size=8):
        try:
            yield digest, size, blobs.unpacked(digest, *kept_back)
        except blobs.CorruptBlob as fault:
            yield digest, size, str(fault)


@check
def stored_bytes_have_their_digest() -> Found:
    """Every stored file unpacks to what it is filed under."""
    for model in (Blob, GoldBlob):
        for digest, _, content in _all_bytes(model):
            if isinstance(content, str):
                yield f"{model.__name__} {digest[:8]}", content


@check
def stored_bytes_have_their_size() -> Found:
    """The size that lists show is the size of the bytes."""
    for model in (Blob, GoldBlob):
        for digest, size, content in _all_bytes(model):
            if isinstance(content, bytes) and len(content) != size:
                yield f"{model.__name__} {digest[:8]}", f"{size} bytes told, {len(content)} stored"


@check
def gold_keeps_its_commitment() -> Found:
    """What was promised when the gold came in still binds it."""
    for gold in GoldVersion.objects.exclude(blob=F("commitment")).select_related("track", "phase"):
        yield f"{gold} of {gold.track}, {gold.phase}", "its bytes are not filed under its commitment"


@check
def ready_gold_has_its_items() -> Found:
    """Gold that is in force was checked against items of its own phase and track."""
    ready = GoldVersion.objects.filter(status=FileStatus.READY)
    for gold in ready.filter(item_set=None):
        yield f"gold version {gold.pk}", "is ready without items"
    elsewhere = ~Q(item_set__phase=F("phase")) | ~Q(item_set__track=F("track"))
    for gold in GoldVersion.objects.exclude(item_set=None).filter(elsewhere):
        yield f"gold version {gold.pk}", "belongs to items of another phase or track"


@check
def versions_have_no_gaps() -> Found:
    """Items and gold are numbered 1, 2, 3 …: a missing number is a lost file."""
    for model in (ItemSet, GoldVersion):
        numbered = (
            model.objects.order_by().values("phase", "track").annotate(n=Count("pk"), top=Max("version"))
        )
        for row in numbered.exclude(n=F("top")):
            where = f"{model._meta.verbose_name}s of phase {row['phase']}, track {row['track']}"
            yield where, f"{row['n']} versions, the newest is {row['top']}"


@check
def files_belong_to_one_task() -> Found:
    """Phase and track of a file are of the same shared task."""
    for model in (ItemSet, GoldVersion):
        for row in model.objects.exclude(phase__task=F("track__task")):
            yield f"{model._meta.verbose_name} {row.pk}", "phase and track are of different shared tasks"
