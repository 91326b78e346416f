"""The one place where the site judges a file: when a run is sent, and when one is only checked.

An ordinary file is judged here and now, in milliseconds. A larger one goes to an interpreter of its own with
bounded time and memory, and only a few of those run at once. Both do what the downloaded validator does.
"""

from __future__ import annotations

import fcntl
import io
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

from competition.domain.validators import rules_for
from competition.exceptions import NotChecked
from competition.models import ItemSet
from scoring.problems import visible
from scoring.records import MIB
from scoring.standalone import Rules

SMALL = MIB
"""Files up to this size are judged in the process that took them."""

AT_ONCE = 2
PATIENCE = 10.0
"""Seconds a large file waits for its turn."""

SECONDS = 20
MEMORY = 1024 * MIB
CHILD = Path(__file__).with_name("checking_child.py")

EXCERPTS = 100
EXCERPT_CHARACTERS = 200
BEFORE_COLUMN = 60
LONGEST_READ = 64 * 1024


@dataclass(frozen=True)
class Judged:
    """`report` is the report of the check as JSON. `excerpts` shows the lines it speaks of: the place of a
    problem in the report, as text → the line in three parts, the middle one at fault, all made visible.
    """

    report: dict[str, Any]
    excerpts: dict[str, list[str]]

    @property
    def ok(self) -> bool:
        return bool(self.report["ok"])

    @property
    def digest(self) -> str:
        return str(self.report["digests"]["run"])


def judge(item_set: ItemSet, source: bytes | BinaryIO) -> Judged:
    """Check a run, its bytes or a stream that can be read again from its start. Raises NotChecked."""
    stream = io.BytesIO(source) if isinstance(source, bytes) else source
    rules = rules_for(item_set)
    size = stream.seek(0, os.SEEK_END)
    stream.seek(0)
    report = rules.judge(stream)[1].to_json() if size <= SMALL else _judged_apart(rules, stream)
    return Judged(report, dict(_excerpts(report["problems"], stream)))


def _judged_apart(rules: Rules, stream: BinaryIO) -> dict[str, Any]:
    with (
        _turn(),
        tempfile.TemporaryFile() as run,
        tempfile.NamedTemporaryFile("w", suffix=".json") as carried,
    ):
        shutil.copyfileobj(stream, run)
        run.seek(0)
        json.dump(rules.data, carried)
        carried.flush()
        command = [sys.executable, "-I", str(CHILD), carried.name, str(SECONDS), str(MEMORY)]
        try:
            done = subprocess.run(
                command, stdin=run, capture_output=True, timeout=SECONDS, env={}, check=False
            )
        except subprocess.TimeoutExpired as late:
            raise NotChecked(f"The check was stopped after {SECONDS} seconds. Nothing was kept.") from late
    if done.returncode:
        raise NotChecked("The check needed more time or memory than a file may take. Nothing was kept.")
    report: dict[str, Any] = json.loads(done.stdout)
    return report


@contextmanager
def _turn() -> Iterator[None]:
    """One of the few places for large files on this machine. A lock ends with its process."""
    folder = Path(tempfile.gettempdir()) / f"podium-{os.getuid()}"
    folder.mkdir(mode=0o700, exist_ok=True)
    until = time.monotonic() + PATIENCE
    while True:
        for place in range(AT_ONCE):
            with (folder / f"large-file-{place}.lock").open("ab") as lock:
                try:
                    fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
                except BlockingIOError:
                    continue
                yield
                return
        if time.monotonic() >= until:
            raise NotChecked("Several large files are being checked right now. Try again in a minute.")
        time.sleep(0.05)


# The lines problems speak of


def _excerpts(problems: list[dict[str, Any]], stream: BinaryIO) -> Iterator[tuple[str, list[str]]]:
    placed = [(str(place), problem) for place, problem in enumerate(problems) if problem["line"]][:EXCERPTS]
    if not placed:
        return
    lines = dict(_lines(stream, {problem["line"] for _, problem in placed}))
    for place, problem in placed:
        if problem["line"] in lines:
            yield place, _excerpt(lines[problem["line"]], problem)


def _lines(stream: BinaryIO, wanted: set[int]) -> Iterator[tuple[int, str]]:
    """The beginnings of these lines, whatever the length of any."""
    stream.seek(0)
    for number in range(1, max(wanted) + 1):
        begin = piece = stream.readline(LONGEST_READ)
        while len(piece) == LONGEST_READ and not piece.endswith(b"\n"):
            piece = stream.readline(LONGEST_READ)
        if number in wanted:
            yield number, begin.decode("utf-8", "replace").rstrip("\r\n").removeprefix("\ufeff")


def _excerpt(line: str, problem: dict[str, Any]) -> list[str]:
    """The part of a line that a problem is about, before, at and after the fault."""
    column = re.match(r"Column (\d+)", problem["message"])
    at = int(column[1]) - 1 if column else -1
    if 0 <= at < len(line):
        start = at - BEFORE_COLUMN if at > EXCERPT_CHARACTERS - BEFORE_COLUMN else 0
        before = visible(line[start:at], EXCERPT_CHARACTERS)
        after = visible(line[at + 1 :], max(0, EXCERPT_CHARACTERS - (at - start)))
        return ["…" * bool(start) + before, visible(line[at]), after]
    shown = visible(line, EXCERPT_CHARACTERS)
    found = (problem["found"] or "").strip('"')
    before, fault, after = shown.partition(found) if found else (shown, "", "")
    return [before, fault, after]
