"""What the drills share: their size, a site with its crew of processes, and what must hold afterwards.

A drill is short by itself. `PODIUM_DRILLS=full` (`make faults`) gives it the size that is asked of the site,
and a variable of its own, printed with its figures, any other.
"""

from __future__ import annotations

import os
import socket
import subprocess
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, contextmanager
from functools import cache
from pathlib import Path
from random import Random
from typing import Any

from competition import clock
from competition.domain import blobs, scorer
from competition.enums import WorkStatus
from competition.models import Evaluation, Result, Submission, WorkerBeat
from competition.operations import invariants
from tests.competition.stage import Stage
from tests.support import builders, load, processes, services
from tests.support.aloud import FULL, say

ITEMS = 256
WORDS = ["revenue", "rose", "by", "4.2", "percent", "to", "310", "million", "euros", "while", "costs", "fell"]


def size(name: str, short: int, full: int) -> int:
    """How much of something a drill has: PODIUM_<NAME>, or by the form it runs in."""
    return int(os.environ.get(f"PODIUM_{name}") or (full if FULL else short))


def tell(drill: str, **figures: Any) -> None:
    """Say the figures of a drill in one line."""
    shown = (f"{name.replace('_', ' ')} {_shown(value)}" for name, value in figures.items())
    say(f"{drill}: {', '.join(shown)}")


def _shown(value: Any) -> str:
    return f"{value:.3f}" if isinstance(value, float) else str(value)


