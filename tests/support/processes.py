"""Running a management command beside a test, on the test's own database."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from django.db import connection

ROOT = Path(__file__).resolve().parents[2]


def environment(**more: str) -> dict[str, str]:
    """This process's environment, with the address of the database the test is using."""
    name = str(connection.settings_dict["NAME"])
    host = connection.settings_dict["HOST"]
    address = f"sqlite:///{name}" if connection.vendor == "sqlite" else f"postgres://podium@/{host}/{name}"
    return {**os.environ, "DATABASE_URL": address, **more}


@contextmanager
def manage(*arguments: str, **options: Any) -> Iterator[subprocess.Popen[bytes]]:
    """`manage.py ARGUMENTS` running in the background; killed at the end if it still runs."""
    command = [sys.executable, str(ROOT / "manage.py"), *arguments]
    process = subprocess.Popen(command, cwd=ROOT, env=environment(), **options)
    try:
        yield process
    finally:
        process.kill()
        process.wait()
        for stream in (process.stdin, process.stdout, process.stderr):
            if stream is not None:
                stream.close()
