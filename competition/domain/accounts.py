"""People and their roles: addresses, accepted terms, organizers, and leaving for good."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from allauth.account.models import EmailAddress
from allauth.mfa.models import Authenticator
from django.contrib.auth import SESSION_KEY
from django.contrib.sessions.models import Session
from django.db import connection, transaction

from competition import clock, passwords, rules
from competition.domain import audit
from competition.domain.teams import end_membership, is_captain_of_others
from competition.domain.throttle import wait_until
from competition.exceptions import NotAllowed, Refused, TooOften
from competition.models import ApiToken, Membership, OrganizerRole, SharedTask, TermsAcceptance, User
from competition.models.people import accounts_at

CLAIMS, CLAIM_SECONDS = 5, 3_600
"""So often an address may be signed up with, or changed to, in so many seconds: each time a password is tried
on the accounts it has."""


# Addresses


def keep_address(*, instance: User, created: bool, using: str, raw: bool = False, **_: Any) -> None:
    """Give each new account the row that log-in and the page of addresses look for. A receiver."""
    if created and instance.email and not raw:
        EmailAddress.objects.using(using).create(user=instance, email=instance.email.lower(), primary=True)


def whose_password(address: str, password: str) -> User | None:
    """The account at this address that opens with this password. Takes the time of one hash, always."""
    users = list(accounts_at(address))
    place = passwords.first_opened(password, [user.password for user in users])
    return None if place is None else users[place]


def claim_address(address: str, at: datetime | None = None) -> None:
    """Count that somebody wants this address, known or not. Raises TooOften."""
    moment = at or clock.now()
    again_at = wait_until(f"address {address.lower()}", most=CLAIMS, seconds=CLAIM_SECONDS, moment=moment)
    if again_at is not None:
        raise TooOften("This address was asked for too often. Try again in an hour.", again_at)


def alone_with(address: str) -> None:
    """Until the transaction ends nobody else signs up with this address: a double click makes one account.

    SQLite's transactions write one after the other anyway.
    """
    if connection.vendor == "postgresql":
        with connection.cursor() as cursor:
            cursor.execute("SELECT pg_advisory_xact_lock(hashtextextended(%s, 0))", [address.lower()])


@transaction.atomic
def change_address(*, user: User, address: str, password: str) -> User:
    """Let this person log in with another address, which nobody verified. The password must be right."""
    EmailAddress.objects.filter(user=user).delete()
    user.email = address.lower()
    user.set_password(password)  # shares the salt of that address, and ends sessions elsewhere
    user.save(update_fields=["email", "password"])
    EmailAddress.objects.create(user=user, email=user.email, primary=True)
    audit.record(actor=user, action="address changed", target=user)
    return user


def find_account(named: str) -> User:
    """The one account with this id or this address. Raises Refused when there is none, or several."""
    if "@" not in named:
        found = list(User.objects.filter(public_id=named))
    else:
        found = list(accounts_at(named))
    if not found:
        raise Refused(f"There is no account {named}.")
    if len(found) > 1:
        told = "; ".join(f"{user.public_id}, {user}, since {user.date_joined:%Y-%m-%d}" for user in found)
        raise Refused(f"Several accounts have the address {named}. Name one by its id: {told}.")
    return found[0]


def organizer_at(address: str) -> User | None:
    """Who may be made an organizer by this address: an account made for that, or whoever verified it. Not
    somebody who signed up with it, which anybody can.
    """
    made_for_it = User.objects.filter(username__iexact=address).first()
    return made_for_it or accounts_at(address).filter(emailaddress__verified=True).first()


# Roles


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
    """An account that may open the desk; which shared tasks it sees is said by `make_organizer`.

    A new one, whoever signed up with the address: nobody has shown that it is theirs.
    """
    user = User(
        username=email.lower(),
        email=User.objects.normalize_email(email),
        display_name=display_name,
        is_staff=True,
        is_superuser=superuser,
    )
    user.set_password(password)
    user.save()
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
def reset_password(*, user: User, password: str, reason: str) -> None:
    """Give an account another password, and end its sessions and tokens. For the command line only."""
    user.set_password(password)
    user.save(update_fields=["password"])
    end_tokens(user=user)
    audit.record(actor=None, action="password reset", target=user, reason=reason)


def end_tokens(*, user: User, at: datetime | None = None, **_: Any) -> int:
    """Revoke all tokens of an account; returns how many there were. A receiver, for a password that was reset
    by letter: who made the tokens had the old password, and need not be who has the mailbox.
    """
    moment = at or clock.now()
    gone = ApiToken.objects.filter(user=user, revoked_at=None).update(revoked_at=moment)
    if gone:
        audit.record(actor=None, action="tokens revoked", target=user, after={"gone": gone}, at=moment)
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
