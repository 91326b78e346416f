"""Queued work: one claim, a fencing token, leases, three attempts, turns that are fair."""

from __future__ import annotations

import threading
from datetime import timedelta

import pytest
from django.core import mail
from django.db import IntegrityError, connection, transaction

from competition import clock
from competition.domain import blobs, evaluations, intake, queueing
from competition.domain.evaluations import LEASE, claim, claim_next, heartbeat, record_failure, sweep
from competition.enums import WorkStatus
from competition.exceptions import LeaseLost
from competition.models import AuditEntry, Evaluation, GoldCheck, Result, WorkerBeat
from tests.competition.stage import Stage, fresh, gold, run, set_stage, work_until_idle
from tests.support.builders import make_gold, make_organizer_of
from tests.support.questions import questions

pytestmark = pytest.mark.django_db
SECOND = timedelta(seconds=1)

REPORT = {
    "ok": True,
    "kind": "short_answer",
    "scores": {"rouge1_f1": 0.5},
    "signature": "short_answer.1|m:rouge1_f1",
    "environment": {"unicode": "14.0.0"},
    "digests": {"run": "a", "items": "b", "gold": "c"},
}


def record(evaluation: Evaluation) -> Result:
    return evaluations.record_report(
        evaluation=evaluation, report=REPORT, primary=0.5, per_item=blobs.store(b"{}\n")
    )


@pytest.fixture
def stage() -> Stage:
    return set_stage()


@pytest.mark.both
def test_a_row_is_claimed_once(stage):
    sent = stage.send(stage.team())
    first = claim_next(Evaluation, worker="one")
    assert first is not None
    assert (first.submission, first.token, first.attempts, first.worker) == (sent, 1, 1, "one")
    assert claim_next(Evaluation, worker="two") is None
    assert claim(Evaluation, first.pk, worker="two") is None


