"""Which runs are queued, for which gold, and the bell that tells workers of queued work.

Whether a run waits for other gold takes judging it, so that is found out before anything is locked; under
the lock of its entry, which intake takes too, a run is queued only if nobody did meanwhile.
"""

from __future__ import annotations

import logging
from collections.abc import Sequence
from datetime import datetime, timedelta
from functools import partial
from typing import Any

from django.db import transaction
from django.dispatch import Signal

from competition import clock
from competition.domain import audit
from competition.domain.replaced import waits_for_its_gold
from competition.enums import WorkStatus
from competition.models import (
    Entry,
    Evaluation,
    GoldCheck,
    GoldVersion,
    Phase,
    QueuedWork,
    Submission,
    Track,
    User,
)
from competition.models.work import ITEMS_GONE
from scoring.tracks import get_kind

log = logging.getLogger(__name__)

CHECKED_LATELY = timedelta(days=1)
"""How long after a gold check a sweep looks for runs that were accepted in its very moment."""

work_queued = Signal()
"""The bell: sent after commit with the queued row as `work`. Losing it loses nothing; workers also look by
themselves.
"""


def ring(work: QueuedWork) -> None:
    """Ring the bell once the current transaction has committed."""
    transaction.on_commit(partial(_ring, work))


def _ring(work: QueuedWork) -> None:
    for receiver, answer in work_queued.send_robust(sender=type(work), work=work):
        if isinstance(answer, Exception):
            log.warning("The bell %r did not ring: %s", receiver, type(answer).__name__)


def scorer_version(track: Track) -> str:
    """The definition that scores a track now, as signatures begin: a new one makes earlier scores stale."""
    kind = get_kind(track.kind)
    return f"{kind.name}.{kind.version}"


def queue_evaluation(
    *, submission: Submission, gold_version: GoldVersion, moment: datetime, reason: str = ""
) -> Evaluation:
    """Queue one attempt to score a submission against one gold version, in the caller's transaction."""
    assert gold_version.item_set_id is not None, "gold is checked against items before it is ready"
    evaluation = Evaluation.objects.create(
        submission=submission,
        team_id=submission.team_id,
        gold_version=gold_version,
        item_set_id=gold_version.item_set_id,
        scorer_version=scorer_version(submission.track),
        queued_at=moment,
        created_at=moment,
        reason=reason,
    )
    ring(evaluation)
    return evaluation


@transaction.atomic
def _queue_if_still_due(
    *, submission: Submission, gold_version: GoldVersion, moment: datetime, reason: str = ""
) -> bool:
    """Queue a run that was found to need it, unless somebody did meanwhile or other gold came, which queues
    what it can itself.
    """
    Entry.objects.select_for_update().get(pk=submission.entry_id)
    phase, track = submission.phase, submission.track
    if GoldVersion.objects.current_for(phase, track) != gold_version:
        return False
    if _current(gold_version, track).filter(submission=submission).exists():
        return False
    queue_evaluation(submission=submission, gold_version=gold_version, moment=moment, reason=reason)
    return True


def _current(gold_version: GoldVersion, track: Track) -> Any:
    """Evaluations that score, or will, with this gold and today's definition."""
    return Evaluation.objects.filter(
        gold_version=gold_version,
        scorer_version=scorer_version(track),
        status__in=[WorkStatus.QUEUED, WorkStatus.RUNNING, WorkStatus.DONE],
    )


def runs_waiting_for(gold_version: GoldVersion) -> list[Submission]:
    """The runs this gold is the first for, once it is ready: they stand and were never queued. Judges where
    items were replaced: call it before anything is locked.
    """
    board = {"phase": gold_version.phase_id, "track": gold_version.track_id}
    waiting = Submission.objects.standing().filter(**board, evaluations=None).select_related("phase", "track")
    return [one for one in waiting.order_by("received_at", "pk") if not waits_for_its_gold(one, gold_version)]


def queue_waiting(*, runs: Sequence[Submission], gold_version: GoldVersion, moment: datetime) -> int:
    """Queue these runs for gold that is ready now, and point queued ones at it. Returns how many.

    A run that came since `runs` was asked for is found by the next sweep.
    """
    same_board = {"submission__phase": gold_version.phase, "submission__track": gold_version.track}
    moved = (
        Evaluation.objects.filter(status=WorkStatus.QUEUED, **same_board)
        .exclude(gold_version=gold_version)
        .update(gold_version=gold_version, item_set_id=gold_version.item_set_id)
    )
    queued = [_queue_if_still_due(submission=one, gold_version=gold_version, moment=moment) for one in runs]
    return moved + sum(queued)


def queue_forgotten(moment: datetime) -> int:
    """Queue runs without an evaluation although gold is ready: accepted just as its check ended.

    Only boards whose gold was checked lately are read, so that a sweep costs the same after many thousand
    runs.
    """
    lately = GoldCheck.objects.filter(finished_at__gt=moment - CHECKED_LATELY)
    return sum(
        _queue_if_still_due(submission=one, gold_version=gold_version, moment=moment)
        for gold_version in GoldVersion.objects.current().filter(checks__in=lately).distinct()
        for one in runs_waiting_for(gold_version)
    )


def evaluate_again(*, phase: Phase, track: Track, requested_by: User | None, reason: str) -> int:
    """Queue what stands without a score under the current gold and scorer: failed and stale runs, but not
    what this gold found to answer other items. Returns how many.
    """
    gold_version = GoldVersion.objects.current_for(phase, track)
    if gold_version is None:
        return 0
    moment = clock.now()
    standing = Submission.objects.standing().filter(phase=phase, track=track).select_related("phase", "track")
    gone = Evaluation.objects.filter(
        submission__in=standing, gold_version=gold_version, status=WorkStatus.FAILED, failure_kind=ITEMS_GONE
    )
    current = _current(gold_version, track).filter(submission__in=standing)
    stale = standing.exclude(pk__in=current.values("submission")).exclude(pk__in=gone.values("submission"))
    due = [one for one in stale.order_by("received_at", "pk") if not waits_for_its_gold(one, gold_version)]
    with transaction.atomic():
        queued = sum(
            _queue_if_still_due(submission=one, gold_version=gold_version, moment=moment, reason=reason)
            for one in due
        )
        audit.record(
            actor=requested_by,
            action="evaluation requested",
            target=phase,
            reason=reason,
            after={"track": track.slug, "gold": gold_version.version, "runs": queued},
            at=moment,
        )
    return queued
