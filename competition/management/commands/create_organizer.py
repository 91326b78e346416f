"""`manage.py create_organizer lead@example.org --task my-task`: an account for the organizers' desk."""

from __future__ import annotations

import secrets
from typing import Any

from django.core.exceptions import ValidationError
from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.core.validators import validate_email
from django.db import transaction

from competition.domain.accounts import create_organizer, make_organizer
from competition.models import SharedTask, User


class Command(BaseCommand):
    help = "Make an organizer's account, or let an existing account organize more shared tasks."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("email")
        parser.add_argument("--name", default="", help="shown to others")
        parser.add_argument("--task", action="append", default=[], metavar="SLUG", help="may be given again")
        parser.add_argument("--superuser", action="store_true", help="may do everything, everywhere")

    @transaction.atomic
    def handle(self, *args: Any, **options: Any) -> None:
        """Print the generated password once; an existing account keeps its own."""
        try:
            validate_email(options["email"])
        except ValidationError as error:
            raise CommandError(f"{options['email']} is not an e-mail address.") from error
        tasks = [self._task(slug) for slug in options["task"]]
        if not tasks and not options["superuser"]:
            raise CommandError("Say which shared task with --task SLUG, or --superuser.")
        user = User.objects.filter(email__iexact=options["email"]).first()
        if user is not None and options["superuser"] and not user.is_superuser:
            raise CommandError("The account exists and is no superuser; make another account for that.")
        if user is None:
            password = secrets.token_urlsafe(12)
            user = create_organizer(
                email=options["email"],
                password=password,
                display_name=options["name"],
                superuser=options["superuser"],
            )
            self.stdout.write(f"Account {user.email}, password {password} (shown this once).")
        for task in tasks:
            make_organizer(user=user, task=task)
            self.stdout.write(f"{user.email} organizes {task.name}.")

    def _task(self, slug: str) -> SharedTask:
        task = SharedTask.objects.filter(slug=slug).first()
        if task is None:
            raise CommandError(f"There is no shared task with the slug {slug}.")
        return task
