"""Each check is broken once and must say so; a sound database breaks none.

The database's own constraints are in the way of most corruption, so they are taken away first, as a restored
dump or a hurried hand would.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta

import pytest
from allauth.account.models import EmailAddress
from django.core.management import CommandError, call_command
from django.db import connection, transaction
from django.db.models import F, Model

from competition import clock, triggers
from competition.domain.freezing import freeze_leaderboard, publish_leaderboard, request_freeze
from competition.domain.intake import choose_submission, grant_attempts, withdraw_submission
from competition.enums import Counts
from competition.models import (
    AuditEntry,
    Blob,
    Entry,
    Evaluation,
    ExtraAttempts,
    FreezeRequest,
    FrozenLeaderboard,
    FrozenStanding,
    GoldBlob,
    GoldCheck,
    GoldVersion,
    ItemSet,
    Membership,
    Publication,
    Result,
    Submission,
    Team,
    User,
)
from competition.operations import invariants
from tests.competition.stage import run, set_stage, work_until_idle
from tests.support.builders import make_organizer_of, make_task, make_track, make_user

pytestmark = pytest.mark.django_db


@pytest.fixture
def site() -> User:
    """A shared task with all there can be: two teams, runs, a withdrawn one, a grant, a published board."""
    stage = set_stage(counts=Counts.CHOSEN, total_quota=3, daily_quota=3, closes_at=_later(1))
    organizer = make_organizer_of(stage.task, "organizer")
    first, second = stage.team("First"), stage.team("Second")
    sent = [stage.send(first, run(n), idempotency_key=f"key{n}") for n in (3, 5, 7)]
    grant_attempts(
        team=first,
        phase=stage.phase,
        track=stage.track,
        amount=1,
        reason="A power cut.",
        granted_by=organizer,
    )
    stage.send(first, run(8))
    stage.send(second, run(6))
    work_until_idle()
    withdraw_submission(submission=sent[0], withdrawn_by=first.captain)
    choose_submission(submission=sent[2], chosen_by=first.captain)
    stage.close()
    request_freeze(phase=stage.phase, track=stage.track, requested_by=organizer, reason="It closed.")
    work_until_idle()
    board = FrozenLeaderboard.objects.get()
    publish_leaderboard(board=board, published_by=organizer)
    freeze_leaderboard(phase=stage.phase, track=stage.track, frozen_by=organizer, reason="A typo.")
    return organizer


def _later(hours: float):
    return clock.now() + timedelta(hours=hours)


@pytest.mark.both
def test_a_sound_site_breaks_nothing(site: User) -> None:
    assert Submission.objects.count() == 5
    assert [str(broken) for broken in invariants.audit()] == []
    call_command("audit_invariants")


def change(model: type[Model], **fields: object) -> Callable[[], None]:
    """Overwrite fields of the model's first row."""

    def apply() -> None:
        pk = model._base_manager.order_by("pk").values_list("pk", flat=True).first()
        assert model._base_manager.filter(pk=pk).update(**fields) == 1

    return apply


def moved(model: type[Model], field: str, **by: float) -> Callable[[], None]:
    return change(model, **{field: F(field) + timedelta(**by)})


def remove(model: type[Model]) -> Callable[[], None]:
    """Delete the first row as raw SQL would, whoever refers to it."""

    def apply() -> None:
        pk = model._base_manager.order_by("pk").values_list("pk", flat=True).first()
        model._base_manager.filter(pk=pk)._raw_delete(connection.alias)

    return apply


def another_task_for(model: type[Model], field: str) -> Callable[[], None]:
    def apply() -> None:
        change(model, **{field: make_task()})()

    return apply


def another_track_for(model: type[Model], **more: object) -> Callable[[], None]:
    def apply() -> None:
        change(model, track=make_track(), **more)()

    return apply


def copied(model: type[Model], **fields: object) -> Callable[[], None]:
    """Insert the first row once more, with these fields changed."""

    def apply() -> None:
        row = model._base_manager.order_by("pk").first()
        row.pk = None
        for name, value in fields.items():
            setattr(row, name, value)
        row.save(force_insert=True)

    return apply


def join_second_team() -> None:
    member, other = Membership.objects.order_by("pk").first(), Team.objects.get(name="Second")
    Membership.objects.create(team=other, user=member.user, task=member.task, joined_at=clock.now())


