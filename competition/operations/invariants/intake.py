"""Submissions: whose, when, how many."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

from django.db.models import Count, Exists, F, Max, OuterRef, Q, Sum

from competition.enums import FileStatus
from competition.models import (
    AuditEntry,
    Entry,
    ExtraAttempts,
    GoldVersion,
    Membership,
    Phase,
    RefusedUpload,
    Submission,
)
from competition.operations.invariants.registry import Found, check


def _name(one: Submission) -> str:
    return f"submission {one.public_id}"


@check
def receipts_name_their_bytes() -> Found:
    """The digest and size on a receipt are those of the stored file."""
    for one in Submission.objects.exclude(digest=F("blob_id")):
        yield _name(one), "its digest is not that of its file"
    for one in Submission.objects.exclude(size=F("blob__size")):
        yield _name(one), "its size is not that of its file"


@check
def submissions_agree_with_their_entry() -> Found:
    """Team, phase and track stand on the submission and on its entry: they are the same."""
    same = Q(team=F("entry__team"), phase=F("entry__phase"), track=F("entry__track"))
    for one in Submission.objects.exclude(same):
        yield _name(one), "differs from its entry in team, phase or track"


@check
def entries_belong_to_one_task() -> Found:
    """Team, phase and track of an entry are of one shared task."""
    for entry in Entry.objects.exclude(team__task=F("phase__task"), track__task=F("phase__task")):
        yield f"entry {entry.pk}", "team, phase and track are of different shared tasks"


@check
def submissions_are_numbered_without_gaps() -> Found:
    """Numbers in an entry run 1, 2, 3 …: a gap is a lost submission, a repeat a double one."""
    numbered = Submission.objects.order_by().values("entry")
    for row in numbered.annotate(n=Count("pk"), top=Max("number"), kinds=Count("number", distinct=True)):
        if not row["n"] == row["top"] == row["kinds"]:
            yield f"entry {row['entry']}", f"{row['n']} submissions, the highest number is {row['top']}"


@check
def requests_were_answered_once() -> Found:
    """One idempotency key, one submission."""
    keyed = Submission.objects.exclude(idempotency_key="").order_by()
    for row in keyed.values("entry", "idempotency_key").annotate(n=Count("pk")).filter(n__gt=1):
        yield f"entry {row['entry']}", f"{row['n']} submissions of one request"


@check
def submissions_were_in_time() -> Found:
    """Everything taken arrived in a window its phase had; moved dates are in the audit trail."""
    for phase in Phase.objects.all():
        outside = Submission.objects.filter(phase=phase, baseline_name="")
        for opens_at, closes_at in _windows(phase):
            grace = closes_at + timedelta(seconds=_most_ever(phase, "grace_seconds") or 0)
            outside = outside.exclude(received_at__gte=opens_at, received_at__lt=grace)
        for one in outside:
            yield _name(one), f"received at {one.received_at:%Y-%m-%d %H:%M:%S.%f} UTC, outside its phase"


@check
def receipts_name_a_deadline_of_their_phase() -> Found:
    """The deadline on a receipt is one its phase had: its close then, with its grace then."""
    for phase in Phase.objects.all():
        graces = {phase.grace_seconds, *_ever(phase, "grace_seconds")}
        had = {end + timedelta(seconds=grace) for _, end in _windows(phase) for grace in graces}
        for one in Submission.objects.filter(phase=phase).exclude(deadline=None).exclude(deadline__in=had):
            yield _name(one), "names a deadline its phase never had"


@check
def nothing_was_received_after_it_was_kept() -> Found:
    """A receipt's moment was read before the row was written."""
    for model in (Submission, RefusedUpload):
        for one in model.objects.filter(received_at__gt=F("created_at") + timedelta(seconds=1)):
            yield f"{model._meta.verbose_name} {one.public_id}", "received later than it was written down"


