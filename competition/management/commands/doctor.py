"""`manage.py doctor`: what works, what does not, and what to do, a line each."""

from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand, CommandError

from competition.operations import doctor


class Command(BaseCommand):
    help = "Looks at database, Redis, workers, clock, settings, mail and disk. Exit 1 when something is bad."
    requires_system_checks: list[str] = []

    def handle(self, **_: Any) -> None:
        bad = 0
        for finding in doctor.examine():
            fix = f"  → {finding.fix}" if finding.fix else ""
            self.stdout.write(f"{finding.state:<5} {finding.name:<13} {finding.said}{fix}")
            bad += finding.state == doctor.BAD
        if bad:
            raise CommandError(f"{bad} {'thing needs' if bad == 1 else 'things need'} you.", returncode=1)
        self.stdout.write("Nothing is broken.")
