"""Three hundred hostile strings in every text a person can give, seen in a real browser under the policy:
nothing runs, nothing is reported, no page grows wider than its window.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Callable
from itertools import cycle
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.management import call_command
from playwright.sync_api import Page

from competition import clock
from competition.domain.freezing import freeze_leaderboard, publish_leaderboard
from competition.models import Announcement, Phase, RefusedUpload, SharedTask, Submission, Team, Track, User
from tests.security.hostile import strings
from tests.support.builders import as_lines
from tests.support.roles import Everyone, gather

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

OVERFLOW = "document.documentElement.scrollWidth - document.documentElement.clientWidth"
CULPRITS = """() => [...document.querySelectorAll("main *, header *, footer *, nav *")]
  .filter((one) => one.getBoundingClientRect().right > document.documentElement.clientWidth + 1
    && !one.closest(".scroll, .tabs"))
  .slice(-3).map((one) => `${one.tagName}.${one.className} < ${one.parentElement.className}`).join(", ")"""
ROUNDS = 6
TEXTS: tuple[tuple[type[Any], tuple[str, ...]], ...] = (
    (SharedTask, ("name", "summary", "about_markdown", "terms")),
    (Track, ("name", "sentence")),
    (Phase, ("name", "announcement")),
    (Team, ("name", "affiliation", "country")),
    (User, ("display_name", "first_name", "last_name")),
    (Submission, ("file_name", "run_name", "method", "external_data", "baseline_name")),
    (RefusedUpload, ("file_name",)),
    (Announcement, ("text",)),
)
"""Every model with text that people write and pages show; written past the forms, as if none refused."""


def test_there_are_three_hundred_different_strings() -> None:
    assert len(set(strings())) == 300


def write_everywhere(words: Any) -> int:
    """Put the next string into each text field of each row, cut to what the column holds."""
    written = 0
    for model, names in TEXTS:
        for row in model._base_manager.all():
            for name in names:
                field = model._meta.get_field(name)
                text = next(words).replace("\x00", "")
                setattr(row, name, text[: min(field.max_length or 10_000, 2_000)])
                written += 1
            if model is Team:
                row.name_key = row.name[:50] + row.public_id
            model._base_manager.filter(pk=row.pk).update(
                **{name: getattr(row, name) for name in (*names, *(["name_key"] if model is Team else []))}
            )
    return written


def test_nothing_runs_and_nothing_breaks_the_layout(
    open_page: Callable[..., Page], live_server: Any, sign_in: Callable[[Page, User], None]
) -> None:
    everyone = gather()
    hostile = strings()
    client = everyone.as_("member")
    refusals = []
    for start in range(0, 300, 60):  # answers and ids, in files that are refused and quoted back
        lines = [
            {"task_id": word, "answer": word, word[:50] or "x": word} for word in hostile[start : start + 60]
        ]
        file = SimpleUploadedFile(f"{hostile[start][:80]}.jsonl", as_lines(*lines))
        refusals.append(client.post(f"{everyone.address}submit/?phase=dev", {"file": file})["Location"])
    answers = as_lines(*({"task_id": f"q{n}", "answer": hostile[n]} for n in range(4)))
    client.post(f"{everyone.address}submit/?phase=dev", {"file": SimpleUploadedFile("r.jsonl", answers)})
    call_command("worker", until_idle=True, name="w")
    words = cycle(hostile)
    page, desk = open_page(), open_page()
    for viewed, role in ((page, "member"), (desk, "superuser")):
        person = everyone.people[role]
        assert person is not None
        sign_in(viewed, person)
    found: list[str] = []
    written = 0
    for number in range(ROUNDS):
        written += write_everywhere(words)
        board = _board_of(everyone) if number == 0 else everyone.boards["published"]
        for address in [*_pages(everyone, board), *refusals]:
            found += _look(page, address, (360, 1440))
        for address in DESK_LISTS:
            found += _look(desk, address, ())
    print(f"{written} texts written, {ROUNDS} rounds of {len(_pages(everyone, board)) + len(refusals)} pages")
    assert written > 300
    assert not found, "\n".join(found)
    _assert_tables_hold_no_formula(everyone, client)


DESK_LISTS = [
    f"/admin/competition/{name}/"
    for name in (
        "team",
        "submission",
        "track",
        "phase",
        "refusedupload",
        "announcement",
        "auditentry",
        "user",
    )
]


def _board_of(everyone: Everyone) -> Any:
    """A board frozen while every name was hostile."""
    organizer = everyone.people["organizer"]
    assert organizer is not None
    board = freeze_leaderboard(
        phase=everyone.over,
        track=everyone.track,
        frozen_by=organizer,
        reason="=1+1 <script>window.hit=1</script>",
    )
    publish_leaderboard(board=board, published_by=organizer)
    everyone.boards["published"] = board
    return board


def _pages(everyone: Everyone, board: Any) -> list[str]:
    return [
        "/",
        "/tasks/ebisu/",
        *(f"{everyone.address}{tab}" for tab in ("", "data/", "evaluation/", "submit/?phase=dev", "check/")),
        f"{everyone.address}leaderboard/?phase=dev",
        "/tasks/ebisu/tracks/together/",
        everyone.team.get_absolute_url(),
        everyone.runs["own, dev"].get_absolute_url(),
        everyone.refused.get_absolute_url(),
        board.get_absolute_url(),
    ]


def _look(page: Page, address: str, widths: tuple[int, ...]) -> list[str]:
    """What is wrong with a page; `open_page` itself fails on a policy report or a script error."""
    page.goto(address)
    found = []
    if page.evaluate("window.hit") or "evil" in page.url:
        found.append(f"{address}: something ran")
    for width in widths:
        page.set_viewport_size({"width": width, "height": 900})
        if (over := page.evaluate(OVERFLOW)) > 0:
            found.append(f"{address}: {over} px wider than {width}: {page.evaluate(CULPRITS)}")
    return found


def _assert_tables_hold_no_formula(everyone: Everyone, client: Any) -> None:
    addresses = [
        f"/boards/{everyone.boards['published'].public_id}.csv",
        f"{everyone.refused.get_absolute_url()}problems.csv",
    ]
    for address in addresses:
        text = client.get(address).content.decode("utf-8-sig")
        cells = [cell for line in csv.reader(io.StringIO(text)) for cell in line]
        live = [cell for cell in cells if cell[:1] in "=+-@\t\r" and cell and not _is_number(cell)]
        assert cells
        assert not live, live[:5]
    assert clock.now()


def _is_number(cell: str) -> bool:
    try:
        float(cell)
    except ValueError:
        return False
    return True
