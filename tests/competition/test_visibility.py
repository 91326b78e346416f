"""The one policy: who may see what, when."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.contrib.auth.models import AnonymousUser

from competition.domain import visibility
from competition.models import Result
from tests.competition.stage import set_stage
from tests.support.builders import (
    join,
    make_board,
    make_organizer_of,
    make_scored,
    make_submission,
    make_user,
    publish,
)

pytestmark = pytest.mark.django_db
VISITOR = AnonymousUser()


@pytest.mark.parametrize(
    ("policy", "before_close", "after_close", "after_publication"),
    [
        ("at_once", True, True, True),
        ("after_close", False, True, True),
        ("after_publication", False, False, True),
    ],
)
def test_scores_by_policy(policy, before_close, after_close, after_publication):
    stage = set_stage(scores_visible=policy, grace_seconds=60)
    lead, boss = stage.team().captain, make_organizer_of(stage.task)
    phase, track = stage.phase, stage.track
    end = phase.last_accepted_before
    for moment, expected in ((end - timedelta(microseconds=1), before_close), (end, after_close)):
        for viewer in (VISITOR, lead):
            assert visibility.scores_visible(viewer, phase, track, moment) is expected
        assert visibility.scores_visible(boss, phase, track, moment)
    board = make_board(phase, track)
    assert visibility.scores_visible(VISITOR, phase, track, end) is after_close, "frozen is not published"
    publish(board)
    assert visibility.scores_visible(VISITOR, phase, track, end) is after_publication
    reopened = end - timedelta(microseconds=1)
    assert visibility.scores_visible(lead, phase, track, reopened) is before_close, (
        "an earlier board opens nothing"
    )


def test_scores_of_an_unpublished_task_are_the_organizers_only():
    stage = set_stage(scores_visible="at_once")
    stage.task.published = False
    stage.task.save()
    stage.phase.task = stage.task
    assert not visibility.scores_visible(VISITOR, stage.phase, stage.track, stage.phase.opens_at)
    boss = make_organizer_of(stage.task)
    assert visibility.scores_visible(boss, stage.phase, stage.track, stage.phase.opens_at)


def test_publishing_one_track_opens_no_other():
    stage, other = set_stage(scores_visible="after_publication"), set_stage()
    publish(make_board(stage.phase, other.track))
    assert not visibility.scores_public(stage.phase, stage.track, stage.phase.closes_at)


def test_diagnostics_by_level():
    stage = set_stage(scores_visible="after_publication", diagnostics_level=1, published_level=2)
    lead = stage.team()
    mate, rival, boss = make_user(), stage.team().captain, make_organizer_of(stage.task)
    join(lead, mate)

    def level(viewer):
        return visibility.diagnostics_level(viewer, lead, stage.phase, stage.track, stage.phase.closes_at)

    hidden = {"captain": 0, "mate": 0, "rival": None, "visitor": None, "organizer": 2}
    people = {"captain": lead.captain, "mate": mate, "rival": rival, "visitor": VISITOR, "organizer": boss}
    assert {name: level(person) for name, person in people.items()} == hidden
    publish(make_board(stage.phase, stage.track))
    assert {name: level(person) for name, person in people.items()} == {**hidden, "captain": 2, "mate": 2}
    lead.memberships.filter(user=mate).update(left_at=stage.phase.closes_at)
    assert level(mate) is None


def test_a_phase_opened_again_goes_as_far_as_before_publication():
    stage = set_stage(scores_visible="at_once", diagnostics_level=1, published_level=3)
    team, phase, track = stage.team(), stage.phase, stage.track
    publish(make_board(phase, track))
    end = phase.last_accepted_before
    for moment, level, digits in ((end, 3, 1 / 3), (end - timedelta(microseconds=1), 1, 0.3333)):
        assert visibility.diagnostics_level(team.captain, team, phase, track, moment) == level
        assert visibility.fineness(phase, track, moment)(1 / 3) == digits


def test_visible_scores_before_publication_give_the_phases_level():
    stage = set_stage(scores_visible="at_once", diagnostics_level=1, published_level=3)
    lead = stage.team()
    level = visibility.diagnostics_level(lead.captain, lead, stage.phase, stage.track, stage.phase.opens_at)
    assert level == 1


def test_a_live_board_draws_no_finer_than_it_prints(client):
    """A tenth of a pixel on an axis one percent long would say four bits more of the references."""
    stage = set_stage(scores_visible="at_once")
    result = make_scored(make_submission(stage.team(), stage.phase, stage.track), primary=0.123412)
    address = f"{stage.track.get_absolute_url()}leaderboard/?phase={stage.phase.slug}"

    def row() -> str:
        page = client.get(address).content.decode()
        return page[page.index("<tbody") : page.index("</tbody>")]

    before = row()
    assert ">12.34<" in before
    assert "<circle" in before
    Result.objects.filter(pk=result.pk).update(primary=0.123448, scores={"rouge1_f1": 0.123448})
    assert row() == before
