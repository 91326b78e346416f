"""Places of every kind, without the bounds that protect a real site from so many files."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

# Nothing of Django at the top: pytest reads this file before the settings are loaded.
if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tests.parity.ways import Place


@pytest.fixture
def unbounded(monkeypatch: pytest.MonkeyPatch) -> None:
    from competition.domain import intake
    from competition.views import checking

    monkeypatch.setattr(intake, "REFUSALS_AN_HOUR", 1_000_000)
    monkeypatch.setattr(intake, "UPLOADS_A_MINUTE", 1_000_000)
    monkeypatch.setattr(checking, "CHECKS", 1_000_000_000)


@pytest.fixture
def make_place(db: None, unbounded: None, tmp_path: Path) -> Callable[..., Place]:
    """`make_place(kind name, items as bytes, **options)`"""
    from tests.parity.ways import Place

    return lambda name, items, **options: Place(tmp_path, name, items, **options)


@pytest.fixture
def place_of(make_place: Callable[..., Place]) -> Callable[[str], Place]:
    """The place of a kind, with the items of the kind's example."""
    from scoring.tracks import get_kind
    from tests.support.kinds import as_lines

    return lambda name: make_place(name, as_lines(get_kind(name).example["items"]))
