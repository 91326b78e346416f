"""Taking runs: the window to the millisecond, the quota under a crowd, receipts, refusals."""

from __future__ import annotations

import threading
from collections import Counter
from datetime import timedelta

import pytest
from django.db import IntegrityError, connection, transaction

from competition import clock
from competition.domain import intake
from competition.domain.intake import can_submit, submissions_left
from competition.enums import WorkStatus
from competition.exceptions import CannotSubmit, NotAllowed, QuotaUsedUp, TooOften
from competition.models import (
    AuditEntry,
    Blob,
    Entry,
    Evaluation,
    RefusedUpload,
    Submission,
)
from scoring.tracks import get_kind
from tests.competition.stage import codes, fresh, run, set_stage
from tests.support.builders import join, make_organizer_of, make_team, make_user
from tests.support.clock import move_to

pytestmark = pytest.mark.django_db
MILLISECOND = timedelta(milliseconds=1)


@pytest.mark.both
def test_a_valid_run_is_kept_and_queued():
    stage = set_stage()
    lead = stage.team("Lead")
    received_at = clock.now()
    sent = stage.send(
        lead, run(), file_name="my\nrun.jsonl", run_name=" best  of all ", received_at=received_at
    )
    kept = fresh(sent)
    assert (kept.number, kept.received_at, kept.submitted_by) == (1, received_at, lead.captain)
    assert (kept.file_name, kept.run_name, kept.n_lines) == ("my run.jsonl", "best of all", 8)
    assert kept.observed["n_answers"] == 8
    evaluation = Evaluation.objects.get()
    assert (evaluation.submission, evaluation.status) == (kept, WorkStatus.QUEUED)
    assert evaluation.gold_version == stage.gold


@pytest.mark.both
def test_a_faulty_file_tells_all_problems_and_costs_nothing():
    stage = set_stage(daily_quota=1)
    lead = stage.team()
    content = run().replace(b'"alpha"', b'""', 1) + b'{"task_id": "q99\xe2\x80\x8b", "answer": "x"}\n'
    refused = stage.upload(lead, content, file_name="r.jsonl")
    assert isinstance(refused, RefusedUpload)
    assert codes(refused)["E303"] == 1
    assert sum(code.startswith("E2") for code in codes(refused)) == 1
    assert refused.problems["excerpts"]["1"] == ['{"task_id": "', "q99<U+200B>", '", "answer": "x"}']
    assert Submission.objects.count() == Blob.objects.filter(submissions__isnull=False).count() == 0
    assert submissions_left(team=lead, phase=stage.phase, track=stage.track, moment=clock.now()).left == 1
    stage.send(lead, run())


@pytest.mark.both
@pytest.mark.parametrize(("grace", "offset", "taken"), [
    (0, -MILLISECOND, True), (0, 0 * MILLISECOND, False), (0, MILLISECOND, False),
    (60, timedelta(seconds=60) - MILLISECOND, True), (60, timedelta(seconds=60), False),
])  # fmt: skip
def test_the_close_is_half_open_to_the_millisecond(grace, offset, taken):
    stage = set_stage(grace_seconds=grace)
    lead = stage.team()
    moment = stage.phase.closes_at + offset
    assert bool(can_submit(team=lead, phase=stage.phase, track=stage.track, moment=moment)) is taken
    if taken:
        assert stage.send(lead, received_at=moment).received_at == moment
    else:
        with pytest.raises(CannotSubmit, match="closed on"):
            stage.send(lead, received_at=moment)
        assert not Entry.objects.exists()


def test_the_opening_belongs_to_the_phase():
    stage = set_stage()
    lead = stage.team()
    with pytest.raises(CannotSubmit, match="opens on"):
        stage.send(lead, received_at=stage.phase.opens_at - MILLISECOND)
    stage.send(lead, received_at=stage.phase.opens_at)


def test_a_deadline_moved_while_the_file_was_judged_is_the_one_that_holds(monkeypatch):
    stage = set_stage()
    lead = stage.team()
    judge = intake.judge

    def judge_slowly(*arguments, **more):
        type(stage.phase).objects.filter(pk=stage.phase.pk).update(closes_at=clock.now() - timedelta(hours=1))
        return judge(*arguments, **more)

    monkeypatch.setattr(intake, "judge", judge_slowly)
    with pytest.raises(CannotSubmit, match="closed on"):
        stage.send(lead)
    assert not Submission.objects.exists()


