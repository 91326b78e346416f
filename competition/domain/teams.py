"""Teams: create, rename, invite, accept, leave, hand over. The database's constraints have the last word."""

from __future__ import annotations

import secrets
from datetime import datetime, timedelta
from typing import NamedTuple

from django.db import IntegrityError, transaction

from competition import clock, rules
from competition.domain import audit
from competition.domain.digests import token_digest
from competition.enums import TeamRole
from competition.exceptions import (
    AlreadyInTeam,
    InvitationRefused,
    NameTaken,
    NotAllowed,
    Refused,
    TeamLocked,
)
from competition.models import (
    Invitation,
    Membership,
    SharedTask,
    Submission,
    Team,
    TeamNameChange,
    User,
)
from competition.names import clean_name, lookalike_key, name_key

INVITATION_LASTS = timedelta(days=7)


class Invited(NamedTuple):
    """`token` goes into the link and is not kept: it can be shown this once."""

    invitation: Invitation
    token: str


@transaction.atomic
def create_team(
    *,
    task: SharedTask,
    name: str,
    captain: User | None,
    affiliation: str = "",
    country: str = "",
    contact: str = "",
    role: str = TeamRole.PARTICIPANT,
    at: datetime | None = None,
) -> Team:
    """Register a team with its captain as the first member; a baseline has no captain.

    Raises NameRefused, NameTaken, AlreadyInTeam.
    """
    moment = at or clock.now()
    _refuse_taken(task, name)
    if captain is not None:
        _refuse_second_team(task, captain)
        _refuse_new_allowance(task, captain)
    team = Team(
        task=task,
        affiliation=affiliation,
        country=country,
        contact=contact,
        role=role,
        captain=captain,
        created_at=moment,
    )
    _set_name(team, name)
    _save_named(team)
    if captain is not None:
        _join(team, captain, moment)
    audit.record(
        actor=captain, action="team created", target=team, after={"name": team.name, "role": role}, at=moment
    )
    return team


@transaction.atomic
def rename_team(
    *, team: Team, name: str, renamed_by: User, reason: str = "", at: datetime | None = None
) -> Team:
    """Give the team another name; the old one stays on record. Frozen boards keep the name of their day."""
    moment = at or clock.now()
    if not rules.can_manage_team(renamed_by, team):
        raise NotAllowed("Only the captain or an organizer renames a team.")
    if team.is_locked_at(moment) and not rules.organizes(renamed_by, team.task):
        raise TeamLocked("The test phase has closed; ask the organizers to change the team's name.")
    before = team.name
    _refuse_taken(team.task, name, but=team)
    _set_name(team, name)
    if team.name == before:
        return team
    _save_named(team)
    TeamNameChange.objects.create(team=team, before=before, after=team.name, changed_by=renamed_by, at=moment)
    audit.record(
        actor=renamed_by,
        action="team renamed",
        target=team,
        reason=reason,
        before={"name": before},
        after={"name": team.name},
        at=moment,
    )
    return team


@transaction.atomic
def invite(*, team: Team, invited_by: User, at: datetime | None = None) -> Invited:
    """Make a link that lets one person in, once, for seven days."""
    moment = at or clock.now()
    if not rules.can_manage_team(invited_by, team):
        raise NotAllowed("Only the captain or an organizer invites people.")
    _refuse_locked(team, moment)
    token = secrets.token_urlsafe(32)
    invitation = Invitation.objects.create(
        team=team,
        token_digest=token_digest(token),
        created_by=invited_by,
        created_at=moment,
        expires_at=moment + INVITATION_LASTS,
    )
    audit.record(actor=invited_by, action="invitation made", target=team, at=moment)
    return Invited(invitation, token)


def find_invitation(token: str, *, at: datetime) -> Invitation:
    """The open invitation of this token, or InvitationRefused: one sentence for unknown, used, expired.

    It ends with what let its maker invite: who has left does not come back by a link of their own.
    """
    invitation = (
        Invitation.objects.filter(token_digest=token_digest(token))
        .select_related("team", "team__task", "created_by")
        .first()
    )
    made_inside = invitation is not None and rules.can_see_runs_of(invitation.created_by, invitation.team)
    if invitation is None or not made_inside or not invitation.is_open_at(at):
        raise InvitationRefused(
            "This invitation is used, expired or unknown. Ask your captain for a new link."
        )
    return invitation


@transaction.atomic
def accept_invitation(*, token: str, user: User, at: datetime | None = None) -> Membership:
    """Join by link. Of two people who use one link at the same time, one gets in.

    Raises InvitationRefused, AlreadyInTeam, TeamLocked.
    """
    moment = at or clock.now()
    invitation = find_invitation(token, at=moment)
    team = invitation.team
    _refuse_locked(team, moment)
    _refuse_second_team(team.task, user)
    _refuse_new_allowance(team.task, user, but=team)
    taken = Invitation.objects.filter(pk=invitation.pk, used_at=None).update(used_at=moment, used_by=user)
    if not taken:
        raise InvitationRefused("Somebody used this link a moment ago. Ask your captain for a new one.")
    membership = _join(team, user, moment)
    audit.record(actor=user, action="team joined", target=team, at=moment)
    return membership


