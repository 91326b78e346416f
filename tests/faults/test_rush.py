"""The last minute before a deadline: all teams send over HTTP, half of them at the very end, some twice."""

from __future__ import annotations

import threading
import time
from collections import Counter
from datetime import timedelta
from random import Random

import pytest
from django.core.cache import cache
from django.db import connection

from competition import clock
from competition.models import Submission
from tests.competition.stage import Stage
from tests.support import drills, load, services
from tests.support.load import Post, send_all

pytestmark = [pytest.mark.django_db(transaction=True)]

SECONDS = drills.size("RUSH_SECONDS", 5, 60)
LAST = max(1, SECONDS // 12)
GRACE = 60
RESTARTS = drills.size("RESTARTS", 2, 10)
OUTAGE = drills.size("OUTAGE_SECONDS", 2, 60)


def teams() -> int:
    return drills.size("TEAMS", 8, 100) if services.on_sqlite() else drills.size("TEAMS", 12, 500)


def make_posts(stage: Stage, how_many: int) -> list[Post]:
    """A run for each of so many new teams, half of them in the last seconds, every fifth sent twice."""
    draw, path = Random(17), f"/tasks/{stage.task.slug}/{stage.track.slug}/submit/?phase={stage.phase.slug}"
    posts = []
    for number in range(how_many):
        team = stage.team(f"Team {number}")
        early = number % 2
        at = draw.uniform(0, SECONDS - LAST) if early else draw.uniform(SECONDS - LAST, SECONDS)
        hasty = draw.uniform(0.02, 0.5) if number % 5 == 0 else None
        posts.append(Post(team, load.sign_in(team), path, drills.run_of(number), at=at, hasty=hasty))
    return posts


def open_until_the_rush_ends(stage: Stage) -> None:
    stage.phase.closes_at = clock.now() + timedelta(seconds=SECONDS)
    stage.phase.save()


def assert_every_receipt_is_true(stage: Stage, posts: list[Post]) -> None:
    """Nothing lost, nothing doubled, nothing promised that is not there: one run for each receipt."""
    assert Counter(post.status for post in posts) == {302: len(posts)}, "not every team has an answer"
    for post in posts:
        kept = post.kept
        assert kept is not None, "a receipt without its run"
        assert (kept.team, kept.number, kept.size) == (post.team, 1, len(post.content))
        assert kept.received_at < stage.phase.closes_at + timedelta(seconds=GRACE)
    assert Submission.objects.count() == len(posts), "a run twice, or one that nobody has a receipt for"


def assert_late_ones_are_refused(stage: Stage, port: int, posts: list[Post]) -> int:
    """Sent after the end: new runs are refused, the request of before gets its receipt again."""
    if drills.FULL:
        end = stage.phase.closes_at + timedelta(seconds=GRACE)
        drills.until(lambda: clock.now() >= end, SECONDS + GRACE, "the end of the grace")
    else:
        stage.close()
    some = posts[:: max(1, len(posts) // 25)]
    late = [Post(one.team, one.cookie, one.path, one.content + b"\n") for one in some]
    again = [Post(one.team, one.cookie, one.path, one.content, key=one.key) for one in some]
    send_all(port, late + again)
    assert Counter(post.status for post in late) == {409: len(late)}
    assert [post.receipt for post in again] == [post.receipt for post in some]
    assert Submission.objects.count() == len(posts)
    return len(late)


@pytest.mark.both
def test_a_rush_before_the_deadline() -> None:
    stage = drills.set_stage(grace_seconds=GRACE)
    posts = make_posts(stage, teams())
    with drills.site() as (port, serving), drills.crew(2) as workers:
        before = {name: drills.processor_seconds(one.pid) for name, one in workers.items()}
        web_before = drills.processor_seconds(serving)
        open_until_the_rush_ends(stage)
        send_all(port, posts)
        web = drills.processor_seconds(serving) - web_before
        assert_every_receipt_is_true(stage, posts)
        refused = assert_late_ones_are_refused(stage, port, posts)
        drills.until_scored()
        work = sum(drills.processor_seconds(one.pid) - before[name] for name, one in workers.items())
        assert load.get(port, "/status").status == 200
    drills.assert_scored_once()
    answers = [answer for post in posts for answer in post.answers]
    assert {answer.status for answer in answers} == {302}, "an answer other than a receipt"
    seconds, waits = [answer.seconds for answer in answers], drills.waits()
    drills.tell(
        f"Rush on {connection.vendor}",
        teams=len(posts),
        seconds=SECONDS,
        sent_twice=sum(post.hasty is not None for post in posts),
        lost=sum(post.kept is None for post in posts),
        doubled=Submission.objects.count() - len(posts),
        answers_5xx=sum(answer.status >= 500 for answer in answers),
        late_refused=refused,
        answer_p50=drills.percentile(seconds, 0.5),
        answer_p95=drills.percentile(seconds, 0.95),
        answer_p99=drills.percentile(seconds, 0.99),
        upload_to_score_p50=drills.percentile(waits, 0.5),
        upload_to_score_p95=drills.percentile(waits, 0.95),
        web_processor_seconds_per_post=web / len(posts),
        worker_processor_seconds_per_run=work / len(posts),
    )


@pytest.mark.both
def test_an_idle_site_scores_at_once() -> None:
    stage = drills.set_stage()
    posts = make_posts(stage, drills.size("IDLE_RUNS", 4, 40))
    with drills.site() as (port, _), drills.crew(2):
        for post in posts:
            post.at, post.hasty = 0.0, None
            send_all(port, [post])
            drills.until_scored(60)
    drills.assert_scored_once()
    waits = drills.waits()
    drills.tell(
        f"Idle site on {connection.vendor}",
        runs=len(posts),
        answer_p50=drills.percentile([post.answers[0].seconds for post in posts], 0.5),
        upload_to_score_p50=drills.percentile(waits, 0.5),
        upload_to_score_p95=drills.percentile(waits, 0.95),
    )


def test_redis_is_stopped_and_emptied_in_the_rush(redis_server: services.Redis) -> None:
    """Nobody is refused; once Redis is back, at most one sweep later everything is scored."""
    stage = drills.set_stage(grace_seconds=GRACE)
    posts = make_posts(stage, teams() // 2)
    with drills.site() as (port, _), drills.crew(2):
        sending = threading.Thread(target=send_all, args=(port, posts))
        open_until_the_rush_ends(stage)
        sending.start()
        try:
            time.sleep(SECONDS / 3)
            redis_server.stop()
            time.sleep(OUTAGE)
        finally:
            redis_server.start()
        cache.clear()  # empties all of Redis, the bell included
        sending.join()
        after = drills.until_scored()
    assert_every_receipt_is_true(stage, posts)
    drills.assert_scored_once()
    answers = [answer for post in posts for answer in post.answers]
    assert {answer.status for answer in answers} == {302}
    drills.tell(
        "Redis stopped and emptied",
        teams=len(posts),
        seconds_away=OUTAGE,
        refused=len(posts) - Submission.objects.count(),
        answer_p95=drills.percentile([answer.seconds for answer in answers], 0.95),
        scored_seconds_after=after,
    )


@pytest.mark.postgresql
def test_the_database_is_restarted_in_the_rush() -> None:
    """By turns stopped in order and crashed. A team hears 503 and when to come back, or the truth."""
    stage = drills.set_stage(grace_seconds=GRACE)
    posts = make_posts(stage, teams() // 2)
    server = services.postgres()
    with drills.site() as (port, _), drills.crew(2, sweep_every=5):
        sending = threading.Thread(target=send_all, args=(port, posts))
        open_until_the_rush_ends(stage)
        sending.start()
        for number in range(RESTARTS):
            time.sleep(SECONDS / RESTARTS * 0.8)
            connection.close()
            server.restart(crash=bool(number % 2))
        sending.join()
        if not drills.FULL:
            drills.let_leases_run_out()
        after = drills.until_scored()
    assert_every_receipt_is_true(stage, posts)
    drills.assert_scored_once()
    answers = [answer for post in posts for answer in post.answers]
    heard = Counter(answer.status for answer in answers)
    assert set(heard) <= {302, 503, load.AWAY}
    assert all(answer.retry_after for answer in answers if answer.status == 503)
    drills.tell(
        "PostgreSQL restarted",
        teams=len(posts),
        restarts=RESTARTS,
        answers_503=heard[503],
        connections_broken=heard[load.AWAY],
        false_receipts=sum(post.kept is None for post in posts),
        scored_seconds_after=after,
    )
