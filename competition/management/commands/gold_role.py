"""`manage.py gold_role WEB_ROLE`: what a second PostgreSQL role may do, so that web cannot read gold."""

from __future__ import annotations

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.db import connection, transaction

from competition.grants import statements


class Command(BaseCommand):
    help = "Print, or with --apply carry out, the GRANTs for the web process's own PostgreSQL role."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("role", help="The role the web process connects as. It must exist.")
        parser.add_argument("--apply", action="store_true", help="Carry them out, all or none.")

    def handle(self, *args: Any, **options: Any) -> None:
        if connection.vendor != "postgresql":
            raise CommandError("Roles are PostgreSQL's: this site keeps its data in SQLite.")
        lines = statements(connection, options["role"])
        if not options["apply"]:
            self.stdout.write("\n".join(f"{line};" for line in lines))
            return
        with transaction.atomic(), connection.cursor() as cursor:
            cursor.execute("SELECT rolsuper FROM pg_roles WHERE rolname = %s", [options["role"]])
            found = cursor.fetchone()
            if found is None:
                raise CommandError(
                    f"There is no role {options['role']}. CREATE ROLE … LOGIN PASSWORD … first."
                )
            if found[0]:
                raise CommandError(f"{options['role']} is a superuser: no grant would bind it.")
            for line in lines:
                cursor.execute(line)
        self.stdout.write(f"{len(lines)} statements carried out for {options['role']}.")
