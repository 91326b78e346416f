"""`python -m benchmarks [NAME…]` runs each `NAME_speed.py` here in an interpreter of its own."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).parent


def main(wanted: list[str]) -> int:
    names = sorted(path.stem.removesuffix("_speed") for path in HERE.glob("*_speed.py"))
    if unknown := [name for name in wanted if name not in names]:
        print(f"No benchmark is called {', '.join(unknown)}. There are: {', '.join(names)}.", file=sys.stderr)
        return 2
    missed = []
    for name in wanted or names:
        print(f"\n{name}", flush=True)
        run = subprocess.run([sys.executable, "-m", f"benchmarks.{name}_speed"], cwd=HERE.parent)
        if run.returncode:
            missed.append(name)
    print(f"\nMissed: {', '.join(missed)}." if missed else "\nEvery ratio holds.")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
