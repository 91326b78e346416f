"""Runs inside another interpreter: loads built validators as they are and judges files one after the other.

    python -I driver.py NAME=VALIDATOR.py …

Each line of input is [name, path of a run]; each line of output what `python VALIDATOR.py RUN --json` says,
with its exit code, the processor time it took and the most memory this process has held so far.
"""

import contextlib
import io
import json
import resource
import runpy
import sys
import time


def most_memory():
    """Bytes at most so far. Linux says so for this program alone; ru_maxrss remembers who started it."""
    try:
        with open("/proc/self/status") as status:
            return next(int(line.split()[1]) * 1024 for line in status if line.startswith("VmHWM"))
    except (OSError, StopIteration):
        unit = 1 if sys.platform == "darwin" else 1024
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit


def main():
    programs = dict(argument.split("=", 1) for argument in sys.argv[1:])
    carried = {name: json.loads(runpy.run_path(path)["DATA"]) for name, path in programs.items()}
    from scoring.standalone import main as validate

    for line in sys.stdin:
        name, path = json.loads(line)
        said = io.StringIO()
        started = time.process_time()
        with contextlib.redirect_stdout(said):
            code = validate([path, "--json"], carried[name])
        answer = {
            "code": code,
            "said": said.getvalue(),
            "seconds": time.process_time() - started,
            "memory": most_memory(),
        }
        print(json.dumps(answer), flush=True)


if __name__ == "__main__":
    main()
