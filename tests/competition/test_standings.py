"""The live board: what counts, who is ranked, how many queries it takes."""

from __future__ import annotations

import pytest
from django.contrib.auth.models import AnonymousUser

from competition import clock
from competition.domain import intake
from competition.domain.baselines import send_baselines
from competition.domain.evaluations import claim_next, record_failure
from competition.domain.queueing import evaluate_again
from competition.domain.standings import live_standings
from competition.enums import WorkStatus
from competition.models import Evaluation
from competition.views.run_report import speaking_evaluation
from tests.competition.stage import Stage, gold, run, set_stage, work_until_idle
from tests.support.builders import (
    make_gold,
    make_organizer_of,
    make_scored,
    make_submission,
    make_team,
    make_user,
)
from tests.support.questions import questions

pytestmark = pytest.mark.django_db
VISITOR = AnonymousUser()


def board_of(stage: Stage, viewer=VISITOR):
    return live_standings(stage.phase, stage.track, viewer, clock.now())


def shape(board) -> list[tuple[int | None, str, float | None]]:
    return [(row.rank, row.name, row.primary) for row in board.rows]


@pytest.mark.both
def test_a_board_tells_ranks_ties_and_who_has_no_score():
    stage = set_stage()
    for name, right in (("Dora", 4), ("Beat", 6), ("Abel", 6), ("Carl", 7)):
        stage.send(stage.team(name), run(right))
    work_until_idle()
    stage.send(stage.team("Emil"), run(8))
    board = board_of(stage)
    assert shape(board) == [
        (1, "Carl", 7 / 8),
        (2, "Abel", 6 / 8),
        (2, "Beat", 6 / 8),
        (4, "Dora", 0.5),
        (None, "Emil", None),
    ]
    assert [row.tied for row in board.ranked] == [False, True, True, False]
    assert board.signature.startswith("short_answer.1|m:rouge1_f1|text:multi.1")
    assert board.n_teams == 5


@pytest.mark.both
@pytest.mark.parametrize(("counts", "expected"), [("last", 0.25), ("best", 0.75), ("chosen", 0.5)])
def test_what_counts(counts, expected):
    stage = set_stage(counts=counts)
    lead = stage.team()
    _, second, _, gone = (stage.send(lead, run(right)) for right in (6, 4, 2, 8))
    if counts == "chosen":
        intake.choose_submission(submission=second, chosen_by=lead.captain)
    intake.withdraw_submission(submission=gone, withdrawn_by=lead.captain)
    work_until_idle()
    (row,) = board_of(stage).rows
    assert row.primary == expected
    assert row.n_runs == 4
    assert row.why.startswith(f"Counts: run {row.run.number}")


def test_a_failed_run_gives_way_to_the_one_before():
    stage = set_stage()
    lead = stage.team()
    stage.send(lead, run(3))
    work_until_idle()
    broken = stage.send(lead, run(5))
    Evaluation.objects.filter(submission=broken).update(status=WorkStatus.FAILED, finished_at=clock.now())
    assert shape(board_of(stage)) == [(1, lead.name, 3 / 8)]


def test_baselines_are_pinned_and_never_ranked():
    stage = set_stage()
    lead = stage.team("Lead")
    sent = send_baselines(phase=stage.phase, track=stage.track, requested_by=None)
    assert send_baselines(phase=stage.phase, track=stage.track, requested_by=None) == sent
    stage.send(lead, run(1))
    work_until_idle()
    board = board_of(stage)
    assert [(row.rank, row.name) for row in board.ranked] == [(1, "Lead")]
    assert {row.name for row in board.baselines} == {
        "Baseline: The word None",
        "Baseline: The question itself",
        "Baseline: The first 100 words of the context",
    }
    assert {row.rank for row in board.baselines} == {None}
    assert board.n_teams == 1


def test_the_median_needs_five_teams():
    stage = set_stage()
    for right in (1, 2, 3, 4):
        stage.send(stage.team(), run(right))
    work_until_idle()
    assert board_of(stage).median is None
    stage.send(stage.team(), run(8))
    work_until_idle()
    assert board_of(stage).median == 3 / 8


def test_scores_of_older_gold_are_marked_stale():
    stage = set_stage()
    stage.send(stage.team(), run(8))
    work_until_idle()
    make_gold(stage.phase, stage.track, gold(shift=1))
    (row,) = board_of(stage).rows
    assert row.stale


def test_hidden_scores_leave_a_count_and_nothing_else():
    stage = set_stage(scores_visible="after_publication")
    teams = [stage.team(name) for name in ("Aeolus", "Boreas")]
    for right, team in enumerate(teams, start=3):
        stage.send(team, run(right))
    work_until_idle()
    for viewer in (VISITOR, make_user(), teams[0].captain):
        board = board_of(stage, viewer)
        assert (board.rows, board.n_teams, board.public) == ([], 2, False)
        assert board.median is None
        assert "publish" in board.hidden
        assert "0.375" not in repr(board)
    seen = board_of(stage, make_organizer_of(stage.task))
    assert len(seen.ranked) == 2
    assert not seen.public


def test_anonymous_boards_name_only_ones_own_team():
    stage = set_stage()
    stage.task.anonymous_until_publication = True
    stage.task.save()
    stage.phase.task = stage.task
    lead, rival = stage.team("Lead"), stage.team("Rival")
    stage.send(lead, run(3))
    stage.send(rival, run(4))
    work_until_idle()
    assert [row.name for row in board_of(stage, lead.captain).ranked] == ["anonymous team", "Lead"]
    boss = make_organizer_of(stage.task)
    assert [row.name for row in board_of(stage, boss).ranked] == ["Rival", "Lead"]


@pytest.mark.both
@pytest.mark.parametrize("counts", ["last", "best", "chosen"])
def test_thirty_teams_take_as_many_queries_as_three(counts):
    stage = set_stage(counts=counts)

    def add(teams: int) -> None:
        for number in range(teams):
            team = make_team(stage.task)
            for primary in (number / 1000, number / 500):
                make_scored(make_submission(team, stage.phase, stage.track), primary)

    add(3)
    with questions() as few:
        assert len(board_of(stage).ranked) == 3
    add(27)
    with questions() as many:
        assert len(board_of(stage).ranked) == 30
    assert len(few) == len(many) <= 10


@pytest.mark.both
def test_a_score_stands_until_another_takes_its_place():
    """For the board and for what a run's pages read."""
    stage = set_stage()
    sent = stage.send(stage.team("Abel"), run(6))
    work_until_idle()
    scored = sent.evaluations.get()
    make_gold(stage.phase, stage.track, gold(shift=1))
    again = {"phase": stage.phase, "track": stage.track, "requested_by": None, "reason": "Erratum."}

    def still_speaks() -> bool:
        return shape(board_of(stage)) == [(1, "Abel", 6 / 8)] and speaking_evaluation(sent) == scored

    assert evaluate_again(**again) == 1
    assert still_speaks(), "while another waits"
    while (claimed := claim_next(Evaluation, worker="w")) is not None:
        record_failure(work=claimed, kind="memory")
    assert sent.evaluations.latest("pk").status == WorkStatus.FAILED
    assert still_speaks(), "when another failed"
    assert evaluate_again(**again) == 1
    work_until_idle()
    assert speaking_evaluation(sent) == sent.evaluations.latest("pk")
    assert shape(board_of(stage)) == [(1, "Abel", 0.0)], "of shifted gold no answer is right"
