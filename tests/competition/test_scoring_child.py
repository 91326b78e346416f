"""The child: what comes back, and that hanging, eating memory, raising, exiting and forking are bounded."""

from __future__ import annotations

import os
import signal
import sys
import time
import unicodedata
from pathlib import Path

import pytest
from django.db import connection

from competition.scoring_child import MIB, Limits, run_in_child


def spin() -> None:
    while True:
        pass


def normalise_for_ever() -> None:
    """Quadratic inside one call of C code, where no Python signal handler runs."""
    unicodedata.normalize("NFC", "\u0316\u0300" * 3_000_000)


def raise_gold() -> None:
    raise ValueError("the reference is 42 million")


def fork_and_stay(writing: int) -> int:
    pid = os.fork()
    if pid == 0:
        time.sleep(60)
    os.write(writing, f"{pid}\n".encode())
    return 1


def write_much() -> None:
    with open(os.path.join("/tmp", f"podium-test-{os.getpid()}"), "wb") as file:
        os.unlink(file.name)
        file.write(b"x" * (64 * MIB))


def test_plain_values_come_back_whole():
    value = {"scores": [0.1, 1e-300, 1.0], "text": "片仮名 ελληνικά", "much": "x" * (3 * MIB)}
    assert run_in_child(lambda: value).value == value


@pytest.mark.parametrize("work", [spin, lambda: time.sleep(60), normalise_for_ever])
def test_a_hang_is_killed_in_time(work):
    started = time.monotonic()
    outcome = run_in_child(work, limits=Limits(seconds=0.5))
    assert outcome.fault == "time"
    assert time.monotonic() - started < 30


def test_memory_is_bounded():
    assert run_in_child(lambda: len(bytearray(400 * MIB)), limits=Limits(memory=100 * MIB)).fault == "memory"


def test_an_exception_tells_its_type_and_place_but_never_its_message():
    outcome = run_in_child(raise_gold)
    assert outcome.fault == "raised"
    assert "ValueError" in outcome.where
    assert "raise_gold" in outcome.where
    assert "42" not in outcome.where


@pytest.mark.parametrize(
    "work", [lambda: os._exit(0), lambda: os._exit(9), lambda: os.kill(os.getpid(), signal.SIGSEGV)]
)
def test_a_child_that_just_goes_has_died(work):
    assert run_in_child(work).fault == "died"


def test_what_is_not_json_is_refused():
    assert run_in_child(lambda: float("nan")).fault == "raised"
    assert run_in_child(lambda: {1, 2}).fault == "raised"


def test_large_files_cannot_be_written():
    assert run_in_child(write_much).fault in ("raised", "died")


def test_whatever_the_child_started_ends_with_it():
    """A grandchild holds the pipe open, so the answer never ends; both are killed."""
    reading, writing = os.pipe()
    assert run_in_child(lambda: fork_and_stay(writing), limits=Limits(seconds=2)).fault == "time"
    os.close(writing)
    grandchild = Path("/proc", os.read(reading, 100).decode().strip(), "stat")
    os.close(reading)
    for _ in range(1_000):
        try:
            if grandchild.read_text().rpartition(")")[2].split()[0] == "Z":
                return
        except OSError:
            return
        time.sleep(0.02)
    raise AssertionError("the grandchild lives on")


def test_a_lost_claim_ends_the_child():
    started = time.monotonic()
    outcome = run_in_child(lambda: time.sleep(60), beat=lambda: False, beat_seconds=0.05)
    assert outcome.fault == "lost"
    assert time.monotonic() - started < 30


def test_nothing_it_prints_gets_out(capfd):
    run_in_child(lambda: print("the reference is 42 million", file=sys.stderr))
    captured = capfd.readouterr()
    assert captured.out + captured.err == ""


@pytest.mark.both
@pytest.mark.django_db(transaction=True)
def test_the_parents_connection_lives_on():
    with connection.cursor() as cursor:
        cursor.execute("SELECT 1")
    for work in (lambda: 1, raise_gold, spin):
        run_in_child(work, limits=Limits(seconds=0.2))
        with connection.cursor() as cursor:
            cursor.execute("SELECT 2")
            assert cursor.fetchone() == (2,)
