"""Teams from the first member to the hand-over, with an audit entry for each step."""

from __future__ import annotations

import threading
from datetime import timedelta
from typing import Any

import pytest
from django.db import connection

from competition import clock
from competition.domain import accounts, teams
from competition.exceptions import (
    AlreadyInTeam,
    InvitationRefused,
    NameRefused,
    NameTaken,
    NotAllowed,
    Refused,
    TeamLocked,
)
from competition.models import AuditEntry, Invitation, Membership, Team, TermsAcceptance
from tests.support import builders

pytestmark = [pytest.mark.django_db, pytest.mark.both]


def actions() -> list[str]:
    return list(AuditEntry.objects.order_by("pk").values_list("action", flat=True))


def test_the_founder_is_captain_and_member() -> None:
    task, lead = builders.make_task(), builders.make_user("lead")
    team = teams.create_team(task=task, name="  Calibrated   Signals ", captain=lead, country="Greece")
    assert (team.name, team.captain, team.country) == ("Calibrated Signals", lead, "Greece")
    assert list(Team.objects.of(lead)) == [team]
    entry = AuditEntry.objects.get()
    assert (entry.action, entry.actor, entry.task) == ("team created", lead, task)
    assert (entry.target_type, entry.target_id) == ("Team", team.public_id)


@pytest.mark.parametrize(
    "name", ["Calibrated  Signals", "CALIBRATED SIGNALS", "Calibrated Signals\u200b", "Ｃalibrated Signals"]
)
def test_a_name_that_reads_the_same_is_taken(name: str) -> None:
    team = builders.make_team(name="Calibrated Signals")
    with pytest.raises(NameTaken, match="registered already"):
        builders.make_team(team.task, name)
    builders.make_team(builders.make_task(), name.strip("\u200b"))  # in another shared task it is free
    assert Team.objects.filter(task=team.task).count() == 1


def test_an_imitation_is_registered_and_flagged() -> None:
    team = builders.make_team(name="Calibrated Signals")
    imitation = builders.make_team(team.task, "Саlibrated Signals")
    assert teams.lookalikes(imitation) == [team]
    assert teams.lookalikes(team) == [imitation]


def test_similar_and_foreign_names_have_addresses_of_their_own() -> None:
    task = builders.make_task()
    names = ["Team A!", "team-a", "東京チーム", "Команда", "🙂", "<img src=x onerror=alert(1)>"]
    made = [builders.make_team(task, name) for name in names]
    assert [team.name for team in made] == names
    assert len({team.public_id for team in made}) == len(names)
    assert all(team.public_id.replace("-", "").replace("_", "").isalnum() for team in made)


def test_a_person_is_in_one_team_per_task() -> None:
    team = builders.make_team(name="First")
    with pytest.raises(AlreadyInTeam, match="in the team First"):
        builders.make_team(team.task, captain=team.captain)
    builders.make_team(builders.make_task(), captain=team.captain)


def test_a_refused_name_leaves_nothing_behind() -> None:
    task, lead = builders.make_task(), builders.make_user("lead")
    with pytest.raises(NameRefused):
        teams.create_team(task=task, name="a\u202eb", captain=lead)
    assert not Team.objects.exists()
    assert actions() == []


def test_an_invited_person_joins_once() -> None:
    team, mate = builders.make_team(), builders.make_user("mate")
    invitation, token = teams.invite(team=team, invited_by=team.captain)
    assert token not in str(Invitation.objects.values().get())
    membership = teams.accept_invitation(token=token, user=mate)
    assert (membership.team, membership.user) == (team, mate)
    invitation.refresh_from_db()
    assert invitation.used_by == mate
    with pytest.raises(InvitationRefused):
        teams.accept_invitation(token=token, user=builders.make_user("rival"))
    assert actions() == ["team created", "invitation made", "team joined"]


def test_an_invitation_ends_after_seven_days() -> None:
    team, now = builders.make_team(), clock.now()
    _, token = teams.invite(team=team, invited_by=team.captain, at=now)
    end = now + teams.INVITATION_LASTS
    with pytest.raises(InvitationRefused):
        teams.accept_invitation(token=token, user=builders.make_user(), at=end)
    assert teams.accept_invitation(token=token, user=builders.make_user(), at=end - timedelta(milliseconds=1))


