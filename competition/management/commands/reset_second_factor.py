"""`manage.py reset_second_factor lead@example.org`: for who lost the app, the key and the recovery codes."""

from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from competition.domain.accounts import reset_second_factor
from competition.models import User


class Command(BaseCommand):
    help = "Take an account's second factors away, so that its owner sets up new ones at the next log-in."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("email")
        parser.add_argument("--reason", required=True, help="how you made sure who asked; it stays on record")

    def handle(self, *args: Any, **options: Any) -> None:
        user = User.objects.filter(email__iexact=options["email"]).first()
        if user is None:
            raise CommandError(f"There is no account with the address {options['email']}.")
        gone = reset_second_factor(user=user, reason=options["reason"])
        self.stdout.write(f"{gone} taken away from {user.email}; every session of the account has ended.")
