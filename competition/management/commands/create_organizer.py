"""`manage.py create_organizer lead@example.org --task my-task`: an account for the organizers' desk."""

from __future__ import annotations

import secrets
from typing import Any

from django.core.exceptions import ValidationError
from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.core.validators import validate_email
from django.db import transaction

from competition.domain.accounts import create_organizer, find_account, make_organizer, organizer_at
from competition.exceptions import Refused
from competition.models import SharedTask, User
from competition.models.people import accounts_at


class Command(BaseCommand):
    help = (
        "Make an organizer's account, or let one organize more shared tasks. Who signed up with the address "
        "is not made an organizer by it unless it is verified: name such an account by its id."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("account", help="an address, or the id of an account that is there")
        parser.add_argument("--name", default="", help="shown to others")
        parser.add_argument("--task", action="append", default=[], metavar="SLUG", help="may be given again")
        parser.add_argument("--superuser", action="store_true", help="may do everything, everywhere")

    @transaction.atomic
    def handle(self, *args: Any, **options: Any) -> None:
        """Print the generated password once; an existing account keeps its own."""
        tasks = [self._task(slug) for slug in options["task"]]
        if not tasks and not options["superuser"]:
            raise CommandError("Say which shared task with --task SLUG, or --superuser.")
        address = options["account"]
        user = self._existing(address)
        if user is not None and options["superuser"] and not user.is_superuser:
            raise CommandError("The account exists and is no superuser; make another account for that.")
        if user is None:
            password = secrets.token_urlsafe(12)
            user = create_organizer(
                email=address,
                password=password,
                display_name=options["name"],
                superuser=options["superuser"],
            )
            self.stdout.write(f"Account {user.email}, password {password} (shown this once).")
            others = accounts_at(address).exclude(pk=user.pk).count()
            if others:
                self.stdout.write(f"{others} signed up with this address before and stay what they were.")
        for task in tasks:
            make_organizer(user=user, task=task)
            self.stdout.write(f"{user.email} organizes {task.name}.")

    def _existing(self, named: str) -> User | None:
        try:
            validate_email(named)
        except ValidationError:
            try:
                return find_account(named)
            except Refused as refusal:
                raise CommandError(f"{named} is no e-mail address, and no account's id.") from refusal
        return organizer_at(named)

    def _task(self, slug: str) -> SharedTask:
        task = SharedTask.objects.filter(slug=slug).first()
        if task is None:
            raise CommandError(f"There is no shared task with the slug {slug}.")
        return task
