"""Exit codes of `python -m scoring` and of a validator, and what becomes of faults that no file explains."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable

VALID, REFUSED, USAGE, OUR_FAULT = 0, 1, 2, 3

INTERRUPTED = 130
"""128 and the number of the signal, as shells have it."""


def exit_code(work: Callable[[], int], name: str, blame: str) -> int:
    """What `work` returns; 2 where standard output cannot be written, 3 with `blame` where we are at fault.

    `work` must leave no OSError of its files unexplained. `name` begins what goes to standard error.
    """
    if sys.stdout is None:  # closed by whoever wants the exit code alone
        sys.stdout = os.fdopen(os.open(os.devnull, os.O_WRONLY), "w")
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")
    try:
        code = work()
        sys.stdout.flush()
        return code
    except OSError as fault:
        _forget_output()
        if not isinstance(fault, BrokenPipeError):  # `| head` has seen enough
            print(f"{name}: standard output cannot be written ({fault.strerror}).", file=sys.stderr)
        return USAGE
    except KeyboardInterrupt:
        print(f"{name}: interrupted.", file=sys.stderr)
        return INTERRUPTED
    except Exception as fault:  # the last resort promised by exit code 3
        sys.excepthook(type(fault), fault, fault.__traceback__)
        print(blame, file=sys.stderr)
        return OUR_FAULT


def _forget_output() -> None:
    """What is still buffered must not fail once more when Python ends."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
