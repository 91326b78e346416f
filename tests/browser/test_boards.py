"""A frozen board of the widest kind: in sight on a desk, and on a phone only its own frame scrolls."""

from __future__ import annotations

import json
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from scoring.options import read_options
from scoring.tracks import get_kind
from tests.support.boards import snapshot
from tests.support.builders import make_board, publish
from tests.support.pages import Scene

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

BEYOND = "frame => frame.scrollWidth - frame.clientWidth"
REASONS = {"request_failed": 0.0185, "format": 0.037}


def widest() -> dict[str, Any]:
    """Every score of token tags, intervals, and a reason or two in each line."""
    kind = get_kind("bio_tagging")
    scores = kind.scores_for(read_options(kind, {}))
    lines = [
        {
            **line,
            "affiliation": "Institute of Slow Tides",
            "run_name": "attempt 1",
            "scores": dict.fromkeys((score.key for score in scores), line["scores"]["rouge1_f1"]),
            "invalid": {"rate": sum(REASONS.values()), "reasons": REASONS},
        }
        for line in snapshot()["entries"]
    ]
    columns = [
        {"key": one.key, "title": one.title, "symbol": one.symbol, "higher_is_better": True} for one in scores
    ]
    return snapshot(scores=columns, entries=lines)


def test_the_widest_board_fits_a_desk_and_on_a_phone_scrolls_in_its_own_frame(
    page: Page, scene: Scene
) -> None:
    board = make_board(scene.dev, scene.track, content=json.dumps(widest()))
    publish(board)
    page.set_viewport_size({"width": 1440, "height": 900})
    page.goto(board.get_absolute_url())
    frame = page.get_by_role("region", name="Answers, Test, 152 items")
    assert frame.locator("thead th").count() == 14, "as wide as a board gets"
    assert frame.evaluate(BEYOND) == 0
    page.set_viewport_size({"width": 390, "height": 844})
    assert page.locator("html").evaluate(BEYOND) == 0
    assert frame.evaluate(BEYOND) > 0
    frame.focus()
    assert frame.evaluate("frame => frame === document.activeElement")
    page.keyboard.press("ArrowRight")
    expect(frame).not_to_have_js_property("scrollLeft", 0)


def test_the_profile_names_the_columns_that_hold_its_numbers(page: Page, scene: Scene) -> None:
    board = make_board(scene.dev, scene.track, content=json.dumps(widest()))
    publish(board)
    page.goto(board.get_absolute_url())
    said = page.locator("figure.chart p").inner_text()
    assert said == "Its numbers are the columns macro P and macro R of the table above."
    heads = page.locator("table.board thead th").all_inner_texts()
    assert {"macro P", "macro R"} < set(heads)
