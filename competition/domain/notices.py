"""Telling people: mail to the organizers of a shared task, after the change it speaks of is committed."""

from __future__ import annotations

import logging
from functools import partial

from django.core.mail import send_mail
from django.db import transaction

from competition.models import SharedTask, User

log = logging.getLogger(__name__)


def tell_organizers(task: SharedTask, *, subject: str, text: str) -> None:
    """Mail every organizer with an address once the transaction commits; a mail server that is down breaks
    nothing.

    The text must hold nothing an organizer's mailbox may not hold: no references, no scores.
    """
    organizers = User.objects.filter(organizer_roles__task=task, is_active=True).exclude(email="")
    addresses = list(organizers.values_list("email", flat=True))
    if addresses:
        transaction.on_commit(partial(_send, f"[{task.name}] {subject}", text, addresses))


def _send(subject: str, text: str, addresses: list[str]) -> None:
    for address in addresses:
        try:
            send_mail(" ".join(subject.split()), text, None, [address])
        except OSError:
            log.warning("A notice to an organizer could not be mailed: %s", subject)
