"""What a command of `python -m scoring` is made of."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from collections.abc import Callable
from typing import NamedTuple


class Refused(Exception):
    """A file or an argument that will not do, in a sentence."""


class Command(NamedTuple):
    """One command: `arrange` adds its arguments to its parser, `work` does it and returns the exit code."""

    about: str
    arrange: Callable[[ArgumentParser], None]
    work: Callable[[Namespace], int]
