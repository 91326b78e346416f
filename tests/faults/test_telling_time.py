"""The time an answer takes tells nobody who has an account, nor how many an address has: 200 tries of a form.

What holds it is one hash whatever the answer (`tests/competition/test_addresses.py`), and letters that are
written when the answer is out. This measures that nothing else shows beside it.
"""

from __future__ import annotations

from collections.abc import Callable
from statistics import quantiles
from time import perf_counter
from typing import Any

import pytest

from competition.forms.accounts import ResetForm
from tests.security.test_log_in import FORMS, LOG_IN, RESET, SIGN_UP, asked
from tests.support.aloud import say
from tests.support.builders import make_user
from tests.support.crawler import undone

pytestmark = [pytest.mark.faults, pytest.mark.django_db]

TRIES = 200
ALIKE, NOISE = 0.05, 0.003
"""A share of the time, and seconds: what a machine that does other work adds to the shortest answers."""

HERE: dict[str, Callable[[], Any]] = {
    "nobody": lambda: None,
    "known": lambda: make_user("known"),
    "shared": lambda: [make_user("shared", username=f"shared {number}") for number in range(5)],
}


@pytest.mark.parametrize("form", [LOG_IN, RESET, SIGN_UP])
def test_two_hundred_tries_take_as_long_for_whoever(
    form: str, settings: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings.EMAIL_CONFIGURED = form == RESET
    out: list[float] = []  # when an answer was out and its letter would have been written
    monkeypatch.setattr(ResetForm, "write", lambda *_: out.append(perf_counter()))
    for make in HERE.values():
        make()
    assert form in FORMS
    times: dict[str, list[float]] = {name: [] for name in HERE}
    for _ in range(TRIES):
        for name, taken in times.items():
            with undone():
                begun = perf_counter()
                asked(form, f"{name}@example.org")
                taken.append((out.pop() if out else perf_counter()) - begun)
    for name, taken in times.items():
        low, middle, high = (1000 * at for at in quantiles(taken, n=4))
        say(f"{form} {name}: median {middle:.1f} ms, half of them {low:.1f} to {high:.1f}")
    # Other work only ever lengthens an answer, so the shorter ones tell most.
    quick = {name: quantiles(taken, n=4)[0] for name, taken in times.items()}
    assert max(quick.values()) < (1 + ALIKE) * min(quick.values()) + NOISE, quick
