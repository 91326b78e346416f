"""What people come to do, from the first click to the last, in a real browser."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from competition.models import RefusedUpload, Submission, User
from tests.support.builders import as_lines, make_scored, make_submission, make_user
from tests.support.clock import move_to
from tests.support.pages import Scene

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

SignIn = Callable[[Page, User], None]


@pytest.mark.parametrize("scripts", [True, False], ids=["with scripts", "without scripts"])
def test_from_the_front_page_to_the_board(
    open_page: Callable[..., Page],
    scene: Scene,
    run_file: Path,
    score_everything: Callable[[], None],
    scripts: bool,
) -> None:
    page = open_page(java_script_enabled=scripts)
    page.goto("/")
    page.get_by_role("link", name="Submit a run").click()
    page.get_by_role("main").get_by_role("link", name="sign up").click()
    page.get_by_label("Email").fill("ada@example.org")
    page.get_by_label("Password", exact=True).fill("a very long pass phrase")
    page.get_by_label("Password (again)").fill("a very long pass phrase")
    page.get_by_role("button", name="Sign up").click()
    expect(page.get_by_text("You need a team first")).to_be_visible()
    page.get_by_role("main").get_by_role("link", name="Create a team").click()
    page.get_by_label("Team name").fill("Αναλυτές 星")
    page.get_by_label("I accept the terms").check()
    page.get_by_role("button", name="Create the team").click()
    page.get_by_role("link", name="Development").first.click()
    page.get_by_label("Your run for Development").set_input_files(run_file)
    page.get_by_label("Run name").fill("first try")
    page.get_by_role("button", name="Send the run").click()
    expect(page.get_by_role("heading", name="Run 1 of Αναλυτές 星")).to_be_visible()
    expect(page.get_by_role("status")).to_contain_text("Queued")
    score_everything()
    if not scripts:
        page.reload()
    expect(page.locator(".run-state")).to_contain_text("Scored")
    expect(page.locator(".figures").first).to_contain_text("ROUGE-1 F1")
    page.goto(f"{scene.address}leaderboard/?phase=dev")
    mine = page.get_by_role("row").filter(has_text="Αναλυτές 星")
    expect(mine).to_contain_text("(your team)")
    expect(mine).to_contain_text("first try")
    expect(mine.locator(".primary-score")).to_have_text("75.00")


def test_a_faulty_file_leads_to_a_report_one_can_act_on(
    page: Page, scene: Scene, sign_in: SignIn, tmp_path: Path
) -> None:
    faulty = tmp_path / "faulty.jsonl"
    faulty.write_bytes(
        as_lines({"task_id": "q\u200b1", "answer": "x"}) + b'{"task_id": "q2", "answer": "cut\n'
    )
    sign_in(page, scene.lead)
    page.goto(f"{scene.address}submit/?phase=dev")
    page.get_by_label("Your run for Development").set_input_files(faulty)
    expect(page.locator(".chosen")).to_contain_text("faulty.jsonl")
    page.get_by_role("button", name="Send the run").click()
    expect(page.get_by_role("heading", level=1)).to_contain_text("Refused: 2 problems, nothing counted")
    expect(page.locator("#E204")).to_contain_text("U+200B")
    expect(page.locator("#E204 .excerpt").first).to_contain_text("answer")
    expect(page.locator("#E116")).to_contain_text("line 2")
    with page.expect_download() as download:
        page.get_by_role("link", name="CSV").click()
    assert download.value.suggested_filename == "problems.csv"
    page.get_by_role("link", name="send the file again").click()
    expect(page.get_by_text("Counts as 1 of 20 today.")).to_be_visible()
    assert not Submission.objects.exists()


def test_a_phase_that_closes_while_one_types_says_so_and_keeps_nothing(
    page: Page, scene: Scene, sign_in: SignIn, run_file: Path
) -> None:
    sign_in(page, scene.lead)
    page.goto(f"{scene.address}submit/?phase=dev")
    page.get_by_label("Your run for Development").set_input_files(run_file)
    move_to(scene.dev.closes_at + timedelta(seconds=1))
    page.get_by_role("button", name="Send the run").click()
    expect(page.get_by_role("alert")).to_contain_text("Nothing was sent")
    expect(page.get_by_role("alert")).to_contain_text("Development closed on")
    assert not Submission.objects.exists()
    assert not RefusedUpload.objects.exists()


def test_who_was_signed_out_comes_back_to_the_form(page: Page, scene: Scene) -> None:
    page.goto(f"{scene.address}submit/")
    page.get_by_role("main").get_by_role("link", name="Log in").click()
    page.get_by_label("Email").fill("lead@example.org")
    page.get_by_label("Password").fill("correct horse battery")
    page.get_by_role("main").get_by_role("button", name="Log in").click()
    expect(page.get_by_role("button", name="Send the run")).to_be_visible()
    assert page.url.endswith(f"{scene.address}submit/")


def test_a_double_click_sends_one_run(page: Page, scene: Scene, sign_in: SignIn, run_file: Path) -> None:
    sign_in(page, scene.lead)
    page.goto(f"{scene.address}submit/?phase=dev")
    page.get_by_label("Your run for Development").set_input_files(run_file)
    page.get_by_role("button", name="Send the run").dblclick(no_wait_after=True)
    expect(page.get_by_role("heading", level=1)).to_contain_text("Run 1 of Aegean")
    assert Submission.objects.count() == 1


def test_an_invitation_travels_from_one_person_to_another(
    open_page: Callable[..., Page], scene: Scene, sign_in: SignIn
) -> None:
    captain, friend = open_page(), open_page()
    sign_in(captain, scene.lead)
    captain.goto(scene.team.get_absolute_url())
    captain.get_by_role("button", name="Make an invitation link").click()
    link = captain.get_by_label("Invitation link").input_value()
    sign_in(friend, make_user("friend"))
    friend.goto(link)
    friend.get_by_label("I accept the terms").check()
    friend.get_by_role("button", name="Join the team").click()
    expect(friend.get_by_role("status")).to_contain_text("You are in Aegean now.")


def test_a_deadline_stands_in_the_visitors_own_zone(page: Page, scene: Scene) -> None:
    page.goto(scene.address)
    deadline = page.locator(".deadline").first
    # The browser is set to Kolkata; without scripts the line says UTC.
    expect(deadline.locator(".own")).to_contain_text("GMT+5:30")
    expect(deadline).to_contain_text("AoE")
    expect(deadline.locator("[data-until]")).to_contain_text("in 23 hours")


def test_a_file_dropped_anywhere_on_the_field_is_chosen(page: Page, scene: Scene, sign_in: SignIn) -> None:
    sign_in(page, scene.lead)
    page.goto(f"{scene.address}submit/?phase=dev")
    dropped: Any = page.evaluate_handle(
        "() => { const d = new DataTransfer(); d.items.add(new File(['{}'], 'dropped.jsonl')); return d; }"
    )
    page.dispatch_event(".drop", "drop", {"dataTransfer": dropped})
    expect(page.locator(".chosen")).to_contain_text("dropped.jsonl, 2 bytes")


def test_a_board_is_sorted_and_searched_by_its_address(page: Page, scene: Scene) -> None:
    for team, f1, recall in ((scene.team, 0.9, 0.1), (scene.rivals, 0.3, 0.8)):
        make_scored(
            make_submission(team, scene.dev, scene.track), primary=f1, scores={"rouge1_recall": recall}
        )
    page.goto(f"{scene.address}leaderboard/?phase=dev")
    expect(page.locator("tbody .team a")).to_have_text(["Aegean", "Rivals"])
    page.get_by_role("link", name="R", exact=True).click()
    expect(page.locator("tbody .team a")).to_have_text(["Rivals", "Aegean"])
    page.goto(f"{scene.address}leaderboard/?phase=dev&team=riv")
    expect(page.locator("tbody .team a")).to_have_text(["Rivals"])
    page.get_by_label("Find a team").fill("aeg")
    page.get_by_role("button", name="Find").click()
    expect(page.locator("tbody .team a")).to_have_text(["Aegean"])


def test_a_countdown_is_right_after_sleep_and_on_a_page_the_browser_kept(page: Page, scene: Scene) -> None:
    """`performance.now()` may stand still while a computer sleeps; a kept page brings a moment long gone."""
    page.add_init_script(
        "const real = Date.now; Date.now = () => real() + (window.slept || 0); performance.now = () => 0;"
    )
    page.goto("/tasks/ebisu/")
    left = page.locator("main [data-until], aside [data-until], .rail [data-until]").first
    expect(left).to_contain_text("in 23 hours")
    page.evaluate("window.slept = 5 * 3600 * 1000")
    expect(left).to_contain_text("in 18 hours")
    page.evaluate("window.slept = 24 * 3600 * 1000")
    expect(left).to_contain_text("ago", timeout=10_000)
    page.add_init_script("performance.getEntriesByType = () => [{ transferSize: 0 }];")
    page.add_init_script("window.slept = 5 * 3600 * 1000;")
    page.goto("/tasks/ebisu/")
    expect(left).to_contain_text("in 18 hours")
