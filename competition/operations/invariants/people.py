"""Accounts, teams, members, and what the audit trail says about them."""

from __future__ import annotations

from allauth.account.models import EmailAddress
from django.db.models import Count, Exists, F, Min, OuterRef
from django.db.models.functions import Lower

from competition.models import AuditEntry, ExtraAttempts, Membership, Team, User
from competition.names import lookalike_key, name_key
from competition.operations.invariants.registry import Found, check


@check
def accounts_keep_their_address() -> Found:
    """The address of an account is its primary one: log-in looks there, and a look never makes it up."""
    row = EmailAddress.objects.filter(user=OuterRef("pk"), email=Lower(OuterRef("email")), primary=True)
    for user in User.objects.exclude(email="").exclude(Exists(row)):
        yield f"account {user.public_id}", "has no row for its address, so nobody can log in to it"


@check
def verified_addresses_have_one_account() -> Found:
    """Once somebody verified an address, it is theirs alone."""
    verified = EmailAddress.objects.filter(verified=True).annotate(address=Lower("email")).order_by()
    for row in verified.values("address").annotate(n=Count("pk"), first=Min("pk")).filter(n__gt=1):
        yield f"address row {row['first']}", f"{row['n']} accounts have verified this address"


@check
def memberships_are_in_the_teams_task() -> Found:
    """The task of a membership is the task of its team: one team per person and task rests on it."""
    for row in Membership.objects.exclude(task=F("team__task")):
        yield f"membership {row.pk}", "is filed under another shared task than its team's"


@check
def people_are_in_one_team() -> Found:
    """Nobody is in two teams of a shared task at once."""
    active = Membership.objects.filter(left_at=None).order_by()
    for row in active.values("user", "team__task").annotate(n=Count("pk")).filter(n__gt=1):
        yield f"user {row['user']}", f"is in {row['n']} teams of shared task {row['team__task']}"


@check
def captains_are_members() -> Found:
    """A captain is in the team."""
    here = Membership.objects.filter(team=OuterRef("pk"), user=OuterRef("captain"), left_at=None)
    for team in Team.objects.exclude(captain=None).exclude(Exists(here)):
        yield f"team {team.public_id}", "its captain is no member"


@check
def team_names_have_their_keys() -> Found:
    """The keys that keep names apart are those of the names."""
    for team in Team.objects.all().iterator():
        if (team.name_key, team.lookalike_key) != (name_key(team.name), lookalike_key(team.name)):
            yield f"team {team.public_id}", "its keys are not those of its name"


@check
def granted_attempts_are_on_record() -> Found:
    """As many grants as the audit trail tells of."""
    told = AuditEntry.objects.filter(action="attempts granted", target_type="Entry")
    by_entry = dict(told.order_by().values_list("target_id").annotate(n=Count("pk")))
    given = ExtraAttempts.objects.order_by().values_list("entry").annotate(n=Count("pk"))
    for entry, number in given:
        if by_entry.get(str(entry), 0) < number:
            yield f"entry {entry}", f"{number} grants, {by_entry.get(str(entry), 0)} in the audit trail"
