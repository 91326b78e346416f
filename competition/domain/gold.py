"""Organizers' files: items are public and judged at once, gold is stored unread and judged by a worker."""

from __future__ import annotations

from typing import Any

from django.db import transaction
from django.db.models import Max

from competition import clock
from competition.domain import audit, blobs, evaluations, notices, queueing
from competition.enums import FileStatus
from competition.exceptions import FileRefused
from competition.models import GoldCheck, GoldVersion, ItemSet, Phase, Track, User
from scoring.checks import check_items
from scoring.problems import shown
from scoring.records import Items
from scoring.tracks import get_kind
from scoring.tracks.base import Kind


def add_items(
    *, phase: Phase, track: Track, content: bytes, uploaded_by: User | None, reason: str
) -> ItemSet:
    """Keep a new version of the items. Raises FileRefused with every problem when the file does not pass, and
    when it gives the references away.
    """
    kind = get_kind(track.kind)
    checked = check_items(kind, content)
    problems = [problem.to_json() for problem in checked.problems.in_order()]
    if checked.items is None:
        errors = checked.problems.errors
        counted = "1 problem" if errors == 1 else f"{errors:,} problems"
        raise FileRefused(f"The items have {counted}. Nothing was changed.", problems)
    _require_no_references(kind, checked.items)
    blob = blobs.store(content)
    with transaction.atomic():
        item_set = ItemSet.objects.create(
            phase=phase,
            track=track,
            version=_next_version(ItemSet, phase, track),
            blob=blob,
            n_items=len(checked.items.records),
            status=FileStatus.READY,
            problems=problems,
            uploaded_by=uploaded_by,
            reason=reason,
        )
        audit.record(
            actor=uploaded_by,
            action="items added",
            target=item_set,
            reason=reason,
            after={"track": track.slug, "version": item_set.version, "items": item_set.n_items},
        )
    return item_set


def _require_no_references(kind: Kind, items: Items) -> None:
    """A whole data set taken for its items would be public, references and all, as soon as it is stored."""
    public = {kind.id_field, *(field.name for field in kind.item_fields)}
    for field in kind.gold_fields:
        if not field.required or field.name in public:
            continue
        having = [item_id for item_id, record in items.records.items() if record.get(field.name) is not None]
        if having:
            have = "has" if len(having) == 1 else "have"
            raise FileRefused(
                f'Items are public, and {len(having):,} of them {have} "{field.name}", where gold keeps the '
                f"references; the first is {shown(having[0])}. Take the field out of every line, or give it "
                "another name if it holds no reference. Nothing was changed."
            )


def add_gold(
    *, phase: Phase, track: Track, content: bytes, uploaded_by: User | None, reason: str
) -> GoldVersion:
    """Keep a new version of the gold, unread, and queue its check. Raises FileRefused while there are no
    items.

    Until the check is done the version before stays in force. Scores made with it are stale afterwards.
    """
    item_set = ItemSet.objects.current_for(phase, track)
    if item_set is None:
        raise FileRefused("Upload the items first: gold is checked against them.")
    blob = blobs.store_gold(content)
    moment = clock.now()
    with transaction.atomic():
        gold_version = GoldVersion.objects.create(
            phase=phase,
            track=track,
            version=_next_version(GoldVersion, phase, track),
            blob=blob,
            item_set=item_set,
            commitment=blob.digest,
            status=FileStatus.RECEIVED,
            uploaded_by=uploaded_by,
            reason=reason,
        )
        check = GoldCheck.objects.create(gold_version=gold_version, queued_at=moment)
        queueing.ring(check)
        audit.record(
            actor=uploaded_by,
            action="gold added",
            target=gold_version,
            reason=reason,
            after={
                "track": track.slug,
                "version": gold_version.version,
                "commitment": gold_version.commitment,
            },
            at=moment,
        )
    return gold_version


def record_gold_check(*, check: GoldCheck, found: dict[str, Any]) -> GoldVersion:
    """Keep what a claimed check found, and queue the runs that waited for gold. Raises LeaseLost as ever.

    `found` is what `scorer.check_gold_bytes` gives.
    """
    waiting = queueing.runs_waiting_for(check.gold_version) if found["ok"] else []
    moment = clock.now()
    with transaction.atomic():
        evaluations.finish(check, moment=moment)
        gold_version = check.gold_version
        gold_version.status = FileStatus.READY if found["ok"] else FileStatus.REJECTED
        gold_version.problems = found["problems"]
        gold_version.n_scored = found["n_scored"]
        gold_version.save(update_fields=["status", "problems", "n_scored"])
        queued = 0
        if (
            found["ok"]
            and GoldVersion.objects.current_for(gold_version.phase, gold_version.track) == gold_version
        ):
            queued = queueing.queue_waiting(runs=waiting, gold_version=gold_version, moment=moment)
        audit.record(
            actor=None,
            action="gold checked",
            target=gold_version,
            after={"status": gold_version.status, "scored items": gold_version.n_scored, "queued": queued},
            at=moment,
        )
        if not found["ok"]:
            notices.tell_organizers(
                gold_version.phase.task,
                subject="gold rejected",
                text=f"{gold_version} of {gold_version.track}, {gold_version.phase}, does not pass its "
                "check. The desk lists the problems; the version before stays in force.",
            )
    return gold_version


def _next_version(model: type[ItemSet] | type[GoldVersion], phase: Phase, track: Track) -> int:
    """One more than the newest, in a transaction that holds the phase, so that two uploads do not collide."""
    Phase.objects.select_for_update().get(pk=phase.pk)
    newest = model.objects.filter(phase=phase, track=track).aggregate(newest=Max("version"))["newest"]
    return (newest or 0) + 1
