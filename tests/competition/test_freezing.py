"""From live to official: blockers and their way out, a snapshot nothing moves, versions, publication."""

from __future__ import annotations

import hashlib
import json
from datetime import timedelta

import pytest

from competition import clock, jobs
from competition.domain import evaluations, freezing, intake, queueing, second_opinion
from competition.domain.baselines import send_baselines
from competition.domain.blobs import load
from competition.domain.freezing import (
    freeze_blockers,
    freeze_doubt,
    freeze_leaderboard,
    publish_leaderboard,
    request_freeze,
)
from competition.domain.snapshots import canonical, digest_of
from competition.enums import FreezeOutcome, WorkStatus
from competition.exceptions import NotReadyToFreeze, NotReadyToPublish
from competition.models import (
    AuditEntry,
    Evaluation,
    FreezeRequest,
    FrozenLeaderboard,
    FrozenStanding,
    Result,
    Submission,
)
from tests.competition.stage import Stage, fresh, gold, run, set_stage, work_until_idle
from tests.support.builders import make_gold, make_organizer_of

pytestmark = pytest.mark.django_db
SCORES = (("Dora", 4), ("Beat", 6), ("Abel", 6), ("Carl", 7))


def closed_stage(**phase) -> Stage:
    """Four teams, scored, and the phase over."""
    stage = set_stage(**phase)
    for name, right in SCORES:
        stage.send(stage.team(name), run(right))
    work_until_idle()
    stage.close()
    return stage


def freeze(stage: Stage, reason: str = "The phase is over.", by=None) -> FrozenLeaderboard:
    return freeze_leaderboard(phase=stage.phase, track=stage.track, frozen_by=by, reason=reason)


def messages(stage: Stage) -> str:
    return " ".join(one.message for one in freeze_blockers(stage.phase, stage.track))


@pytest.mark.both
def test_a_snapshot_tells_all_and_its_rows_repeat_it():
    stage = closed_stage()
    boss = make_organizer_of(stage.task, "boss")
    board = freeze(stage, by=boss)
    content = json.loads(board.content)
    assert board.content == canonical(content)
    assert board.digest == digest_of(board.content)
    assert (board.version, board.previous_digest, content["frozen_by"]) == (1, "", "Boss")
    assert [(one["rank"], one["team"], one["shown"]["rouge1_f1"]) for one in content["entries"]] == [
        (1, "Carl", "87.50"),
        (2, "Abel", "75.00"),
        (2, "Beat", "75.00"),
        (4, "Dora", "50.00"),
    ]
    assert content["gold"] == {"version": 1, "commitment": stage.gold.commitment, "n_scored": 8}
    assert content["items"]["digest"] == stage.items.blob_id
    assert content["signature"].startswith(
        "short_answer.1|m:rouge1_f1|text:multi.1|agg:item-mean|gold:v1|n:8"
    )
    bare = hashlib.sha256(load(stage.gold.blob)).hexdigest()
    assert bare not in board.content, "a bare digest of gold would confirm guesses"
    rows = list(board.standings.order_by("position"))
    assert [(row.rank, row.team_name, row.primary) for row in rows] == [
        (one["rank"], one["team"], one["scores"]["rouge1_f1"]) for one in content["entries"]
    ]
    assert AuditEntry.objects.get(action="leaderboard frozen").after["digest"] == board.digest


@pytest.mark.both
def test_nothing_behind_it_moves_a_frozen_board():
    stage = closed_stage()
    board = freeze(stage)
    before = (board.content, list(board.standings.values()))
    lead = Submission.objects.first().team
    lead.name, lead.affiliation = "Renamed", "Elsewhere"
    lead.save()
    Result.objects.update(primary=0.999, scores={"rouge1_f1": 0.999})
    make_gold(stage.phase, stage.track, gold(shift=1))
    boss = make_organizer_of(stage.task)
    intake.withdraw_submission(submission=Submission.objects.first(), withdrawn_by=boss)
    stage.phase.counts = "best"
    stage.phase.save()
    board = fresh(board)
    assert (board.content, list(board.standings.values())) == before


