"""Receipts by mail: what was received, when, and what counts. Never a score.

They are sent after the run was taken and by another process, so a slow mail server makes no one wait. Each
is sent once at most: the row is marked first.
"""

from __future__ import annotations

import logging
from datetime import datetime, timedelta

from django.conf import settings
from django.core.mail import send_mail

from competition.domain.phases import in_words
from competition.domain.selection import RULES
from competition.models import Submission

log = logging.getLogger(__name__)

MOST_AT_ONCE = 50
NOT_OLDER_THAN = timedelta(days=1)
"""Mail that was configured later tells nobody about last month."""


def mail_receipts(moment: datetime) -> int:
    """Mail the receipts that are due. Returns how many; 0 where no mail is configured."""
    if not settings.EMAIL_CONFIGURED:
        return 0
    due = Submission.objects.filter(
        receipt_mailed_at=None, baseline_name="", received_at__gt=moment - NOT_OLDER_THAN
    ).exclude(submitted_by__email="")
    sent = 0
    rows = due.select_related("submitted_by", "team", "track", "phase__task").order_by("received_at", "pk")
    for one in rows[:MOST_AT_ONCE]:
        marked = Submission.objects.filter(pk=one.pk, receipt_mailed_at=None).update(receipt_mailed_at=moment)
        if not marked or one.submitted_by is None:
            continue
        try:
            send_mail(subject_of(one), text_of(one), None, [one.submitted_by.email])
            sent += 1
        except OSError as fault:
            log.warning("The receipt of %s could not be mailed: %s", one.public_id, type(fault).__name__)
    return sent


def subject_of(one: Submission) -> str:
    return " ".join(f"[{one.phase.task.name}] Run {one.number} of {one.team.name} received".split())


def text_of(one: Submission) -> str:
    """Number, time by the server, digest, what counts."""
    return "\n".join(
        [
            f"We have received run {one.number} of {one.team.name} in {one.track.name}, {one.phase.name}.",
            "",
            f"Received     {one.received_at:%Y-%m-%d %H:%M:%S.%f} UTC, that is {in_words(one.received_at)}",
            *([f"Deadline     {in_words(one.deadline)}, its grace included"] if one.deadline else []),
            f"File         {one.file_name or 'without a name'}, {one.size:,} bytes, {one.n_lines:,} lines",
            f"SHA-256      {one.digest}",
            f"What counts  {RULES[one.phase.counts]}",
            "",
            f"Its page: {settings.SITE_URL}{one.get_absolute_url()}",
            "",
        ]
    )
