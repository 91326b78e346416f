"""What a command of `python -m scoring` is made of, and the one way it writes a file."""

from __future__ import annotations

import json
import os
from argparse import ArgumentParser, Namespace
from collections.abc import Callable, Iterable, Mapping
from typing import NamedTuple

from scoring.problems import Problems


class Refused(Exception):
    """A file or an argument that will not do, in a sentence: exit 2. `problems` are those of a file."""

    def __init__(self, message: str, problems: Problems | None = None) -> None:
        super().__init__(message)
        self.problems = problems


class Command(NamedTuple):
    """One command: `arrange` adds its arguments to its parser, `work` does it and returns the exit code."""

    about: str
    arrange: Callable[[ArgumentParser], None]
    work: Callable[[Namespace], int]


def write_lines(path: str, rows: Iterable[Mapping[str, object]], *, inputs: Iterable[str]) -> None:
    """Write JSON Lines. Raises `Refused` when the file is one of the inputs, which would be lost, or cannot
    be written.
    """
    if os.path.exists(path) and any(os.path.samefile(path, one) for one in inputs):
        raise Refused(f"{path}: is read by this command and would be lost. Name another file to write.")
    try:
        with open(path, "w", encoding="utf-8", newline="\n") as target:
            target.writelines(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
    except OSError as fault:
        raise Refused(f"{path}: cannot be written ({fault.strerror}).") from fault
