"""`manage.py verify_leaderboard`: recomputes frozen boards from stored runs and gold, and names what
differs.
"""

from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from competition.domain.verification import verify_leaderboard
from competition.models import FrozenLeaderboard


class Command(BaseCommand):
    help = "Scores the stored runs of frozen boards again and compares everything. Exit 1 on any difference."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("boards", nargs="*", metavar="BOARD", help="public ids, as in a board's address")
        parser.add_argument("--all", action="store_true", help="every board there is, every version")

    def handle(self, *, boards: list[str], all: bool, **_: Any) -> None:
        known = FrozenLeaderboard.objects.select_related("phase", "track").order_by(
            "phase", "track", "version"
        )
        chosen = list(known if all else known.filter(public_id__in=boards))
        missing = set(boards) - {board.public_id for board in chosen}
        if missing:
            raise CommandError(f"No such board: {', '.join(sorted(missing))}.", returncode=2)
        if not chosen and not all:
            raise CommandError("Name the boards to verify, or say --all.", returncode=2)
        differing = 0
        for board in chosen:
            differences = verify_leaderboard(board)
            verdict = f"{len(differences)} differences" if differences else "verified"
            self.stdout.write(f"{board.public_id}  {board}  sha256:{board.digest}  {verdict}")
            for difference in differences:
                self.stdout.write(f"  {difference}")
            differing += bool(differences)
        if differing:
            raise CommandError(f"{differing} of {len(chosen)} boards differ.", returncode=1)
        self.stdout.write(f"{len(chosen)} boards verified.")
