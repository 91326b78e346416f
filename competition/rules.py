"""Who may. Each predicate answers for one person and one object; views, templates and the desk all ask here.

What of a *score* is visible is the phase's policy and another question: `domain/visibility.py`.
"""

from __future__ import annotations

from typing import Any

# Objects are told by what they offer, not by class: this module is a leaf and imports no model.


def is_superuser(user: Any) -> bool:
    return bool(user.is_authenticated and user.is_active and user.is_superuser)


def may_organize(user: Any) -> bool:
    """Whether this account can organize anything at all: of those more is asked, see `middleware.py`."""
    return bool(user.is_authenticated and user.is_active and (user.is_superuser or user.is_staff))


def organizes(user: Any, task: Any) -> bool:
    """Organizers of this shared task, and superusers."""
    if not may_organize(user):
        return False
    return user.is_superuser or user.organizer_roles.filter(task=task).exists()


def can_see_task(user: Any, task: Any) -> bool:
    return task.published or organizes(user, task)


def is_member(user: Any, team: Any) -> bool:
    """In the team now; who left is a stranger."""
    return bool(user.is_authenticated) and team.memberships.filter(user=user, left_at=None).exists()


def is_captain(user: Any, team: Any) -> bool:
    return bool(user.is_authenticated) and team.captain_id == user.pk and is_member(user, team)


def can_manage_team(user: Any, team: Any) -> bool:
    """Invite, rename, hand over: the captain and the organizers."""
    return is_captain(user, team) or organizes(user, team.task)


def can_create_team(user: Any, task: Any) -> bool:
    """Signed in, allowed to see the task, and in no team of it."""
    if not user.is_authenticated or not can_see_task(user, task):
        return False
    return not user.memberships.filter(task=task, left_at=None).exists()


def can_see_runs_of(user: Any, team: Any) -> bool:
    """Members and organizers; nobody else sees what a team sent."""
    return is_member(user, team) or organizes(user, team.task)


def can_submit_for(user: Any, team: Any) -> bool:
    """Whether this person may send for the team at all; window and quota are asked at intake."""
    return can_see_runs_of(user, team) and can_see_task(user, team.task)


def can_withdraw(user: Any, submission: Any) -> bool:
    return can_see_runs_of(user, submission.team)


def can_choose(user: Any, submission: Any) -> bool:
    return is_member(user, submission.team)


def can_see_board(user: Any, board: Any) -> bool:
    """Everybody once it is published, its organizers before."""
    task = board.phase.task
    return (board.is_published and task.published) or organizes(user, task)


def can_look_after(user: Any, task: Any) -> bool:
    """The organizers' desk: upload items and gold, grant attempts, freeze, publish."""
    return bool(user.is_staff) and organizes(user, task)
