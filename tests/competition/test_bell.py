"""The bell wakes a worker; without it, with a lying one, with Redis gone or emptied, everything is scored."""

from __future__ import annotations

import json
import logging
import pickle
import socket
import subprocess
import time
import zlib
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from django.core.cache import cache
from django.core.management import call_command
from django.db import transaction
from django.test import Client
from redis import ConnectionError as RedisConnectionError
from redis import Redis
from redis import TimeoutError as RedisTimeoutError

from competition import bell, clock, jobs, outages
from competition.domain import queueing, sweeping
from competition.models import Evaluation, Result, Submission
from tests.competition.stage import run, set_stage
from tests.support import services
from tests.support.processes import manage

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture(autouse=True)
def _a_quiet_bell(redis_server: services.Redis) -> Iterator[None]:
    """Redis empty before and running after, however a test left it."""
    if services.on_sqlite():
        pytest.skip("The bell is tested where there is Redis: leave PODIUM_TEST_DATABASE unset.")
    bell.queue().connection.flushall()
    outages.breaker.close()
    yield
    redis_server.start()
    outages.breaker.close()


def until(condition: Callable[[], Any], seconds: float = 120.0) -> float:
    """How long it took until the condition held."""
    started = time.monotonic()
    while not condition():
        assert time.monotonic() - started < seconds, "waited in vain"
        time.sleep(0.02)
    return time.monotonic() - started


def test_accepting_a_run_rings_once_in_plain_json() -> None:
    stage = set_stage()
    stage.send(stage.team())
    row = Evaluation.objects.get()
    assert bell.queue().job_ids == [f"evaluation-{row.pk}-0"]
    job = bell.queue().jobs[0]
    assert job.func_name == "competition.jobs.answer_bell"
    assert job.result_ttl == 0
    stored = bell.queue().connection.hget(job.key, "data")
    assert json.loads(zlib.decompress(stored))[0] == "competition.jobs.answer_bell"
    queueing.ring(row)
    assert len(bell.queue()) == 1, "the same attempt rings once"


def test_nothing_rings_for_a_run_that_was_not_committed() -> None:
    stage = set_stage()
    with transaction.atomic():
        stage.send(stage.team())
        transaction.set_rollback(True)
    assert len(bell.queue()) == 0
    assert not Submission.objects.exists()


def test_a_bell_is_heard_at_once() -> None:
    stage = set_stage()
    started = time.monotonic()
    assert not bell.wait(1)
    assert time.monotonic() - started >= 0.9
    stage.send(stage.team())
    started = time.monotonic()
    assert bell.wait(60)
    assert time.monotonic() - started < 10, "heard when it rang, not when the patience ended"
    assert bell.queue().connection.keys("rq:job:*") == []


def test_a_bell_means_the_next_row_in_fair_order_not_its_own() -> None:
    stage = set_stage()
    flooder, other = stage.team("Flooder"), stage.team("Other")
    for right in range(4):
        stage.send(flooder, run(right))
    jobs.answer_bell(worker="w")
    late = stage.send(other, run(8))
    jobs.answer_bell(worker="w")
    assert Evaluation.objects.get(submission=late).status == "done"


def test_the_stock_worker_of_rq_can_answer_too() -> None:
    stage = set_stage()
    for right in (1, 2):
        stage.send(stage.team(), run(right))
    json_only = "--serializer=rq.serializers.JSONSerializer"
    with manage("rqworker", "default", "--burst", json_only, stderr=subprocess.DEVNULL) as process:
        assert process.wait(timeout=120) == 0
    assert Result.objects.count() == 2


def test_what_is_put_into_redis_is_never_run() -> None:
    """Somebody writes a pickle that would run code as a bell: it is heard, and no more."""

    class Bad:
        def __reduce__(self) -> Any:
            return (exec, ("raise SystemExit(9)",))

    connection = bell.queue().connection
    connection.hset("rq:job:evil", mapping={"data": pickle.dumps(Bad()), "created_at": "x"})
    connection.rpush(bell.queue().key, "evil")
    assert bell.wait(1)
    assert connection.keys("rq:job:*") == []


def test_without_redis_runs_are_taken_quickly_and_scored(
    redis_server: services.Redis, caplog: pytest.LogCaptureFixture
) -> None:
    stage = set_stage()
    team = stage.team()
    redis_server.stop()
    started = time.monotonic()
    for right in range(5):
        stage.send(team, run(right))
    assert time.monotonic() - started < 10
    assert "Redis does not answer" in caplog.text
    assert cache.get("anything") is None
    assert cache.add("a", 1)
    assert cache.incr("a") == 1
    cache.set("a", 1)
    assert Client().get("/status").status_code == 200
    with manage("worker", "--wait=0.1", stderr=subprocess.DEVNULL):
        until(lambda: Result.objects.count() == 5)


def test_a_worker_gets_over_redis_going_and_coming_back_empty(redis_server: services.Redis) -> None:
    stage = set_stage()
    team = stage.team()
    with manage("worker", "--wait=0.1", stderr=subprocess.DEVNULL) as worker:
        stage.send(team, run(1))
        until(lambda: Result.objects.count() == 1)
        redis_server.stop()
        stage.send(team, run(2))
        until(lambda: Result.objects.count() == 2)
        redis_server.start()
        outages.breaker.close()
        stage.send(team, run(3))
        bell.queue().connection.flushall()
        took = until(lambda: Result.objects.count() == 3)
        assert took < 30
        assert worker.poll() is None


def test_the_sweeper_rings_again_for_bells_nobody_heard(monkeypatch: pytest.MonkeyPatch) -> None:
    stage = set_stage()
    stage.send(stage.team())
    bell.queue().connection.flushall()
    call_command("sweeper", once=True)
    assert len(bell.queue()) == 0, "it has only just been queued"
    Evaluation.objects.update(queued_at=clock.now() - 2 * sweeping.UNHEARD)
    call_command("sweeper", once=True)
    assert len(bell.queue()) == 1


def test_nobody_waits_for_redis_twice(redis_server: services.Redis, caplog: pytest.LogCaptureFixture) -> None:
    """One that takes the call and says nothing costs a process two seconds, not each request."""
    with socket.create_server(("127.0.0.1", 0)) as mute:
        silent = Redis.from_url(f"redis://127.0.0.1:{mute.getsockname()[1]}/0", **outages.BOUNDED)
        started = time.monotonic()
        with pytest.raises((RedisConnectionError, RedisTimeoutError)):
            silent.ping()
        assert time.monotonic() - started < 3 * outages.ANSWER_SECONDS
        silent.close()
    redis_server.stop()
    with caplog.at_level(logging.WARNING):
        for _ in range(20):
            cache.get("x")
    assert caplog.text.count("Redis does not answer") == 1
