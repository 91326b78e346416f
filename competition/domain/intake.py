"""Taking a run: checked, stored, then accepted in one short transaction that asks every question again.

The order is a promise. The bytes are judged and stored before any lock. Then, with the team's entry locked:
is this request answered already, is the phase open, are these the latest bytes again, is an attempt left? A
refused file never reaches the lock, and costs nothing.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import cache
from typing import Any

from django.db import transaction

from competition import clock, rules
from competition.domain import audit, blobs
from competition.domain.checking import Judged, judge
from competition.domain.queueing import queue_evaluation
from competition.domain.quota import Quota, measure, spent_sentence
from competition.domain.replaced import would_wait
from competition.domain.throttle import wait_until
from competition.enums import Counts, WorkStatus
from competition.exceptions import CannotSubmit, NotAllowed, QuotaUsedUp, TooOften
from competition.models import (
    Entry,
    ExtraAttempts,
    GoldVersion,
    ItemSet,
    Phase,
    RefusedUpload,
    Submission,
    Team,
    Track,
    User,
)
from competition.models.base import REASON_LENGTH
from competition.models.files import filed_under
from competition.models.submissions import METHOD_LENGTH

NOT_RELEASED = "The items of this phase are not released yet."
UPLOADS_A_MINUTE = 100
REFUSALS_AN_HOUR = 30
REFUSALS_KEPT = timedelta(days=30)


@dataclass(frozen=True)
class Answer:
    """Yes, with the items the run will be judged by, or no, with the reason as a sentence. True in a
    condition when yes.
    """

    reason: str = ""
    item_set: ItemSet | None = None

    def __bool__(self) -> bool:
        return self.item_set is not None


# Asking


def can_submit(*, team: Team, phase: Phase, track: Track, moment: datetime, arrived: bool = False) -> Answer:
    """Whether a run of this team that had fully arrived at `moment` would be taken, quota aside; `arrived`
    says that there is one, whose moment the reason then names.
    """
    if refusal := _outside(team, phase, track, moment, arrived=arrived):
        return Answer(refusal)
    item_set = ItemSet.objects.current_for(phase, track)
    return Answer(item_set=item_set) if item_set else Answer(NOT_RELEASED)


def _outside(team: Team, phase: Phase, track: Track, moment: datetime, *, arrived: bool) -> str:
    """Why a run that had fully arrived at `moment` does not belong here, or ""."""
    if phase.task_id != team.task_id or track.task_id != team.task_id:
        return "This team belongs to another shared task."
    if moment < phase.opens_at:
        return f"{phase.name} opens on {phase.opens_at:%Y-%m-%d at %H:%M} UTC."
    if not phase.accepts_at(moment):
        closed = f"{phase.name} closed on {phase.closes_at:%Y-%m-%d at %H:%M:%S} UTC"
        late = f"; your file had arrived on {moment:%Y-%m-%d at %H:%M:%S.%f}"[:-3] + " UTC" if arrived else ""
        return f"{closed}{late}."
    return ""


def submissions_left(*, team: Team, phase: Phase, track: Track, moment: datetime) -> Quota:
    """The team's allowance in this phase and track."""
    entry = Entry.objects.filter(team=team, phase=phase, track=track).first()
    return _quota(entry, phase, moment)


def _quota(entry: Entry | None, phase: Phase, moment: datetime) -> Quota:
    received: list[datetime] = []
    extra = 0
    if entry is not None:
        received = list(entry.submissions.charged().values_list("received_at", flat=True))
        extra = sum(entry.extra_attempts.values_list("amount", flat=True))
    return measure(received, moment=moment, daily=phase.daily_quota, total=phase.total_quota, extra=extra)


# Receiving


def receive_submission(
    *,
    team: Team,
    phase: Phase,
    track: Track,
    submitted_by: User | None,
    received_at: datetime,
    content: bytes,
    file_name: str = "",
    run_name: str = "",
    method: str = "",
    code_url: str = "",
    external_data: str = "",
    idempotency_key: str = "",
) -> Submission | RefusedUpload:
    """Take a run: a `Submission` (new, or the receipt of before), or a `RefusedUpload` with every problem.

    `received_at` is one reading of the database clock after the whole request had arrived. Raises
    CannotSubmit, QuotaUsedUp or NotAllowed, and then nothing was kept. An `idempotency_key` stands for one
    file: a repeated request is answered with its receipt, another file is refused.
    """
    if submitted_by is None or not rules.can_submit_for(submitted_by, team):
        raise NotAllowed("Only members of a team send its runs.")
    _require_pace(submitted_by, received_at)
    before = _answered(team, phase, track, idempotency_key, filed_under(content))
    if before is not None:
        return before
    item_set = _granted(can_submit(team=team, phase=phase, track=track, moment=received_at, arrived=True))
    _require_patience(team, received_at)
    sent = {
        "submitted_by": submitted_by,
        "received_at": received_at,
        "file_name": _one_line(file_name, 255),
        "size": len(content),
    }
    judged = judge(item_set, content)
    if not judged.ok:
        return _refuse(team, phase, track, judged, sent)
    told = {
        "run_name": _one_line(run_name, 80),
        "method": method[:METHOD_LENGTH],
        "code_url": code_url[:300],
        "external_data": _one_line(external_data, 500),
        "idempotency_key": idempotency_key[:64],
    }
    return _accept(team, item_set, judged, blobs.store(content), {**sent, **told}, within_rules=True)