def verify_twice() -> None:
    EmailAddress.objects.update(email="ours@example.org", verified=True)


def leak_gold() -> None:
    report = Result.objects.first().report
    change(Result, report={**report, "digests": {**report["digests"], "gold": "ab" * 32}})()


def gap_in_boards() -> None:
    FrozenStanding.objects.filter(board__version=1)._raw_delete(connection.alias)
    remove(FrozenLeaderboard)()


def other_score() -> None:
    change(Result, scores={"rouge1_f1": 0.99})()


def use_older_submission() -> None:
    entry = Entry.objects.get(team__name="First")
    Entry.objects.filter(pk=entry.pk).update(chosen=Submission.objects.get(team__name="Second"))


def choose_the_withdrawn() -> None:
    withdrawn = Submission.objects.exclude(withdrawn_at=None).get()
    Entry.objects.filter(pk=withdrawn.entry_id).update(chosen=withdrawn)


def run_long_ago() -> None:
    change(Evaluation, status="running", lease_until=_later(-1), token=9)()
    Result.objects.filter(evaluation=Evaluation.objects.order_by("pk").first())._raw_delete(connection.alias)


def drop_guard() -> None:
    model = triggers.frozen_models()[0]
    name = triggers.names(connection, model)[0]
    table = f" ON {model._meta.db_table}" if connection.vendor == "postgresql" else ""
    with connection.cursor() as cursor:
        cursor.execute(f"DROP TRIGGER {name}{table}")


def drop_index() -> None:
    with connection.cursor() as cursor:
        cursor.execute("DROP INDEX submission_by_board")


def forget_migration() -> None:
    with connection.cursor() as cursor:
        cursor.execute("DELETE FROM django_migrations WHERE app = 'competition'")


