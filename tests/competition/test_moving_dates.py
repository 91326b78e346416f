"""Moving a deadline to before runs that were received: said, confirmed, on record, and nothing is lost."""

from __future__ import annotations

import threading
from datetime import datetime, timedelta
from typing import Any

import pytest
from django.db import IntegrityError, connection, transaction
from django.urls import reverse

from competition import clock
from competition.domain import intake, receipts
from competition.domain.baselines import send_baselines
from competition.domain.phases import move_phase, runs_left_outside
from competition.domain.standings import official_of
from competition.exceptions import CannotSubmit, NotConfirmed
from competition.models import Announcement, AuditEntry, Submission, User
from competition.operations import invariants
from tests.competition.stage import Stage, fresh, run, set_stage, work_until_idle
from tests.competition.test_admin_dates import signed_in
from tests.support.builders import make_organizer_of

pytestmark = [pytest.mark.django_db, pytest.mark.both]
HOUR = timedelta(hours=1)


@pytest.fixture
def stage() -> Stage:
    """A phase of two days around now with runs of two teams early and late, one withdrawn, and baselines."""
    stage = set_stage(grace_seconds=60)
    lead, rival = stage.team("Lead"), stage.team("Rival")
    now, opened = clock.now(), stage.phase.opens_at
    stage.send(lead, run(1), received_at=opened + HOUR)
    for number in (2, 3):
        stage.send(lead, run(number), received_at=now - HOUR)
    stage.send(rival, run(4), received_at=now - HOUR)
    withdrawn = stage.send(rival, run(5), received_at=now)
    intake.withdraw_submission(submission=withdrawn, withdrawn_by=rival.captain)
    send_baselines(phase=stage.phase, track=stage.track, requested_by=None)
    work_until_idle()
    return stage


@pytest.fixture
def organizer(stage: Stage) -> User:
    return make_organizer_of(stage.task, "organizer")


def move(stage: Stage, organizer: User, known: int = 0, **dates: Any) -> None:
    phase = fresh(stage.phase)
    kept = {"opens_at": phase.opens_at, "closes_at": phase.closes_at}
    move_phase(
        phase=phase, moved_by=organizer, reason="The hall closes.", known_outside=known, **{**kept, **dates}
    )


def earlier(stage: Stage) -> datetime:
    """A close that three runs of two teams came after."""
    return clock.now() - 2 * HOUR


def test_an_earlier_deadline_is_refused_until_its_runs_are_confirmed(stage: Stage, organizer: User) -> None:
    closes_at, before = earlier(stage), stage.phase.closes_at
    with pytest.raises(
        NotConfirmed, match="3 received runs of 2 teams would lie after the new close. Nothing"
    ):
        move(stage, organizer, closes_at=closes_at)
    with pytest.raises(NotConfirmed):  # one came in after the organizer was told
        move(stage, organizer, known=2, closes_at=closes_at)
    assert fresh(stage.phase).closes_at == before
    assert not Announcement.objects.exists()
    move(stage, organizer, known=3, closes_at=closes_at)
    assert fresh(stage.phase).closes_at == closes_at
    entry = AuditEntry.objects.get(action="phase moved")
    assert (entry.before["closes_at"], entry.after["closes_at"]) == (
        before.isoformat(),
        closes_at.isoformat(),
    )
    assert (entry.after["runs outside"], entry.reason) == (3, "The hall closes.")
    assert "Runs received under the earlier dates stay counted." in Announcement.objects.get().text


def test_nothing_is_lost_and_receipts_name_the_deadline_of_then(stage: Stage, organizer: User) -> None:
    def official() -> list[tuple[int, Any]]:
        return [(team.pk, chosen.run) for team, _, chosen in official_of(stage.phase, stage.track)]

    before, deadline = official(), stage.phase.last_accepted_before
    move(stage, organizer, known=3, closes_at=earlier(stage))
    assert official() == before
    sent = Submission.objects.filter(baseline_name="")
    assert set(sent.values_list("deadline", flat=True)) == {deadline}
    assert set(Submission.objects.exclude(baseline_name="").values_list("deadline", flat=True)) == {None}
    last = sent.first()
    assert last is not None
    page = signed_in(organizer).get(last.get_absolute_url()).content.decode()
    assert f"{deadline:%Y-%m-%d %H:%M:%S} UTC" in page
    assert "it has been moved since" in page
    assert f"Deadline     {deadline:%-d %b %Y %H:%M} UTC" in receipts.text_of(last)
    assert [str(broken) for broken in invariants.audit()] == []


def test_a_later_opening_is_confirmed_alike(stage: Stage, organizer: User) -> None:
    opens_at = stage.phase.opens_at + 2 * HOUR
    with pytest.raises(NotConfirmed, match="1 received run of 1 team would lie before .* it stays counted"):
        move(stage, organizer, opens_at=opens_at)
    move(stage, organizer, known=1, opens_at=opens_at)
    assert fresh(stage.phase).opens_at == opens_at


def test_a_shorter_grace_is_a_deadline_moved(stage: Stage, organizer: User) -> None:
    late = stage.phase.closes_at + timedelta(seconds=30)
    stage.send(stage.team("Late"), run(6), received_at=late)
    with pytest.raises(NotConfirmed, match="1 received run of 1 team would lie after the new close"):
        move(stage, organizer, grace_seconds=20)
    move(stage, organizer, known=1, grace_seconds=20)
    assert "has a grace of 20 seconds (before: 60)" in Announcement.objects.get().text
    assert {broken.check for broken in invariants.audit()} == {"nothing_was_received_after_it_was_kept"}


