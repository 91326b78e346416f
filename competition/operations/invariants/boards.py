"""Frozen boards: text, chain, rows, and who froze and published them."""

from __future__ import annotations

from django.db.models import Count, Exists, F, Max, OuterRef

from competition.domain.verification import written_differences
from competition.enums import FreezeOutcome
from competition.models import AuditEntry, FreezeRequest, FrozenLeaderboard, Publication
from competition.operations.invariants.registry import Found, check


@check
def frozen_boards_say_what_they_said() -> Found:
    """Content, digest, chain, rows and audit trail agree. Scoring again is `verify_leaderboard`'s work."""
    for board in FrozenLeaderboard.objects.select_related("phase", "track").iterator(chunk_size=20):
        for difference in written_differences(board):
            yield difference.where, f"stored {difference.stored}, found {difference.found}"


@check
def boards_are_numbered_without_gaps() -> Found:
    numbered = FrozenLeaderboard.objects.order_by().values("phase", "track")
    for row in numbered.annotate(n=Count("pk"), top=Max("version")).exclude(n=F("top")):
        yield f"boards of phase {row['phase']}, track {row['track']}", f"{row['n']} of {row['top']} versions"


@check
def publications_are_on_record() -> Found:
    """Somebody opened the door of a published board, after it was frozen."""
    told = AuditEntry.objects.filter(action="leaderboard published", target_id=OuterRef("board__public_id"))
    for row in Publication.objects.exclude(Exists(told)).select_related("board"):
        yield f"board {row.board.public_id}", "published, and nobody is on record for it"
    for row in Publication.objects.filter(published_at__lt=F("board__frozen_at")).select_related("board"):
        yield f"board {row.board.public_id}", "published before it was frozen"


@check
def freezes_made_what_they_say() -> Found:
    """A freeze request that ended well has its board, of its own phase and track."""
    for row in FreezeRequest.objects.filter(outcome=FreezeOutcome.FROZEN, board=None):
        yield f"freeze request {row.pk}", "is frozen without a board"
    right = {"board__phase": F("phase"), "board__track": F("track")}
    for row in FreezeRequest.objects.exclude(board=None).exclude(**right):
        yield f"freeze request {row.pk}", "names a board of another phase or track"
