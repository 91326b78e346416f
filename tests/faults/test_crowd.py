"""Sixty-four posts of one team at once, with three attempts left, through the site's front door."""

from __future__ import annotations

from collections import Counter

import pytest
from django.db import connection

from competition.models import Submission
from tests.support import drills, load

POSTS = 64
LEFT = 3
ROUNDS = drills.size("ROUNDS", 2, 100)


@pytest.mark.both
@pytest.mark.django_db(transaction=True)
def test_exactly_three_are_taken() -> None:
    stage = drills.set_stage(8, daily_quota=LEFT)
    path = f"/tasks/{stage.task.slug}/{stage.track.slug}/submit/?phase={stage.phase.slug}"
    seconds: list[float] = []
    with drills.site() as (port, _):
        for _ in range(ROUNDS):
            team = stage.team()
            cookie = load.sign_in(team)
            posts = [load.Post(team, cookie, path, drills.run_of(number, 8)) for number in range(POSTS)]
            load.send_all(port, posts)
            assert Counter(post.status for post in posts) == {302: LEFT, 409: POSTS - LEFT}
            kept = Submission.objects.filter(team=team)
            assert {post.receipt for post in posts if post.receipt} == {run.public_id for run in kept}
            assert sorted(run.number for run in kept) == list(range(1, LEFT + 1))
            seconds += [post.answers[-1].seconds for post in posts]
    drills.tell(
        f"64 posts with 3 left on {connection.vendor}",
        rounds=ROUNDS,
        taken=Submission.objects.count(),
        answer_p50=drills.percentile(seconds, 0.5),
        answer_p95=drills.percentile(seconds, 0.95),
    )
