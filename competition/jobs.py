"""What a worker does with one row of queued work: load, work in a child, record. No transaction is open
meanwhile.
"""

from __future__ import annotations

import json
import logging
import os
from collections import OrderedDict
from collections.abc import Callable
from functools import partial
from typing import Any

from competition import clock
from competition.domain import blobs, evaluations, freezing, gold, scorer
from competition.domain.evaluations import QUEUES
from competition.domain.replaced import answered_others
from competition.exceptions import LeaseLost, NotReadyToFreeze
from competition.models import Evaluation, FreezeRequest, GoldCheck, QueuedWork
from competition.models.work import ITEMS_GONE
from competition.scoring_child import Limits, Outcome, run_in_child

log = logging.getLogger(__name__)

LIMITS = Limits()
FREEZE_LIMITS = Limits(seconds=1800.0, memory=4 * 1024 * 1024 * 1024)

KEPT_PREPARED = 4
_prepared: OrderedDict[tuple[str, ...], scorer.Prepared] = OrderedDict()
"""Items and gold of the latest boards, read and tokenized once; children inherit them without copying."""


class ChildFailed(Exception):
    """The child gave no answer: `kind` is why, `where` is for the log."""

    def __init__(self, outcome: Outcome) -> None:
        super().__init__(outcome.fault)
        self.kind, self.where = outcome.fault, outcome.where


def evaluate(evaluation_id: int, *, worker: str = "direct") -> bool:
    """Claim and score this evaluation. False when it is not queued (any more): a second call does nothing."""
    return _claim_and_do(Evaluation, evaluation_id, worker)


def check_gold(check_id: int, *, worker: str = "direct") -> bool:
    """Claim and carry out this check of a gold version."""
    return _claim_and_do(GoldCheck, check_id, worker)


def freeze(request_id: int, *, worker: str = "direct") -> bool:
    """Claim and carry out this freeze request."""
    return _claim_and_do(FreezeRequest, request_id, worker)


def _claim_and_do(model: type[QueuedWork], pk: int, worker: str) -> bool:
    work = evaluations.claim(model, pk, worker=worker)
    if work is not None:
        do(work)
    return work is not None


def answer_bell(*, worker: str = "") -> bool:
    """What a bell means: claim the next row in fair order and do it. For any worker of RQ; ours,
    `manage.py worker`, hears bells by itself and looks without them too.
    """
    work = claim_any(worker or f"rq-{os.getpid()}")
    if work is not None:
        do(work)
    return work is not None


def claim_any(worker: str) -> QueuedWork | None:
    """The next row whose turn it is, of any queue."""
    moment = clock.now()
    for model in QUEUES:
        work = evaluations.claim_next(model, worker=worker, moment=moment)
        if work is not None:
            return work
    return None


def do(work: QueuedWork) -> None:
    """Carry out claimed work and record its outcome, whatever it is. A lost claim leaves no trace."""
    try:
        _DOES[type(work)](work)
    except LeaseLost as lost:
        log.warning("%s", lost)
    except ChildFailed as failed:
        if failed.kind != "lost":
            evaluations.record_failure(work=work, kind=failed.kind, where=failed.where)
    except blobs.CorruptBlob as corrupt:
        evaluations.record_failure(work=work, kind="stored bytes", where=str(corrupt))
    except scorer.StoredFileRefused as refused:
        evaluations.record_failure(work=work, kind=_why_refused(work, refused))


def _why_refused(work: QueuedWork, refused: scorer.StoredFileRefused) -> str:
    """Stored bytes that no longer pass are ours to look into; items that were replaced explain a run."""
    other = isinstance(work, Evaluation) and answered_others(work.submission, work.item_set)
    return ITEMS_GONE if other else f"stored {refused} refused"


def _in_child(work: QueuedWork, limits: Limits, task: Callable[[], Any]) -> Any:
    outcome = run_in_child(task, limits=limits, beat=partial(evaluations.heartbeat, work))
    if outcome.fault:
        raise ChildFailed(outcome)
    return outcome.value


def _evaluate(evaluation: Evaluation) -> None:
    prepared = _prepare(evaluation)
    version = evaluation.gold_version.version
    content = blobs.load_digest(evaluation.submission.blob_id)

    def score() -> dict[str, Any]:
        try:
            return scorer.plain(prepared, scorer.score(prepared, content, gold_version=version))
        except scorer.StoredFileRefused as refused:
            return {"refused": str(refused)}

    found = _in_child(evaluation, LIMITS, score)
    if "refused" in found:
        raise scorer.StoredFileRefused(found["refused"])
    lines = (json.dumps(line, ensure_ascii=False, separators=(",", ":")) for line in found["per_item"])
    per_item = blobs.store(("\n".join(lines) + "\n").encode("utf-8"))
    evaluations.record_report(
        evaluation=evaluation, report=found["report"], primary=found["primary"], per_item=per_item
    )


def _prepare(evaluation: Evaluation) -> scorer.Prepared:
    track, gold_version, item_set = (
        evaluation.submission.track,
        evaluation.gold_version,
        evaluation.item_set,
    )
    options = json.dumps(track.options, sort_keys=True)
    key = (track.kind, options, item_set.blob_id, gold_version.blob_id)
    if key in _prepared:
        _prepared.move_to_end(key)
    else:
        items, references = blobs.load(item_set.blob), blobs.load(gold_version.blob)
        _prepared[key] = scorer.prepare(track.kind, track.options, items, references)
        while len(_prepared) > KEPT_PREPARED:
            _prepared.popitem(last=False)
    return _prepared[key]


def _check_gold(check: GoldCheck) -> None:
    version = check.gold_version
    assert version.item_set is not None
    items, references = blobs.load(version.item_set.blob), blobs.load(version.blob)
    task = partial(scorer.check_gold_bytes, version.track.kind, items, references)
    gold.record_gold_check(check=check, found=_in_child(check, LIMITS, task))


def _freeze(request: FreezeRequest) -> None:
    try:
        freezing.freeze_leaderboard(
            phase=request.phase,
            track=request.track,
            frozen_by=request.requested_by,
            reason=request.reason,
            compute=partial(_in_child, request, FREEZE_LIMITS),
            request=request,
        )
    except NotReadyToFreeze as refusal:
        freezing.record_blocked(request=request, refusal=refusal)


_DOES: dict[type[QueuedWork], Callable[[Any], None]] = {
    Evaluation: _evaluate,
    GoldCheck: _check_gold,
    FreezeRequest: _freeze,
}
