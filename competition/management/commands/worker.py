"""`manage.py worker`: claims queued work from the database and does it, one row at a time."""

from __future__ import annotations

import logging
import os
import secrets
import signal
import socket
import threading
import time
from typing import Any

from django.core.management.base import BaseCommand, CommandParser
from django.db import OperationalError, close_old_connections

from competition import clock, jobs
from competition.domain import evaluations
from competition.domain.intake import forget_refused_uploads
from competition.models import WorkerBeat

log = logging.getLogger(__name__)

BEAT_SECONDS = 5.0
SWEEP_SECONDS = 30.0


class Command(BaseCommand):
    help = "Scores runs, checks gold and freezes boards. Start as many as you like, on any machine."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--once", action="store_true", help="do at most one piece of work, then leave")
        parser.add_argument("--until-idle", action="store_true", help="leave when nothing is queued")
        parser.add_argument("--name", default="", help="the worker's name; made up when not given")
        parser.add_argument(
            "--wait", type=float, default=0.5, metavar="SECONDS", help="pause between looks at an empty queue"
        )

    def handle(self, *, once: bool, until_idle: bool, name: str, wait: float, **_: Any) -> None:
        worker = Worker(name or f"{socket.gethostname()}-{os.getpid()}-{secrets.token_hex(2)}")
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, lambda *_: worker.leave.set())
        worker.run(once=once, until_idle=until_idle, wait=wait)


class Worker:
    """One worker process. After SIGTERM or Ctrl-C it ends the row in hand, then leaves."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.leave = threading.Event()
        self.started_at = clock.now()
        self.next_sweep = self.next_beat = 0.0

    def run(self, *, once: bool = False, until_idle: bool = False, wait: float = 0.5) -> None:
        try:
            while not self.leave.is_set():
                worked = self.turn()
                if once or (until_idle and not worked):
                    break
                if not worked:
                    self.leave.wait(wait)
        finally:
            WorkerBeat.objects.filter(name=self.name).delete()

    def turn(self) -> bool:
        """Sweep and beat when it is time, then do one row. Returns whether there was one."""
        try:
            self.housekeeping()
            work = jobs.claim_any(self.name)
            if work is None:
                return False
            self.beat(str(work))
            jobs.do(work)
            return True
        except OperationalError as error:
            # The database restarts, or is busy. Whatever was claimed runs out and is queued again.
            log.warning("The database does not answer: %s", type(error).__name__)
            close_old_connections()
            self.leave.wait(1.0)
            return True

    def housekeeping(self) -> None:
        now = time.monotonic()
        if now >= self.next_sweep:
            self.next_sweep = now + SWEEP_SECONDS
            evaluations.sweep()
            moment = clock.now()
            forget_refused_uploads(moment)
            gone = moment - evaluations.LEASE * 10
            WorkerBeat.objects.filter(seen_at__lt=gone).delete()
        if now >= self.next_beat:
            self.beat("")

    def beat(self, current: str) -> None:
        """Say that this worker lives, and what it is at."""
        self.next_beat = time.monotonic() + BEAT_SECONDS
        WorkerBeat.objects.update_or_create(
            name=self.name,
            defaults={"started_at": self.started_at, "seen_at": clock.now(), "current": current[:120]},
        )