@transaction.atomic
def leave_team(*, team: Team, user: User, at: datetime | None = None) -> Membership:
    """End the membership at once. A captain with team mates hands over first."""
    moment = at or clock.now()
    membership = _membership(team, user)
    _refuse_locked(team, moment)
    if is_captain_of_others(membership):
        raise Refused("You are the captain: hand the team over first, then leave.")
    return end_membership(membership, moment)


def is_captain_of_others(membership: Membership) -> bool:
    """Whether the team would be left without its captain."""
    team = membership.team
    others = team.memberships.filter(left_at=None).exclude(pk=membership.pk)
    return team.captain_id == membership.user_id and others.exists()


def end_membership(membership: Membership, moment: datetime) -> Membership:
    """Out of the team, whether or not it is locked: who deletes the account must be able to go."""
    team = membership.team
    membership.left_at = moment
    membership.save(update_fields=["left_at"])
    if team.captain_id == membership.user_id:
        team.captain, team.contact = None, ""
        team.save(update_fields=["captain", "contact"])
    audit.record(actor=membership.user, action="team left", target=team, at=moment)
    return membership


@transaction.atomic
def hand_over(*, team: Team, captain: User, handed_by: User, at: datetime | None = None) -> Team:
    """Make a member the captain."""
    moment = at or clock.now()
    if not rules.can_manage_team(handed_by, team):
        raise NotAllowed("Only the captain or an organizer hands a team over.")
    _membership(team, captain)
    before = team.captain
    team.captain = captain
    team.save(update_fields=["captain"])
    audit.record(
        actor=handed_by,
        action="captain changed",
        target=team,
        before={"captain": before.public_id if before else None},
        after={"captain": captain.public_id},
        at=moment,
    )
    return team


def lookalikes(team: Team) -> list[Team]:
    """Other teams of the task whose name can be taken for this one's: for organizers to judge."""
    return list(
        Team.objects.filter(task_id=team.task_id, lookalike_key=team.lookalike_key)
        .exclude(pk=team.pk)
        .order_by("pk")
    )


def _set_name(team: Team, name: str) -> None:
    team.name = clean_name(name)
    team.name_key = name_key(team.name)
    team.lookalike_key = lookalike_key(team.name)


def _save_named(team: Team) -> None:
    try:
        with transaction.atomic():
            team.save()
    except IntegrityError:
        _refuse_taken(team.task, team.name, but=team)
        raise


def _join(team: Team, user: User, moment: datetime) -> Membership:
    try:
        with transaction.atomic():
            return Membership.objects.create(team=team, user=user, task_id=team.task_id, joined_at=moment)
    except IntegrityError:
        _refuse_second_team(team.task, user)
        raise


def is_name_taken(task: SharedTask, name: str, but: Team | None = None) -> bool:
    """Whether another team of the task has this name, however it is written."""
    same = Team.objects.filter(task=task, name_key=name_key(name))
    return (same.exclude(pk=but.pk) if but is not None and but.pk else same).exists()


def _refuse_taken(task: SharedTask, name: str, but: Team | None = None) -> None:
    if is_name_taken(task, name, but):
        raise NameTaken("A team of this name is registered already. Please choose another name.")


def _refuse_second_team(task: SharedTask, user: User) -> None:
    team = Team.objects.of(user).filter(task=task).first()
    if team is not None:
        raise AlreadyInTeam(f"You are in the team {team.name}. A person is in one team per shared task.")


def _refuse_new_allowance(task: SharedTask, user: User, but: Team | None = None) -> None:
    """Whoever sent runs for a team and left it gets no second allowance in another one."""
    sent = Submission.objects.filter(submitted_by=user, team__task=task, team__role=TeamRole.PARTICIPANT)
    before = (sent.exclude(team=but) if but is not None else sent).select_related("team").first()
    if before is not None:
        raise AlreadyInTeam(
            f"You sent runs for the team {before.team.name}, and attempts do not begin anew in another team. "
            "Ask that team's captain or the organizers for an invitation back."
        )


def _refuse_locked(team: Team, moment: datetime) -> None:
    if team.is_locked_at(moment):
        raise TeamLocked("The test phase has closed, so the members of its teams no longer change.")


def _membership(team: Team, user: User) -> Membership:
    membership = team.memberships.filter(user=user, left_at=None).first()
    if membership is None:
        raise NotAllowed("This person is not in the team.")
    return membership