def test_each_blocker_is_named_with_its_way_out():
    stage = set_stage(grace_seconds=60)
    assert "takes runs until" in messages(stage)
    assert "No team has a run" in messages(stage)
    waiting, broken, scored = (stage.send(stage.team(), run(n)) for n in (1, 2, 3))
    jobs.evaluate(scored.latest_evaluation.pk)
    Evaluation.objects.filter(submission=broken).update(status=WorkStatus.FAILED, finished_at=clock.now())
    stage.phase.closes_at = clock.now() - timedelta(seconds=30)
    stage.phase.save()
    assert "takes runs until" in messages(stage), "the grace belongs to the phase"
    stage.close()
    assert "1 evaluation is still open" in messages(stage)
    assert "1 run failed through our fault" in messages(stage)
    assert all(one.fix for one in freeze_blockers(stage.phase, stage.track))
    boss = make_organizer_of(stage.task)
    intake.withdraw_submission(submission=waiting, withdrawn_by=boss)
    assert messages(stage) == "1 run failed through our fault."
    queueing.evaluate_again(phase=stage.phase, track=stage.track, requested_by=boss, reason="Repaired.")
    work_until_idle()
    assert freeze_blockers(stage.phase, stage.track) == []


def test_mixed_gold_scorers_and_environments_block():
    stage = closed_stage()
    make_gold(stage.phase, stage.track, gold(shift=1))
    assert messages(stage) == "4 runs were scored with an older gold version."
    queueing.evaluate_again(phase=stage.phase, track=stage.track, requested_by=None, reason="New gold.")
    work_until_idle()
    assert messages(stage) == ""
    newest = Evaluation.objects.latest("pk")
    Evaluation.objects.filter(pk=newest.pk).update(scorer_version="short_answer.0")
    assert "another scorer than short_answer.1" in messages(stage)
    Evaluation.objects.filter(pk=newest.pk).update(scorer_version="short_answer.1")
    Result.objects.filter(evaluation=newest).update(environment={"unicode": "3.2.0"})
    assert "different Unicode tables" in messages(stage)


def test_a_stored_score_that_scoring_again_does_not_give_blocks():
    stage = closed_stage()
    result = Result.objects.first()
    Result.objects.filter(pk=result.pk).update(scores={**result.scores, "rouge1_f1": 0.9})
    with pytest.raises(NotReadyToFreeze, match="scoring it again gives other values"):
        freeze(stage)


def test_a_second_opinion_that_differs_blocks(monkeypatch):
    stage = closed_stage()
    honest = second_opinion.rouge1
    monkeypatch.setattr(
        second_opinion,
        "rouge1",
        lambda *given: {key: value - 1e-6 for key, value in honest(*given).items()},
    )
    with pytest.raises(NotReadyToFreeze, match="second opinion on rouge1_f1"):
        freeze(stage)
    assert not FrozenLeaderboard.objects.exists()


def test_withdrawn_runs_are_listed_with_the_reason():
    stage = set_stage()
    lead = stage.team("Lead")
    first = stage.send(lead, run(8))
    stage.send(lead, run(2))
    intake.withdraw_submission(submission=first, withdrawn_by=lead.captain)
    work_until_idle()
    stage.close()
    content = json.loads(freeze(stage).content)
    assert [(one["team"], one["run_number"], one["reason"]) for one in content["exclusions"]] == [
        ("Lead", 1, "Withdrawn.")
    ]
    assert content["entries"][0]["run_number"] == 2


def test_baselines_alone_are_frozen_only_when_that_is_said():
    stage = closed_stage()
    boss = make_organizer_of(stage.task)
    asked = {"phase": stage.phase, "track": stage.track, "requested_by": boss, "reason": "For the record."}
    assert freeze_doubt(stage.phase, stage.track) is None
    for run_of_a_team in Submission.objects.all():
        intake.withdraw_submission(submission=run_of_a_team, withdrawn_by=boss, reason="All were tests.")
    assert freeze_doubt(stage.phase, stage.track) is None
    assert messages(stage) == "No team has a run that stands."
    send_baselines(phase=stage.phase, track=stage.track, requested_by=None)
    work_until_idle()
    assert messages(stage) == ""
    doubt = freeze_doubt(stage.phase, stage.track)
    assert doubt.message == "No team has a run that stands: the board would show 3 baselines and rank nobody."
    with pytest.raises(NotReadyToFreeze, match="rank nobody") as refused:
        request_freeze(**asked)
    assert refused.value.blockers == [doubt]
    assert not FreezeRequest.objects.exists()
    request_freeze(**asked, baselines_alone=True)
    work_until_idle()
    board = FrozenLeaderboard.objects.get()
    assert {row.section for row in board.standings.all()} == {"baseline"}
    entry = AuditEntry.objects.get(action="freeze requested")
    assert (entry.reason, entry.after["baselines_alone"]) == ("For the record.", True)


