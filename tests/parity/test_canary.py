"""Words planted in gold come out nowhere: no validator, sample, page, report, log line or export.

Teams and visitors read everything they may while runs are checked, scored, refused, frozen and published.
"""

from __future__ import annotations

import io
import re
import zipfile
from datetime import timedelta
from html import unescape

import pytest
from django.core.management import call_command
from django.test import Client

from competition.domain.baselines import send_baselines
from competition.domain.freezing import freeze_leaderboard, publish_leaderboard
from competition.models import Evaluation, RefusedUpload, Submission
from tests.support.builders import as_lines, make_board, make_gold, make_items
from tests.support.clock import move_to
from tests.support.pages import Scene, make_scene
from tests.support.runs_sent import check, send

pytestmark = [pytest.mark.django_db, pytest.mark.both]

CANARIES = ("canaryzebra", "canarymoth", "κανάρι", "金丝雀")
LEVELS = {"diagnostics_level": 1, "published_level": 2}


@pytest.fixture
def scene() -> Scene:
    """Eight items whose references hold the canaries; both phases may show what level 2 allows."""
    scene = make_scene()
    names = [f"q{place}" for place in range(8)]
    items = [{"task_id": name, "tier": "easy", "question": "Which bird?"} for name in names]
    gold = [
        {"task_id": name, "answer": f"It sings: {CANARIES[at % 4]} {at}."} for at, name in enumerate(names)
    ]
    for phase in (scene.dev, scene.test):
        type(phase).objects.filter(pk=phase.pk).update(**LEVELS)
        item_set = make_items(phase, scene.track, as_lines(*items))
        make_gold(phase, scene.track, as_lines(*gold), item_set=item_set)
    return scene


def run(words: str, n: int = 8) -> bytes:
    return as_lines(*({"task_id": f"q{place}", "answer": f"{words} {place}"} for place in range(n)))


def crawl(client: Client, starts: list[str]) -> dict[str, bytes]:
    """Every page and file that can be reached by links from here, tables in one order each."""
    found: dict[str, bytes] = {}
    waiting = list(starts)
    while waiting:
        address = waiting.pop()
        ordered = "?" in address and not re.search(r"\?phase=[\w-]+$", address)
        if address in found or ordered or address.startswith(("/static/", "/accounts/", "/codes/")):
            continue
        answer = client.get(address)
        body = b"".join(answer.streaming_content) if answer.streaming else answer.content
        found[address] = body + str(dict(answer.headers)).encode()
        if "html" in answer.get("Content-Type", ""):
            links = re.findall(r'(?:href|action)="(/[^"#]*)', body.decode())
            waiting += [unescape(link) for link in links]
    return found


def unpacked(content: bytes) -> bytes:
    """An archive's files beside its own bytes, escapes undone."""
    if zipfile.is_zipfile(io.BytesIO(content)):
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            content += b"".join(archive.read(name) for name in archive.namelist())
    text = content.decode("utf-8", "replace")
    undone = re.sub(r"\\u([0-9a-f]{4})", lambda match: chr(int(match[1], 16)), text, flags=re.IGNORECASE)
    return (text + undone).encode("utf-8", "replace")


def sung(name: str, content: bytes) -> list[str]:
    told = unpacked(content).decode("utf-8", "replace").casefold()
    return [f"{canary} in {name}" for canary in CANARIES if canary.casefold() in told]


def test_no_canary_sings(
    scene: Scene, caplog: pytest.LogCaptureFixture, capfd: pytest.CaptureFixture[str]
) -> None:
    caplog.set_level(0)
    for phase in ("dev", "test"):
        assert isinstance(send(scene, run("It sings:"), phase), Submission)
        assert isinstance(send(scene, run("It sings:", n=7) + b"{'no': json}\n", phase), RefusedUpload)
    for phase in (scene.dev, scene.test):
        send_baselines(phase=phase, track=scene.track, requested_by=None)
    # A gold that does not pass its check, whose problems quote it.
    faulty = as_lines({"task_id": "canaryzebra", "answer": "canarymoth"})
    make_gold(scene.test, scene.track, faulty, status="rejected", problems=[{"message": "canaryzebra"}])
    call_command("worker", until_idle=True, name="canary-worker")
    assert set(Evaluation.objects.values_list("status", flat=True)) == {"done"}

    heard: list[str] = []
    seen: set[str] = set()

    def listen(moment: str) -> None:
        starts = ["/", scene.address, scene.team.get_absolute_url()]
        starts += [one.get_absolute_url() for one in Submission.objects.all()]
        starts += [one.get_absolute_url() for one in RefusedUpload.objects.all()]
        for who in ("visitor", "rival", "lead"):
            pages = crawl(scene.as_(scene.cast[who]), starts)
            for name in ("check", "check as JSON"):
                more = {"as": "json"} if "JSON" in name else {}
                for content in (run("It sings:"), run("It sings:", n=6)):
                    pages[name] = check(scene, content, who=who, **more).content
            for address, content in pages.items():
                heard.extend(sung(f"{address} for {who}, {moment}", content))
            seen.update(pages)

    listen("while open")
    move_to(scene.test.closes_at + timedelta(hours=1))
    for phase in (scene.dev, scene.test):
        board = freeze_leaderboard(
            phase=phase, track=scene.track, frozen_by=scene.organizer, reason="It is over."
        )
        publish_leaderboard(board=board, published_by=scene.organizer)
        for ending in ("json", "csv", "md", "tex"):
            address = f"{board.get_absolute_url().rstrip('/')}.{ending}"
            heard.extend(sung(address, Client().get(address).content))
    listen("after publication")

    output = capfd.readouterr()
    heard.extend(sung("a log line", "\n".join(caplog.messages).encode()))
    heard.extend(sung("the output", (output.out + output.err).encode()))
    assert not heard, "\n".join(heard)
    for part in (
        "validate_answers.py",
        "validators.pyz",
        "sample.jsonl",
        "SHA256SUMS",
        "problems.json",
        ".csv",
    ):
        assert [address for address in seen if part in address], f"nothing was heard of {part}"


def test_a_canary_would_be_heard(scene: Scene) -> None:
    board = make_board(
        scene.dev, scene.track, content='{"entries": ["\\u03ba\\u03b1\\u03bd\\u03ac\\u03c1\\u03b9"]}'
    )
    client = scene.as_(scene.organizer)
    assert sung("board", client.get(f"{board.get_absolute_url().rstrip('/')}.json").content)
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("tracks/a.json", '{"gold": "CanaryMoth"}')
    assert sung("archive", packed.getvalue())
