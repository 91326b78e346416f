"""People and their roles: accepted terms, organizers."""

from __future__ import annotations

from datetime import datetime

from django.db import transaction

from competition import clock
from competition.domain import audit
from competition.models import OrganizerRole, SharedTask, TermsAcceptance, User


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
