"""`manage.py demo`: a whole site on one machine, with one command. Ctrl-C stops all of it."""

from __future__ import annotations

import os
import secrets
import signal
import socket
import subprocess  # nosec B404 - starts this very site's own commands
import sys
import time
from types import FrameType
from typing import Any

from django.conf import settings
from django.core.management import call_command
from django.core.management.base import BaseCommand, CommandError, CommandParser

from competition.domain.accounts import create_organizer, make_organizer, organizer_at
from competition.models import SharedTask

ORGANIZER = "organizer@ledger-tongues.example"
HOST = "127.0.0.1"


class Command(BaseCommand):
    help = "Migrates, loads the demo shared tasks, and starts the site with a worker."
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--port", type=int, default=int(os.environ.get("PORT") or 8000))

    def handle(self, *, port: int, **_: Any) -> None:
        if not settings.DEMO:
            raise CommandError("Set PODIUM_DEMO=1: the demo's settings are not fit for a public site.")
        refuse_busy(port)
        self.stdout.write("Preparing the database and scoring the demo runs …")
        call_command("migrate", verbosity=0)
        call_command("seed_demo", first=True)
        password = organizer_password()
        processes = [start_site(port), start_worker()]
        try:
            wait_until_it_answers(port, processes[0])
            self.say_hello(port, password)
            processes.append(start_seeding())
            watch(processes)
        finally:
            stop(processes)

    def say_hello(self, port: int, password: str) -> None:
        site = f"http://localhost:{port}"
        task = SharedTask.objects.filter(published=True).order_by("pk").first()
        lines = ["", f"  Podium         {site}/"]
        if task:
            lines.append(f"  Shared task    {site}/tasks/{task.slug}/")
        lines += [
            f"  Desk           {site}/admin/",
            f"    log in with  {ORGANIZER}",
            f"    password     {password}",
            f"  Take part      {site}/accounts/signup/",
            "  A run to send  fixtures/demo/01-ledger-tongues/short-answers/try_me.jsonl",
            "",
            "More shared tasks, with tracks of every kind, are being scored now and appear one by one.",
            "Ctrl-C stops the site and the worker.",
        ]
        self.stdout.write("\n".join(lines))
        self.stdout.flush()


def refuse_busy(port: int) -> None:
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((HOST, port))
        except OSError as error:
            raise CommandError(f"Port {port} is in use. Choose another: make demo PORT=8001.") from error


def organizer_password() -> str:
    """A new password for the demo's organizer at every start: it is printed, never kept."""
    password = secrets.token_urlsafe(9)
    user = organizer_at(ORGANIZER)
    if user is None:
        user = create_organizer(
            email=ORGANIZER, password=password, display_name="Demo organizer", superuser=True
        )
    else:
        user.set_password(password)
        user.save(update_fields=["password"])
    for task in SharedTask.objects.all():
        make_organizer(user=user, task=task)
    return password


def start_site(port: int) -> subprocess.Popen[bytes]:
    command = [sys.executable, "-m", "gunicorn", "competition.wsgi:application"]
    options = [f"--bind={HOST}:{port}", "--threads=8", "--no-control-socket", "--log-level=warning"]
    return start([*command, *options])


def start_worker() -> subprocess.Popen[bytes]:
    command = [sys.executable, "manage.py", "worker", "--name=demo", "--wait=0.2"]
    return start(command)


def start_seeding() -> subprocess.Popen[bytes]:
    """The other tasks of the demonstration, loaded beside a site that already answers."""
    return start([sys.executable, "manage.py", "seed_demo"])


def start(command: list[str]) -> subprocess.Popen[bytes]:
    """In a session of its own: Ctrl-C reaches this command alone, which then ends each whole group once."""
    return subprocess.Popen(command, cwd=settings.BASE_DIR, start_new_session=True)  # nosec B603


def wait_until_it_answers(port: int, site: subprocess.Popen[bytes]) -> None:
    for _ in range(300):
        if site.poll() is not None:
            raise CommandError("The site did not start; its message is above.")
        with socket.socket() as probe:
            probe.settimeout(1)
            if probe.connect_ex((HOST, port)) == 0:
                return
        time.sleep(0.1)
    raise CommandError("The site did not answer within 30 seconds.")


def watch(processes: list[subprocess.Popen[bytes]]) -> None:
    """Until Ctrl-C or SIGTERM. A worker that died is started again; without the site all ends."""

    def leave(_number: int, _frame: FrameType | None) -> None:
        raise KeyboardInterrupt

    signal.signal(signal.SIGTERM, leave)
    site = processes[0]
    try:
        while site.poll() is None:
            if processes[1].poll() is not None:
                processes[1] = start_worker()
            time.sleep(0.5)
    except KeyboardInterrupt:
        return
    raise CommandError("The site stopped.")


def stop(processes: list[subprocess.Popen[bytes]]) -> None:
    """Everything ends, politely first, with all it started."""
    for process in processes:
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGTERM)
    for process in processes:
        try:
            process.wait(timeout=10)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
