"""Items replaced after gold and runs came in: nobody's run fails for it, and the desk says what to do."""

from __future__ import annotations

import re
from collections.abc import Callable
from contextlib import AbstractContextManager
from datetime import timedelta
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import connection
from django.test import Client
from django.urls import reverse

from competition import clock
from competition.domain import evaluations, queueing, replaced
from competition.domain.checking import Judged, judge
from competition.domain.freezing import freeze_blockers
from competition.domain.gold import add_gold, add_items
from competition.domain.standings import live_standings
from competition.enums import WorkStatus
from competition.exceptions import QuotaUsedUp
from competition.models import Evaluation, GoldCheck, ItemSet, Result, Submission, User
from competition.models.work import ITEMS_GONE
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
    assert queueing.evaluate_again(**again) == 0
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
    assert not stage.send(stage.team(), run(8, MORE, filler="sent")).evaluations.exists()
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
    sent = stage.send(stage.team(), run(8, MORE, filler="slow"))
    work_until_idle()
    assert Result.objects.get().evaluation.submission == sent


# Items that are gone


def replace_everything(stage: Stage, n: int = MORE) -> None:
    """New items, gold for them, and every run scored again."""
    add_items(content=items(n), **place(stage))
    add_gold(content=gold(n), **place(stage))
    work_until_idle()
    queueing.evaluate_again(phase=stage.phase, track=stage.track, requested_by=None, reason="New gold.")
    work_until_idle()


@pytest.fixture
def overtaken() -> tuple[Stage, Submission]:
    """A scored run whose items were replaced by others that it does not fit. One may be sent in all."""
    stage = set_stage(total_quota=1)
    sent = stage.send(stage.team("Aegean"), run(2))
    work_until_idle()
    replace_everything(stage)
    return stage, sent


Overtaken = tuple[Stage, Submission]


def page_of(viewer: User | None, address: str) -> str:
    client = Client()
    client.force_login(viewer, backend="competition.authentication.Backend")  # type: ignore[arg-type]
    return " ".join(re.sub(r"<[^>]+>", " ", client.get(address).content.decode()).split())


def test_a_run_for_items_that_are_gone_fails_by_that_name_and_stands_no_more(overtaken: Overtaken) -> None:
    stage, sent = overtaken
    newest = Evaluation.objects.filter(submission=sent).order_by("-pk")[0]
    assert (newest.status, newest.failure_kind) == (WorkStatus.FAILED, ITEMS_GONE)
    assert Result.objects.get().primary == 0.25, "the score of before is kept"
    assert live_standings(stage.phase, stage.track, sent.team.captain, clock.now()).rows == []
    again = {"phase": stage.phase, "track": stage.track, "requested_by": None, "reason": "x"}
    assert queueing.evaluate_again(**again) == 0, "it cannot come to another end"
    stage.close()
    (blocker,) = freeze_blockers(stage.phase, stage.track)
    assert blocker.message == "1 run answers items that were replaced."
    assert "Withdraw each" in blocker.fix


def test_organizers_read_of_it_on_the_desk_not_in_a_letter_for_every_run(
    mailoutbox: list[object],
    django_capture_on_commit_callbacks: Callable[..., AbstractContextManager[object]],
) -> None:
    stage = set_stage()
    boss = make_organizer_of(stage.task)
    for name in ("Aegean", "Boreal"):
        stage.send(stage.team(name), run(2))
    work_until_idle()
    with django_capture_on_commit_callbacks(execute=True):
        replace_everything(stage)
    assert Evaluation.objects.filter(failure_kind=ITEMS_GONE).count() == 2
    assert not mailoutbox
    assert "2 runs cannot be scored: the items were replaced." in page_of(boss, "/admin/")


def test_its_attempt_is_given_back_and_another_run_takes_its_place(overtaken: Overtaken) -> None:
    stage, sent = overtaken
    another = stage.send(sent.team, run(MORE, MORE))
    work_until_idle()
    assert not list(audit())
    (line,) = live_standings(stage.phase, stage.track, sent.team.captain, clock.now()).ranked
    assert line.run.submission_id == another.pk
    with pytest.raises(QuotaUsedUp):
        stage.send(sent.team, run(1, MORE))


def test_its_team_reads_whose_fault_it_is_and_what_to_do(overtaken: Overtaken) -> None:
    stage, sent = overtaken
    lead, address = sent.team.captain, sent.get_absolute_url()
    page = page_of(lead, address)
    assert "Not scored: its items were replaced" in page
    assert "That is not your fault: your team has the attempt back." in page
    assert "Get the new items and send a run for them." in page
    assert "This one used no attempt" in page
    assert "25.00" not in page
    page = page_of(lead, sent.team.get_absolute_url())
    assert "Not scored, items replaced" in page
    assert "1 of 1 left." in page
    assert "25.00" not in page
    stage.close()
    assert "The phase has closed since: ask the organizers what becomes of it." in page_of(lead, address)


def test_the_organizer_reads_so_too(overtaken: Overtaken) -> None:
    stage, _ = overtaken
    organizer = make_organizer_of(stage.task)
    said = [one.message for one in attention(organizer, clock.now() - timedelta(hours=1))]
    assert said == [
        "1 run cannot be scored: the items were replaced. Ask for runs that fit the new ones, then withdraw."
    ]
    listed = page_of(organizer, reverse("admin:competition_submission_changelist") + "?state=failed")
    assert "not scored: its items were replaced" in listed
    assert "0.2500" not in listed


def test_items_that_come_back_bring_the_run_back(overtaken: Overtaken) -> None:
    stage, sent = overtaken
    replace_everything(stage, 8)
    (line,) = live_standings(stage.phase, stage.track, sent.team.captain, clock.now()).ranked
    assert (line.run.submission_id, line.primary) == (sent.pk, 0.25)
    with pytest.raises(QuotaUsedUp):
        stage.send(sent.team, run(1))


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
