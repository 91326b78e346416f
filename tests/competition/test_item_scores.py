"""The scores of a run's items: who sees them, how finely, for every kind, on the page and as files."""

from __future__ import annotations

import csv
import io
import json
from typing import Any

import pytest
from django.test import Client

from competition.domain.item_scores import OVER_LABELS, answers_to, in_quarters, item_scores
from competition.models import Phase, Result, Submission
from scoring.options import read_options
from scoring.tracks import get_kind, kind_names
from tests.competition.stage import WORDS, Stage, set_stage, work_until_idle
from tests.support.builders import (
    as_lines,
    join,
    make_gold,
    make_items,
    make_organizer_of,
    make_track,
    make_user,
)

pytestmark = [pytest.mark.django_db, pytest.mark.both]


def a_run(n: int = 30, **phase: Any) -> tuple[Stage, Submission]:
    """A scored run whose answer to each item has one word right and as many wrong as the item's number."""
    stage = set_stage(n, **{"diagnostics_level": 2, "published_level": 2, **phase})
    answers = ({"task_id": f"q{i}", "answer": " ".join([WORDS[i % 4], *["x"] * i])} for i in range(n))
    sent = stage.send(stage.team("Lead"), as_lines(*answers))
    work_until_idle()
    return stage, sent


def as_(user: Any) -> Client:
    client = Client()
    if user is not None:
        client.force_login(user)
    return client


def page_of(sent: Submission, user: Any = None) -> str:
    return " ".join(as_(user or sent.team.captain).get(sent.get_absolute_url()).content.decode().split())


def lines_of(sent: Submission, user: Any = None) -> list[dict[str, Any]]:
    answer = as_(user or sent.team.captain).get(f"{sent.get_absolute_url()}items.jsonl")
    assert answer.status_code == 200
    return [json.loads(line) for line in answer.content.decode().splitlines()]


def test_the_page_shows_the_lowest_with_their_answers_and_an_anchor_each() -> None:
    _, sent = a_run()
    page = page_of(sent)
    assert "The 20 lowest of 30." in page
    assert page.count('<tr id="item-') == 20
    assert '<tr id="item-30"><th scope="row"><a href="#item-30"><bdi>q29</bdi></a></th>' in page
    assert page.index("#item-8") < page.index("#item-9")  # equal in quarters: in the items' order
    assert "In quarters (0, 25, 50, 75, 100)" in page
    assert '<bdi>q5</bdi></a></th><td class="num">25</td><td class="text"><bdi>easy</bdi></td>' in page
    assert 'dir="auto">beta x x x x x</td></tr>' in page


def test_one_score_in_quarters_before_references_may_be_seen_and_all_exactly_then() -> None:
    _, sent = a_run(5)
    assert [line["rouge1_f1"] for line in lines_of(sent)] == [1, 0.75, 0.5, 0.5, 0.25]
    assert lines_of(sent)[1].keys() == {"item_id", "rouge1_f1"}
    Phase.objects.update(diagnostics_level=3, published_level=3)
    exact = lines_of(sent)[1]
    assert exact["rouge1_f1"] == pytest.approx(2 / 3)
    assert exact["rouge1_precision"] == 0.5
    assert "In quarters" not in page_of(sent)
    assert "66.67" in page_of(sent)


@pytest.mark.parametrize(
    ("value", "shown"), [(0, 0), (0.1, 0), (0.124, 0), (0.125, 0.25), (0.6, 0.5), (0.9, 1), (1, 1)]
)
def test_quarters_are_the_nearest(value: float, shown: float) -> None:
    assert in_quarters(value) == shown


