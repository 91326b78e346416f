"""The ratio runner measures what it says."""

from __future__ import annotations

import time

import pytest

from benchmarks.ratio import Ratio, report, take


def busy(seconds: float) -> list[float]:
    end = time.process_time() + seconds
    while time.process_time() < end:
        pass
    return [1.0, 2.0]


def test_a_ratio_is_work_over_measure_and_its_inverse_when_asked_for_faster() -> None:
    slower = Ratio("slower", work=lambda: busy(0.02), measure=lambda: busy(0.01), at_most=4)
    faster = Ratio("faster", work=lambda: busy(0.01), measure=lambda: busy(0.02), at_least=1)
    assert take(slower, rounds=3) == pytest.approx(2, rel=0.5)
    assert take(faster, rounds=3) == pytest.approx(2, rel=0.5)


def test_a_missed_limit_is_counted_and_named(capsys: pytest.CaptureFixture[str]) -> None:
    kept = Ratio("kept", work=lambda: None, measure=lambda: busy(0.001), at_most=1)
    missed = Ratio("missed", work=lambda: busy(0.001), measure=lambda: None, at_most=1)
    assert report([kept, missed], rounds=3) == 1
    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[0] for line in lines] == ["kept", "missed"]
    assert lines[0].endswith("ok")
    assert lines[1].endswith("MISSED")


def test_different_values_are_no_contest() -> None:
    ratio = Ratio("values", work=lambda: [1.0], measure=lambda: [1.0 + 1e-9], at_most=1, same_values=True)
    with pytest.raises(AssertionError, match="values differ"):
        take(ratio)
