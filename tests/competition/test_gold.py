"""Organizers' files: items judged at once, gold stored unread and judged by a worker."""

from __future__ import annotations

import hashlib

import pytest
from django.core import mail

from competition import clock
from competition.domain import evaluations, intake
from competition.domain.gold import add_gold, add_items
from competition.enums import FileStatus, WorkStatus
from competition.exceptions import FileRefused
from competition.models import AuditEntry, Evaluation, GoldCheck, GoldVersion, ItemSet, Result
from tests.competition.stage import fresh, gold, items, run, set_stage, work_until_idle
from tests.support.builders import make_organizer_of, make_phase, make_task, make_track
from tests.support.questions import questions

pytestmark = pytest.mark.django_db


@pytest.fixture
def place():
    task = make_task()
    return {"phase": make_phase(task), "track": make_track(task), "uploaded_by": None, "reason": "First."}


@pytest.mark.both
def test_items_are_ready_at_once_and_versions_count(place):
    first, second = add_items(content=items(), **place), add_items(content=items(4), **place)
    assert [(one.version, one.n_items, one.status) for one in (first, second)] == [
        (1, 8, "ready"),
        (2, 4, "ready"),
    ]
    assert ItemSet.objects.current_for(place["phase"], place["track"]) == second
    assert AuditEntry.objects.filter(action="items added").count() == 2


def test_faulty_items_are_refused_with_every_problem(place):
    with pytest.raises(FileRefused) as refusal:
        add_items(content=b'{"task_id": 7}\n{"task_id": "a"}\n', **place)
    lines = {problem["line"] for problem in refusal.value.problems}
    assert lines == {1, 2}
    assert not ItemSet.objects.exists()


def test_gold_needs_items(place):
    with pytest.raises(FileRefused, match="items first"):
        add_gold(content=gold(), **place)


@pytest.mark.both
def test_gold_is_checked_by_the_worker(place):
    add_items(content=items(), **place)
    version = add_gold(content=gold(), **place)
    assert version.status == FileStatus.RECEIVED
    assert work_until_idle() == 1
    version = fresh(version)
    assert (version.status, version.n_scored, version.problems) == (FileStatus.READY, 8, [])
    assert GoldCheck.objects.get().status == WorkStatus.DONE


def test_the_commitment_binds_to_the_bytes_and_hides_them(place):
    add_items(content=items(), **place)
    first, second = add_gold(content=gold(), **place), add_gold(content=gold(), **place)
    assert first.commitment == hashlib.sha256(first.blob.salt.encode() + gold()).hexdigest()
    assert len(first.blob.salt) == 64
    assert first.commitment != second.commitment, "equal files cannot be told to be equal"
    bare = hashlib.sha256(gold()).hexdigest()
    assert bare not in repr(list(AuditEntry.objects.values()))


def test_adding_gold_never_reads_gold(place):
    """The web process stores references; no query of it selects their bytes."""
    add_items(content=items(), **place)
    with questions() as queries:
        add_gold(content=gold(), **place)
    reading = [sql for sql in queries if sql.startswith("SELECT") and "goldblob" in sql]
    assert all('"packed"' not in sql for sql in reading)


@pytest.mark.both
def test_rejected_gold_leaves_the_version_before_in_force(
    place, mailoutbox, django_capture_on_commit_callbacks
):
    boss = make_organizer_of(place["phase"].task)
    add_items(content=items(), **place)
    good = add_gold(content=gold(), **place)
    bad = add_gold(content=gold(7) + b'{"task_id": "q99", "answer": "x"}\n', **place)
    with django_capture_on_commit_callbacks(execute=True):
        work_until_idle()
    bad = fresh(bad)
    assert bad.status == FileStatus.REJECTED
    assert {problem["code"] for problem in bad.problems} == {"E601", "E602"}
    assert GoldVersion.objects.current_for(place["phase"], place["track"]) == good
    assert [letter.to for letter in mail.outbox] == [[boss.email]]
    assert "q99" not in mail.outbox[0].body


def test_excluded_items_are_answered_but_not_scored(place):
    add_items(content=items(), **place)
    version = add_gold(content=gold(7) + b'{"task_id": "q7", "excluded": true, "reason": "Typo."}\n', **place)
    work_until_idle()
    assert fresh(version).n_scored == 7


def test_runs_that_came_before_gold_are_scored_when_it_is_ready():
    stage = set_stage()
    GoldVersion.objects.update(status="rejected")
    sent = stage.send(stage.team(), run(2))
    stage_gold = add_gold(
        phase=stage.phase, track=stage.track, content=gold(), uploaded_by=None, reason="Late."
    )
    work_until_idle()
    result = Result.objects.get()
    assert result.evaluation.submission == sent
    assert (result.evaluation.gold_version, result.primary) == (stage_gold, 0.25)


def test_queued_runs_are_scored_with_the_newest_gold_and_scored_ones_keep_theirs():
    stage = set_stage()
    early = stage.send(stage.team(), run(1))
    work_until_idle()
    late = stage.send(stage.team(), run(1))
    add_gold(phase=stage.phase, track=stage.track, content=gold(), uploaded_by=None, reason="Erratum.")
    work_until_idle()
    versions = dict(Evaluation.objects.values_list("submission", "gold_version__version"))
    assert versions == {early.pk: 1, late.pk: 2}


@pytest.mark.both
def test_a_run_accepted_in_the_moment_gold_became_ready_is_found_by_the_sweep():
    """Neither transaction saw the other: the run has no evaluation, the gold is ready."""
    stage = set_stage()
    GoldVersion.objects.update(status="rejected")
    waiting, withdrawn = stage.send(stage.team(), run(2)), stage.send(stage.team(), run(3))
    intake.withdraw_submission(submission=withdrawn, withdrawn_by=withdrawn.submitted_by)
    assert evaluations.sweep() == evaluations.Swept()
    GoldVersion.objects.update(status="ready")
    ended = clock.now()
    GoldCheck.objects.create(gold_version=stage.gold, status="done", queued_at=ended, finished_at=ended)
    assert evaluations.sweep() == evaluations.Swept(again=1)
    assert evaluations.sweep() == evaluations.Swept()
    assert Evaluation.objects.get().submission == waiting
