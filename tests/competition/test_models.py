"""What the database itself refuses, whoever writes; and what models say about themselves."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from django.contrib.auth.models import AnonymousUser
from django.core.exceptions import ValidationError
from django.db import IntegrityError, connection, transaction
from django.db.models import CheckConstraint, Model, UniqueConstraint
from django.db.models.deletion import ProtectedError

from competition import clock
from competition.domain import blobs
from competition.enums import FileStatus, PhaseStatus, WorkStatus
from competition.models import (
    Blob,
    Entry,
    Evaluation,
    ExtraAttempts,
    FreezeRequest,
    FrozenLeaderboard,
    GoldBlob,
    GoldVersion,
    Invitation,
    ItemSet,
    Membership,
    Phase,
    RefusedUpload,
    SharedTask,
    Submission,
    Team,
    Track,
    User,
)
from competition.models.base import new_public_id
from competition.models.submissions import METHOD_LENGTH
from tests.support import builders

pytestmark = [pytest.mark.django_db, pytest.mark.both]

NOON = datetime(2026, 5, 26, 12, tzinfo=UTC)


def a_phase(**fields: Any) -> Phase:
    return builders.make_phase(**fields)


def again(row: Model, **changes: Any) -> None:
    """Insert a copy of the row."""
    row.pk = None
    row._state.adding = True
    if hasattr(row, "public_id"):
        row.public_id = new_public_id()
    for name, value in changes.items():
        setattr(row, name, value)
    row.save(force_insert=True)


def work(**fields: Any) -> None:
    builders.make_evaluation(**fields)


FAULTS: dict[str, Callable[[], object]] = {
    "organizer_role_unique": lambda: again(
        builders.make_organizer_of(builders.make_task()).organizer_roles.get()
    ),
    "track_slug_unique": lambda: again(builders.make_track()),
    "phase_slug_unique": lambda: again(a_phase()),
    "phase_opens_before_it_closes": lambda: a_phase(opens_at=NOON, closes_at=NOON),
    "phase_grace_limit": lambda: a_phase(grace_seconds=3_601),
    "phase_purpose_known": lambda: Phase.objects.filter(pk=a_phase().pk).update(purpose="party"),
    "phase_counts_known": lambda: a_phase(counts="all"),
    "phase_scores_visible_known": lambda: a_phase(scores_visible="never"),
    "phase_levels_rise": lambda: a_phase(diagnostics_level=2, published_level=1),
    "task_about_length": lambda: builders.make_task(about_markdown="x" * 50_001),
    "team_name_unique": lambda: again(builders.make_team()),
    "team_name_not_empty": lambda: Team.objects.create(task=builders.make_task(), name="x"),
    "team_role_known": lambda: builders.make_team(role="guest"),
    "membership_one_team_per_task": lambda: builders.join((team := builders.make_team()), team.captain),
    "membership_left_after_joined": lambda: Membership.objects.filter(
        pk=builders.make_team().memberships.get().pk
    ).update(left_at=NOON - timedelta(days=9_999)),
    "invitation_used_by_somebody": lambda: Invitation.objects.create(
        team=(team := builders.make_team()),
        token_digest="0" * 64,
        created_by=team.captain,
        expires_at=NOON,
        used_at=NOON,
    ),
    "entry_unique": lambda: again(builders.make_submission().entry),
    "extra_attempts_1_to_100": lambda: ExtraAttempts.objects.create(
        entry=builders.make_submission().entry, amount=0, reason="none"
    ),
    "extra_attempts_reason": lambda: ExtraAttempts.objects.create(
        entry=builders.make_submission().entry, amount=1, reason=""
    ),
    "submission_number_unique": lambda: again(builders.make_submission()),
    "submission_number_from_1": lambda: builders.make_submission(number=0),
    "submission_key_unique": lambda: again(builders.make_submission(idempotency_key="k"), number=2),
    "submission_method_length": lambda: builders.make_submission(method="x" * (METHOD_LENGTH + 1)),
    "itemset_version_unique": lambda: again(a_file(builders.make_items)),
    "itemset_version_from_1": lambda: builders.make_items(
        (p := a_phase()), builders.make_track(p.task), version=0
    ),
    "goldversion_version_unique": lambda: again(a_file(builders.make_gold)),
    "goldversion_status_known": lambda: a_file(builders.make_gold, status="fine"),
    "evaluation_status_known": lambda: work(status="lost", finished_at=NOON),
    "evaluation_running_has_lease": lambda: work(status=WorkStatus.RUNNING),
    "evaluation_ended_at": lambda: work(status=WorkStatus.DONE, finished_at=None),
    "evaluation_one_open": lambda: again(builders.make_evaluation()),
    "freeze_request_one_open": lambda: again(freeze_request()),
    "freeze_request_reason": lambda: freeze_request(reason=""),
    "board_version_unique": lambda: again(builders.make_board()),
    "board_reason": lambda: builders.make_board(reason=""),
    "board_chained": lambda: builders.make_board(version=2),
    "standing_position_unique": lambda: [
        builders.make_standing(board, position=1) for board in [builders.make_board()] * 2
    ],
    "standing_rank_in_section": lambda: builders.make_standing(builders.make_board(), rank=None),
}


def a_file(make: Callable[..., Model], **fields: Any) -> Model:
    phase = a_phase()
    return make(phase, builders.make_track(phase.task), **fields)


def freeze_request(**fields: Any) -> FreezeRequest:
    phase = a_phase()
    fields = {"reason": "closed", "queued_at": clock.now(), **fields}
    return FreezeRequest.objects.create(phase=phase, track=builders.make_track(phase.task), **fields)


@pytest.mark.parametrize("name", FAULTS)
def test_the_database_refuses(name: str) -> None:
    with pytest.raises(IntegrityError) as caught, transaction.atomic():
        FAULTS[name]()
    if connection.vendor == "postgresql":
        assert name in str(caught.value)


def test_every_constraint_has_a_message() -> None:
    models = [SharedTask, Track, Phase, Team, Membership, Submission, Evaluation, FrozenLeaderboard, User]
    for model in models:
        for constraint in model._meta.constraints:
            assert isinstance(constraint, UniqueConstraint | CheckConstraint)
            assert constraint.violation_error_message != constraint.default_violation_error_message


def test_a_form_shows_the_message_of_the_constraint() -> None:
    phase = a_phase()
    phase.closes_at = phase.opens_at
    with pytest.raises(ValidationError, match="A phase opens before it closes"):
        phase.full_clean()


def test_two_submissions_without_a_key_are_two() -> None:
    submission = builders.make_submission()
    builders.make_submission(submission.team, submission.phase, submission.track)
    assert submission.entry.submissions.count() == 2


def test_a_failed_evaluation_makes_room_for_another() -> None:
    failed = builders.make_evaluation(status=WorkStatus.FAILED)
    builders.make_evaluation(failed.submission)
    assert failed.submission.evaluations.count() == 2


def test_users_without_an_address_do_not_collide() -> None:
    User.objects.create(username="one")
    User.objects.create(username="two")


def test_a_phase_is_half_open() -> None:
    phase = Phase(opens_at=NOON, closes_at=NOON + timedelta(hours=1), grace_seconds=20)
    moment = timedelta(milliseconds=1)
    close = phase.closes_at
    assert [phase.is_open_at(at) for at in (NOON - moment, NOON, close - moment, close)] == [
        False,
        True,
        True,
        False,
    ]
    assert [phase.status_at(at) for at in (NOON - moment, NOON, close)] == [
        PhaseStatus.ANNOUNCED,
        PhaseStatus.OPEN,
        PhaseStatus.CLOSED,
    ]
    graced = close + timedelta(seconds=20)
    assert [phase.accepts_at(at) for at in (NOON - moment, NOON, close, graced - moment, graced)] == [
        False,
        True,
        True,
        True,
        False,
    ]


def test_querysets_agree_with_the_phase_on_what_is_open() -> None:
    task = builders.make_task()
    hour = timedelta(hours=1)
    late = builders.make_phase(task, opens_at=NOON, closes_at=NOON + 3 * hour)
    soon = builders.make_phase(task, opens_at=NOON, closes_at=NOON + 2 * hour)
    later = builders.make_phase(task, opens_at=NOON + hour, closes_at=NOON + 2 * hour)
    builders.make_phase(task, opens_at=NOON - hour, closes_at=NOON)
    assert list(Phase.objects.current(NOON)) == [soon, late]
    assert list(Phase.objects.upcoming(NOON)) == [later]


def test_the_newest_ready_file_is_current() -> None:
    phase = a_phase()
    track, other = builders.make_track(phase.task), builders.make_track(phase.task)
    first = builders.make_items(phase, track)
    second = builders.make_items(phase, track)
    builders.make_items(phase, track, status=FileStatus.REJECTED)
    elsewhere = builders.make_items(phase, other)
    assert ItemSet.objects.current_for(phase, track) == second
    assert set(ItemSet.objects.current()) == {second, elsewhere}
    assert GoldVersion.objects.current_for(phase, track) is None
    assert first.version == 1


def test_published_tasks_are_for_all_drafts_for_their_organizers() -> None:
    public, draft = builders.make_task(), builders.make_task(published=False)
    organizer, other = builders.make_organizer_of(draft), builders.make_organizer_of(public)
    seen = {
        person: set(SharedTask.objects.visible_to(person))
        for person in (AnonymousUser(), builders.make_user(), other, organizer, builders.make_superuser())
    }
    assert list(seen.values()) == [{public}, {public}, {public}, {public, draft}, {public, draft}]
    phase, track = builders.make_phase(draft), builders.make_track(draft)
    team = builders.make_team(draft)
    for rows, row in ((Phase, phase), (Track, track), (Team, team)):
        assert not rows.objects.visible_to(other).filter(pk=row.pk).exists()
        assert rows.objects.visible_to(organizer).filter(pk=row.pk).exists()


def test_runs_are_for_members_and_organizers() -> None:
    submission = builders.make_submission()
    team, task = submission.team, submission.team.task
    mate, gone, rival = builders.make_user(), builders.make_user(), builders.make_team(task).captain
    builders.join(team, mate)
    past = builders.join(team, gone)
    past.left_at = past.joined_at
    past.save()
    others = builders.make_organizer_of(builders.make_task())
    refused = RefusedUpload.objects.create(
        team=team,
        phase=submission.phase,
        track=submission.track,
        received_at=NOON,
        digest=submission.digest,
        size=1,
    )
    for person in (team.captain, mate, builders.make_organizer_of(task), builders.make_superuser()):
        assert set(Submission.objects.visible_to(person)) == {submission}
        assert set(RefusedUpload.objects.visible_to(person)) == {refused}
    for person in (AnonymousUser(), rival, gone, others):
        assert not Submission.objects.visible_to(person).exists()
        assert not RefusedUpload.objects.visible_to(person).exists()


def test_a_board_is_seen_when_it_is_published() -> None:
    board = builders.make_board()
    organizer = builders.make_organizer_of(board.phase.task)
    assert not FrozenLeaderboard.objects.visible_to(AnonymousUser()).exists()
    assert list(FrozenLeaderboard.objects.visible_to(organizer)) == [board]
    assert FrozenLeaderboard.objects.current_for(board.phase, board.track) is None
    builders.publish(board)
    newer = builders.make_board(board.phase, board.track)
    assert list(FrozenLeaderboard.objects.visible_to(AnonymousUser())) == [board]
    assert FrozenLeaderboard.objects.current_for(board.phase, board.track) == board
    assert newer.previous_digest == board.digest


def test_submissions_say_how_far_they_are() -> None:
    scored = builders.make_scored().evaluation.submission
    waiting = builders.make_submission(scored.team, scored.phase, scored.track)
    builders.make_evaluation(waiting)
    stored = builders.make_submission(scored.team, scored.phase, scored.track)
    status = dict(Submission.objects.with_status().values_list("pk", "work_status"))
    assert status == {scored.pk: "done", waiting.pk: "queued", stored.pk: None}


def test_lists_never_load_bytes() -> None:
    submission = builders.make_submission()
    builders.make_gold(submission.phase, submission.track)
    for model in (Blob, GoldBlob):
        for blob in model.objects.all():
            assert blob.get_deferred_fields() == set(model.KEPT_BACK)
    assert "packed" in Submission.objects.get().blob.get_deferred_fields()
    assert GoldVersion.objects.get().blob.get_deferred_fields() == {"packed", "salt"}


def test_bytes_come_back_as_they_were_given() -> None:
    for content in (b"", b"a", "東京 \U0001f642\r\n".encode() * 5_000):
        blob = blobs.store(content)
        assert blobs.load(blob) == content
        assert blobs.store(content) == blob
        assert blob.size == len(content)
    assert Blob.objects.count() == 3


def test_a_run_equal_to_the_gold_shares_nothing_with_it() -> None:
    gold = blobs.store_gold(builders.GOLD)
    assert not Blob.objects.filter(digest=gold.digest).exists()
    assert blobs.load(blobs.store(builders.GOLD)) == blobs.load(gold)


def test_changed_bytes_are_noticed() -> None:
    blob = blobs.store(b"a run")
    Blob.objects.filter(pk=blob.pk).update(packed=b"nonsense")
    with pytest.raises(blobs.CorruptBlob, match="unpacked"):
        blobs.load(blob)
    other = blobs.store(b"another")
    Blob.objects.filter(pk=blob.pk).update(
        packed=Blob.objects.values_list("packed", flat=True).get(pk=other.pk)
    )
    with pytest.raises(blobs.CorruptBlob, match="digest"):
        blobs.load(blob)


def test_what_others_rest_on_is_not_deleted() -> None:
    submission = builders.make_submission()
    for row in (
        submission.team,
        submission.phase,
        submission.track,
        submission.entry,
        submission.submitted_by,
    ):
        with pytest.raises(ProtectedError):
            row.delete()
    assert Entry.objects.exists()


def test_public_ids_are_long_and_differ() -> None:
    ids = {builders.make_submission().public_id for _ in range(5)}
    assert len(ids) == 5
    assert all(len(public_id) == 22 for public_id in ids)


def test_people_are_shown_by_name_never_by_address() -> None:
    named, unnamed = builders.make_user("lead"), builders.make_user("secret", display_name="")
    assert str(named) == "Lead"
    assert "secret" not in str(unnamed)
    assert "@" not in str(unnamed)


def test_the_queue_has_an_index_for_each_question() -> None:
    with connection.cursor() as cursor:
        names = set(connection.introspection.get_constraints(cursor, Evaluation._meta.db_table))
    assert {"evaluation_claim", "evaluation_sweep"} <= names


def test_the_clock_is_the_databases_and_can_be_moved() -> None:
    first, second = clock.now(), clock.now()
    assert first.tzinfo is UTC
    assert first <= second
    assert abs(first - datetime.now(UTC)) < timedelta(minutes=1)
    clock.override = lambda: NOON
    assert clock.now() == NOON
    assert builders.make_track().created_at == NOON
