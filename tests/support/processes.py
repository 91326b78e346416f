"""Running a command, or a fork of the test itself, beside a test on the test's own database."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from django.db import connection, connections

ROOT = Path(__file__).resolve().parents[2]


def environment(**more: str) -> dict[str, str]:
    """This process's environment, with the address of the database the test is using."""
    name = str(connection.settings_dict["NAME"])
    host = connection.settings_dict["HOST"]
    address = f"sqlite:///{name}" if connection.vendor == "sqlite" else f"postgres://podium@/{host}/{name}"
    return {**os.environ, "DATABASE_URL": address, **more}


def manage_to_end(*arguments: str, database: str) -> subprocess.CompletedProcess[str]:
    """`manage.py ARGUMENTS` to its end, on the database of this address."""
    return subprocess.run(
        [sys.executable, str(ROOT / "manage.py"), *arguments],
        cwd=ROOT,
        env={**os.environ, "DATABASE_URL": database},
        capture_output=True,
        text=True,
        check=False,
    )


def start(*command: str, **options: Any) -> subprocess.Popen[bytes]:
    """This Python running `command` in the background, on the test's database."""
    return subprocess.Popen([sys.executable, *command], cwd=ROOT, env=environment(), **options)


@contextmanager
def manage(*arguments: str, **options: Any) -> Iterator[subprocess.Popen[bytes]]:
    """`manage.py ARGUMENTS` running in the background; killed at the end if it still runs."""
    process = start("manage.py", *arguments, **options)
    try:
        yield process
    finally:
        process.kill()
        process.wait()
        for stream in (process.stdin, process.stdout, process.stderr):
            if stream is not None:
                stream.close()


_kept: list[Any] = []


def fork(work: Callable[[], Any]) -> int:
    """Do `work` in a fork of this process, patches and all, and return its pid: wait for it.

    The fork opens connections of its own and leaves the parent's alone; it exits with 1 when `work` raised.
    """
    pid = os.fork()
    if pid:
        return pid
    status = 1
    try:
        for one in connections.all():
            _kept.append(one.connection)  # collected, it would say goodbye on a socket that is the parent's
            one.connection = None
        work()
        status = 0
    finally:
        os._exit(status)