def receive_baseline(
    *,
    team: Team,
    item_set: ItemSet,
    baseline_name: str,
    content: bytes,
    submitted_by: User | None = None,
) -> Submission:
    """Take the run of a baseline on these items: checked and scored like any other, outside window and quota,
    never ranked.

    The same bytes again give the same submission. Raises CannotSubmit when the run does not pass the check.
    """
    if not team.is_baseline:
        raise NotAllowed("Only a baseline's run is taken outside the rules of a phase.")
    judged = judge(item_set, content)
    if not judged.ok:
        raise CannotSubmit(f"The baseline {baseline_name} does not pass the check of its own track.")
    told = {
        "submitted_by": submitted_by,
        "received_at": clock.now(),
        "file_name": f"{baseline_name}.jsonl",
        "size": len(content),
        "run_name": baseline_name,
        "baseline_name": baseline_name,
    }
    return _accept(team, item_set, judged, blobs.store(content), told, within_rules=False)


def _refuse(team: Team, phase: Phase, track: Track, judged: Judged, sent: dict[str, Any]) -> RefusedUpload:
    return RefusedUpload.objects.create(
        team=team,
        phase=phase,
        track=track,
        digest=judged.digest,
        problems={**judged.report, "excerpts": judged.excerpts},
        **sent,
    )


def forget_refused_uploads(moment: datetime) -> int:
    """Drop the reports of files refused more than thirty days ago; returns how many there were."""
    gone, _ = RefusedUpload.objects.filter(received_at__lt=moment - REFUSALS_KEPT).delete()
    return gone


def _accept(
    team: Team,
    item_set: ItemSet,
    judged: Judged,
    blob: Any,
    told: dict[str, Any],
    *,
    within_rules: bool,
) -> Submission:
    phase, track = item_set.phase, item_set.track

    @cache
    def waits(gold_version: GoldVersion) -> bool:
        answered = judged.report["digests"]["items"]
        return gold_version.item_set_id != item_set.pk and would_wait(blob.pk, answered, gold_version)

    # Judging takes its time, so not under the lock, unless other gold has come by then. The gold of first
    # items has no older ones.
    if item_set.version > 1 and (current := GoldVersion.objects.current_for(phase, track)):
        waits(current)
    with transaction.atomic():
        entry, _ = Entry.objects.select_for_update().get_or_create(team=team, phase=phase, track=track)
        answered = _answered(team, phase, track, told.get("idempotency_key", ""), judged.digest)
        if answered is not None:
            return answered
        received_at = told["received_at"]
        now_phase = Phase.objects.get(pk=phase.pk)
        if within_rules and (refusal := _outside(team, now_phase, track, received_at, arrived=True)):
            raise CannotSubmit(refusal)
        latest = entry.submissions.order_by("-number").first()
        if latest is not None and _same_again(latest, judged.digest):
            return latest
        if within_rules:
            quota = _quota(entry, now_phase, received_at)
            if quota.is_spent:
                raise QuotaUsedUp(spent_sentence(quota))
        submission = Submission.objects.create(
            entry=entry,
            team=team,
            phase=phase,
            track=track,
            number=latest.number + 1 if latest else 1,
            blob=blob,
            digest=judged.digest,
            deadline=now_phase.last_accepted_before if within_rules else None,
            n_lines=judged.report["counts"]["lines"],
            warnings={key: value for key, value in judged.report.items() if key != "diagnostics"},
            observed=judged.report["diagnostics"],
            **told,
        )
        gold_version = GoldVersion.objects.current_for(phase, track)
        if gold_version is not None and not waits(gold_version):
            queue_evaluation(submission=submission, gold_version=gold_version, moment=received_at)
    return submission


def _same_again(latest: Submission, digest: str) -> bool:
    """Whether a file is the entry's latest one once more; a run that failed or was withdrawn may be sent
    again.
    """
    if latest.digest != digest or latest.is_withdrawn:
        return False
    evaluation = latest.latest_evaluation
    return evaluation is None or evaluation.status != WorkStatus.FAILED


