"""Tracks side by side: gaps stay gaps, nothing shows that a track's own board hides, pairs are worked out."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta
from typing import Any

import pytest
from django.contrib.auth.models import AnonymousUser
from django.core.exceptions import ValidationError
from django.test import Client

from competition import clock
from competition.domain.composite import recognition_and_coverage, side_by_side
from competition.domain.freezing import publish_leaderboard, request_freeze
from competition.domain.intake import receive_submission
from competition.enums import PhasePurpose
from competition.models import FrozenLeaderboard, Phase, SharedTask, Submission, Team, Track, User
from tests.competition.stage import work_until_idle
from tests.support.builders import (
    as_lines,
    make_gold,
    make_items,
    make_organizer_of,
    make_phase,
    make_task,
    make_team,
    make_track,
)
from tests.support.clock import frozen_at
from tests.support.questions import questions

pytestmark = pytest.mark.django_db(transaction=True)

VISITOR = AnonymousUser()
GROUPS = [f"g{n}" for n in range(12)]
EXCERPTS = [{"excerpt": n, "language": code, "text": "…"} for n, code in enumerate(("en", "el"), 1)]
FACTS = [{"number": 1, "language": "en"}, {"number": 2, "language": "el"}, {"number": 3, "language": "el"}]
T2A = [
    {"id": f"a-{g}", "group": g, "evidence": "joint", "excerpts": EXCERPTS, "options": {"A": "x", "B": "y"}}
    for g in GROUPS
]
T2B = [
    {"id": f"b-{g}", "group": g, "evidence": "joint", "excerpts": EXCERPTS, "concept": "x", "facts": FACTS}
    for g in GROUPS
]


@dataclass
class Shores:
    task: SharedTask
    recognition: Track
    selection: Track
    phase: Phase
    both: Team
    half: Team

    def send(self, team: Team, track: Track, rows: list[dict[str, Any]]) -> Submission:
        sent = receive_submission(
            team=team,
            phase=self.phase,
            track=track,
            submitted_by=team.captain,
            received_at=clock.now(),
            content=as_lines(*rows),
        )
        assert isinstance(sent, Submission), sent.problems
        return sent

    def page(self, who: User | None = None) -> str:
        client = Client()
        if who is not None:
            client.force_login(who)
        answer = client.get(f"/tasks/{self.task.slug}/tracks/together/?phase={self.phase.slug}")
        assert answer.status_code == 200
        return " ".join(answer.content.decode().split())


def chosen(right: int) -> list[dict[str, Any]]:
    """The first `right` groups recognised."""
    return [{"id": f"a-{g}", "option": "A" if n < right else "B"} for n, g in enumerate(GROUPS)]


def selected(complete: int) -> list[dict[str, Any]]:
    """The first `complete` groups whole; of the others the English fact only."""
    return [{"id": f"b-{g}", "facts": [1, 2] if n < complete else [1]} for n, g in enumerate(GROUPS)]


def make_shores(purpose: str = PhasePurpose.DEVELOPMENT, **task: Any) -> Shores:
    """One team in both tracks: 10 of 12 groups recognised, 4 complete. Another in recognition only."""
    shared = make_task("shores", **task)
    recognition = make_track(shared, "t2a", kind="concept_recognition", order=1)
    selection = make_track(shared, "t2b", kind="fact_selection", order=2)
    phase = make_phase(shared, "now", purpose)
    for track, items, answer in ((recognition, T2A, {"option": "A"}), (selection, T2B, {"facts": [1, 2]})):
        make_items(phase, track, as_lines(*items))
        make_gold(phase, track, as_lines(*({"id": item["id"], **answer} for item in items)))
    one = Shores(shared, recognition, selection, phase, make_team(shared, "Both"), make_team(shared, "Half"))
    one.send(one.both, recognition, chosen(10))
    one.send(one.both, selection, selected(4))
    one.send(one.half, recognition, chosen(12))
    work_until_idle()
    return one


def test_a_missing_track_is_missing_and_never_averaged() -> None:
    shores = make_shores(columns_average=True)
    sides = side_by_side(shores.task, shores.phase, VISITOR, clock.now())
    rows = {line.name: ([value.score for value in line.values], line.average) for line in sides.lines}
    assert rows["Both"] == ([10 / 12, pytest.approx((4 + 8 * 2 / 3) / 12)], pytest.approx(0.8055555))
    assert rows["Half"] == ([1.0, None], None)
    assert sides.gaps == 1
    page = shores.page()
    assert '<td class="num missing">missing</td>' in page
    assert "A team with a gap has none" in page
    shores.task.columns_average = False
    shores.task.save()
    assert "This table ranks nobody" in shores.page()


def test_the_columns_are_those_the_organizers_named() -> None:
    shores = make_shores(
        columns=[
            {"track": "t2b", "score": "complete_coverage", "title": "Whole"},
            {"track": "gone", "score": "f1", "title": "A track that is no more"},
            {"track": "t2a", "score": "accuracy"},
        ]
    )
    sides = side_by_side(shores.task, shores.phase, VISITOR, clock.now())
    assert [column.title for column in sides.columns] == ["Whole", "T2a"]
    assert [value.score for value in sides.lines[0].values] == [4 / 12, 10 / 12]


@pytest.mark.parametrize(
    ("columns", "words"),
    [
        ("t2a", "list of objects"),
        ([{"track": "t2a", "score": "f1"}], "it has: accuracy, invalid_rate"),
        ([{"track": "elsewhere", "score": "f1"}], "No track of this task"),
        ([{"track": "t2a", "score": 1}], "all of them texts"),
    ],
)
def test_faulty_columns_are_refused_in_words(columns: Any, words: str) -> None:
    shared = make_task()
    make_track(shared, "t2a", kind="concept_recognition")
    shared.columns = columns
    with pytest.raises(ValidationError, match=words):
        shared.full_clean()


def test_recognition_by_coverage_from_stored_item_scores() -> None:
    shores = make_shores()
    organizer = make_organizer_of(shores.task)
    _, (pair,) = recognition_and_coverage(shores.task, shores.phase, organizer, clock.now())
    assert pair.name == "Both"
    assert pair.found["groups"] == 12
    assert pair.found["recognised"] == 10
    assert pair.found["omission_rate"] == pytest.approx(0.6)
    assert pair.found["quadrants"] == {
        "recognised, complete": 4,
        "recognised, not complete": 6,
        "not recognised, complete": 0,
        "not recognised, not complete": 2,
    }
    recall = {row["language"]: row["recall"] for row in pair.found["by_language"]}
    assert recall == {"en": 1.0, "el": pytest.approx(0.4)}
    page = shores.page(organizer)
    assert "Both: 6 of 10 recognised groups miss a fact" in page
    assert "60.00" in page


def test_pairs_are_for_their_team_until_the_boards_are_published() -> None:
    shores = make_shores()
    told = "recognised groups miss a fact"
    assert told in shores.page(shores.both.captain)
    assert told not in shores.page(shores.half.captain)
    assert told not in shores.page()
    with frozen_at(shores.phase.closes_at + timedelta(hours=2)):
        for track in (shores.recognition, shores.selection):
            request_freeze(phase=shores.phase, track=track, requested_by=None, reason="Closed.")
        work_until_idle()
        assert told not in shores.page(), "frozen, and not published"
        for board in FrozenLeaderboard.objects.all():
            publish_leaderboard(board=board, published_by=None)
        assert told in shores.page()
        assert f'href="{FrozenLeaderboard.objects.first().get_absolute_url()}"' in shores.page()


def test_scores_hidden_on_a_board_are_hidden_here() -> None:
    shores = make_shores(PhasePurpose.TEST)
    organizer = make_organizer_of(shores.task)
    for who in (None, shores.both.captain, shores.half.captain):
        page = shores.page(who)
        assert "83.33" not in page
        assert "when the phase is closed and the organizers have published the leaderboard." in page
        assert "recognised groups miss" not in page
    assert "83.33" in shores.page(organizer)


def test_anonymous_teams_are_not_joined_across_tracks() -> None:
    shores = make_shores(anonymous_until_publication=True)
    page = shores.page(shores.half.captain)
    assert "Both" not in page
    assert "anonymous here until the leaderboard is published" in page


def test_runs_are_opened_to_members_and_boards_to_all() -> None:
    shores = make_shores()
    run = Submission.objects.get(team=shores.both, track=shores.selection).get_absolute_url()
    assert f'href="{run}"' in shores.page(shores.both.captain)
    visitor = shores.page()
    assert run not in visitor
    assert f'href="/tasks/{shores.task.slug}/t2b/leaderboard/?phase=now"' in visitor


def test_more_teams_need_no_more_queries() -> None:
    shores = make_shores()
    organizer = make_organizer_of(shores.task)

    def queries() -> int:
        shores.page(organizer)
        with questions() as captured:
            shores.page(organizer)
        return len(captured)

    before = queries()
    for name in ("Third", "Fourth"):
        team = make_team(shores.task, name)
        shores.send(team, shores.recognition, chosen(5))
        shores.send(team, shores.selection, selected(7))
    work_until_idle()
    assert queries() == before
