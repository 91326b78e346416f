"""Real data beside the repository, where there is some."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


def shared_path(name: str) -> Path:
    """A file in ../shared, or in the folder PODIUM_SHARED names; skips the test when there is none."""
    place = Path(os.environ.get("PODIUM_SHARED", ROOT.parent / "shared"))
    path = place / name
    if not path.exists():
        pytest.skip(f"{name} is not there. Put the shared data beside the repository or set PODIUM_SHARED.")
    return path
