"""The demonstration: all it promises is there, scored, frozen and verified; starting it is one command."""

from __future__ import annotations

import json
import os
import re
import signal
import socket
import subprocess
import sys
import time
import urllib.request
from pathlib import Path

import pytest
from django.conf import settings
from django.core.management import call_command

from competition import clock
from competition.domain.standings import live_standings
from competition.domain.verification import verify_leaderboard
from competition.enums import WorkStatus
from competition.models import (
    Evaluation,
    FrozenLeaderboard,
    ItemSet,
    Phase,
    RefusedUpload,
    SharedTask,
    Team,
    Track,
)
from scoring.checks import check_gold, check_items, check_run
from scoring.tracks import get_kind, kind_names
from tests.support.ports import free_port

FIXTURES = Path(settings.BASE_DIR) / "fixtures" / "demo"
ANSWERS = FIXTURES / "01-ledger-tongues" / "short-answers"
OPEN_EXAMS = {"multiple_choice", "classification", "ranked_list"}
"""Kinds whose test phase is still open in the demonstration."""


def test_the_items_are_what_the_page_promises():
    kind = get_kind("short_answer")
    n, tiers, languages = 0, set(), set()
    for phase in ("development", "test"):
        items = check_items(kind, (ANSWERS / f"items_{phase}.jsonl").read_bytes()).items
        assert items is not None
        assert check_gold(kind, items, (ANSWERS / f"gold_{phase}.jsonl").read_bytes()).gold is not None
        n += len(items.records)
        tiers |= {item["tier"] for item in items.records.values()}
        languages |= {language for item in items.records.values() for language in item["languages"]}
        for run in ANSWERS.glob(f"runs/*_{phase}_*.jsonl"):
            assert check_run(kind, items, run.read_bytes()).run is not None, run.name
    assert n >= 24
    assert tiers == {"easy", "expert"}
    assert languages == {"en", "zh", "ja", "es", "el"}


def test_the_files_to_try_pass_and_fail():
    kind = get_kind("short_answer")
    items = check_items(kind, (ANSWERS / "items_development.jsonl").read_bytes()).items
    assert check_run(kind, items, (ANSWERS / "try_me.jsonl").read_bytes()).run is not None
    faulty = check_run(kind, items, (ANSWERS / "try_me_faulty.jsonl").read_bytes())
    assert faulty.run is None
    assert len(faulty.problems.totals) >= 5, "a faulty file shows different kinds of fault"


@pytest.mark.both
@pytest.mark.django_db(transaction=True)
def test_the_demo_task_is_whole_and_loading_it_twice_changes_nothing():
    call_command("seed_demo", first=True)
    task = SharedTask.objects.get()
    track = Track.objects.get()
    assert Team.objects.participants().count() == 6
    assert set(Evaluation.objects.values_list("status", flat=True)) == {WorkStatus.DONE}
    assert not RefusedUpload.objects.exists()
    moment = clock.now()
    open_now = {phase.slug for phase in Phase.objects.all() if phase.is_open_at(moment)}
    assert open_now == {"development", "post"}
    board = live_standings(
        task.phases.get(slug="development"), track, Team.objects.participants().first().captain, moment
    )
    assert (len(board.ranked), len(board.baselines)) == (6, 3)
    frozen = FrozenLeaderboard.objects.get()
    assert frozen.is_published
    assert verify_leaderboard(frozen) == []
    content = json.loads(frozen.content)
    assert all(entry["interval"] for entry in content["entries"])
    assert content["signature"].endswith("ci:cluster13x10000|seed:13")
    before = (Evaluation.objects.count(), ItemSet.objects.count(), frozen.digest)
    call_command("seed_demo", first=True)
    assert (
        Evaluation.objects.count(),
        ItemSet.objects.count(),
        FrozenLeaderboard.objects.get().digest,
    ) == before


@pytest.mark.django_db(transaction=True)
def test_the_demo_has_a_scored_track_of_every_kind_and_boards_that_verify():
    call_command("seed_demo")
    assert {track.kind for track in Track.objects.all()} == set(kind_names())
    assert set(Evaluation.objects.values_list("status", flat=True)) == {WorkStatus.DONE}
    assert not RefusedUpload.objects.exists()
    boards = FrozenLeaderboard.objects.select_related("track", "phase")
    assert {board.track.kind for board in boards} == set(kind_names()) - OPEN_EXAMS
    assert all(board.is_published for board in boards)
    assert verify_leaderboard(boards.get(track__kind="fact_selection")) == []
    for task in SharedTask.objects.all():
        task.full_clean()


def test_one_command_starts_a_site_that_answers_and_stops_whole(tmp_path):
    port = free_port()
    kept = {
        key: value
        for key, value in os.environ.items()
        if key not in ("DATABASE_URL", "REDIS_URL", "SECRET_KEY")
    }
    process = subprocess.Popen(
        [sys.executable, "manage.py", "demo", "--port", str(port)],
        cwd=settings.BASE_DIR,
        env={**kept, "PODIUM_DEMO": "1", "PODIUM_DATA_DIR": str(tmp_path)},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    assert process.stdout is not None
    said = ""
    try:
        for line in process.stdout:
            said += line
            if "Ctrl-C" in line:
                break
        assert process.poll() is None, said
        assert re.search(r"password +\S{8,}", said), said
        site = f"http://localhost:{port}"
        home = urllib.request.urlopen(f"{site}/", timeout=60).read().decode()
        assert "Ledger Tongues" in home
        assert urllib.request.urlopen(f"{site}/healthz", timeout=60).status == 200
        workers = processes_of(process.pid)
        assert len(workers) >= 2, "a site and a worker"
        process.send_signal(signal.SIGTERM)
        assert process.wait(timeout=30) == 0
    finally:
        process.kill()
        process.stdout.close()
        process.wait()
    for _ in range(300):
        if not any(Path("/proc", pid).exists() for pid in workers):
            break
        time.sleep(0.1)
    assert not any(Path("/proc", pid).exists() for pid in workers)


def processes_of(parent: int) -> list[str]:
    return Path(f"/proc/{parent}/task/{parent}/children").read_text().split()


def test_a_busy_port_and_a_missing_setting_are_said_plainly(tmp_path):
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = str(taken.getsockname()[1])
        for demo, words in (("1", f"Port {port} is in use"), ("", "Set PODIUM_DEMO=1")):
            done = subprocess.run(
                [sys.executable, "manage.py", "demo", "--port", port],
                cwd=settings.BASE_DIR,
                env={**os.environ, "PODIUM_DEMO": demo, "PODIUM_DATA_DIR": str(tmp_path)},
                capture_output=True,
                text=True,
            )
            assert done.returncode == 1
            assert words in done.stderr
