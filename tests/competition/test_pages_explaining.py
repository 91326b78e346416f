"""Diagnostics on pages: by level, without small cells, and in words as well as bars."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from types import SimpleNamespace
from typing import Any

import pytest
from django.http import HttpResponse

from competition import clock
from competition.charts.histogram import histogram
from competition.models import Phase, Publication
from competition.templatetags import podium
from competition.views.explaining import breakdown_tables, explain, small_values
from competition.views.markdown import as_html
from competition.views.problem_groups import shown_report
from scoring.tracks import get_kind
from tests.support.builders import make_board, make_scored, make_submission
from tests.support.clock import move_to
from tests.support.pages import Scene, make_scene

KIND = get_kind("short_answer")


def cells(n: int, f1: float) -> dict[str, Any]:
    return {"n": n, "rouge1_f1": f1, "rouge1_precision": f1, "rouge1_recall": f1}


def test_small_values_are_merged_until_they_hold_eight() -> None:
    assert small_values({"a": 20, "b": 7, "c": 9}) == ["b", "c"]
    assert small_values({"a": 20, "b": 30}) == []
    assert small_values({"a": 3, "b": 5, "c": 40}) == ["a", "b"]
    assert small_values({"a": 8}) == []
    assert small_values({}) == []


def test_a_breakdown_prints_no_cell_of_under_eight_items() -> None:
    found = {
        "tier": {"easy": cells(40, 0.5), "hard": cells(3, 1.0), "expert": cells(5, 0.2), "odd": cells(9, 0.1)}
    }
    (table,) = breakdown_tables(KIND, KIND.scores[:1], found)
    assert [(row.head, [cell.text for cell in row.cells]) for row in table.rows] == [
        ("easy", ["40", "50.00"]),
        ("odd", ["9", "10.00"]),
        ("2 values together", ["8", "50.00"]),
    ]
    assert "fewer than 8 items" in table.note


def test_a_slice_that_would_show_one_row_is_not_printed() -> None:
    assert (
        breakdown_tables(KIND, KIND.scores[:1], {"tier": {"easy": cells(40, 0.5), "hard": cells(3, 1.0)}})
        == []
    )


DIAGNOSTICS = {
    "n_answers": 60,
    "none_rate": 0.05,
    "answer_words": {
        "columns": ["words", "n", "share", "within the guideline"],
        "rows": [["1–25", 50, 0.8333, True], ["over 150", 10, 0.1667, False]],
    },
    "f1_by_length": {"columns": ["words", "n", "F1"], "rows": [["1–25", 53, 0.5], ["over 150", 7, 0.9]]},
}


def test_each_level_brings_its_own_and_nothing_above() -> None:
    free, gold = explain(KIND, DIAGNOSTICS, levels=[0]), explain(KIND, DIAGNOSTICS, levels=[1])
    assert [(figure.title, figure.shown) for figure in free.figures] == [
        ("Answers", "60"),
        ("Answered None", "5.00 %"),
    ]
    assert [table.title for table in free.tables] == []
    assert free.charts[0].drawing.finding == "Answer length in words: most often 1–25; 10 past the limit"
    assert [bar.beyond for bar in free.charts[0].drawing.bars] == [False, True]
    assert [row.head for row in gold.tables[0].rows] == ["1–25"], "seven items are too few to show"
    assert "fewer than 8" in gold.tables[0].note
    assert not explain(KIND, DIAGNOSTICS, levels=[2, 3])


def test_bars_stand_on_the_axis_and_the_highest_fills_it() -> None:
    drawing = histogram(["a", "b", "c"], [4, 0, 2], "finding")
    heights = [bar.height for bar in drawing.bars]
    assert heights[0] == 2 * heights[2]
    assert heights[1] == 0
    assert all(bar.y + bar.height == drawing.base for bar in drawing.bars)
    assert [bar.value for bar in drawing.bars] == ["4", "", "2"]


def test_problems_stand_worst_first_with_their_line() -> None:
    problems = [
        {"code": "W501", "line": 1, "item_id": "a"},
        *({"code": "E209", "line": None, "item_id": f"q{n}"} for n in range(9)),
        *({"code": "E303", "line": n, "item_id": "b"} for n in range(2, 9)),
    ]
    totals = {"W501": 1, "E209": 1_500, "E303": 7}
    line = ["the ", "faulty", " line"]
    report = shown_report({"problems": problems, "counts": {"codes": totals}}, {"10": line}, {"b": "right"})
    groups = report.groups
    assert [(one.code, one.total, len(one.problems), len(one.more), one.unkept) for one in groups] == [
        ("E209", 1_500, 1, 8, 1_491),
        ("E303", 7, 5, 2, 0),
        ("W501", 1, 1, 0, 0),
    ]
    assert groups[1].problems[0]["excerpt"] == line
    assert groups[1].problems[0]["right"] == "right"
    assert report.counts == [("1,507 must be fixed", "bad"), ("1 to look at", "warn")]
    assert [section.title for section in report.sections] == ["Must be fixed", "Please look"]


def test_markdown_of_organizers_brings_no_script_and_no_picture() -> None:
    html = as_html(
        "# Head\n<script>alert(1)</script>\n\n[x](javascript:alert(1)) [y](https://example.org) ![p](https://x/p.png)"
    )
    assert "<h3>Head</h3>" in html
    assert "<script" not in html
    assert "javascript:" not in html.replace("javascript:alert(1))", "")
    assert "<img" not in html
    assert 'href="https://example.org"' in html
    assert as_html("  ") == ""


def test_moments_are_written_in_three_zones() -> None:
    close = datetime(2026, 5, 11, 11, 59, tzinfo=UTC)
    shown = podium.deadline(close, close - timedelta(days=2, hours=4, seconds=1))
    assert shown["utc"] == "11 May 2026 11:59"
    assert shown["aoe"] == "10 May 2026 23:59"
    assert shown["until"] == "in 2 days 4 hours"
    assert podium.until(close, close + timedelta(seconds=90)) == "1 minute ago"
    assert podium.until(close, close - timedelta(seconds=30)) == "in less than a minute"
    assert [podium.age(close, close + timedelta(seconds=n)) for n in (0, 59, 60, 7_200, 200_000)] == [
        "0 s",
        "59 s",
        "1 min",
        "2 h",
        "2 d",
    ]


def test_spelled_out_characters_are_set_apart_and_the_rest_is_escaped() -> None:
    assert podium.unseen("a<U+200B>b") == 'a<span class="unseen">U+200B</span>b'
    assert podium.unseen("<b>") == "&lt;b&gt;"


@pytest.fixture
def scene() -> Scene:
    return make_scene()


def text(answer: HttpResponse) -> str:
    return " ".join(answer.content.decode().split())


REPORT = {
    "breakdowns": {"tier": {"easy": cells(30, 0.4), "hard": cells(30, 0.6)}},
    "diagnostics": DIAGNOSTICS,
}


@pytest.mark.django_db
@pytest.mark.both
def test_diagnostics_follow_the_phase_before_and_after_publication(scene: Scene) -> None:
    run = make_submission(scene.team, scene.test, scene.track, observed=DIAGNOSTICS)
    make_scored(run, primary=0.5, report=REPORT)
    client = scene.as_(scene.lead)
    before = text(client.get(run.get_absolute_url()))
    assert "What your answers look like" in before
    assert "By tier" not in before
    assert "Why the score" not in before
    assert "50.00" not in before
    board = make_board(scene.test, scene.track)
    Publication.objects.create(board=board, published_at=board.frozen_at)
    assert "By tier" not in text(client.get(run.get_absolute_url())), "while the phase still takes runs"
    Phase.objects.filter(pk=scene.test.pk).update(closes_at=clock.now(), grace_seconds=0)
    after = text(client.get(run.get_absolute_url()))
    assert "By tier" in after
    assert "Why the score" in after
    assert "50.00" in after


@pytest.mark.django_db
@pytest.mark.both
def test_the_part_that_changes_comes_alone_and_stops_asking_when_final(scene: Scene) -> None:
    from tests.support.builders import make_evaluation

    move_to(clock.now())
    run = make_submission(scene.team, scene.dev, scene.track)
    make_evaluation(run)
    client = scene.as_(scene.lead)
    part = text(client.get(run.get_absolute_url(), headers={"HX-Request": "true"}))
    assert part.startswith('<section id="run" hx-get=')
    assert 'hx-trigger="every 2s"' in part
    assert "Queued 0 s, 0 ahead, 0 workers alive" in part
    make_scored(run)
    part = text(client.get(run.get_absolute_url(), headers={"HX-Request": "true"}))
    assert "hx-trigger" not in part
    assert "Scored" in part


@pytest.mark.django_db
@pytest.mark.both
def test_a_failure_of_ours_says_so_with_its_reference(scene: Scene) -> None:
    from tests.support.builders import make_evaluation

    run = make_submission(scene.team, scene.dev, scene.track)
    make_evaluation(run, status="failed", failure_reference="AB12CD34")
    page = text(scene.as_(scene.lead).get(run.get_absolute_url()))
    assert "that is our fault" in page
    assert "AB12CD34" in page
    assert "was not used" in page


def test_a_quota_of_nothing_is_not_called_no_limit() -> None:
    assert podium.quota_rule(SimpleNamespace(daily_quota=0, total_quota=None)) == "0 a day"
    assert podium.quota_rule(SimpleNamespace(daily_quota=5, total_quota=0)) == "5 a day, 0 in all"
    assert podium.quota_rule(SimpleNamespace(daily_quota=None, total_quota=None)) == "no limit"
