"""What must hold in the database at any moment, whatever was killed, restarted or restored before.

The database's own constraints hold most of it while it runs; these checks also see what a restored dump, a
hand-made UPDATE, a dropped trigger or a fault of ours left behind. Each has a test that breaks it.
"""

from __future__ import annotations

from collections.abc import Iterator

from competition.operations.invariants import boards, database, files, intake, people, work
from competition.operations.invariants.registry import CHECKS, Broken

__all__ = ["AREAS", "CHECKS", "Broken", "audit"]

AREAS = (database, files, people, intake, work, boards)


def audit() -> Iterator[Broken]:
    """Every broken invariant, check by check. A check that cannot run is one: the rest goes on."""
    for name, find in CHECKS.items():
        try:
            for where, what in find():
                yield Broken(name, where, what)
        except Exception as fault:
            yield Broken(name, "the check itself", f"could not run: {type(fault).__name__}")
