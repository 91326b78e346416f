"""20,000 generated files through every way of judging, in every Python that can be found."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable

import pytest

from scoring.tracks import kind_names
from tests.parity.conftest import make_place, place_of, unbounded  # noqa: F401
from tests.parity.test_generated import judge_everywhere
from tests.parity.ways import Place, interpreters
from tests.support.aloud import say

FILES = 20_000

pytestmark = [pytest.mark.faults, pytest.mark.django_db]


def test_twenty_thousand_files(place_of: Callable[[str], Place]) -> None:  # noqa: F811
    total: Counter[str] = Counter()
    files = -(-FILES // len(kind_names()))
    for name in kind_names():
        seen = judge_everywhere(place_of(name), files, list(interpreters().values()))
        total.update(seen)
        say(f"{name}: {seen['valid']} valid, {seen['refused']} refused")
    pythons = ", ".join(".".join(map(str, version)) for version in interpreters())
    say(f"{total.total():,} files, five ways, stand-alone on Python {pythons}: no difference")
    assert total.total() >= FILES