@check
def quotas_were_kept() -> Found:
    """No entry has more counted submissions than its phase allowed and organizers granted."""
    extra = dict(ExtraAttempts.objects.order_by().values_list("entry").annotate(n=Sum("amount")))
    for phase in Phase.objects.all():
        total, daily = (_most_ever(phase, name) for name in ("total_quota", "daily_quota"))
        counted = Submission.objects.charged().filter(phase=phase, baseline_name="")
        days: dict[int, dict[Any, int]] = defaultdict(lambda: defaultdict(int))
        for entry, received_at in counted.values_list("entry", "received_at"):
            days[entry][received_at.astimezone(UTC).date()] += 1
        for entry, by_day in days.items():
            more, number = extra.get(entry, 0), sum(by_day.values())
            if total is not None and number > total + more:
                yield f"entry {entry}", f"{number} submissions count, {total + more} were allowed"
            if daily is not None and sum(max(0, n - daily) for n in by_day.values()) > more:
                yield f"entry {entry}", f"more than {daily} submissions a day, {more} extra in all"


@check
def senders_were_allowed() -> Found:
    """Who sent a run was in its team once, or organizes the task."""
    member = Membership.objects.filter(team=OuterRef("team"), user=OuterRef("submitted_by"))
    strangers = Submission.objects.filter(baseline_name="").exclude(Exists(member))
    strangers = strangers.exclude(submitted_by__organizer_roles__task=F("phase__task"))
    for one in strangers.exclude(submitted_by__is_superuser=True):
        yield _name(one), "sent by somebody who never was in the team"


@check
def chosen_runs_may_be_chosen() -> Found:
    """A chosen run is one of the entry's own and stands."""
    for entry in Entry.objects.exclude(chosen=None).exclude(chosen__entry=F("pk")):
        yield f"entry {entry.pk}", "chose a submission of another entry"
    for entry in Entry.objects.exclude(chosen=None).exclude(chosen__withdrawn_at=None):
        yield f"entry {entry.pk}", "chose a submission that is withdrawn"


@check
def withdrawals_are_on_record() -> Found:
    """Somebody withdrew what is withdrawn, and the audit trail says so."""
    told = AuditEntry.objects.filter(action="submission withdrawn", target_id=OuterRef("public_id"))
    for one in Submission.objects.exclude(withdrawn_at=None).exclude(Exists(told)):
        yield _name(one), "withdrawn, and nobody is on record for it"


@check
def accepted_runs_are_queued() -> Found:
    """Where gold is ready, a run that stands has an evaluation: otherwise nobody would ever score it."""
    gold = GoldVersion.objects.filter(
        phase=OuterRef("phase"), track=OuterRef("track"), status=FileStatus.READY
    )
    for one in Submission.objects.standing().filter(evaluations=None).filter(Exists(gold)):
        yield _name(one), "was never queued although gold is ready"


def _changes(phase: Phase) -> Iterator[dict[str, Any]]:
    entries = AuditEntry.objects.filter(target_type="Phase", target_id=str(phase.pk))
    for before, after in entries.values_list("before", "after"):
        yield before
        yield after


def _windows(phase: Phase) -> set[tuple[datetime, datetime]]:
    """Every window the phase ever had."""
    found = {(phase.opens_at, phase.closes_at)}
    for change in _changes(phase):
        if {"opens_at", "closes_at"} <= change.keys():
            found.add((_moment(change["opens_at"]), _moment(change["closes_at"])))
    return found


def _moment(text: str) -> datetime:
    moment = datetime.fromisoformat(text)
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)


def _ever(phase: Phase, field: str) -> list[Any]:
    """The values a field had before and after each change on record."""
    return [change[field] for change in _changes(phase) if field in change]


def _most_ever(phase: Phase, field: str) -> int | None:
    """The most generous value a limit ever had; None where there was none once."""
    values = [getattr(phase, field), *_ever(phase, field)]
    if None in values or "" in values:
        return None
    return max(int(value) for value in values)