SEEDED: list[tuple[str, str, Callable[[], None]]] = [
    ("stored_bytes_have_their_digest", "bytes that do not unpack", change(Blob, packed=b"rubbish")),
    (
        "stored_bytes_have_their_digest",
        "bytes of another file",
        lambda: change(
            Blob, packed=bytes(Blob.objects.order_by("-pk").values_list("packed", flat=True)[0])
        )(),
    ),
    ("stored_bytes_have_their_digest", "gold that does not unpack", change(GoldBlob, packed=b"x")),
    ("stored_bytes_have_their_size", "another size", change(Blob, size=3)),
    ("stored_bytes_have_their_digest", "another salt", change(GoldBlob, salt="other")),
    ("gold_keeps_its_commitment", "another commitment", change(GoldVersion, commitment="0" * 64)),
    ("ready_gold_has_its_items", "gold without items", change(GoldVersion, item_set=None)),
    ("ready_gold_has_its_items", "items of another track", another_track_for(ItemSet)),
    ("versions_have_no_gaps", "a lost version of the gold", change(GoldVersion, version=2)),
    ("versions_have_no_gaps", "a lost version of the items", change(ItemSet, version=4)),
    ("files_belong_to_one_task", "items of another task", another_track_for(ItemSet)),
    ("receipts_name_their_bytes", "another digest on the receipt", change(Submission, digest="1" * 64)),
    ("receipts_name_their_bytes", "another size on the receipt", change(Submission, size=1)),
    ("submissions_agree_with_their_entry", "another track", another_track_for(Submission)),
    ("entries_belong_to_one_task", "an entry in another task's track", another_track_for(Entry)),
    ("submissions_are_numbered_without_gaps", "a lost submission", change(Submission, number=9)),
    ("submissions_are_numbered_without_gaps", "a number used twice", change(Submission, number=2)),
    ("requests_were_answered_once", "a key used twice", change(Submission, idempotency_key="key5")),
    (
        "submissions_were_in_time",
        "one that came too late",
        change(Submission, received_at=F("received_at") + timedelta(hours=3), deadline=None),
    ),
    ("submissions_were_in_time", "one that came too early", moved(Submission, "received_at", days=-3)),
    (
        "receipts_name_a_deadline_of_their_phase",
        "a deadline that never was",
        moved(Submission, "deadline", seconds=1),
    ),
    (
        "nothing_was_received_after_it_was_kept",
        "a receipt from the future",
        moved(Submission, "received_at", minutes=9),
    ),
    ("quotas_were_kept", "a grant that vanished", remove(ExtraAttempts)),
    ("senders_were_allowed", "a stranger's run", lambda: change(Submission, submitted_by=make_user())()),
    ("chosen_runs_may_be_chosen", "another team's run chosen", use_older_submission),
    ("chosen_runs_may_be_chosen", "a withdrawn run chosen", choose_the_withdrawn),
    (
        "withdrawals_are_on_record",
        "a silent withdrawal",
        lambda: change(Submission, withdrawn_at=clock.now(), public_id="x" * 22)(),
    ),
    (
        "accepted_runs_are_queued",
        "a run nobody queued",
        lambda: (
            remove(Result)(),
            Evaluation.objects.filter(result=None)._raw_delete(connection.alias),
            Submission.objects.update(withdrawn_at=None),
        ),
    ),
    ("accounts_keep_their_address", "a lost row", remove(EmailAddress)),
    ("accounts_keep_their_address", "another address", change(EmailAddress, email="no@example.org")),
    ("verified_addresses_have_one_account", "two owners", verify_twice),
    ("memberships_are_in_the_teams_task", "a member elsewhere", another_task_for(Membership, "task")),
    ("people_are_in_one_team", "a person in two teams", join_second_team),
    ("captains_are_members", "a captain who left", lambda: change(Membership, left_at=_later(1))()),
    ("team_names_have_their_keys", "a name without its key", change(Team, name="Renamed by hand")),
    ("granted_attempts_are_on_record", "a grant without a trace", copied(ExtraAttempts)),
    ("done_evaluations_have_a_result", "a lost result", remove(Result)),
    ("results_belong_to_done_evaluations", "a result too early", change(Evaluation, status="queued")),
    ("evaluations_have_one_result", "two results", copied(Result)),
    (
        "evaluations_name_the_team_of_their_run",
        "another team",
        lambda: change(Evaluation, team=Team.objects.get(name="Second"))(),
    ),
    (
        "nothing_waits_twice",
        "a run queued twice",
        lambda: (copied(Evaluation, status="queued")(), copied(Evaluation, status="queued")()),
    ),
    ("claims_end", "a claim nobody took back", run_long_ago),
    (
        "waiting_work_is_nobodys",
        "a lease on finished work",
        lambda: change(Evaluation, lease_until=clock.now())(),
    ),
    ("attempts_are_limited", "a fourth attempt", change(Evaluation, attempts=4, token=4)),
    ("tokens_count_claims", "a token set back", change(Evaluation, token=0)),
    ("failures_have_a_reference", "a failure without a number", change(Evaluation, status="failed")),
    ("work_happens_in_order", "finished before it began", moved(Evaluation, "finished_at", hours=-1)),
    ("evaluations_use_the_right_files", "gold of another track", another_track_for(GoldVersion)),
    (
        "evaluations_use_the_right_files",
        "other items",
        lambda: (copied(ItemSet, version=2)(), change(Evaluation, item_set=ItemSet.objects.get(version=2))()),
    ),
    (
        "checked_gold_says_so",
        "a check without a verdict",
        lambda: (
            GoldCheck.objects.create(
                gold_version=GoldVersion.objects.get(),
                status="done",
                queued_at=clock.now(),
                finished_at=clock.now(),
            ),
            change(GoldVersion, status="checking")(),
        ),
    ),
    ("results_agree_with_their_report", "a score changed by hand", other_score),
    ("results_agree_with_their_report", "a primary score changed by hand", change(Result, primary=0.123)),
    (
        "results_agree_with_their_report",
        "another signature",
        change(Result, signature="short_answer.1|gold:v1"),
    ),
    ("scores_are_numbers", "an infinite score", change(Result, primary=float("inf"))),
    ("signatures_name_what_was_used", "another scorer", change(Evaluation, scorer_version="short_answer.9")),
    ("signatures_name_what_was_used", "another gold", change(GoldVersion, version=7)),
    ("reports_keep_gold_to_themselves", "the digest of gold in a report", leak_gold),
    (
        "frozen_boards_say_what_they_said",
        "a board's text",
        change(FrozenLeaderboard, content='{"version": 1}'),
    ),
    ("frozen_boards_say_what_they_said", "a board's digest", change(FrozenLeaderboard, digest="2" * 64)),
    ("frozen_boards_say_what_they_said", "a rank", change(FrozenStanding, rank=5)),
    ("frozen_boards_say_what_they_said", "a score on a board", change(FrozenStanding, primary=0.77)),
    ("frozen_boards_say_what_they_said", "a row of a board", remove(FrozenStanding)),
    (
        "frozen_boards_say_what_they_said",
        "the witness in the audit trail",
        lambda: AuditEntry.objects.filter(action="leaderboard frozen")._raw_delete(connection.alias),
    ),
    ("boards_are_numbered_without_gaps", "a lost board", gap_in_boards),
    (
        "publications_are_on_record",
        "a silent publication",
        lambda: AuditEntry.objects.filter(action="leaderboard published")._raw_delete(connection.alias),
    ),
    (
        "publications_are_on_record",
        "published before it was frozen",
        moved(Publication, "published_at", hours=-1),
    ),
    ("freezes_made_what_they_say", "a freeze without a board", change(FreezeRequest, board=None)),
    ("freezes_made_what_they_say", "a freeze of another track", another_track_for(FreezeRequest)),
    ("references_lead_somewhere", "a user who vanished", remove(User)),
    ("references_lead_somewhere", "a file that vanished", remove(Blob)),
    ("frozen_tables_are_guarded", "a dropped trigger", drop_guard),
    ("constraints_are_in_place", "a dropped index", drop_index),
    ("migrations_are_applied", "a migration that is not on record", forget_migration),
]