def percentile(values: Iterable[float], share: float) -> float:
    """The smallest value that at least `share` of all do not exceed."""
    ordered = sorted(values)
    return ordered[max(0, -int(-share * len(ordered) // 1) - 1)] if ordered else 0.0


# Files


def texts(field: str, seed: int, items: int = ITEMS, **more: Any) -> bytes:
    """A record for each item, with a text of 60 words."""
    draw = Random(seed)
    drawn = (" ".join(draw.choices(WORDS, k=60)) for _ in range(items))
    return builders.as_lines(*({"task_id": f"q{n:04}", field: text, **more} for n, text in enumerate(drawn)))


@cache
def _texts_of_runs(seed: int, items: int) -> bytes:
    return texts("answer", 100 + seed, items)


def run_of(number: int, items: int = ITEMS) -> bytes:
    """A run like no other: one of ten, with a first answer that names its number."""
    _, _, rest = _texts_of_runs(number % 10, items).partition(b"\n")
    return builders.as_lines({"task_id": "q0000", "answer": f"revenue rose by {number}"}) + rest


def set_stage(items: int = ITEMS, **phase: Any) -> Stage:
    """A shared task as the drills use it: one phase, one track of short answers, gold."""
    task = builders.make_task()
    track, window = builders.make_track(task), builders.make_phase(task, **phase)
    questions = texts("question", 1, items, tier="easy", languages=["en"])
    item_set = builders.make_items(window, track, questions)
    return Stage(task, track, window, item_set, builders.make_gold(window, track, texts("answer", 2, items)))


def calm_scores(stage: Stage, contents: Iterable[bytes]) -> list[dict[str, float]]:
    """What each run scores when nobody is killed: computed here, without any worker."""
    items, references = blobs.load(stage.items.blob), blobs.load(stage.gold.blob)
    prepared = scorer.prepare(stage.track.kind, stage.track.options, items, references)
    version = stage.gold.version
    return [scorer.score(prepared, content, gold_version=version).scores for content in contents]


# Processes


@contextmanager
def site(processes_of_site: int = 2, threads: int = 8) -> Iterator[tuple[int, int]]:
    """The site under gunicorn on a port of its own: (port, pid of its first process)."""
    with socket.socket() as listening:
        listening.bind((load.HOST, 0))
        listening.listen(2048)
        port = listening.getsockname()[1]
        handed = listening.fileno()
        command = ["-m", "gunicorn", "competition.wsgi:application", f"--bind=fd://{handed}"]
        more = [f"--workers={processes_of_site}", f"--threads={threads}", "--no-control-socket"]
        quiet = ["--log-level=critical", "--graceful-timeout=5"]
        with _log() as log:
            serving = processes.start(*command, *more, *quiet, pass_fds=[handed], stderr=log)
        try:
            until(lambda: load.get(port, "/healthz").status == 200, 60, "the site answers")
            yield port, serving.pid
        finally:
            serving.terminate()
            try:
                serving.wait(20)
            except subprocess.TimeoutExpired:
                serving.kill()
                serving.wait()


def start_worker(name: str) -> subprocess.Popen[bytes]:
    with _log() as log:
        return processes.start("manage.py", "worker", "--wait=0.1", f"--name={name}", stderr=log)


@contextmanager
def crew(workers: int, *, sweep_every: float = 30.0) -> Iterator[dict[str, subprocess.Popen[bytes]]]:
    """So many workers by name, and a sweeper. Who is replaced in the dict is looked after as well."""
    with ExitStack() as stack:
        with _log() as log:
            stack.enter_context(processes.manage("sweeper", f"--every={sweep_every}", stderr=log))
        hands: dict[str, subprocess.Popen[bytes]] = {}
        stack.callback(lambda: [_end(worker) for worker in hands.values()])
        for number in range(workers):
            hands[f"w{number}"] = start_worker(f"w{number}")
        here = WorkerBeat.objects.filter(name__in=hands)
        until(lambda: here.count() == workers, 60, "the workers come")
        yield hands


def _end(process: subprocess.Popen[bytes]) -> None:
    process.kill()
    process.wait()


def _log() -> Any:
    """Where the processes write what they have to say; PODIUM_DRILL_LOG keeps it."""
    return open(os.environ.get("PODIUM_DRILL_LOG") or services.folder() / "drills.log", "ab")


def children_of(pid: int) -> list[int]:
    try:
        return [int(one) for one in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]
    except OSError:
        return []


def processor_seconds(pid: int) -> float:
    """What a process, its children that live and those that have ended have used of a processor."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return 0.0
    own = sum(map(int, fields[11:15])) / os.sysconf("SC_CLK_TCK")
    return own + sum(map(processor_seconds, children_of(pid)))


# Waiting, and what must hold


def until(condition: Callable[[], Any], seconds: float, what: str) -> float:
    """Wait until something holds and return how long that took; fails after so many seconds."""
    started = time.monotonic()
    while not condition():
        assert time.monotonic() - started < seconds, f"{what}: waited {seconds:.0f} s in vain"
        time.sleep(0.05)
    return time.monotonic() - started


def unfinished() -> int:
    return Evaluation.objects.filter(status__in=[WorkStatus.QUEUED, WorkStatus.RUNNING]).count()


def until_scored(seconds: float = 600.0) -> float:
    """Wait until no evaluation is open any more."""
    return until(lambda: not unfinished(), seconds, "everything is scored")


def let_leases_run_out(*names: str) -> None:
    """As if a minute had passed since these workers died; with no names, since any did."""
    held = Evaluation.objects.filter(status=WorkStatus.RUNNING)
    (held.filter(worker__in=names) if names else held).update(lease_until=clock.now())


def waits() -> list[float]:
    """Seconds from the arrival of each run to its score."""
    done = Evaluation.objects.filter(status=WorkStatus.DONE).select_related("submission")
    return [(row.finished_at - row.submission.received_at).total_seconds() for row in done if row.finished_at]


def assert_scored_once() -> None:
    """Every run is scored, none twice, and the audit of the whole database finds nothing."""
    runs = Submission.objects.count()
    assert Evaluation.objects.filter(status=WorkStatus.DONE).count() == runs, "a run without its score"
    assert Result.objects.values("evaluation__submission").distinct().count() == runs
    assert Result.objects.count() == runs, "a run scored twice"
    assert [str(broken) for broken in invariants.audit()] == []