@pytest.mark.parametrize(
    ("phase", "team_sees"),
    [
        ({}, True),
        ({"diagnostics_level": 1}, False),
        ({"diagnostics_level": 0}, False),
        ({"scores_visible": "after_publication"}, False),
        ({"scores_visible": "after_close"}, False),
    ],
)
def test_the_phase_says_who_sees_them(phase: dict[str, Any], team_sees: bool) -> None:
    stage, sent = a_run(3, **phase)
    mate, organizer = make_user("mate"), make_organizer_of(stage.task)
    join(sent.team, mate)
    address = sent.get_absolute_url()
    seen = {
        person: as_(person).get(f"{address}items.{form}").status_code
        for form in ("jsonl", "csv")
        for person in (sent.team.captain, mate, organizer, None, stage.team("Rivals" + form).captain)
    }
    expected = {sent.team.captain: team_sees, mate: team_sees, organizer: True}
    assert {person for person, status in seen.items() if status == 200} == {
        person for person, sees in expected.items() if sees
    }
    assert set(seen.values()) <= {200, 404}
    assert ("Scores of the items" in page_of(sent)) is team_sees
    assert "Scores of the items" in page_of(sent, organizer)


def test_after_the_close_the_same_page_shows_them() -> None:
    stage, sent = a_run(3, scores_visible="after_close")
    assert "Scores of the items" not in page_of(sent)
    stage.close()
    assert "Scores of the items" in page_of(sent)


def test_a_file_holds_every_item_and_no_formula() -> None:
    stage = set_stage(2, diagnostics_level=2, published_level=2)
    named = make_track(stage.task, "named")
    make_items(stage.phase, named, as_lines({"task_id": "=1+1", "tier": "easy", "question": "?"}))
    make_gold(stage.phase, named, as_lines({"task_id": "=1+1", "answer": "two"}))
    sent = Stage(stage.task, named, stage.phase, stage.items, stage.gold).send(
        stage.team(), as_lines({"task_id": "=1+1", "answer": "two"})
    )
    work_until_idle()
    table = as_(sent.team.captain).get(f"{sent.get_absolute_url()}items.csv").content.decode("utf-8-sig")
    rows = list(csv.reader(io.StringIO(table)))
    assert rows[0] == ["item_id", "rouge1_f1"]
    assert rows[1] == ["'=1+1", "1.0"]
    assert lines_of(sent) == [{"item_id": "=1+1", "rouge1_f1": 1.0}]
    assert as_(sent.team.captain).get(f"{sent.get_absolute_url()}items.xml").status_code == 404


@pytest.mark.parametrize("name", kind_names())
def test_every_kind_has_them(name: str) -> None:
    kind = get_kind(name)
    stage = set_stage(diagnostics_level=2, published_level=2)
    track = make_track(stage.task, "other", kind=name)
    item_set = make_items(stage.phase, track, as_lines(*kind.example["items"]))
    gold = make_gold(stage.phase, track, as_lines(*kind.example["gold"]), item_set=item_set)
    sent = Stage(stage.task, track, stage.phase, item_set, gold).send(
        stage.team(), as_lines(*kind.example["run"])
    )
    work_until_idle()
    n = len(kind.example["items"])
    page = page_of(sent)
    assert page.count('<tr id="item-') == n
    assert len(lines_of(sent)) == n
    result = Result.objects.get()
    for level in (2, 3):
        found = item_scores(result, track, level)
        assert found is not None
        keys = {score.key for score in found.scores}
        assert keys
        assert not keys & OVER_LABELS
        assert all(line.keys() == {"item_id", *keys} for line in found.lines())
    assert keys == {score.key for score in kind.scores_for(read_options(kind, {}))} - OVER_LABELS
    answers = answers_to(sent, {str(record[kind.id_field]) for record in kind.example["items"]})
    assert len(answers) == n
    assert all(answers.values())


def test_a_large_run_shows_scores_without_answers(monkeypatch: pytest.MonkeyPatch) -> None:
    from competition.domain import item_scores as domain

    _, sent = a_run(3)
    monkeypatch.setattr(domain, "LARGEST_READ", sent.size - 1)
    page = page_of(sent)
    assert "Scores of the items" in page
    assert '<th scope="col">Answer</th>' not in page
