"""`manage.py reset_password ada@example.org`: for who forgot it where no mail is set up."""

from __future__ import annotations

import secrets
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from competition.domain.accounts import find_account, reset_password
from competition.exceptions import Refused


class Command(BaseCommand):
    help = "Give an account a new password and end its sessions. The password is printed once."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("account", help="its address, or its id where several have the address")
        parser.add_argument("--reason", required=True, help="how you made sure who asked; it stays on record")

    def handle(self, *args: Any, **options: Any) -> None:
        password = secrets.token_urlsafe(12)
        try:
            user = find_account(options["account"])
        except Refused as refusal:
            raise CommandError(refusal.message) from refusal
        reset_password(user=user, password=password, reason=options["reason"])
        self.stdout.write(f"Account {user.public_id} of {user.email}, password {password} (shown this once).")
