"""Queued work and results: exactly one outcome, under one token, of the right files."""

from __future__ import annotations

import math
from datetime import timedelta

from django.db.models import Count, F, Q

from competition import clock
from competition.domain.evaluations import LEASE, QUEUES
from competition.enums import FileStatus, WorkStatus
from competition.models import Evaluation, GoldCheck, QueuedWork, Result
from competition.models.work import MOST_ATTEMPTS
from competition.operations.invariants.registry import Found, check
from scoring.options import read_options
from scoring.tracks import get_kind

LONG_OVERDUE = LEASE * 5


def _name(row: QueuedWork) -> str:
    return f"{row._meta.verbose_name} {row.pk}"


@check
def done_evaluations_have_a_result() -> Found:
    for row in Evaluation.objects.filter(status=WorkStatus.DONE, result=None):
        yield _name(row), "is done without a result"


@check
def results_belong_to_done_evaluations() -> Found:
    for result in Result.objects.exclude(evaluation__status=WorkStatus.DONE):
        yield f"result {result.pk}", f"its evaluation {result.evaluation_id} is not done"


@check
def evaluations_have_one_result() -> Found:
    doubled = Result.objects.order_by().values("evaluation").annotate(n=Count("pk")).filter(n__gt=1)
    for row in doubled:
        yield f"evaluation {row['evaluation']}", f"has {row['n']} results"


@check
def evaluations_name_the_team_of_their_run() -> Found:
    """Turns are taken by it."""
    for row in Evaluation.objects.exclude(team=F("submission__team")):
        yield _name(row), "names another team than its submission"


@check
def nothing_waits_twice() -> Found:
    """One open evaluation of a submission under one gold and scorer."""
    waiting = Evaluation.objects.filter(status__in=[WorkStatus.QUEUED, WorkStatus.RUNNING]).order_by()
    by = waiting.values("submission", "gold_version", "scorer_version").annotate(n=Count("pk"))
    for row in by.filter(n__gt=1):
        yield f"submission {row['submission']}", f"waits for {row['n']} evaluations of one kind"


@check
def claims_end() -> Found:
    """A claim whose lease ran out is swept within minutes."""
    overdue = clock.now() - LONG_OVERDUE
    for model in QUEUES:
        for row in model._default_manager.filter(status=WorkStatus.RUNNING, lease_until__lt=overdue):
            yield _name(row), "its lease ran out long ago, and no sweep took it back"


@check
def waiting_work_is_nobodys() -> Found:
    """What is queued, done or failed has no lease."""
    for model in QUEUES:
        rows = model._default_manager.exclude(status=WorkStatus.RUNNING).exclude(lease_until=None)
        for row in rows:
            yield _name(row), f"is {row.status} and still leased"


@check
def attempts_are_limited() -> Found:
    for model in QUEUES:
        for row in model._default_manager.filter(attempts__gt=MOST_ATTEMPTS):
            yield _name(row), f"was attempted {row.attempts} times"


@check
def tokens_count_claims() -> Found:
    """Each claim raises the fencing token, so it is never behind the attempts."""
    for model in QUEUES:
        for row in model._default_manager.filter(token__lt=F("attempts")):
            yield _name(row), f"{row.attempts} attempts under token {row.token}"


@check
def failures_have_a_reference() -> Found:
    for model in QUEUES:
        for row in model._default_manager.filter(status=WorkStatus.FAILED, failure_reference=""):
            yield _name(row), "failed without a reference to quote"


@check
def work_happens_in_order() -> Found:
    """Queued, then started, then finished."""
    wrong = Q(started_at__lt=F("queued_at") - timedelta(seconds=1)) | Q(finished_at__lt=F("started_at"))
    for model in QUEUES:
        for row in model._default_manager.filter(wrong):
            yield _name(row), "its moments are out of order"


@check
def evaluations_use_the_right_files() -> Found:
    """Gold of the submission's phase and track, and the items that gold was checked against."""
    right = Q(gold_version__phase=F("submission__phase"), gold_version__track=F("submission__track"))
    for row in Evaluation.objects.exclude(right):
        yield _name(row), "uses gold of another phase or track"
    for row in Evaluation.objects.exclude(item_set=F("gold_version__item_set")):
        yield _name(row), "uses items other than those of its gold"


@check
def checked_gold_says_so() -> Found:
    """A check that is done left its gold ready or rejected."""
    decided = [FileStatus.READY, FileStatus.REJECTED]
    for row in GoldCheck.objects.filter(status=WorkStatus.DONE).exclude(gold_version__status__in=decided):
        yield _name(row), f"is done, and the gold is {row.gold_version.status}"


@check
def results_agree_with_their_report() -> Found:
    """The columns that pages read are those of the report."""
    for result in Result.objects.select_related("evaluation__submission__track").iterator(chunk_size=100):
        name = f"result {result.pk}"
        if result.scores != result.report.get("scores"):
            yield name, "its scores are not those of its report"
        if result.signature != result.report.get("signature", result.signature):
            yield name, "its signature is not that of its report"
        track = result.evaluation.submission.track
        kind = get_kind(track.kind)
        key = kind.primary_for(read_options(kind, track.options)).key
        if result.primary is not None and result.primary != result.scores.get(key):
            yield name, "its primary score is not among its scores"


@check
def scores_are_numbers() -> Found:
    for pk, primary in Result.objects.exclude(primary=None).values_list("pk", "primary"):
        if primary is not None and not math.isfinite(primary):
            yield f"result {pk}", "its primary score is not finite"


@check
def signatures_name_what_was_used() -> Found:
    """The scorer and gold version of a signature are those of the evaluation."""
    rows = Result.objects.select_related("evaluation__gold_version").only(
        "signature", "evaluation__scorer_version", "evaluation__gold_version__version"
    )
    for result in rows.iterator(chunk_size=500):
        evaluation = result.evaluation
        parts = result.signature.split("|")
        if parts[0] != evaluation.scorer_version or f"gold:v{evaluation.gold_version.version}" not in parts:
            yield f"result {result.pk}", "its signature names another scorer or gold version"


@check
def reports_keep_gold_to_themselves() -> Found:
    """No stored report carries the bare digest of gold: a guess could be confirmed."""
    for pk, report in Result.objects.values_list("pk", "report").iterator(chunk_size=200):
        if (report.get("digests") or {}).get("gold"):
            yield f"result {pk}", "carries the digest of gold"
