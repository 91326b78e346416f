"""Saying a figure while a test runs, past pytest, which keeps what is printed for tests that fail."""

from __future__ import annotations

import os
from contextlib import nullcontext
from typing import Any

FULL = os.environ.get("PODIUM_DRILLS") == "full"
capture: Any = None
"""pytest's capture manager, set when pytest is configured."""


def say(line: str) -> None:
    """Print a line: at once where drills have their full size, which takes long, else with its test."""
    with capture.global_and_fixture_disabled() if FULL and capture else nullcontext():
        print(f"\n{line}" if FULL else line, flush=True)
