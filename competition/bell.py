"""The doorbell. After a commit that queued work, RQ wakes a waiting worker; the database says which row.

A bell means "claim the next row in fair order". Its id (the row and its attempt) only keeps the same row from
ringing twice at a time. Losing every bell loses nothing: workers look by themselves, and the sweeper rings
again.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import django_rq
from django.conf import settings
from redis import Redis, RedisError
from rq import Queue
from rq.exceptions import DequeueTimeout, DuplicateJobError
from rq.job import Job
from rq.utils import as_text

from competition import outages
from competition.domain.queueing import work_queued
from competition.models import QueuedWork

ANSWER = "competition.jobs.answer_bell"
HEARD_WITHIN = 120
"""Seconds after which a bell nobody heard is forgotten, so that the same row may ring again."""


def install() -> None:
    """Ring on every queued row, where there is a Redis to ring with."""
    if settings.REDIS_URL:
        work_queued.connect(ring, dispatch_uid="bell")


def ring(sender: type[QueuedWork], work: QueuedWork, **_: Any) -> None:
    """Wake one worker. Silent and quick when Redis is away."""
    if outages.breaker.is_open:
        return
    try:
        queue().enqueue_call(
            ANSWER,
            job_id=f"{sender._meta.model_name}-{work.pk}-{work.attempts}",
            unique=True,
            ttl=HEARD_WITHIN,
            result_ttl=0,
            failure_ttl=0,
            description=str(sender._meta.verbose_name),
        )
    except DuplicateJobError:
        return
    except RedisError as error:
        outages.breaker.trip("bell", error)


def wait(seconds: int) -> bool:
    """Sleep until a bell rings, `seconds` at most. Raises RedisError when Redis is away."""
    connection = _patient(seconds)
    try:
        _, job_id = Queue.lpop([queue().key], seconds, connection=connection)
    except DequeueTimeout:
        return False
    # Never executed: what a bell carries is not even read, so nothing put into Redis is run here.
    connection.delete(Job.key_for(as_text(job_id)))
    return True


@cache
def queue() -> Queue:
    """The queue of django-rq, in JSON, over a connection with bounded patience."""
    connection = Redis.from_url(settings.REDIS_URL, **outages.BOUNDED)
    return django_rq.get_queue("default", connection=connection, commit_mode="auto")


@cache
def _patient(seconds: int) -> Redis:
    patience = {**outages.BOUNDED, "socket_timeout": seconds + outages.ANSWER_SECONDS}
    return Redis.from_url(settings.REDIS_URL, **patience)
