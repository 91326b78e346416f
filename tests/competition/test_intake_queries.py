"""What a run asks of the database: the same however large the run is and however many teams play."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from competition.domain import sweeping
from competition.domain.tokens import create_token
from competition.management import presence
from competition.management.commands.worker import Worker
from competition.models import Entry, Result, Submission, Team
from tests.competition.stage import Stage, run, set_stage, work_until_idle
from tests.support.imports import ROOT
from tests.support.questions import questions

pytestmark = [pytest.mark.django_db, pytest.mark.both]

MOST = {"form": 24, "api": 28}
"""Questions of a post that is taken, by way in. The API's answer says how the run stands: four more."""
MOST_REFUSED = 13
MOST_SCORED = 14

Post = Callable[[bytes], int]


def by_form(stage: Stage, team: Team) -> Post:
    client = Client()
    client.force_login(team.captain)  # type: ignore[arg-type]
    address = f"/tasks/{stage.task.slug}/{stage.track.slug}/submit/?phase={stage.phase.slug}"

    def post(content: bytes) -> int:
        fields = {"file": SimpleUploadedFile("run.jsonl", content), "idempotency_key": str(hash(content))}
        return client.post(address, fields).status_code

    return post


def by_api(stage: Stage, team: Team) -> Post:
    token = create_token(user=team.captain, name="script", scope="submit").secret  # type: ignore[arg-type]
    headers = {"Authorization": f"Bearer {token}"}
    address = f"/api/v1/tasks/{stage.task.slug}/{stage.track.slug}/{stage.phase.slug}/submissions/"

    def post(content: bytes) -> int:
        key = {"Idempotency-Key": str(hash(content))}
        files = {"file": SimpleUploadedFile("run.jsonl", content)}
        return Client().post(address, files, headers={**headers, **key}).status_code

    return post


WAYS = {"form": by_form, "api": by_api}


def a_busy_stage(n: int, teams: int) -> Stage:
    """A phase of `n` items in which so many teams have sent two runs each, half of them scored."""
    stage = set_stage(n)
    for number in range(teams):
        team = stage.team()
        stage.send(team, run(number, n))
        stage.send(team, run(number, n, filler="other"))
    for _ in range(teams):
        Worker("w").turn()
    return stage


@pytest.mark.parametrize("way", WAYS)
def test_a_run_asks_as_much_when_it_is_large_and_among_many(way: str) -> None:
    counts = []
    for n, teams, before in ((8, 0, 1), (400, 6, 5)):
        stage = a_busy_stage(n, teams)
        post = WAYS[way](stage, stage.team())
        for number in range(before):
            post(run(number, n))
        with questions() as asked:
            assert post(run(n, n)) in (302, 201)
        counts.append(len(asked))
    assert counts[0] == counts[1] <= MOST[way]


@pytest.mark.parametrize("way", WAYS)
def test_a_refused_file_asks_less(way: str) -> None:
    stage = set_stage()
    post = WAYS[way](stage, stage.team())
    post(b"[]")
    with questions() as asked:
        post(b"{}")
    assert not Entry.objects.exists()
    assert len(asked) <= MOST_REFUSED


def test_what_is_asked_again_is_asked_under_the_lock() -> None:
    """Nothing is asked twice, but for the clock and what must still be true once the entry is held."""
    stage = set_stage()
    post = by_form(stage, stage.team())
    post(run(1))
    with questions() as asked:
        post(run(2))
    tables = [
        line.split(" FROM ")[1].split()[0] for line in asked if line.startswith("SELECT") and " FROM " in line
    ]
    again = {name.strip('"') for name in tables if tables.count(name) > 1}
    assert again == {"competition_submission", "competition_phase"}


def test_a_worker_asks_as_much_for_a_large_run_among_many(monkeypatch: pytest.MonkeyPatch) -> None:
    for module, name in ((presence, "BEAT_SECONDS"), (sweeping, "EVERY_SECONDS")):
        monkeypatch.setattr(module, name, 3_600.0)  # what is done now and then asks too
    counts = []
    for n, teams in ((8, 0), (400, 6)):
        work_until_idle()
        stage = a_busy_stage(n, teams)
        work_until_idle()
        worker, team = Worker("w"), stage.team()
        stage.send(team, run(1, n))
        worker.turn()
        stage.send(team, run(2, n, filler="alpha beta"))
        with questions() as asked:
            assert worker.turn()
        counts.append(len(asked))
    assert Result.objects.count() == Submission.objects.count()
    assert counts[0] == counts[1] <= MOST_SCORED


def test_the_guide_says_how_many() -> None:
    assert f"{MOST['form']} questions to the database" in (ROOT / "docs/scale.md").read_text()