def _answered(team: Team, phase: Phase, track: Track, key: str, digest: str) -> Submission | None:
    """What a request with this idempotency key was answered with. Raises CannotSubmit when that was for
    other bytes: a receipt for them would hide that this file was not taken.
    """
    if not key:
        return None
    same_entry = Submission.objects.filter(team=team, phase=phase, track=track)
    found = same_entry.filter(idempotency_key=key[:64]).first()
    if found is not None and found.digest != digest:
        raise CannotSubmit(
            f"This Idempotency-Key sent another file already, run {found.number}. "
            "Send this one under a new key."
        )
    return found


def _granted(answer: Answer) -> ItemSet:
    if answer.item_set is None:
        raise CannotSubmit(answer.reason)
    return answer.item_set


def _require_patience(team: Team, moment: datetime) -> None:
    recent = RefusedUpload.objects.filter(team=team, received_at__gt=moment - timedelta(hours=1))
    times = list(recent.order_by("-received_at").values_list("received_at", flat=True)[:REFUSALS_AN_HOUR])
    if len(times) == REFUSALS_AN_HOUR:
        again_at = times[-1] + timedelta(hours=1)
        raise TooOften(
            f"{REFUSALS_AN_HOUR} files of your team were refused within an hour. "
            f"Check files without sending them, or send again from {again_at:%H:%M} UTC.",
            again_at,
        )


def _require_pace(person: User, moment: datetime) -> None:
    again_at = wait_until(f"upload {person.pk}", most=UPLOADS_A_MINUTE, seconds=60, moment=moment)
    if again_at is not None:
        raise TooOften(
            f"{UPLOADS_A_MINUTE} files in a minute are as many as one may send. "
            f"Go on from {again_at:%H:%M:%S} UTC.",
            again_at,
        )


def _one_line(text: str, most: int) -> str:
    return " ".join(text.replace("\x00", "").split())[:most]


# Afterwards


@transaction.atomic
def withdraw_submission(*, submission: Submission, withdrawn_by: User, reason: str = "") -> Submission:
    """Take a run out of the competition for good: members until the phase closes, organizers at any time.

    The attempt stays spent. Withdrawing twice changes nothing.
    """
    entry = Entry.objects.select_for_update().get(pk=submission.entry_id)
    submission = Submission.objects.get(pk=submission.pk)
    moment = clock.now()
    if not rules.can_withdraw(withdrawn_by, submission):
        raise NotAllowed("Only members of the team and organizers withdraw a run.")
    if not submission.phase.accepts_at(moment) and not rules.organizes(withdrawn_by, submission.phase.task):
        raise NotAllowed("The phase has closed. Ask the organizers to withdraw the run.")
    if submission.is_withdrawn:
        return submission
    submission.withdrawn_at, submission.withdrawn_by = moment, withdrawn_by
    submission.save(update_fields=["withdrawn_at", "withdrawn_by"])
    if entry.chosen_id == submission.pk:
        Entry.objects.filter(pk=entry.pk).update(chosen=None)
    audit.record(
        actor=withdrawn_by,
        action="submission withdrawn",
        target=submission,
        reason=reason[:REASON_LENGTH],
        at=moment,
    )
    return submission


@transaction.atomic
def choose_submission(*, submission: Submission, chosen_by: User) -> Entry:
    """Make this run the one that counts, where the phase lets teams choose, until it closes."""
    entry = Entry.objects.select_for_update().get(pk=submission.entry_id)
    submission = Submission.objects.get(pk=submission.pk)
    moment = clock.now()
    if not rules.can_choose(chosen_by, submission):
        raise NotAllowed("Only members of the team choose its run.")
    if submission.phase.counts != Counts.CHOSEN:
        raise NotAllowed("In this phase teams do not choose which run counts.")
    if not submission.phase.accepts_at(moment):
        raise NotAllowed("The phase has closed; the choice stands.")
    if submission.is_withdrawn:
        raise NotAllowed("A withdrawn run cannot count.")
    before = entry.chosen.number if entry.chosen else None
    entry.chosen = submission
    entry.save(update_fields=["chosen"])
    audit.record(
        actor=chosen_by,
        action="submission chosen",
        target=submission,
        before={"number": before},
        after={"number": submission.number},
        at=moment,
    )
    return entry


@transaction.atomic
def grant_attempts(
    *, team: Team, phase: Phase, track: Track, amount: int, reason: str, granted_by: User
) -> ExtraAttempts:
    """Give one team more attempts in a phase and track, with a reason that stays on record."""
    if not rules.organizes(granted_by, team.task):
        raise NotAllowed("Only organizers grant attempts.")
    entry, _ = Entry.objects.get_or_create(team=team, phase=phase, track=track)
    granted = ExtraAttempts.objects.create(entry=entry, amount=amount, reason=reason, granted_by=granted_by)
    audit.record(
        actor=granted_by,
        action="attempts granted",
        target=entry,
        task=team.task,
        reason=reason,
        after={"amount": amount},
    )
    return granted