def test_dates_that_leave_nothing_more_outside_ask_nothing(stage: Stage, organizer: User) -> None:
    move(stage, organizer, closes_at=stage.phase.closes_at + HOUR)
    move(stage, organizer, opens_at=stage.phase.opens_at - HOUR)
    move(stage, organizer, known=3, closes_at=earlier(stage))
    move(stage, organizer, opens_at=stage.phase.opens_at)  # the three lie outside since, and stay so
    outside = runs_left_outside(
        fresh(stage.phase), opens_at=stage.phase.opens_at, closes_at=earlier(stage), grace_seconds=0
    )
    assert outside.runs == 0


# On the desk


def form_of(stage: Stage, **changes: str) -> dict[str, Any]:
    phase = stage.phase
    fields = ("slug", "name", "purpose", "grace_seconds", "counts", "scores_visible")
    return {
        **{name: getattr(phase, name) for name in fields},
        "task": phase.task_id,
        "diagnostics_level": phase.diagnostics_level,
        "published_level": phase.published_level,
        "opens_at_text": phase.opens_at.isoformat(),
        "opens_at_zone": "UTC",
        "closes_at_text": phase.closes_at.isoformat(),
        "closes_at_zone": "UTC",
        **changes,
    }


def test_the_desk_says_what_would_lie_outside_and_asks(stage: Stage, organizer: User) -> None:
    client, page = signed_in(organizer), reverse("admin:competition_phase_change", args=[stage.phase.pk])
    assert 'type="hidden" name="typed"' in client.get(page).content.decode()
    moved = form_of(stage, closes_at_text=earlier(stage).isoformat(), reason="The hall closes.")
    answer = client.post(page, moved)
    said = answer.content.decode()
    assert answer.status_code == 200
    assert "3 received runs of 2 teams would lie after the new close" in said
    assert f">Type {stage.phase.slug}/3 to go on:</label>" in said
    assert 'type="text" name="typed"' in said
    wrong = client.post(page, {**moved, "typed": f"{stage.phase.slug}/2"})
    assert f"This is not {stage.phase.slug}/3." in wrong.content.decode()
    no_reason = client.post(page, {**moved, "typed": f"{stage.phase.slug}/3", "reason": ""})
    assert "participants will read it" in str(no_reason.context["adminform"].form.errors["reason"])
    assert fresh(stage.phase).closes_at == stage.phase.closes_at
    assert client.post(page, {**moved, "typed": f"{stage.phase.slug}/3"}).status_code == 302
    assert fresh(stage.phase).closes_at.isoformat() == moved["closes_at_text"]
    assert AuditEntry.objects.get(action="phase moved").actor == organizer


def test_a_run_between_the_question_and_the_answer_stops_the_move(
    stage: Stage, organizer: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Counted when the form was read, and again with the phase locked."""
    from competition.admin import phases

    count = phases.runs_left_outside

    def count_and_receive(*arguments: Any, **dates: Any) -> Any:
        found = count(*arguments, **dates)
        stage.send(stage.team("Quick"), run(7))
        return found

    monkeypatch.setattr(phases, "runs_left_outside", count_and_receive)
    client, page = signed_in(organizer), reverse("admin:competition_phase_change", args=[stage.phase.pk])
    moved = form_of(stage, closes_at_text=earlier(stage).isoformat(), reason="The hall closes.", name="Final")
    answer = client.post(page, {**moved, "typed": f"{stage.phase.slug}/3"}, follow=True)
    assert "Nothing was changed. With these dates 4 received runs of 3 teams" in answer.content.decode()
    assert (fresh(stage.phase).closes_at, fresh(stage.phase).name) == (
        stage.phase.closes_at,
        stage.phase.name,
    )


# While runs are on their way


def test_a_receipt_names_the_deadline_that_held_when_the_run_was_taken(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    stage = set_stage()
    judge, later = intake.judge, stage.phase.closes_at + HOUR

    def judge_slowly(*arguments: Any) -> Any:
        type(stage.phase).objects.filter(pk=stage.phase.pk).update(closes_at=later)
        return judge(*arguments)

    monkeypatch.setattr(intake, "judge", judge_slowly)
    assert stage.send(stage.team()).deadline == later


def test_the_database_takes_no_run_after_the_deadline_it_names() -> None:
    stage = set_stage()
    sent = stage.send(stage.team())
    with pytest.raises(IntegrityError, match="submission_before_its_deadline"), transaction.atomic():
        Submission.objects.filter(pk=sent.pk).update(deadline=sent.received_at)


@pytest.mark.django_db(transaction=True)
def test_fifty_posts_while_the_deadline_moves_back_and_forth() -> None:
    """Each receipt names a deadline the phase had, and one that its run came before."""
    stage = set_stage()
    organizer, teams = make_organizer_of(stage.task), [stage.team() for _ in range(10)]
    moment, refused = clock.now(), 0
    ends = [moment + HOUR, moment - HOUR, moment + 2 * HOUR]

    def post(number: int) -> None:
        nonlocal refused
        try:
            for turn in range(5):
                try:
                    stage.send(teams[number], run(turn, filler=f"{number}"), received_at=moment)
                except CannotSubmit:
                    refused += 1
        finally:
            connection.close()

    threads = [threading.Thread(target=post, args=[number]) for number in range(10)]
    for thread in threads:
        thread.start()
    turn = 0
    while any(thread.is_alive() for thread in threads):
        move(stage, organizer, known=50, closes_at=ends[turn % 3])
        turn += 1
    kept = Submission.objects.all()
    assert len(kept) + refused == 50
    assert {one.deadline for one in kept} <= {stage.phase.closes_at, ends[0], ends[2]}
    assert [str(one) for one in invariants.audit() if "deadline" in str(one) or "outside" in str(one)] == []
