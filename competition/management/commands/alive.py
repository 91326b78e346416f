"""`manage.py alive`: whether a worker or sweeper of this machine gives signs of life; for health checks."""

from __future__ import annotations

import socket
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.db.models import Q

from competition import clock
from competition.models import WorkerBeat
from competition.queries.machinery import ALIVE


class Command(BaseCommand):
    help = "Exit 0 when a worker or sweeper started on this machine was heard of within a minute, else 1."
    requires_system_checks: list[str] = []

    def handle(self, **_: Any) -> None:
        host = socket.gethostname()
        ours = Q(name__startswith=f"{host}-") | Q(name__startswith=f"sweeper-{host}-")
        last = WorkerBeat.objects.filter(ours).order_by("-seen_at").first()
        if last is None or last.seen_at < clock.now() - ALIVE:
            raise CommandError(f"No worker or sweeper of {host} was heard of within a minute.", returncode=1)
        self.stdout.write(f"{last.name} is alive.")
