"""The ratio runner measures what it says."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from benchmarks.ratio import Ratio, report, take


class Watch:
    """A clock that moves only when work is done."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now

    def work(self, seconds: float) -> Callable[[], None]:
        def move() -> None:
            self.now += seconds

        return move


def test_a_ratio_is_work_over_measure_and_its_inverse_when_asked_for_faster() -> None:
    watch = Watch()
    slower = Ratio("slower", work=watch.work(6), measure=watch.work(3), at_most=4)
    faster = Ratio("faster", work=watch.work(3), measure=watch.work(6), at_least=1)
    many = Ratio("per item", work=watch.work(60), measure=watch.work(3), at_most=3, scale=10)
    assert [take(ratio, clock=watch) for ratio in (slower, faster, many)] == [2, 2, 2]


def test_a_missed_limit_is_counted_and_named(capsys: pytest.CaptureFixture[str]) -> None:
    kept = Ratio("kept", work=list, measure=list, at_most=1e9)
    missed = Ratio("missed", work=list, measure=list, at_least=1e9)
    assert report([kept, missed]) == 1
    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[0] for line in lines] == ["kept", "missed"]
    assert lines[0].endswith("ok")
    assert lines[1].endswith("MISSED")


def test_different_values_are_no_contest() -> None:
    ratio = Ratio("values", work=lambda: [1.0], measure=lambda: [1.0 + 1e-9], at_most=1, same_values=True)
    with pytest.raises(AssertionError, match="values differ"):
        take(ratio)
