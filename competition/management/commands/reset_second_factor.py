"""`manage.py reset_second_factor lead@example.org`: for who lost the app, the key and the recovery codes."""

from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from competition.domain.accounts import find_account, reset_second_factor
from competition.exceptions import Refused


class Command(BaseCommand):
    help = "Take an account's second factors away, so that its owner sets up new ones at the next log-in."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("account", help="its address, or its id where several have the address")
        parser.add_argument("--reason", required=True, help="how you made sure who asked; it stays on record")

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            user = find_account(options["account"])
        except Refused as refusal:
            raise CommandError(refusal.message) from refusal
        gone = reset_second_factor(user=user, reason=options["reason"])
        self.stdout.write(f"{gone} taken away from {user.email}; every session of the account has ended.")