@pytest.mark.both
def test_the_daily_quota_and_its_sentence():
    move_to(clock.now())
    stage = set_stage(daily_quota=2)
    lead = stage.team()
    stage.send(lead, run(1))
    stage.send(lead, run(2))
    with pytest.raises(QuotaUsedUp, match=r"2 of 2 runs sent today. The next can be sent from .* 00:00 UTC"):
        stage.send(lead, run(3))
    rival = stage.team()
    assert stage.send(rival, run(3)).number == 1


def test_withdrawing_refunds_nothing_and_an_organizer_can_grant_more():
    stage = set_stage(daily_quota=None, total_quota=1)
    lead = stage.team()
    sent = stage.send(lead, run(1))
    intake.withdraw_submission(submission=sent, withdrawn_by=lead.captain)
    with pytest.raises(QuotaUsedUp, match="All 1 runs"):
        stage.send(lead, run(2))
    boss = make_organizer_of(stage.task)
    with pytest.raises(NotAllowed):
        intake.grant_attempts(
            team=lead, phase=stage.phase, track=stage.track, amount=1, reason="?", granted_by=lead.captain
        )
    intake.grant_attempts(
        team=lead, phase=stage.phase, track=stage.track, amount=1, reason="Power cut.", granted_by=boss
    )
    assert stage.send(lead, run(2)).number == 2
    assert {"submission withdrawn", "attempts granted"} <= set(
        AuditEntry.objects.values_list("action", flat=True)
    )


def test_a_failure_of_ours_is_not_charged_and_the_same_file_may_come_again():
    move_to(clock.now())
    stage = set_stage(daily_quota=1)
    lead = stage.team()
    first = stage.send(lead, run())
    Evaluation.objects.update(status=WorkStatus.FAILED, finished_at=clock.now())
    second = stage.send(lead, run())
    assert (first.number, second.number) == (1, 2)
    with pytest.raises(QuotaUsedUp):
        stage.send(lead, run(3))


@pytest.mark.both
def test_the_latest_bytes_again_give_the_same_receipt():
    move_to(clock.now())
    stage = set_stage(daily_quota=2)
    lead = stage.team()
    first = stage.send(lead, run(1))
    assert stage.send(lead, run(1)) == first
    second = stage.send(lead, run(2))
    assert stage.send(lead, run(2)) == second
    with pytest.raises(QuotaUsedUp):
        stage.send(lead, run(1))  # not the latest: a new run, which there is no attempt for
    assert Evaluation.objects.count() == 2


def test_withdrawn_bytes_may_be_sent_again():
    stage = set_stage()
    lead = stage.team()
    first = stage.send(lead, run())
    intake.withdraw_submission(submission=first, withdrawn_by=lead.captain)
    assert stage.send(lead, run()).number == 2


@pytest.mark.both
def test_a_repeated_request_gets_the_receipt_of_before_even_after_the_close():
    stage = set_stage()
    lead = stage.team()
    first = stage.send(lead, run(1), idempotency_key="k1")
    late = stage.phase.closes_at + timedelta(days=1)
    assert stage.send(lead, run(1), idempotency_key="k1", received_at=late) == first
    with pytest.raises(IntegrityError), transaction.atomic():
        Submission.objects.filter(pk=stage.send(lead, run(2)).pk).update(idempotency_key="k1")


def test_only_members_and_organizers_send():
    stage = set_stage()
    lead = stage.team()
    mate, boss, stranger = make_user(), make_organizer_of(stage.task), make_user()
    join(lead, mate)
    assert stage.send(lead, run(1), submitted_by=mate).submitted_by == mate
    assert stage.send(lead, run(2), submitted_by=boss).submitted_by == boss
    for nobody in (stranger, stage.team().captain, None):
        with pytest.raises(NotAllowed):
            stage.send(lead, run(3), submitted_by=nobody)


