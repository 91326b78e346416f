"""Throwaway PostgreSQL and Redis for one test process, and where Chromium is.

Addresses are chosen before Django's settings load (`choose_environment`), servers start when a test first
needs them: arithmetic tests start nothing. Both listen on Unix sockets in a folder of their own, so that test
processes side by side never meet. Each is run by a guard that stops it when this process ends in any way.
"""

from __future__ import annotations

import atexit
import os
import secrets
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from abc import ABC, abstractmethod
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import ClassVar

import psycopg
import pytest
import redis
from redis.backoff import NoBackoff
from redis.retry import Retry

INSTALL = {
    "postgres": "apt-get install postgresql",
    "redis-server": "apt-get install redis-server",
    "chromium": "apt-get install chromium fonts-noto-core fonts-noto-cjk",
}
GUARD = Path(__file__).with_name("guard.py")
PATIENCE = 30.0


class Missing(Exception):
    """A program a test needs is not on this machine. The message says which and how to get it."""

    def __init__(self, program: str) -> None:
        super().__init__(f"{program} is not installed. On Debian: {INSTALL[program]}")


def find(program: str, *others: str, places: tuple[str, ...] = ()) -> str:
    """The path of a program on PATH or matching a pattern in `places`; raises Missing."""
    for name in (program, *others):
        if found := shutil.which(name):
            return found
    found_in = sorted(str(path) for place in places for path in Path("/").glob(place.lstrip("/")))
    if not found_in:
        raise Missing(program)
    return found_in[-1]


def chromium() -> str:
    """The path of the system's Chromium; PODIUM_CHROMIUM names another."""
    named = os.environ.get("PODIUM_CHROMIUM")
    return named or find("chromium", "chromium-browser", "google-chrome")


def _open_to_all(folder: Path) -> bool:
    return all(part.stat().st_mode & 0o001 for part in (folder, *folder.parents))


def at_our_end(clean_up: Callable[[], None]) -> None:
    """Clean up when this process ends, not when a child that a test forked does."""
    owner = os.getpid()
    atexit.register(lambda: clean_up() if os.getpid() == owner else None)


@cache
def folder() -> Path:
    """This process's own folder, short enough for a socket's name, outside folders only root may enter."""
    places = (Path(tempfile.gettempdir()), Path("/tmp"), Path("/var/tmp"))
    place = next(path for path in places if path.is_dir() and len(str(path)) < 60 and _open_to_all(path))
    made = Path(tempfile.mkdtemp(prefix="podium-", dir=place))
    made.chmod(0o711)
    at_our_end(lambda: shutil.rmtree(made, ignore_errors=True))
    return made


class Server(ABC):
    """A server under guard. `stop` keeps address and data, so a test may take it away and bring it back."""

    program: ClassVar[str]
    user = ""

    def __init__(self) -> None:
        self.folder = folder() / self.program
        self._guard: subprocess.Popen[str] | None = None
        at_our_end(self.remove)

    @abstractmethod
    def command(self) -> list[str]:
        """What runs the server, in its folder."""

    @abstractmethod
    def answers(self) -> bool:
        """Whether the server takes requests now."""

    def prepare(self) -> None:
        """Make the folder ready for the first start."""
        self.folder.mkdir()

    def start(self) -> None:
        """Start unless running, wait until it answers; raises Missing, or RuntimeError with its log."""
        if self._guard is not None:
            return
        command = self.command()
        if not self.folder.exists():
            self.prepare()
        log = self.folder / "log"
        with log.open("ab") as output:
            self._guard = subprocess.Popen(
                [sys.executable, "-I", str(GUARD), str(folder()), str(self.folder), self.user, *command],
                stdin=subprocess.PIPE,
                stdout=output,
                stderr=output,
                text=True,
                start_new_session=True,  # Ctrl-C is for the tests; the guard learns of their end by itself
            )
        end = time.monotonic() + PATIENCE
        while not self.answers():
            if time.monotonic() > end or self._guard.poll() is not None:
                said = log.read_text(errors="replace")[-2000:]
                self.remove()
                raise RuntimeError(f"{self.program} did not start:\n{said}")
            time.sleep(0.02)

    def stop(self) -> None:
        """Stop and keep the data."""
        guard, self._guard = self._guard, None
        if guard is not None:
            guard.communicate("stop\n")

    def remove(self) -> None:
        """Stop and throw the data away."""
        self.stop()
        shutil.rmtree(self.folder, ignore_errors=True)