def test_an_unknown_token_is_refused_with_the_same_words() -> None:
    team, now = builders.make_team(), clock.now()
    _, token = teams.invite(team=team, invited_by=team.captain, at=now)
    said = set()
    for tried, at in [("made up", now), (token, now + timedelta(days=8))]:
        with pytest.raises(InvitationRefused) as caught:
            teams.find_invitation(tried, at=at)
        said.add(caught.value.message)
    assert len(said) == 1


def test_who_has_left_comes_back_by_no_link_of_their_own() -> None:
    team, mate = builders.make_team(), builders.make_user("mate")
    gone = team.captain
    builders.join(team, mate)
    _, token = teams.invite(team=team, invited_by=gone)
    teams.hand_over(team=team, captain=mate, handed_by=gone)
    assert teams.find_invitation(token, at=clock.now()), "who handed over and stayed may still have invited"
    _, mates = teams.invite(team=team, invited_by=mate)
    teams.leave_team(team=team, user=gone)
    for person in (gone, builders.make_user("another account")):
        with pytest.raises(InvitationRefused):
            teams.accept_invitation(token=token, user=person)
    assert teams.accept_invitation(token=mates, user=gone), "asked back by who is there"


def test_only_captain_and_organizers_invite() -> None:
    team = builders.make_team()
    mate, rival, gone = builders.make_user(), builders.make_team(team.task).captain, builders.make_user()
    builders.join(team, mate)
    builders.join(team, gone)
    teams.leave_team(team=team, user=gone)
    other = builders.make_organizer_of(builders.make_task())
    for person in (mate, rival, gone, other):
        with pytest.raises(NotAllowed):
            teams.invite(team=team, invited_by=person)
    assert teams.invite(team=team, invited_by=builders.make_organizer_of(team.task))


def test_who_leaves_is_out_at_once_and_may_join_another() -> None:
    team, mate = builders.make_team(), builders.make_user()
    builders.join(team, mate)
    teams.leave_team(team=team, user=mate)
    assert not Team.objects.of(mate).exists()
    builders.make_team(team.task, captain=mate)
    with pytest.raises(NotAllowed):
        teams.leave_team(team=team, user=mate)


def test_a_captain_hands_over_before_leaving() -> None:
    team, mate = builders.make_team(), builders.make_user()
    lead = team.captain
    with pytest.raises(NotAllowed):
        teams.hand_over(team=team, captain=mate, handed_by=lead)
    builders.join(team, mate)
    with pytest.raises(Refused, match="hand the team over"):
        teams.leave_team(team=team, user=lead)
    teams.hand_over(team=team, captain=mate, handed_by=lead)
    teams.leave_team(team=team, user=lead)
    entry = AuditEntry.objects.get(action="captain changed")
    assert (entry.before, entry.after) == ({"captain": lead.public_id}, {"captain": mate.public_id})
    assert list(Membership.objects.filter(left_at=None)) == list(mate.memberships.all())


def test_the_last_member_may_leave() -> None:
    team = builders.make_team()
    teams.leave_team(team=team, user=team.captain)
    team.refresh_from_db()
    assert team.captain is None


def test_a_rename_keeps_the_old_name_on_record() -> None:
    team = builders.make_team(name="Before")
    builders.make_team(team.task, "Taken")
    with pytest.raises(NameTaken):
        teams.rename_team(team=team, name="TAKEN", renamed_by=team.captain)
    team.refresh_from_db()
    teams.rename_team(team=team, name="before", renamed_by=team.captain)  # its own name in another case
    teams.rename_team(team=team, name="After", renamed_by=team.captain, reason="merged")
    assert [str(change) for change in team.name_changes.order_by("pk")] == [
        "Before → before",
        "before → After",
    ]
    assert AuditEntry.objects.filter(action="team renamed", reason="merged").count() == 1
    with pytest.raises(NotAllowed):
        teams.rename_team(team=team, name="Mine", renamed_by=builders.make_user())


