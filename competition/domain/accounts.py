"""People and their roles: accepted terms, organizers, and leaving for good."""

from __future__ import annotations

from datetime import datetime

from allauth.account.models import EmailAddress
from allauth.mfa.models import Authenticator
from django.contrib.auth import SESSION_KEY
from django.contrib.sessions.models import Session
from django.db import transaction

from competition import clock, rules
from competition.domain import audit
from competition.domain.teams import end_membership, is_captain_of_others
from competition.exceptions import NotAllowed, Refused
from competition.models import ApiToken, Membership, OrganizerRole, SharedTask, TermsAcceptance, User


@transaction.atomic
def accept_terms(*, user: User, task: SharedTask, at: datetime | None = None) -> TermsAcceptance:
    """Note that this person accepted the terms as they read now. The same text again changes nothing."""
    moment = at or clock.now()
    acceptance, made = TermsAcceptance.objects.get_or_create(
        user=user, task=task, digest=task.terms_digest, defaults={"accepted_at": moment}
    )
    if made:
        audit.record(
            actor=user,
            action="terms accepted",
            target=user,
            task=task,
            after={"digest": acceptance.digest},
            at=moment,
        )
    return acceptance


def has_accepted_terms(*, user: User, task: SharedTask) -> bool:
    """Whether the person accepted the terms as they read now; a task without terms asks for nothing."""
    if not task.terms.strip():
        return True
    return TermsAcceptance.objects.filter(user=user, task=task, digest=task.terms_digest).exists()


@transaction.atomic
def make_organizer(*, user: User, task: SharedTask, by: User | None = None) -> OrganizerRole:
    """Let this person look after the shared task, on the desk and on the pages."""
    role, made = OrganizerRole.objects.get_or_create(user=user, task=task)
    if not user.is_staff:
        user.is_staff = True
        user.save(update_fields=["is_staff"])
    if made:
        audit.record(actor=by, action="organizer added", target=user, task=task)
    return role


@transaction.atomic
def create_organizer(
    *, email: str, password: str, display_name: str = "", superuser: bool = False, by: User | None = None
) -> User:
    """An account that may open the desk; which shared tasks it sees is said by `make_organizer`."""
    user = User.objects.create_user(
        username=email,
        email=email,
        password=password,
        display_name=display_name,
        is_staff=True,
        is_superuser=superuser,
    )
    audit.record(actor=by, action="organizer account created", target=user, after={"superuser": superuser})
    return user


@transaction.atomic
def reset_second_factor(*, user: User, reason: str) -> int:
    """Take every second factor of an account away and end its sessions; returns how many there were.

    For the command line only: who can run it could change the database anyway.
    """
    factors = Authenticator.objects.filter(user=user)
    gone = factors.count()
    factors.delete()
    for session in Session.objects.all().iterator():
        if session.get_decoded().get(SESSION_KEY) == str(user.pk):
            session.delete()
    audit.record(actor=None, action="second factor reset", target=user, reason=reason, after={"gone": gone})
    return gone


@transaction.atomic
def delete_account(*, user: User, at: datetime | None = None) -> User:
    """Forget who this person is: address, name, password, second factors and tokens go, and every log-in.

    What the account did stays, by a "former member": runs, boards and the audit trail must go on adding up.
    Raises Refused for a captain with team mates, and for organizers.
    """
    moment = at or clock.now()
    user = User.objects.select_for_update().get(pk=user.pk)
    if rules.may_organize(user) or user.organizer_roles.exists():
        raise NotAllowed("You organize shared tasks. Ask for your role to be taken away first.")
    memberships = list(Membership.objects.filter(user=user, left_at=None).select_related("team"))
    for membership in memberships:
        if is_captain_of_others(membership):
            raise Refused(f"You are the captain of {membership.team.name}: hand the team over first.")
    for membership in memberships:
        end_membership(membership, moment)
    ApiToken.objects.filter(user=user, revoked_at=None).update(revoked_at=moment)
    EmailAddress.objects.filter(user=user).delete()
    Authenticator.objects.filter(user=user).delete()
    user.username = f"former-{user.public_id}"
    user.email = user.display_name = user.first_name = user.last_name = ""
    user.is_active = False
    user.set_unusable_password()  # and with it every session ends
    user.save()
    audit.record(actor=user, action="account deleted", target=user, at=moment)
    return user
