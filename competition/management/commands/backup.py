"""`manage.py backup FILE`: everything the site knows, of one moment, in one file that is checked at once."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.db import connection

from competition import clock
from competition.operations import archive


class Command(BaseCommand):
    help = "Writes a backup, reads it again and checks every digest. Exit 1 when something stored is damaged."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("file", type=Path, help="where to write, such as podium.backup.zip")
        parser.add_argument("--verify-only", action="store_true", help="check a file written before")

    def handle(self, *, file: Path, verify_only: bool, **_: Any) -> None:
        try:
            if not verify_only:
                if file.exists():
                    raise CommandError(f"{file} exists. Name a new file.")
                made_at = clock.now().isoformat(timespec="seconds")
                tally, digest = archive.write(file, connection, made_at=made_at)
                self.stdout.write(f"{tally.rows:,} rows of {len(tally.tables)} tables written to {file}")
                self.stdout.write(f"manifest sha256:{digest}")
            manifest, faults = archive.verify(file)
        except archive.BackupRefused as refusal:
            raise CommandError(str(refusal)) from refusal
        except OSError as fault:
            raise CommandError(f"{file} cannot be written: {fault.strerror}.") from fault
        for fault_found in faults:
            self.stderr.write(fault_found)
        if faults:
            raise CommandError(f"{len(faults)} faults. What was readable is in the file.")
        blobs = sum(manifest["tables"][name]["rows"] for name in ("competition.Blob", "competition.GoldBlob"))
        self.stdout.write(f"Read again: every table as written, {blobs:,} stored files have their digests.")
        self.stdout.write("The file holds references and password hashes: keep it safe.")
