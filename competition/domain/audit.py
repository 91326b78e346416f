"""Every change by a person leaves an entry: who, what, on what, why, before and after."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from django.db.models import Model

from competition import clock, logs
from competition.models import AuditEntry, SharedTask, User


def record(
    *,
    actor: User | None,
    action: str,
    target: Model,
    task: SharedTask | None = None,
    reason: str = "",
    before: dict[str, Any] | None = None,
    after: dict[str, Any] | None = None,
    at: datetime | None = None,
) -> AuditEntry:
    """Write one entry in the caller's transaction, so that it stands if and only if the change does.

    `action` is a word or two in the past tense ("team renamed"); `actor` is None for the system; `task` is
    looked up on the target where it is not given. `before` and `after` hold plain JSON values, never bytes,
    references or tokens.
    """
    return AuditEntry.objects.create(
        at=at or clock.now(),
        actor=actor,
        action=action,
        target_type=target._meta.object_name or "",
        target_id=str(getattr(target, "public_id", target.pk)),
        task=task or _task_of(target),
        reason=reason,
        before=before or {},
        after=after or {},
        request_id=logs.request_id.get(),
    )


def _task_of(target: Model) -> SharedTask | None:
    if isinstance(target, SharedTask):
        return target
    for name in ("task", "phase", "team"):
        related = getattr(target, name, None)
        if isinstance(related, SharedTask):
            return related
        if isinstance(related, Model):
            return _task_of(related)
    return None