@pytest.mark.both
@pytest.mark.django_db(transaction=True)
def test_eight_workers_share_twelve_rows_without_overlap():
    stage = set_stage()
    for _ in range(12):
        stage.send(stage.team())
    claimed: list[int] = []

    def work(name: str) -> None:
        try:
            while (row := claim_next(Evaluation, worker=name)) is not None:
                claimed.append(row.pk)
        finally:
            connection.close()

    threads = [threading.Thread(target=work, args=[f"w{n}"]) for n in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(claimed) == sorted(Evaluation.objects.values_list("pk", flat=True))
    assert set(Evaluation.objects.values_list("token", flat=True)) == {1}


@pytest.mark.both
def test_a_report_ends_the_row_and_leaves_the_golds_digest_out(stage):
    stage.send(stage.team())
    row = claim_next(Evaluation, worker="w")
    result = record(row)
    assert fresh(row).status == WorkStatus.DONE
    assert result.report["digests"] == {"run": "a", "items": "b"}
    with pytest.raises(LeaseLost):
        record(row)
    with pytest.raises(IntegrityError), transaction.atomic():
        Result.objects.create(evaluation=row, report={}, signature="x")


@pytest.mark.both
def test_a_worker_paused_past_its_lease_writes_nothing(stage):
    """Stopped after its claim, resumed when another has finished: report, failure and beat are void."""
    stage.send(stage.team())
    start = clock.now()
    paused = claim_next(Evaluation, worker="paused", moment=start)
    assert sweep(moment=start + LEASE) == evaluations.Swept()
    assert sweep(moment=start + LEASE + SECOND) == evaluations.Swept(again=1)
    with pytest.raises(LeaseLost):
        record(paused)
    other = claim_next(Evaluation, worker="other", moment=start + LEASE + SECOND)
    assert other.token == 2
    assert not heartbeat(paused)
    with pytest.raises(LeaseLost):
        record(paused)
    assert not record_failure(work=paused, kind="time")
    assert fresh(other).status == WorkStatus.RUNNING
    record(other)
    with pytest.raises(LeaseLost):
        record(paused)
    assert Result.objects.count() == 1


def test_a_heartbeat_prolongs_the_lease_and_shows_the_worker_alive(stage):
    stage.send(stage.team())
    start = clock.now()
    WorkerBeat.objects.create(name="w", started_at=start, seen_at=start)
    row = claim_next(Evaluation, worker="w", moment=start)
    assert heartbeat(row, moment=start + 50 * SECOND)
    assert sweep(moment=start + LEASE + SECOND) == evaluations.Swept()
    assert WorkerBeat.objects.get().seen_at == start + 50 * SECOND


@pytest.mark.both
def test_three_attempts_then_failed_uncharged_and_organizers_told(
    stage, mailoutbox, django_capture_on_commit_callbacks
):
    boss = make_organizer_of(stage.task)
    lead = stage.team()
    stage.send(lead)
    for attempt in (1, 2, 3):
        row = claim_next(Evaluation, worker="w")
        assert row.attempts == attempt
        with django_capture_on_commit_callbacks(execute=True):
            again = record_failure(work=row, kind="memory", where="ValueError at secret.py:1")
        assert again == (attempt < 3)
    row = fresh(row)
    assert (row.status, row.failure_kind) == (WorkStatus.FAILED, "memory")
    assert len(row.failure_reference) == 8
    assert claim_next(Evaluation, worker="w") is None
    quota = intake.submissions_left(team=lead, phase=stage.phase, track=stage.track, moment=clock.now())
    assert quota.used == 0
    assert [letter.to for letter in mail.outbox] == [[boss.email]]
    assert row.failure_reference in mail.outbox[0].subject
    assert "secret.py" not in mail.outbox[0].body
    assert AuditEntry.objects.get(action="evaluation failed").after["reference"] == row.failure_reference


@pytest.mark.both
def test_a_row_whose_workers_keep_dying_is_given_up(stage):
    stage.send(stage.team())
    moment = clock.now()
    for _ in range(3):
        assert claim_next(Evaluation, worker="w", moment=moment) is not None
        moment += LEASE + SECOND
        swept = sweep(moment=moment)
    assert swept == evaluations.Swept(failed=1)
    assert Evaluation.objects.get().failure_kind == "worker lost"


@pytest.mark.both
def test_a_flooding_team_delays_others_by_at_most_one_job(stage):
    flood = stage.team("Flood")
    start = clock.now()
    for number in range(8):
        stage.send(flood, run(number))
    claimed = [claim_next(Evaluation, worker="w", moment=start).submission.team]
    calm, quiet = stage.team("Calm"), stage.team("Quiet")
    stage.send(calm, run(1))
    stage.send(quiet, run(1))
    stage.send(calm, run(2))
    for second in range(1, 6):
        claimed.append(claim_next(Evaluation, worker="w", moment=start + second * SECOND).submission.team)
    assert [team.name for team in claimed] == ["Flood", "Calm", "Quiet", "Flood", "Calm", "Flood"]


def test_within_a_team_first_come_first_served(stage):
    lead = stage.team()
    sent = [stage.send(lead, run(number)) for number in range(4)]
    assert [claim_next(Evaluation, worker="w").submission for _ in sent] == sent


def test_a_claim_takes_as_many_queries_for_many_teams_as_for_few():
    """Fairness costs a few set-based queries, not one per team or row."""

    stage = set_stage()
    for _ in range(3):
        stage.send(stage.team())
    with questions() as few:
        assert claim_next(Evaluation, worker="w") is not None
    for _ in range(30):
        stage.send(stage.team())
    with questions() as many:
        assert claim_next(Evaluation, worker="w") is not None
    assert len(few) == len(many) <= 5


def test_the_bell_rings_after_the_commit_and_may_be_broken(stage, django_capture_on_commit_callbacks):
    heard: list[int] = []

    def listen(work, **_):
        heard.append(work.pk)
        raise RuntimeError("no Redis today")

    queueing.work_queued.connect(listen)
    try:
        with django_capture_on_commit_callbacks(execute=True) as callbacks:
            stage.send(stage.team())
            assert heard == []
    finally:
        queueing.work_queued.disconnect(listen)
    assert heard == [Evaluation.objects.get().pk]
    assert len(callbacks) == 1


def test_evaluating_again_takes_what_is_stale_or_failed_and_nothing_else(stage):
    boss = make_organizer_of(stage.task)
    stale, failed, gone = (stage.send(stage.team(), run(n)) for n in (1, 2, 3))
    work_until_idle()
    Evaluation.objects.filter(submission=failed).update(status=WorkStatus.FAILED)
    intake.withdraw_submission(submission=gone, withdrawn_by=boss)
    ask = {"phase": stage.phase, "track": stage.track, "requested_by": boss, "reason": "Erratum."}
    assert queueing.evaluate_again(**ask) == 1
    make_gold(stage.phase, stage.track, gold(shift=1))
    assert queueing.evaluate_again(**ask) == 2
    work_until_idle()
    assert queueing.evaluate_again(**ask) == 0
    newest = Evaluation.objects.filter(submission=stale).latest("pk")
    assert (newest.gold_version.version, newest.reason) == (2, "Erratum.")


@pytest.mark.both
@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("other", ["organizer", "gold"])
def test_what_happens_while_runs_are_looked_through_is_seen_under_the_lock(monkeypatch, other):
    """Another organizer asks for the same, or newer gold comes: no run is queued twice or for old gold."""
    stage = set_stage()
    sent = stage.send(stage.team(), run(3))
    work_until_idle()
    make_gold(stage.phase, stage.track, gold(shift=1))
    ask = {"phase": stage.phase, "track": stage.track, "requested_by": None, "reason": "Erratum."}
    look = queueing.waits_for_its_gold

    def meanwhile(submission, gold_version):
        assert not connection.in_atomic_block, "looking through judges, which would keep others waiting"
        monkeypatch.setattr(queueing, "waits_for_its_gold", look)
        if other == "gold":
            make_gold(stage.phase, stage.track, gold(shift=2))
        assert queueing.evaluate_again(**ask) == 1
        return look(submission, gold_version)

    monkeypatch.setattr(queueing, "waits_for_its_gold", meanwhile)
    assert queueing.evaluate_again(**ask) == 0
    open_ones = sent.evaluations.filter(status=WorkStatus.QUEUED)
    assert [one.gold_version.version for one in open_ones] == [3 if other == "gold" else 2]


def test_gold_checks_go_first(stage):
    stage.send(stage.team())
    GoldCheck.objects.create(gold_version=stage.gold, queued_at=clock.now())
    from competition import jobs

    assert isinstance(jobs.claim_any("w"), GoldCheck)
    assert isinstance(jobs.claim_any("w"), Evaluation)
    assert jobs.claim_any("w") is None
