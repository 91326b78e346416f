"""`manage.py sweeper`: takes back lost work, rings again, builds downloads, mails receipts.

One is enough; more do no harm.
"""

from __future__ import annotations

import os
import signal
import socket
import threading
import time
from typing import Any

from django.core.management.base import BaseCommand, CommandParser

from competition import clock
from competition.domain import receipts, sweeping
from competition.enums import WorkerRole
from competition.management.presence import Presence, surviving

MAIL_SECONDS = 5.0


class Command(BaseCommand):
    help = "Queues lost work again, rings for work nobody picked up, builds downloads, mails receipts."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--once", action="store_true", help="sweep once, say what was done, and leave")
        parser.add_argument("--every", type=float, default=sweeping.EVERY_SECONDS, metavar="SECONDS")

    def handle(self, *, once: bool, every: float, **_: Any) -> None:
        if once:
            done = sweeping.sweep()
            mailed = receipts.mail_receipts(clock.now())
            did = f"Queued again {done.again}, given up {done.failed}, rung {done.rung}"
            self.stdout.write(f"{did}, files built {done.built}, receipts mailed {mailed}.")
            return
        leave = threading.Event()
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, lambda *_: leave.set())
        presence = Presence(f"sweeper-{socket.gethostname()}-{os.getpid()}", WorkerRole.SWEEPER)
        next_sweep = 0.0
        with presence:
            while not leave.is_set():
                with surviving(leave):
                    presence.beat()
                    if time.monotonic() >= next_sweep:
                        next_sweep = time.monotonic() + every
                        sweeping.sweep()
                    receipts.mail_receipts(clock.now())
                leave.wait(min(MAIL_SECONDS, every))