def test_members_stay_as_they_are_once_the_test_phase_has_closed() -> None:
    team, mate = builders.make_team(), builders.make_user()
    builders.join(team, mate)
    phase = builders.make_phase(team.task, purpose="test")
    _, token = teams.invite(team=team, invited_by=team.captain)
    idle = builders.make_team(team.task)  # sent nothing, so nothing to protect
    builders.make_submission(team, phase)
    after = {"at": phase.closes_at}
    with pytest.raises(TeamLocked):
        teams.leave_team(team=team, user=mate, **after)
    with pytest.raises(TeamLocked):
        teams.invite(team=team, invited_by=team.captain, **after)
    with pytest.raises(TeamLocked):
        teams.accept_invitation(token=token, user=builders.make_user(), **after)
    with pytest.raises(TeamLocked):
        teams.rename_team(team=team, name="New", renamed_by=team.captain, **after)
    teams.invite(team=idle, invited_by=idle.captain, **after)
    teams.leave_team(team=team, user=mate, at=phase.closes_at - timedelta(milliseconds=1))


def test_terms_are_accepted_as_they_read() -> None:
    task, lead = builders.make_task(terms="Play fair."), builders.make_user()
    assert not accounts.has_accepted_terms(user=lead, task=task)
    accounts.accept_terms(user=lead, task=task)
    accounts.accept_terms(user=lead, task=task)
    assert TermsAcceptance.objects.count() == 1
    assert accounts.has_accepted_terms(user=lead, task=task)
    task.terms = "Play fair, and cite."
    assert not accounts.has_accepted_terms(user=lead, task=task)
    assert actions() == ["terms accepted"]


@pytest.mark.django_db(transaction=True)
def test_of_eight_people_with_one_link_one_gets_in() -> None:
    team = builders.make_team()
    _, token = teams.invite(team=team, invited_by=team.captain)
    people = [builders.make_user() for _ in range(8)]
    outcomes: list[Any] = at_the_same_time(
        [lambda person=person: teams.accept_invitation(token=token, user=person) for person in people]
    )
    assert sum(isinstance(outcome, Membership) for outcome in outcomes) == 1
    assert sum(isinstance(outcome, InvitationRefused) for outcome in outcomes) == 7
    assert team.memberships.count() == 2


@pytest.mark.django_db(transaction=True)
def test_of_eight_teams_with_one_name_one_is_registered() -> None:
    task = builders.make_task()
    people = [builders.make_user() for _ in range(8)]
    outcomes = at_the_same_time(
        [lambda person=person: teams.create_team(task=task, name="One", captain=person) for person in people]
    )
    assert sum(isinstance(outcome, Team) for outcome in outcomes) == 1
    assert sum(isinstance(outcome, NameTaken) for outcome in outcomes) == 7
    assert Membership.objects.count() == 1


def at_the_same_time(calls: list[Any]) -> list[Any]:
    """Run each call in a thread of its own; its result or its exception, in order."""
    outcomes: list[Any] = [None] * len(calls)
    barrier = threading.Barrier(len(calls))

    def run(place: int) -> None:
        barrier.wait()
        try:
            outcomes[place] = calls[place]()
        except Exception as error:
            outcomes[place] = error
        finally:
            connection.close()

    threads = [threading.Thread(target=run, args=(place,)) for place in range(len(calls))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return outcomes


def test_whoever_sent_runs_gets_no_second_allowance_in_another_team() -> None:
    team = builders.make_team()
    lead = team.captain
    sent = builders.make_submission(team, builders.make_phase(team.task), builders.make_track(team.task))
    sent.submitted_by = lead
    sent.save()
    teams.leave_team(team=team, user=lead)
    with pytest.raises(AlreadyInTeam, match=f"You sent runs for the team {team.name}"):
        teams.create_team(task=team.task, name="Afresh", captain=lead)
    other = builders.make_team(team.task, "Other")
    elsewhere = teams.invite(team=other, invited_by=other.captain)
    with pytest.raises(AlreadyInTeam):
        teams.accept_invitation(token=elsewhere.token, user=lead)
    back = teams.invite(team=team, invited_by=builders.make_organizer_of(team.task))
    assert teams.accept_invitation(token=back.token, user=lead).team == team
