"""`manage.py audit_invariants`: whether the database is what the site's rules make of it."""

from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from competition.operations import invariants


class Command(BaseCommand):
    help = "Checks what must always hold and names each row that breaks it. Reads only; exit 1 on any."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--list", action="store_true", help="name the checks and leave")

    def handle(self, *, list: bool, **_: Any) -> None:
        if list:
            self.stdout.write("\n".join(invariants.CHECKS))
            return
        found = 0
        for broken in invariants.audit():
            self.stdout.write(str(broken))
            found += 1
        if found:
            raise CommandError(f"{found} places break {len(invariants.CHECKS)} invariants.", returncode=1)
        self.stdout.write(f"{len(invariants.CHECKS)} invariants hold.")
