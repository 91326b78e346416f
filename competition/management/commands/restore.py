"""`manage.py restore FILE`: a backup into an empty, migrated database of the same version."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from django.core.management import call_command
from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.db import connection

from competition.operations import archive


class Command(BaseCommand):
    help = "Restores a backup, all or nothing, then audits the database and verifies frozen boards."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("file", type=Path)
        parser.add_argument(
            "--without-scoring", action="store_true", help="do not score the runs of frozen boards again"
        )

    def handle(self, *, file: Path, without_scoring: bool, **_: Any) -> None:
        try:
            tally = archive.restore(file, connection)
        except archive.BackupRefused as refusal:
            raise CommandError(str(refusal)) from refusal
        self.stdout.write(f"{tally.rows:,} rows of {len(tally.tables)} tables restored.")
        self.stdout.write(
            f"Read again: every row as in the backup, {tally.blobs:,} stored files have their digests."
        )
        call_command("audit_invariants", stdout=self.stdout, stderr=self.stderr)
        if not without_scoring:
            call_command("verify_leaderboard", all=True, stdout=self.stdout, stderr=self.stderr)
