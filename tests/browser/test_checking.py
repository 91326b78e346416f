"""Dropping a file: checked at once, sent from its report; and the same without scripts."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from competition.models import RefusedUpload, Submission, User
from tests.support.builders import as_lines
from tests.support.pages import Scene

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

DROP = """([area, name, text]) => {
  const data = new DataTransfer();
  data.items.add(new File([text], name));
  area.dispatchEvent(new DragEvent("drop", { dataTransfer: data, bubbles: true, cancelable: true }));
}"""
FAULTY = as_lines({"task_id": "q\u200b1", "answer": "x"}, {"task_id": "q2", "answer": ""}).decode()


def drop(page: Page, name: str, text: str) -> None:
    page.locator(".drop").evaluate("(area, it) => (" + DROP + ")([area, ...it])", [name, text])


def test_a_visitor_drops_a_file_on_the_track_page(page: Page, scene: Scene, run_file: Path) -> None:
    page.goto(scene.address)
    drop(page, "mine.jsonl", FAULTY)
    outcome = page.locator("#outcome")
    expect(outcome.locator("h2").first).to_have_text("It would be refused: 2 problems")
    expect(page.locator(".chosen")).to_contain_text("It would be refused")
    expect(outcome.locator("mark .unseen")).to_have_text("U+200B")
    with page.expect_download() as download:
        outcome.get_by_role("link", name="JSON").click()
    assert json.loads(Path(download.value.path()).read_bytes())["counts"]["errors"] == 2
    drop(page, "mine.jsonl", run_file.read_text())
    expect(outcome.locator("h2").first).to_contain_text("Valid")
    assert not RefusedUpload.objects.exists()
    outcome.get_by_role("link", name="Go on to sending it").click()
    expect(page.get_by_role("heading", name="Sign in to send a run")).to_be_visible()


def test_a_member_sends_straight_from_the_report(
    page: Page, scene: Scene, run_file: Path, sign_in: Callable[[Page, User], None]
) -> None:
    sign_in(page, scene.lead)
    page.goto(f"{scene.address}check/?phase=dev")
    page.set_input_files("input[type=file]", run_file)
    page.get_by_role("button", name="Send this run").click()
    page.wait_for_url("**/submissions/**")
    assert Submission.objects.count() == 1


def test_without_scripts_the_form_does_the_same(
    open_page: Callable[..., Page], scene: Scene, tmp_path: Path
) -> None:
    page = open_page(java_script_enabled=False)
    page.goto(f"{scene.address}check/")
    faulty = tmp_path / "faulty.jsonl"
    faulty.write_text(FAULTY)
    page.set_input_files("input[type=file]", faulty)
    page.get_by_role("button", name="Check the file").click()
    expect(page.get_by_role("heading", name="It would be refused: 2 problems")).to_be_visible()
    page.get_by_role("link", name="E204").first.click()
    page.goto("/codes/E204/")
    expect(page.get_by_role("heading", name="E204")).to_be_visible()
