"""Runs one server for as long as its owner lives: `python guard.py HOME FOLDER USER COMMAND…`.

The owner holds the other end of this process's standard input. A line on it stops the server, which ran in
FOLDER. When it closes without one the owner died, and HOME, all that the owner made, is removed as well.
"""

from __future__ import annotations

import shutil
import signal
import subprocess
import sys


def main(home: str, folder: str, user: str, *command: str) -> None:
    account = {"user": user, "group": user, "extra_groups": []} if user else {}
    server = subprocess.Popen(command, cwd=folder, stdin=subprocess.DEVNULL, **account)
    word = sys.stdin.readline()
    server.send_signal(signal.SIGINT)
    try:
        server.wait(10)
    except subprocess.TimeoutExpired:
        server.kill()
        server.wait()
    if not word:
        shutil.rmtree(home, ignore_errors=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