@pytest.mark.both
def test_baselines_stand_unranked_below():
    stage = closed_stage()
    send_baselines(phase=stage.phase, track=stage.track, requested_by=None)
    work_until_idle()
    board = freeze(stage)
    sections = list(board.standings.order_by("position").values_list("section", "rank"))
    assert sections == [("ranked", 1), ("ranked", 2), ("ranked", 2), ("ranked", 4)] + 3 * [("baseline", None)]
    content = json.loads(board.content)
    assert "8 groups of items" in content["analysis"]["reason"], "too few for an interval, and it says so"
    assert {one["rank"] for one in content["baselines"]} == {None}


@pytest.mark.both
def test_versions_chain_and_a_correction_says_why():
    stage = closed_stage()
    first = freeze(stage)
    second = freeze(stage, "Item q3 was wrong.")
    assert (second.version, second.previous_digest) == (2, first.digest)
    assert json.loads(second.content)["reason"] == "Item q3 was wrong."
    with pytest.raises(NotReadyToFreeze, match="Say why"):
        request_freeze(phase=stage.phase, track=stage.track, requested_by=None, reason="  ")


@pytest.mark.both
def test_the_worker_freezes_on_request():
    stage = closed_stage()
    boss = make_organizer_of(stage.task)
    request = request_freeze(phase=stage.phase, track=stage.track, requested_by=boss, reason="Over.")
    with pytest.raises(NotReadyToFreeze, match="under way"):
        request_freeze(phase=stage.phase, track=stage.track, requested_by=boss, reason="Over.")
    work_until_idle()
    request = fresh(request)
    assert (request.status, request.outcome) == (WorkStatus.DONE, FreezeOutcome.FROZEN)
    assert request.board.frozen_by == boss
    assert FrozenStanding.objects.filter(board=request.board).count() == 4


def test_a_request_that_became_impossible_lists_what_is_in_the_way():
    stage = closed_stage()
    request = request_freeze(phase=stage.phase, track=stage.track, requested_by=None, reason="Over.")
    stage.phase.closes_at = clock.now() + timedelta(hours=1)
    stage.phase.save()
    work_until_idle()
    request = fresh(request)
    assert (request.status, request.outcome) == (WorkStatus.DONE, FreezeOutcome.BLOCKED)
    assert "takes runs until" in request.blockers[0]["message"]
    assert request.blockers[0]["fix"]
    with pytest.raises(NotReadyToFreeze):
        request_freeze(phase=stage.phase, track=stage.track, requested_by=None, reason="Over.")


def test_a_run_withdrawn_while_the_board_is_made_stops_it():
    stage = closed_stage()
    boss = make_organizer_of(stage.task)

    def meanwhile(work):
        found = work()
        intake.withdraw_submission(submission=Submission.objects.first(), withdrawn_by=boss)
        return found

    with pytest.raises(NotReadyToFreeze, match="Runs changed"):
        freeze_leaderboard(
            phase=stage.phase, track=stage.track, frozen_by=boss, reason="Over.", compute=meanwhile
        )
    assert not FrozenLeaderboard.objects.exists()


def test_a_lost_claim_leaves_no_board():
    stage = closed_stage()
    request_freeze(phase=stage.phase, track=stage.track, requested_by=None, reason="Over.")
    late = evaluations.claim_next(FreezeRequest, worker="late")
    evaluations.sweep(moment=clock.now() + evaluations.LEASE * 2)
    jobs.do(late)
    assert not FrozenLeaderboard.objects.exists()
    assert fresh(late).status == WorkStatus.QUEUED


@pytest.mark.both
def test_publishing_opens_the_door_once_and_never_backwards():
    stage = closed_stage(scores_visible="after_publication")
    boss = make_organizer_of(stage.task)
    first, second = freeze(stage), freeze(stage, "Again.")
    assert not first.is_published
    publish_leaderboard(board=second, published_by=boss)
    with pytest.raises(NotReadyToPublish, match="already"):
        publish_leaderboard(board=second, published_by=boss)
    with pytest.raises(NotReadyToPublish, match="Version 2 is published"):
        publish_leaderboard(board=first, published_by=boss)
    assert AuditEntry.objects.get(action="leaderboard published").actor == boss
    assert freezing.Publication.objects.count() == 1
