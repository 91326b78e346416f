"""Work in a forked child that time and memory limits can kill.

The parent loads what is needed, forks, and waits at a pipe for JSON. Nested C calls (normalising a hostile
string) answer to no Python signal, so only killing a process bounds them. The child inherits open database
connections and must never use or close them: it leaves by `os._exit`, which runs no destructor and says
nothing on the shared sockets.
"""

from __future__ import annotations

import contextlib
import ctypes
import faulthandler
import gc
import json
import logging
import os
import resource
import selectors
import signal
import sys
import time
import traceback
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

MIB: Final = 1024 * 1024
EXIT_RAISED: Final = 3
EXIT_MEMORY: Final = 4
LARGEST_ANSWER: Final = 512 * MIB
LARGEST_FILE: Final = MIB
GIVE_WAY: Final = 5
"""On a busy machine whoever waits for an answer comes before scoring."""
PR_SET_PDEATHSIG: Final = 1
_LIBC = ctypes.CDLL(None) if sys.platform == "linux" else None


@dataclass(frozen=True)
class Limits:
    """`seconds` of wall clock and of processor time, `memory` bytes beyond what the parent already uses."""

    seconds: float = 120.0
    memory: int = 1024 * MIB


@dataclass(frozen=True)
class Outcome:
    """What came back. `fault` is "" when `value` counts, else "time", "memory", "size" (of the answer),
    "raised", "died" or "lost" (`beat` said so).

    `where` names the exception's type and places in our code, never its message, which could quote gold.
    """

    value: Any
    fault: str = ""
    where: str = ""
    seconds: float = 0.0


def run_in_child(
    work: Callable[[], Any],
    *,
    limits: Limits = Limits(),
    beat: Callable[[], bool] | None = None,
    beat_seconds: float = 5.0,
) -> Outcome:
    """Run `work` in a child and return its JSON-able result, or the fault that ended it.

    `beat` is called in the parent about every `beat_seconds` while it waits; once it answers False (the
    claim is lost) the child is killed. The child and whatever it started are gone when this returns.
    """
    started = time.monotonic()
    reading, writing = os.pipe()
    sys.stdout.flush()
    sys.stderr.flush()
    parent = os.getpid()
    pid = os.fork()
    if pid == 0:
        _be_the_child(work, reading, writing, limits, parent)
    os.close(writing)
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.setpgid(pid, pid)
    try:
        answer, stopped = _listen(reading, started + limits.seconds, beat, beat_seconds)
        if not stopped and not _has_left(pid, until=started + limits.seconds):
            stopped = "time"
    finally:
        os.close(reading)
        status = _end(pid)
    return _judge(answer, stopped, status, time.monotonic() - started)


def _judge(answer: bytes, stopped: str, status: int, spent: float) -> Outcome:
    if stopped:
        return Outcome(None, stopped, "stopped by the worker", spent)
    if os.WIFSIGNALED(status):
        number = os.WTERMSIG(status)
        over_time = number in (signal.SIGXCPU, signal.SIGALRM)
        return Outcome(None, "time" if over_time else "died", signal.Signals(number).name, spent)
    code = os.WEXITSTATUS(status)
    if code == EXIT_MEMORY:
        return Outcome(None, "memory", "MemoryError", spent)
    if code == EXIT_RAISED:
        return Outcome(None, "raised", answer.decode("utf-8", "replace"), spent)
    if code == 0:
        with contextlib.suppress(ValueError):
            return Outcome(json.loads(answer), seconds=spent)
    return Outcome(None, "died", f"exit {code} without a whole answer", spent)