def test_whatever_is_broken_is_found(site: User) -> None:
    if connection.vendor == "sqlite":
        pytest.skip("Drops constraints and rolls back: leave PODIUM_TEST_DATABASE unset.")
    missed = []
    for check, seeded, corrupt in SEEDED:
        with transaction.atomic():
            if corrupt not in (drop_guard, drop_index):
                unguard()
            corrupt()
            found = list(invariants.CHECKS[check]())
            transaction.set_rollback(True)
        if not found:
            missed.append(f"{check}: {seeded}")
    print(f"{len(SEEDED) - len(missed)} of {len(SEEDED)} kinds of corruption found")
    assert not missed
    assert list(invariants.audit()) == []


def test_the_command_names_the_rows_and_exits_1(site: User, capsys: pytest.CaptureFixture[str]) -> None:
    change(Evaluation, worker="w", attempts=3, token=2)()
    with pytest.raises(CommandError, match="1 places? break") as stopped:
        call_command("audit_invariants")
    assert stopped.value.returncode == 1
    assert "tokens_count_claims: evaluation" in capsys.readouterr().out


def test_every_check_is_broken_once() -> None:
    assert {check for check, _, _ in SEEDED} == set(invariants.CHECKS)
    assert len(SEEDED) >= 25


def test_a_check_that_cannot_run_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    def stumble():
        raise KeyError("primary")
        yield

    monkeypatch.setitem(invariants.CHECKS, "scores_are_numbers", stumble)
    assert [broken.what for broken in invariants.audit()] == ["could not run: KeyError"]


def unguard() -> None:
    """Take away what would refuse the corruption: triggers, foreign keys, checks, unique indexes. Rolled back
    with the rest.
    """
    with connection.cursor() as cursor:
        cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")
        cursor.execute(
            "SELECT conrelid::regclass::text, conname FROM pg_constraint "
            "WHERE contype IN ('c', 'f', 'u') AND conrelid::regclass::text ~ '^(competition|account)_'"
        )
        for table, name in cursor.fetchall():
            cursor.execute(f'ALTER TABLE {table} DROP CONSTRAINT IF EXISTS "{name}" CASCADE')
        cursor.execute(
            "SELECT indexname FROM pg_indexes WHERE tablename ~ '^(competition|account)_' "
            "AND indexdef LIKE 'CREATE UNIQUE%' AND indexname NOT LIKE '%_pkey'"
        )
        for (name,) in cursor.fetchall():
            cursor.execute(f'DROP INDEX "{name}"')
        cursor.execute("SELECT tgname, tgrelid::regclass::text FROM pg_trigger WHERE NOT tgisinternal")
        for name, table in cursor.fetchall():
            cursor.execute(f"ALTER TABLE {table} DISABLE TRIGGER {name}")
