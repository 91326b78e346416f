"""The command line: `python -m scoring kinds | check | score | compare | baseline`, and for
organizers `overlap | screen | cover | sample | describe | agreement`.

Exit 0 valid, 1 run refused, 2 usage, missing file, bad items or gold, an option that does not fit, or output
that cannot be written, 3 our fault. With --json one report goes to standard output and nothing else does.
"""

from __future__ import annotations

import gc
import sys

if __name__ == "__main__":
    gc.disable()  # records hold no cycles, and to look for some at every start takes time

    from scoring.cli import main

    sys.exit(main(sys.argv[1:]))
