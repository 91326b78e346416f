"""`manage.py worker`: claims queued work from the database and does it, one row at a time."""

from __future__ import annotations

import os
import secrets
import signal
import socket
import threading
import time
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandParser
from redis import RedisError

from competition import bell, clock, jobs, outages
from competition.domain import receipts, sweeping
from competition.enums import WorkerRole
from competition.management.presence import Presence, surviving

LISTEN_SECONDS = 1
"""How long a worker listens for a bell before it looks by itself."""


class Command(BaseCommand):
    help = "Scores runs, checks gold and freezes boards. Start as many as you like, on any machine."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--once", action="store_true", help="do at most one piece of work, then leave")
        parser.add_argument("--until-idle", action="store_true", help="leave when nothing is queued")
        parser.add_argument("--name", default="", help="the worker's name; made up when not given")
        parser.add_argument(
            "--wait",
            type=float,
            default=0.5,
            metavar="SECONDS",
            help="pause between looks at an empty queue where no bell can be heard",
        )

    def handle(self, *, once: bool, until_idle: bool, name: str, wait: float, **_: Any) -> None:
        # Workers are what is multiplied: one thread each for arithmetic. Read when a child loads numpy.
        os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
        worker = Worker(name or f"{socket.gethostname()}-{os.getpid()}-{secrets.token_hex(2)}")
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, lambda *_: worker.leave.set())
        worker.run(once=once, until_idle=until_idle, wait=wait)


class Worker:
    """One worker process. After SIGTERM or Ctrl-C it ends the row in hand, then leaves."""

    def __init__(self, name: str) -> None:
        self.presence = Presence(name, WorkerRole.WORKER)
        self.leave = threading.Event()
        self.next_sweep = 0.0

    def run(self, *, once: bool = False, until_idle: bool = False, wait: float = 0.5) -> None:
        with self.presence:
            if once:
                self.turn()
                return
            while not self.leave.is_set():
                worked = True
                with surviving(self.leave):
                    worked = self.turn()
                if until_idle and not worked:
                    break
                if not worked:
                    self.pause(wait)

    def turn(self) -> bool:
        """Sweep and beat when it is time, then do one row. Returns whether there was one."""
        self.housekeeping()
        work = jobs.claim_any(self.presence.name)
        if work is None:
            return False
        self.presence.beat(str(work), moment=work.started_at)
        jobs.do(work)
        return True

    def pause(self, seconds: float) -> None:
        """Until a bell rings or a little time has passed. Without Redis, that is all there is."""
        if settings.REDIS_URL and not outages.breaker.is_open:
            try:
                bell.wait(LISTEN_SECONDS)
                return
            except RedisError as error:
                outages.breaker.trip("worker", error)
        self.leave.wait(seconds)

    def housekeeping(self) -> None:
        """A worker sweeps too, so that a small site needs no sweeper. With Redis, mail is the sweeper's."""
        if time.monotonic() >= self.next_sweep:
            self.next_sweep = time.monotonic() + sweeping.EVERY_SECONDS
            sweeping.sweep()
            if not settings.REDIS_URL:
                receipts.mail_receipts(clock.now())
        self.presence.beat_when_due()
