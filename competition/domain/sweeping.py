"""What must happen now and then whoever is alive: lost claims taken back, unheard bells rung again, downloads
built, old things forgotten, people told when runs wait too long. Safe to do anywhere, any time, twice.
"""

from __future__ import annotations

import logging
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.conf import settings
from django.core.cache import cache
from django.core.mail import send_mail

from competition import clock
from competition.domain import evaluations, queueing, tokens
from competition.domain.intake import forget_refused_uploads
from competition.domain.validators import keep_built
from competition.enums import WorkStatus
from competition.models import User, WorkerBeat
from competition.queries.machinery import queue

log = logging.getLogger(__name__)

EVERY_SECONDS = 30.0
UNHEARD = timedelta(seconds=30)
MOST_BELLS = 100
"""Enough to wake everybody: a woken worker goes on until nothing is queued."""
GONE = evaluations.LEASE * 10
ALERT_EVERY_SECONDS = 3_600


@dataclass(frozen=True)
class Sweep:
    """What one sweep did."""

    again: int
    failed: int
    rung: int
    built: int


def sweep() -> Sweep:
    """One sweep."""
    moment = clock.now()
    swept = evaluations.sweep(moment=moment)
    forget_refused_uploads(moment)
    tokens.write_down_uses()
    WorkerBeat.objects.filter(seen_at__lt=moment - GONE).delete()
    found = Sweep(swept.again, swept.failed, ring_again(moment), keep_built(moment))
    if swept.again or swept.failed:
        log.warning("Sweep: %s queued again, %s given up", swept.again, swept.failed)
    alert_if_late(moment)
    return found


def ring_again(moment: datetime) -> int:
    """Ring for rows that were queued a while ago and that nobody picked up: their bell may be lost."""
    rung = 0
    for model in evaluations.QUEUES:
        waiting = model._default_manager.filter(status=WorkStatus.QUEUED, queued_at__lt=moment - UNHEARD)
        for work in waiting.order_by("queued_at", "pk")[:MOST_BELLS]:
            queueing.ring(work)
            rung += 1
    return rung


def alert_if_late(moment: datetime) -> bool:
    """Say in the log, and once an hour by mail to superusers, that runs wait too long."""
    found = queue()
    if not found.waits_too_long(moment):
        return False
    assert found.oldest is not None
    minutes = int((moment - found.oldest).total_seconds() // 60)
    said = (
        f"{found.waiting} {'run waits' if found.waiting == 1 else 'runs wait'}, the oldest {minutes} minutes"
    )
    log.error("Alert: %s", said)
    if settings.EMAIL_CONFIGURED and cache.add("alert:late", 1, timeout=ALERT_EVERY_SECONDS):
        people = User.objects.filter(is_superuser=True, is_active=True).exclude(email="")
        for address in people.values_list("email", flat=True):
            try:
                send_mail(
                    f"Podium: {said}", f"{said}. Look at /status and run `manage.py doctor`.", None, [address]
                )
            except OSError:
                log.warning("An alert could not be mailed")
    return True
