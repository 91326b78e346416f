"""Who did what, why, before and after. Written by `domain/audit.py`, append-only by trigger."""

from __future__ import annotations

from django.db import models

from competition.models.base import REASON_LENGTH
from competition.models.people import User
from competition.models.tasks import SharedTask


class AuditEntry(models.Model):
    at = models.DateTimeField()
    actor = models.ForeignKey(
        User,
        null=True,
        blank=True,
        on_delete=models.PROTECT,
        related_name="+",
        help_text="Empty: the system.",
    )
    action = models.CharField(max_length=60)
    target_type = models.CharField(max_length=40)
    target_id = models.CharField(max_length=64)
    task = models.ForeignKey(
        SharedTask, null=True, blank=True, on_delete=models.PROTECT, related_name="audit"
    )
    reason = models.CharField(max_length=REASON_LENGTH, blank=True)
    before = models.JSONField(default=dict, blank=True)
    after = models.JSONField(default=dict, blank=True)
    request_id = models.CharField(max_length=32, blank=True)

    class Meta:
        verbose_name_plural = "audit entries"
        ordering = ["-at", "-pk"]
        indexes = [
            models.Index(fields=["target_type", "target_id"], name="audit_by_target"),
            models.Index(fields=["task", "at"], name="audit_by_task"),
        ]

    def __str__(self) -> str:
        return f"{self.at:%Y-%m-%d %H:%M} {self.action}"
