"""Who may, told with the whole cast: each predicate against everybody at once."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from django.contrib.auth.models import AnonymousUser

from competition import rules
from competition.domain.teams import leave_team
from competition.models import Team
from tests.support import builders

pytestmark = pytest.mark.django_db


@pytest.fixture
def team() -> Team:
    return builders.make_team(builders.make_task(), "Ours")


@pytest.fixture
def cast(team: Team) -> dict[str, Any]:
    """Everybody who could come by, by the part they play."""
    task = team.task
    mate, gone = builders.make_user("mate"), builders.make_user("gone")
    builders.join(team, mate)
    builders.join(team, gone)
    leave_team(team=team, user=gone)
    sacked = builders.make_organizer_of(task, "sacked", is_active=False)
    return {
        "visitor": AnonymousUser(),
        "person": builders.make_user("person"),
        "captain": team.captain,
        "mate": mate,
        "gone": gone,
        "rival": builders.make_team(task, "Theirs").captain,
        "organizer": builders.make_organizer_of(task, "organizer"),
        "other organizer": builders.make_organizer_of(builders.make_task(), "other"),
        "sacked": sacked,
        "superuser": builders.make_superuser(),
    }


def allowed(cast: dict[str, Any], predicate: Callable[[Any], bool]) -> set[str]:
    return {part for part, person in cast.items() if predicate(person)}


ORGANIZERS = {"organizer", "superuser"}


def test_what_members_and_organizers_may(cast: dict[str, Any], team: Team) -> None:
    run = builders.make_submission(team)
    inside = {"captain", "mate", *ORGANIZERS}
    assert allowed(cast, lambda who: rules.is_member(who, team)) == {"captain", "mate"}
    assert allowed(cast, lambda who: rules.can_see_runs_of(who, team)) == inside
    assert allowed(cast, lambda who: rules.can_submit_for(who, team)) == inside
    assert allowed(cast, lambda who: rules.can_withdraw(who, run)) == inside
    assert allowed(cast, lambda who: rules.can_choose(who, run)) == {"captain", "mate"}
    assert allowed(cast, lambda who: rules.can_manage_team(who, team)) == {"captain", *ORGANIZERS}


def test_what_organizers_may(cast: dict[str, Any], team: Team) -> None:
    assert allowed(cast, lambda who: rules.organizes(who, team.task)) == ORGANIZERS
    assert allowed(cast, lambda who: rules.can_look_after(who, team.task)) == ORGANIZERS


def test_a_draft_is_seen_by_its_organizers_only(cast: dict[str, Any], team: Team) -> None:
    assert allowed(cast, lambda who: rules.can_see_task(who, team.task)) == set(cast)
    team.task.published = False
    assert allowed(cast, lambda who: rules.can_see_task(who, team.task)) == ORGANIZERS


def test_who_is_in_no_team_yet_may_found_one(cast: dict[str, Any], team: Team) -> None:
    outside = {"person", "gone", "organizer", "other organizer", "sacked", "superuser"}
    assert allowed(cast, lambda who: rules.can_create_team(who, team.task)) == outside


def test_a_board_is_for_everybody_once_it_is_published(cast: dict[str, Any], team: Team) -> None:
    board = builders.make_board(builders.make_phase(team.task))
    assert allowed(cast, lambda who: rules.can_see_board(who, board)) == ORGANIZERS
    builders.publish(board)
    board = type(board).objects.get()
    assert allowed(cast, lambda who: rules.can_see_board(who, board)) == set(cast)
