"""Bytes, what is built from them, and organizers' files: items, which are public, and gold, which only
evaluation code reads.
"""

from __future__ import annotations

import hashlib
from typing import Any

from django.core.validators import MinValueValidator
from django.db import models
from django.db.models import Exists, OuterRef, Q

from competition.enums import FileStatus
from competition.models.base import REASON_LENGTH, Created, digest_validator, organized_by
from competition.models.people import User
from competition.models.tasks import Phase, Track


class BlobManager(models.Manager[Any]):
    """Leaves the bytes where they are: lists and joins never carry them."""

    def get_queryset(self) -> models.QuerySet[Any]:
        return super().get_queryset().defer(*self.model.KEPT_BACK)


def filed_under(content: bytes, salt: str = "") -> str:
    """What bytes are filed under: SHA-256 over the salt's characters, where there is one, and the bytes.

    With a salt it binds to the bytes and confirms no guess of them.
    """
    return hashlib.sha256(salt.encode("ascii") + content).hexdigest()


class PackedBytes(Created):
    """Content-addressed, zlib-compressed. Only `domain/blobs.py` touches what is kept back."""

    KEPT_BACK: tuple[str, ...] = ("packed",)

    digest = models.CharField(max_length=64, primary_key=True, validators=[digest_validator])
    size = models.PositiveBigIntegerField(help_text="Bytes before packing.")
    packed = models.BinaryField()

    objects = BlobManager()

    class Meta:
        abstract = True
        base_manager_name = "objects"

    def __str__(self) -> str:
        return f"{self.digest[:8]}, {self.size:,} bytes"


class Blob(PackedBytes):
    """Runs, items, item scores."""


class GoldBlob(PackedBytes):
    """References. A table of their own, so that the web process can be denied reading it, and so that a run
    which happens to equal the gold byte by byte shares nothing with it. Filed under a salted digest: who may
    not see the salt cannot confirm a guess, not even by storing it.
    """

    KEPT_BACK = ("packed", "salt")

    salt = models.CharField(max_length=64)


class VersionedFileQuerySet(models.QuerySet[Any]):
    """Of `ItemSet` or `GoldVersion`."""

    def current(self) -> VersionedFileQuerySet:
        """The newest ready version of each phase and track."""
        newer = self.model._default_manager.filter(
            phase=OuterRef("phase"),
            track=OuterRef("track"),
            status=FileStatus.READY,
            version__gt=OuterRef("version"),
        )
        return self.filter(~Exists(newer), status=FileStatus.READY)

    def current_for(self, phase: Phase, track: Track) -> Any | None:
        """The newest ready version here, with the phase and the track it was asked for."""
        ready = self.filter(phase=phase, track=track, status=FileStatus.READY)
        found = ready.order_by("-version").first()
        if found is not None:
            found.phase, found.track = phase, track
        return found

    def organized_by(self, user: Any) -> VersionedFileQuerySet:
        return self.filter(organized_by(user, "phase__task")).distinct()


class VersionedFile(Created):
    phase = models.ForeignKey(Phase, on_delete=models.PROTECT)
    track = models.ForeignKey(Track, on_delete=models.PROTECT)
    version = models.PositiveIntegerField(validators=[MinValueValidator(1)])
    status = models.CharField(max_length=10, choices=FileStatus.choices, default=FileStatus.RECEIVED)
    problems = models.JSONField(default=list, blank=True, help_text="Problems in the form reports use.")
    uploaded_by = models.ForeignKey(User, null=True, on_delete=models.PROTECT, related_name="+")
    reason = models.CharField(max_length=REASON_LENGTH, blank=True)

    objects = VersionedFileQuerySet.as_manager()

    class Meta:
        abstract = True
        ordering = ["phase", "track", "-version"]
        default_related_name = "%(class)ss"
        constraints = [
            models.UniqueConstraint(
                fields=["phase", "track", "version"],
                name="%(class)s_version_unique",
                violation_error_message="This phase and track has that version already.",
            ),
            models.CheckConstraint(
                condition=Q(version__gte=1),
                name="%(class)s_version_from_1",
                violation_error_message="Versions count from 1.",
            ),
            models.CheckConstraint(
                condition=Q(status__in=FileStatus.values),
                name="%(class)s_status_known",
                violation_error_message="A file is received, being checked, ready or rejected.",
            ),
        ]


class ItemSet(VersionedFile):
    """What to answer, in one phase and track. The newest ready version is current."""

    blob = models.ForeignKey(Blob, on_delete=models.PROTECT)
    n_items = models.PositiveIntegerField(default=0)

    class Meta(VersionedFile.Meta):
        default_related_name = "item_sets"

    def __str__(self) -> str:
        return f"items v{self.version}"


class BuiltFile(Created):
    """A download made of public things only, such as a validator. `recipe` digests all that went in, so that
    each is built once."""

    recipe = models.CharField(max_length=64, primary_key=True, validators=[digest_validator])
    blob = models.ForeignKey(Blob, on_delete=models.PROTECT, related_name="+")

    def __str__(self) -> str:
        return self.recipe[:8]


class GoldVersion(VersionedFile):
    """The references of one phase and track.

    `commitment` is what the bytes are filed under, the SHA-256 over salt and bytes: it can be shown, a bare
    digest could not (a guess could be confirmed). `problems` may quote references: organizers only.
    """

    blob = models.ForeignKey(GoldBlob, on_delete=models.PROTECT)
    item_set = models.ForeignKey(ItemSet, null=True, blank=True, on_delete=models.PROTECT)
    commitment = models.CharField(max_length=64, validators=[digest_validator])
    n_scored = models.PositiveIntegerField(default=0)

    class Meta(VersionedFile.Meta):
        default_related_name = "gold_versions"

    def __str__(self) -> str:
        return f"gold v{self.version}"