def test_a_team_of_another_task_and_a_phase_without_items():
    stage = set_stage()
    with pytest.raises(CannotSubmit, match="another shared task"):
        stage.send(make_team())
    stage.items.status = "rejected"
    stage.items.save()
    with pytest.raises(CannotSubmit, match="not released"):
        stage.send(stage.team())


def test_a_run_before_gold_waits_for_it():
    stage = set_stage()
    type(stage.gold).objects.update(status="rejected")
    stage.send(stage.team())
    assert not Evaluation.objects.exists()


def test_thirty_refusals_in_an_hour_are_enough():
    stage = set_stage()
    lead = stage.team()
    start = clock.now()
    for minute in range(30):
        stage.upload(lead, b"{}", received_at=start + timedelta(minutes=minute))
    with pytest.raises(TooOften) as refusal:
        stage.upload(lead, run(), received_at=start + timedelta(minutes=40))
    assert refusal.value.again_at == start + timedelta(hours=1)
    stage.upload(stage.team(), b"{}")
    assert isinstance(stage.upload(lead, run(), received_at=start + timedelta(minutes=61)), Submission)


def test_withdrawing_ends_with_the_phase_but_not_for_organizers():
    stage = set_stage()
    lead = stage.team()
    sent = stage.send(lead)
    stage.close()
    with pytest.raises(NotAllowed, match="closed"):
        intake.withdraw_submission(submission=sent, withdrawn_by=lead.captain)
    with pytest.raises(NotAllowed):
        intake.withdraw_submission(submission=sent, withdrawn_by=stage.team().captain)
    boss = make_organizer_of(stage.task)
    intake.withdraw_submission(submission=sent, withdrawn_by=boss, reason="Asked by the team.")
    assert fresh(sent).withdrawn_by == boss


def test_choosing_is_for_members_in_phases_that_let_them():
    stage = set_stage(counts="chosen")
    lead = stage.team()
    first, second = stage.send(lead, run(1)), stage.send(lead, run(2))
    assert intake.choose_submission(submission=first, chosen_by=lead.captain).chosen == first
    with pytest.raises(NotAllowed):
        intake.choose_submission(submission=first, chosen_by=stage.team().captain)
    intake.withdraw_submission(submission=first, withdrawn_by=lead.captain)
    assert Entry.objects.get(team=lead).chosen is None
    with pytest.raises(NotAllowed, match="withdrawn"):
        intake.choose_submission(submission=first, chosen_by=lead.captain)
    stage.close()
    with pytest.raises(NotAllowed, match="closed"):
        intake.choose_submission(submission=second, chosen_by=lead.captain)
    other = set_stage(counts="last")
    team = other.team()
    sent = other.send(team)
    with pytest.raises(NotAllowed, match="do not choose"):
        intake.choose_submission(submission=sent, chosen_by=team.captain)


def test_every_kind_of_the_registry_gets_its_observations_stored():
    stage = set_stage()
    declared = {one.key for one in get_kind("short_answer").diagnostics if one.level == 0}
    assert set(stage.send(stage.team()).observed) >= declared


@pytest.mark.both
@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("same", [False, True])
def test_sixteen_posts_at_once_with_three_left(same):
    """Different files: exactly three are taken. One file sixteen times (a nervous finger): one receipt."""
    move_to(clock.now())
    stage = set_stage(daily_quota=3)
    lead = stage.team()
    outcomes: Counter[str] = Counter()
    receipts: set[int] = set()
    barrier = threading.Barrier(16)

    def post(number: int) -> None:
        try:
            barrier.wait()
            receipts.add(stage.send(lead, run(0, filler="same" if same else f"other{number}")).pk)
            outcomes["taken"] += 1
        except QuotaUsedUp:
            outcomes["refused"] += 1
        except Exception as error:
            outcomes[repr(error)] += 1
        finally:
            connection.close()

    threads = [threading.Thread(target=post, args=[number]) for number in range(16)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    expected = Counter(taken=16) if same else Counter(taken=3, refused=13)
    assert outcomes == expected
    numbers = sorted(Submission.objects.values_list("number", flat=True))
    assert numbers == ([1] if same else [1, 2, 3])
    assert len(receipts) == Evaluation.objects.count() == len(numbers)
