"""Real items and answers, through the form, to a board and a frozen export with a number known before."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from competition.domain.freezing import freeze_leaderboard, publish_leaderboard
from competition.models import FrozenLeaderboard, User
from tests.support.builders import make_gold, make_items, make_phase
from tests.support.clock import move_to
from tests.support.pages import Scene
from tests.support.shared import shared_path

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


def first_words(gold: bytes, words: int = 30) -> bytes:
    """A run of the first words of each reference."""
    lines = []
    for line in gold.decode().splitlines():
        record = json.loads(line)
        answer = " ".join(record["answer"].split()[:words])
        lines.append(json.dumps({"task_id": record["task_id"], "answer": answer}, ensure_ascii=False))
    return ("\n".join(lines) + "\n").encode()


def test_152_real_answers_stand_with_their_known_score(
    page: Page,
    scene: Scene,
    sign_in: Callable[[Page, User], None],
    score_everything: Callable[[], None],
    tmp_path: Path,
) -> None:
    items = shared_path("data/polyfiqa/items.jsonl").read_bytes()
    gold = shared_path("data/polyfiqa/gold.jsonl").read_bytes()
    real = make_phase(scene.task, "real", name="Real items")
    make_gold(real, scene.track, gold, item_set=make_items(real, scene.track, items))
    run = tmp_path / "first-30-words.jsonl"
    run.write_bytes(first_words(gold))

    sign_in(page, scene.lead)
    page.goto(f"{scene.address}submit/?phase=real")
    page.get_by_label("Your run for Real items").set_input_files(run)
    page.get_by_role("button", name="Send the run").click()
    expect(page.get_by_role("heading", level=1)).to_contain_text("Run 1 of Aegean")
    score_everything()
    expect(page.locator(".run-state")).to_contain_text("Scored")
    expect(page.locator(".figures .first dd")).to_have_text("72.96")
    page.goto(f"{scene.address}leaderboard/?phase=real")
    expect(page.get_by_role("row").filter(has_text="Aegean").locator(".primary-score")).to_have_text("72.96")

    move_to(real.closes_at + timedelta(seconds=1))
    board = freeze_leaderboard(phase=real, track=scene.track, frozen_by=scene.organizer, reason="It is over.")
    publish_leaderboard(board=board, published_by=scene.organizer)
    page.goto(board.get_absolute_url())
    expect(page.locator(".primary-score")).to_have_text("72.96")
    assert round(float(exported(page, "CSV", board)["rouge1_f1"]), 4) == 0.7296
    assert round(float(exported(page, "JSON", board)["rouge1_f1"]), 4) == 0.7296


def exported(page: Page, label: str, board: FrozenLeaderboard) -> dict[str, str]:
    """The first team's scores in a download of the frozen board, as text."""
    with page.expect_download() as download:
        page.get_by_role("link", name=label).click()
    content = Path(download.value.path()).read_text(encoding="utf-8-sig")
    if label == "CSV":
        return next(csv.DictReader(io.StringIO(content)))
    told = json.loads(content)
    assert told["digest"] == board.digest
    return {key: repr(value) for key, value in told["content"]["entries"][0]["scores"].items()}