class Postgres(Server):
    program = "postgres"

    def __init__(self) -> None:
        super().__init__()
        self.user = "postgres" if os.geteuid() == 0 else ""  # it refuses to run as root
        self.url = f"postgres://podium@/{self.folder}/podium"

    def binary(self, name: str) -> str:
        server = find("postgres", places=("/usr/lib/postgresql/*/bin/postgres", "/opt/homebrew/bin/postgres"))
        return str(Path(server).resolve().with_name(name))

    def prepare(self) -> None:
        super().prepare()
        account = {"user": self.user, "group": self.user, "extra_groups": []} if self.user else {}
        if self.user:
            shutil.chown(self.folder, self.user, self.user)
        subprocess.run(
            [self.binary("initdb"), "--pgdata=data", "--username=podium", "--auth=trust"]
            + ["--encoding=UTF8", "--locale=C", "--no-sync", "--no-instructions"],
            cwd=self.folder,
            check=True,
            capture_output=True,
            **account,
        )

    def command(self) -> list[str]:
        settings = {
            "listen_addresses": "",
            "unix_socket_directories": str(self.folder),
            "max_connections": "200",
            "fsync": "off",  # spares the disk; what was committed outlives the server, not the machine
            "full_page_writes": "off",
        }
        options = [f"--{name}={value}" for name, value in settings.items()]
        return [self.binary("postgres"), "-D", "data", *options]

    def restart(self, *, crash: bool = False) -> None:
        """Stop and start again; with `crash` as if it had been killed, so that it recovers from its log."""
        if crash:
            first = int((self.folder / "data" / "postmaster.pid").read_text().split()[0])
            os.kill(first, signal.SIGQUIT)
        self.stop()
        self.start()

    def answers(self) -> bool:
        try:
            psycopg.connect(host=str(self.folder), user="podium", dbname="postgres").close()
        except psycopg.OperationalError:
            return False
        return True


class Redis(Server):
    program = "redis-server"

    def __init__(self) -> None:
        super().__init__()
        self.socket = self.folder / "socket"
        self.url = f"unix://{self.socket}"

    def command(self) -> list[str]:
        options = {"port": "0", "unixsocket": str(self.socket), "save": "", "appendonly": "no"}
        parts = [part for name, value in options.items() for part in (f"--{name}", value)]
        return [find("redis-server"), *parts]

    def answers(self) -> bool:
        client = redis.Redis(unix_socket_path=str(self.socket), retry=Retry(NoBackoff(), 0))
        try:
            return bool(client.ping())
        except redis.ConnectionError:
            return False
        finally:
            client.close()


@cache
def postgres() -> Postgres:
    return Postgres()


@cache
def redis_server() -> Redis:
    return Redis()


def on_sqlite() -> bool:
    return os.environ.get("PODIUM_TEST_DATABASE", "postgresql") == "sqlite"


def choose_environment() -> None:
    """Tell Django's settings where everything will be. Call before they load.

    The suite runs as a grown site does, on PostgreSQL with Redis; PODIUM_TEST_DATABASE=sqlite runs it as a
    small one, on a file without Redis.
    """
    os.environ.update(
        DJANGO_SETTINGS_MODULE="competition.settings",
        DATABASE_URL=f"sqlite:///{folder()}/podium.sqlite3" if on_sqlite() else postgres().url,
        REDIS_URL="" if on_sqlite() else redis_server().url,
        PODIUM_DEMO="1",
        PODIUM_DATA_DIR=str(folder()),
        SECRET_KEY=secrets.token_urlsafe(48),
        ALLOWED_HOSTS="testserver,localhost,127.0.0.1",
        LOG_LEVEL="WARNING",
        DJANGO_ALLOW_ASYNC_UNSAFE="1",  # Playwright's loop and the ORM share the test's thread
    )
    for name in ("DEBUG", "EMAIL_URL"):
        os.environ.pop(name, None)


def start(server: Callable[[], Server]) -> None:
    """Start a server for a test, or skip the test with the command that would bring the program."""
    try:
        server().start()
    except Missing as missing:
        pytest.skip(str(missing))


def start_database() -> None:
    """Start what the chosen settings point at."""
    if not on_sqlite():
        start(postgres)
        start(redis_server)