def _listen(
    reading: int, deadline: float, beat: Callable[[], bool] | None, beat_seconds: float
) -> tuple[bytes, str]:
    """Everything the child wrote, and why listening was given up: "" (it finished), "time", "lost" or
    "size".
    """
    parts: list[bytes] = []
    size = 0
    next_beat = time.monotonic() + beat_seconds
    with selectors.DefaultSelector() as selector:
        selector.register(reading, selectors.EVENT_READ)
        while (now := time.monotonic()) < deadline:
            if beat is not None and now >= next_beat:
                if not beat():
                    return b"", "lost"
                next_beat = now + beat_seconds
            if selector.select(max(0.0, min(deadline, next_beat) - now)):
                part = os.read(reading, MIB)
                if not part:
                    return b"".join(parts), ""
                parts.append(part)
                size += len(part)
                if size > LARGEST_ANSWER:
                    return b"", "size"
    return b"", "time"


def _has_left(pid: int, until: float) -> bool:
    """Whether the child exits before `until`; it may have closed its pipe and stayed. Does not reap it."""
    while os.waitid(os.P_PID, pid, os.WEXITED | os.WNOWAIT | os.WNOHANG) is None:
        if time.monotonic() >= until:
            return False
        time.sleep(0.0005)
    return True


def _end(pid: int) -> int:
    """Kill what is left of the child's process group, then reap the child: so its number cannot be reused
    first.
    """
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(pid, signal.SIGKILL)
    return os.waitpid(pid, 0)[1]


def _be_the_child(work: Callable[[], Any], reading: int, writing: int, limits: Limits, parent: int) -> None:
    """The child's whole life; never returns."""
    code = EXIT_RAISED
    try:
        gc.disable()
        _die_with(parent)
        os.setpgid(0, 0)
        os.nice(GIVE_WAY)
        os.close(reading)
        _quiet()
        _limit(limits)
        try:
            answer = json.dumps(work(), ensure_ascii=False, allow_nan=False, separators=(",", ":")).encode(
                "utf-8"
            )
            code = 0
        except MemoryError:
            answer, code = b"", EXIT_MEMORY
        except BaseException as error:
            answer, code = _places(error).encode("utf-8"), EXIT_RAISED
        _write_all(writing, answer)
        os.close(writing)
    finally:
        os._exit(code)


def _die_with(parent: int) -> None:
    """A worker that is killed takes its child along; elsewhere than on Linux the alarm ends it later."""
    if _LIBC is not None:
        _LIBC.prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != parent:
        os._exit(EXIT_RAISED)


def _places(error: BaseException) -> str:
    """The exception's type and where it passed, without its message."""
    frames = traceback.extract_tb(error.__traceback__)[-8:]
    places = ", ".join(f"{os.path.basename(frame.filename)}:{frame.lineno} {frame.name}" for frame in frames)
    return f"{type(error).__name__} at {places}"


def _write_all(writing: int, data: bytes) -> None:
    view = memoryview(data)
    while view:
        view = view[os.write(writing, view) :]


def _quiet() -> None:
    """Nothing the child prints may reach a log, since it holds gold."""
    nothing = os.open(os.devnull, os.O_RDWR)
    for stream in (0, 1, 2):
        os.dup2(nothing, stream)
    sys.stdout = sys.stderr = open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115 - closed by leaving
    logging.disable()
    faulthandler.disable()
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGALRM, signal.SIGXCPU, signal.SIGPIPE):
        signal.signal(number, signal.SIG_DFL)


def _limit(limits: Limits) -> None:
    """Bounds that hold even when the parent is gone: an alarm, processor time, memory, small files."""
    whole_seconds = max(1, int(limits.seconds + 0.999))
    signal.alarm(whole_seconds + 5)
    resource.setrlimit(resource.RLIMIT_CPU, (whole_seconds, whole_seconds + 1))
    address_space = _address_space() + limits.memory
    resource.setrlimit(resource.RLIMIT_AS, (address_space, address_space))
    resource.setrlimit(resource.RLIMIT_FSIZE, (LARGEST_FILE, LARGEST_FILE))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def _address_space() -> int:
    """Bytes of address space in use now; on systems without /proc, a generous guess."""
    try:
        with open("/proc/self/statm", "rb") as statm:
            return int(statm.read().split()[0]) * resource.getpagesize()
    except OSError:
        return 4096 * MIB
