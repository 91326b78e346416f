"""2,000 generated files: every way of judging says the same of each, in other Pythons too, fast and small."""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import ExitStack

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from scoring.records import MIB
from scoring.tracks import get_kind, kind_names
from tests.parity.generated import runs
from tests.parity.ways import Elsewhere, Place, oldest_and_newest, without_environment

FILES = 2_000
SECONDS, MEMORY = 2.0, 256 * MIB

# On PostgreSQL only: no database has a part in a verdict, and the shared cases are judged on both.
pytestmark = pytest.mark.django_db


def judge_everywhere(place: Place, files: int, pythons: list[str]) -> dict[str, int]:
    """Have so many files judged in every way and compared; returns how many were valid and refused."""
    seen = {"valid": 0, "refused": 0}
    with ExitStack() as stack:
        elsewhere = [stack.enter_context(Elsewhere(python, [place])) for python in pythons]

        @settings(max_examples=files, suppress_health_check=list(HealthCheck), database=None, print_blob=True)
        @given(content=runs(place.kind), sent=st.just(True))
        def compare(content: bytes, sent: bool) -> None:
            started = time.process_time()
            expected = place.by_library(content)
            assert time.process_time() - started < SECONDS
            seen["valid" if expected["ok"] else "refused"] += 1
            wanted = without_environment(expected)
            assert without_environment(place.by_command_line(content)) == wanted
            for other in elsewhere:
                assert without_environment(other.judge(place, content)) == wanted
            assert without_environment(place.by_check_page(content)) == wanted
            assert without_environment(place.by_upload_form(content)) == wanted

        compare()
        assert max(other.slowest for other in elsewhere) < SECONDS
        assert max(other.memory for other in elsewhere) < MEMORY
    return seen


@pytest.mark.parametrize("name", kind_names())
def test_every_way_says_the_same(name: str, place_of: Callable[[str], Place]) -> None:
    files = -(-FILES // len(kind_names()))
    seen = judge_everywhere(place_of(name), files, oldest_and_newest())
    assert seen["valid"] >= files // 50, "enough of them must be valid"
    assert seen["refused"] >= files // 2
    assert seen["valid"] + seen["refused"] >= files


def test_a_difference_would_be_seen(
    place_of: Callable[[str], Place], monkeypatch: pytest.MonkeyPatch
) -> None:
    place = place_of("short_answer")
    kind = get_kind("short_answer")
    judged = place.by_library(b"{}\n")
    monkeypatch.setattr(type(kind), "id_field", "id")
    assert without_environment(place.by_library(b"{}\n")) != without_environment(judged)
