"""`manage.py move_to_postgres postgres://…`: from the SQLite file of a small site to PostgreSQL, once."""

from __future__ import annotations

from typing import Any

from django.core.management import call_command
from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.db import OperationalError, connection

from competition import clock
from competition.operations import archive, moving
from competition.queries.machinery import workers_alive


class Command(BaseCommand):
    help = "Copies everything from the site's SQLite file into an empty PostgreSQL database, and compares."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("address", help="postgres://user:password@host/name of an empty database")

    def handle(self, *, address: str, **_: Any) -> None:
        if connection.vendor != "sqlite":
            raise CommandError("This site is on PostgreSQL already. To move it again: backup, then restore.")
        if workers_alive(clock.now()).exists():
            raise CommandError("A worker is at work. Stop the site and its workers, then move.")
        try:
            target = moving.connect(address)
            call_command("migrate", database=target.alias, verbosity=0)
            tally = moving.move(connection, target)
        except (moving.NotPostgres, archive.BackupRefused) as refusal:
            raise CommandError(str(refusal)) from refusal
        except OperationalError as fault:
            raise CommandError(f"PostgreSQL does not answer: {str(fault).splitlines()[0]}") from fault
        self.stdout.write(
            f"{tally.rows:,} rows of {len(tally.tables)} tables moved and compared, row by row."
        )
        self.stdout.write(f"{tally.blobs:,} stored files have their digests.")
        self.stdout.write(
            "Now set DATABASE_URL to the new address and start the site. Keep the old file a while."
        )
