"""Scored runs per second with one worker and with more, and what a run costs of processor, database and disk.

    python -m benchmarks.throughput [--runs 300] [--items 256] [--workers 1 2]

Uses throwaway servers, as the tests do. Runs per second depend on the machine and on what else it does; the
processor times and the share of them that is scoring hardly do.
"""

from __future__ import annotations

import argparse
import statistics
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import django
import psycopg

from tests.support import services

if TYPE_CHECKING:
    from tests.competition.stage import Stage

SAMPLES = 40


@dataclass(frozen=True)
class Cost:
    """Of one run, in milliseconds of a processor and in bytes."""

    per_second: float
    worker: float
    database: float
    stored: float


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--runs", type=int, default=300)
    parser.add_argument("--items", type=int, default=256)
    parser.add_argument("--workers", type=int, nargs="+", default=[1, 2])
    wanted = parser.parse_args()
    start_empty_site()

    from tests.support import drills

    stage = drills.set_stage(wanted.items)
    accept, score = cost_of_accepting(stage, wanted.items), cost_of_scoring(stage, wanted.items)
    print(f"{wanted.items} items, a file of {len(drills.run_of(0, wanted.items)):,} bytes")
    print(f"checking and accepting one run {accept:6.1f} ms of a processor, in the site")
    print(f"reading and scoring one run    {score:6.1f} ms of a processor, in the worker's child")
    for workers in wanted.workers:
        cost = cost_of_work(stage, runs=wanted.runs, items=wanted.items, workers=workers)
        print(
            f"{workers} worker{'s' * (workers > 1)}: {cost.per_second:5.1f} runs a second, "
            f"for each {cost.worker:.1f} ms in workers ({score / cost.worker:.0%} scoring), "
            f"{cost.database:.1f} ms in PostgreSQL, {cost.stored / 1024:.1f} KiB stored"
        )


def start_empty_site() -> None:
    services.choose_environment()
    server = services.postgres()
    server.start()
    services.redis_server().start()
    with psycopg.connect(
        host=str(server.folder), user="podium", dbname="postgres", autocommit=True
    ) as database:
        database.execute("CREATE DATABASE podium")
    django.setup()
    from django.core.management import call_command

    call_command("migrate", verbosity=0)


def milliseconds(call: Callable[[int], object]) -> float:
    """The median processor time of a call, without its first."""
    call(0)
    taken = []
    for number in range(1, SAMPLES + 1):
        started = time.process_time()
        call(number)
        taken.append(time.process_time() - started)
    return 1000 * statistics.median(taken)


def cost_of_accepting(stage: Stage, items: int) -> float:
    from tests.support import drills

    teams = [stage.team() for _ in range(SAMPLES + 1)]
    contents = [drills.run_of(number, items) for number in range(SAMPLES + 1)]
    cost = milliseconds(lambda number: stage.send(teams[number], contents[number]))
    drop_what_waits()
    return cost


def cost_of_scoring(stage: Stage, items: int) -> float:
    from competition.domain import blobs, scorer
    from tests.support import drills

    public, references = blobs.load(stage.items.blob), blobs.load(stage.gold.blob)
    prepared = scorer.prepare(stage.track.kind, stage.track.options, public, references)
    return milliseconds(
        lambda number: scorer.plain(
            prepared, scorer.score(prepared, drills.run_of(number, items), gold_version=1)
        )
    )


def cost_of_work(stage: Stage, *, runs: int, items: int, workers: int) -> Cost:
    """Queue so many runs at once before workers that wait for them."""
    from django.db import transaction

    from competition.models import Evaluation
    from tests.support import drills

    server = int((services.postgres().folder / "data" / "postmaster.pid").read_text().split()[0])
    stored = database_size()
    with drills.crew(workers) as hands:
        with transaction.atomic():
            for number in range(runs):
                stage.send(stage.team(), drills.run_of(number, items))
        pids = [hand.pid for hand in hands.values()]
        before, before_server = sum(map(drills.processor_seconds, pids)), drills.processor_seconds(server)
        drills.until_scored()
        used = sum(map(drills.processor_seconds, pids)) - before
        used_server = drills.processor_seconds(server) - before_server
    done = Evaluation.objects.order_by("-pk")[:runs].values_list("started_at", "finished_at")
    starts, ends = [row[0] for row in done], [row[1] for row in done if row[1]]
    seconds = (max(ends) - min(start for start in starts if start)).total_seconds()
    return Cost(
        runs / seconds, 1000 * used / runs, 1000 * used_server / runs, (database_size() - stored) / runs
    )


def drop_what_waits() -> None:
    from competition.models import Evaluation

    Evaluation.objects.filter(status="queued").delete()


def database_size() -> int:
    from django.db import connection

    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_database_size(current_database())")
        return int(cursor.fetchone()[0])


if __name__ == "__main__":
    main()
