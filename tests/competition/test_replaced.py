"""Items replaced after gold and runs came in: nobody's run fails for it, and the desk says what to do."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import connection
from django.test import Client
from django.urls import reverse

from competition import clock
from competition.domain import evaluations, replaced
from competition.domain.checking import Judged, judge
from competition.domain.freezing import freeze_blockers
from competition.domain.gold import add_gold, add_items
from competition.enums import WorkStatus
from competition.models import Evaluation, GoldCheck, ItemSet, Result
from competition.operations.invariants import audit
from competition.queries.desk import attention
from tests.competition.stage import Stage, gold, items, run, set_stage, work_until_idle
from tests.support.builders import make_organizer_of

pytestmark = [pytest.mark.django_db, pytest.mark.both]

MORE = 9
"""Items of the newer version: those of before and one more."""


def place(stage: Stage) -> dict[str, Any]:
    return {"phase": stage.phase, "track": stage.track, "uploaded_by": None, "reason": "One was forgotten."}


def states() -> dict[int, str]:
    return {one.submission_id: one.status for one in Evaluation.objects.order_by("pk")}


@pytest.fixture
def stage() -> Stage:
    """Gold checked a moment ago against eight items, and then nine are out."""
    stage = set_stage()
    now = clock.now()
    GoldCheck.objects.create(gold_version=stage.gold, status="done", queued_at=now, finished_at=now)
    add_items(content=items(MORE), **place(stage))
    return stage


def test_a_run_for_newer_items_waits_until_there_is_gold_for_them(stage: Stage) -> None:
    sent = stage.send(stage.team(), run(9, MORE))
    assert evaluations.sweep() == evaluations.Swept()
    again = {"phase": stage.phase, "track": stage.track, "requested_by": None, "reason": "x"}
    assert evaluations.evaluate_again(**again) == 0
    assert work_until_idle() == 0
    assert not sent.evaluations.exists(), "nothing failed and nobody was told that we are at fault"
    add_gold(content=gold(MORE), **place(stage))
    work_until_idle()
    assert (Result.objects.get().evaluation.submission, Result.objects.get().primary) == (sent, 1.0)
    assert not list(audit())


def test_a_run_that_fits_both_is_scored_at_once(stage: Stage) -> None:
    """A typo in a question: the same ids, so the gold that is there will do."""
    add_items(content=items().replace(b"Which word?", b"Which word is it?"), **place(stage))
    sent = stage.send(stage.team(), run(2))
    work_until_idle()
    assert (Result.objects.get().evaluation.submission, Result.objects.get().primary) == (sent, 0.25)


@pytest.mark.django_db(transaction=True)
def test_whether_a_run_waits_is_judged_while_nothing_is_locked(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A large run takes half a minute to judge, and its entry's lock holds off all else of the team."""
    locked = []

    def watched(item_set: ItemSet, content: bytes) -> Judged:
        locked.append(connection.in_atomic_block)
        return judge(item_set, content)

    monkeypatch.setattr(replaced, "judge", watched)
    assert not stage.send(stage.team(), run(9, MORE, filler="sent")).evaluations.exists()
    assert locked == [False]
    replaced._fits.cache_clear()  # as in another process
    evaluations.sweep()
    assert locked == [False, False]


def test_gold_that_comes_while_a_run_is_judged_scores_it(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    def slow(item_set: ItemSet, content: bytes) -> Judged:
        add_gold(content=gold(MORE), **place(stage))
        work_until_idle()
        return judge(item_set, content)

    monkeypatch.setattr(replaced, "judge", slow)
    sent = stage.send(stage.team(), run(9, MORE, filler="slow"))
    work_until_idle()
    assert (Result.objects.get().evaluation.submission, Result.objects.get().primary) == (sent, 1.0)


def test_a_run_for_items_that_are_gone_fails_by_that_name() -> None:
    stage = set_stage()
    early = stage.send(stage.team(), run(2))
    work_until_idle()
    add_items(content=items(MORE), **place(stage))
    add_gold(content=gold(MORE), **place(stage))
    work_until_idle()
    evaluations.evaluate_again(phase=stage.phase, track=stage.track, requested_by=None, reason="New gold.")
    work_until_idle()
    newest = Evaluation.objects.filter(submission=early).order_by("-pk")[0]
    assert (newest.status, newest.failure_kind) == (
        WorkStatus.FAILED,
        "it answers other items than its gold",
    )
    assert Result.objects.get().primary == 0.25, "the score of before is kept"
    stage.close()
    assert [one.message for one in freeze_blockers(stage.phase, stage.track)] == [
        "1 run failed through our fault."
    ]


def test_whoever_replaces_items_reads_what_that_does_to_gold_and_runs() -> None:
    stage = set_stage()
    organizer = make_organizer_of(stage.task)
    client = Client()
    client.force_login(organizer, backend="competition.authentication.Backend")
    stage.send(stage.team())
    assert attention(organizer, clock.now() - timedelta(hours=1)) == []

    def upload(content: bytes) -> str:
        form = {"phase": stage.phase.pk, "track": stage.track.pk, "reason": "One was forgotten."}
        form["file"] = SimpleUploadedFile("items.jsonl", content)
        page = client.post(reverse("admin:competition_itemset_add"), form, follow=True)
        return page.content.decode()

    page = upload(items(MORE))
    assert "Gold v1 was checked against items v1: upload gold for these." in page
    assert "1 run that stands was checked against earlier items." in page
    board = f"{stage.task}: {stage.track}, {stage.phase}"
    said = [one.message for one in attention(organizer, clock.now() - timedelta(hours=1))]
    assert said == [f"{board}: the items were replaced since gold v1 was checked. Upload gold again."]
    page = upload(items())
    assert "was checked against" not in page
    assert attention(organizer, clock.now() - timedelta(hours=1)) == []
