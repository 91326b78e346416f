"""What participants download without an account: whole, alike for all, built by the sweep, without gold."""

from __future__ import annotations

import hashlib
import re
import subprocess
import sys
from datetime import timedelta
from html import unescape
from pathlib import Path
from typing import Any

import pytest
from django.test import Client

from competition import clock
from competition.domain import validators
from competition.domain.sweeping import sweep
from competition.models import BuiltFile, ItemSet
from scoring.tracks import all_kinds
from tests.support.builders import ITEMS, RUN, as_lines, make_items, make_track
from tests.support.clock import frozen_at
from tests.support.pages import Scene, make_scene

pytestmark = [pytest.mark.django_db, pytest.mark.both]


@pytest.fixture
def scene() -> Scene:
    return make_scene()


def get(scene: Scene, name: str) -> bytes:
    answer = Client().get(f"{scene.address}data/{name}")
    assert answer.status_code == 200, name
    return answer.content


def listed(scene: Scene) -> dict[str, tuple[str, str]]:
    """Address → name and digest of every file the data page lists."""
    page = get(scene, "").decode()
    row = re.compile(
        r'<a href="([^"]+)" download>([^<]+)</a><br>.*?<code class="digest">(\w{64})</code>', re.S
    )
    return {unescape(url): (name, digest) for url, name, digest in row.findall(page)}


def test_the_table_lists_items_sample_and_validator_of_every_open_phase(scene: Scene) -> None:
    files = listed(scene)
    assert sorted(name for name, _ in files.values()) == sorted(
        ["validate_answers.py"] * 2
        + [f"answers-{phase}-{what}.jsonl" for phase in ("dev", "test") for what in ("items", "sample")]
    )
    for url, (name, digest) in files.items():
        answer = Client().get(url)
        assert answer["Content-Disposition"] == f'attachment; filename="{name}"'
        assert hashlib.sha256(answer.content).hexdigest() == digest
    assert get(scene, "dev/items.jsonl") == ITEMS


def test_the_sums_of_a_phase_hold_for_what_a_browser_saves(scene: Scene, tmp_path: Path) -> None:
    for url, (name, _) in listed(scene).items():
        if "/dev/" in url:
            (tmp_path / name).write_bytes(Client().get(url).content)
    (tmp_path / "SHA256SUMS").write_bytes(get(scene, "dev/SHA256SUMS"))
    done = subprocess.run(
        ["sha256sum", "-c", "SHA256SUMS"], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert done.stdout.count(": OK") == 3, done.stderr


def test_the_validator_works_where_nothing_else_is(scene: Scene, tmp_path: Path) -> None:
    program, run = tmp_path / "validate_answers.py", tmp_path / "run.jsonl"
    program.write_bytes(get(scene, "test/validate_answers.py"))
    run.write_bytes(RUN)

    def answer(*arguments: str) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-I", program.name, *arguments]
        return subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)

    assert answer("run.jsonl").stdout.startswith("Ebisu 2027 / Answers / Test\nVALID: 2 lines for 2 items")
    assert answer("--self-test").returncode == 0
    said = answer("--version").stdout
    item_set = ItemSet.objects.current_for(scene.test, scene.track)
    assert f"items SHA-256: {item_set.blob.digest}" in said
    assert "phase: Test" in said


def test_options_and_limits_of_the_track_are_inside(scene: Scene) -> None:
    scene.track.options, scene.track.limits = {"tokenizer": "ascii.1"}, {"answer_characters": 7}
    scene.track.save()
    data = validators.rules_for(ItemSet.objects.current_for(scene.dev, scene.track))
    assert data.options["tokenizer"] == "ascii.1"
    assert data.limits.answer_characters == 7
    assert b'"answer_characters": 7' in get(scene, "dev/validate_answers.py")


NAMES = ("", "dev/SHA256SUMS", "dev/validate_answers.py", "test/validate_answers.py")


def looked_at(scene: Scene) -> list[bytes]:
    """Every page and file that needs a validator, as a stranger gets it."""
    archive = Client().get("/tasks/ebisu/validators.pyz")
    assert archive.status_code == 200
    return [
        archive.content,
        *(get(scene, name) for name in NAMES[1:]),
        *sorted(map(str.encode, listed(scene))),
    ]


def forget(monkeypatch: Any, *, may_build: bool = True) -> None:
    """As a process just started; one that may not build can only serve what is stored."""
    for kept in (validators._kept, validators._looked_at):
        kept.clear()
    if not may_build:
        monkeypatch.setattr(validators, "build_validator", None)
        monkeypatch.setattr(validators, "build_archive", None)


def test_a_look_stores_nothing_and_gets_the_bytes_that_will_be_stored(scene: Scene, monkeypatch: Any) -> None:
    early = looked_at(scene)
    assert not BuiltFile.objects.exists()
    forget(monkeypatch)
    assert validators.keep_built(clock.now()) == BuiltFile.objects.count() == 3
    forget(monkeypatch, may_build=False)
    assert looked_at(scene) == early


def test_until_the_sweep_a_process_builds_each_file_once(scene: Scene, monkeypatch: Any) -> None:
    early = looked_at(scene)
    monkeypatch.setattr(validators, "build_validator", None)
    monkeypatch.setattr(validators, "build_archive", None)
    assert looked_at(scene) == early
    assert not BuiltFile.objects.exists()


def test_a_sweep_builds_what_changed_and_nothing_else(scene: Scene, monkeypatch: Any) -> None:
    assert sweep().built == 3, "two validators and the archive"
    assert sweep().built == 0
    first = looked_at(scene)
    make_items(scene.dev, scene.track, as_lines({"task_id": "q9", "tier": "easy", "question": "?"}))
    assert sweep().built == 2, "one of them, and the archive"
    scene.test.name = "Final"
    scene.test.save()
    assert sweep().built == 2
    monkeypatch.setattr(validators, "sources_digest", lambda kinds: "another release")
    assert sweep().built == 3
    forget(monkeypatch, may_build=False)
    assert all(old != new for old, new in zip(first[:4], looked_at(scene)[:4], strict=True))


def test_an_archive_is_there_when_a_phase_opens_or_closes(scene: Scene, monkeypatch: Any) -> None:
    for edge in (scene.test.opens_at, scene.dev.closes_at):
        with frozen_at(edge - timedelta(seconds=20)):
            sweep()
        with monkeypatch.context() as serving, frozen_at(edge):
            forget(serving, may_build=False)
            assert Client().get("/tasks/ebisu/validators.pyz").status_code == 200


def test_one_that_cannot_be_built_keeps_no_other_waiting(
    scene: Scene, monkeypatch: Any, caplog: pytest.LogCaptureFixture
) -> None:
    build, fails = validators.build_validator, ["dev"]

    def sometimes(kind: Any, data: Any, name: str) -> bytes:
        if data["phase"] == "Development" and fails:
            raise ValueError("no such luck")
        return build(kind, data, name)

    monkeypatch.setattr(validators, "build_validator", sometimes)
    assert sweep().built == 2
    assert "no such luck" in caplog.text
    fails.clear()
    assert sweep().built == 1


def test_what_takes_too_long_goes_on_with_the_next_sweep(scene: Scene) -> None:
    assert validators.keep_built(clock.now(), seconds=0) == 0
    assert validators.keep_built(clock.now()) == 3


def test_a_phase_that_has_not_opened_has_no_validator(scene: Scene) -> None:
    with frozen_at(scene.dev.opens_at - timedelta(days=1)):
        for name in ("items.jsonl", "sample.jsonl", "validate_answers.py", "SHA256SUMS"):
            address = f"{scene.address}data/dev/{name}"
            assert Client().get(address).status_code == 404
            assert scene.as_(scene.organizer).get(address).status_code == 200
        assert Client().get("/tasks/ebisu/validators.pyz").status_code == 404
    assert Client().get(f"{scene.address}data/dev/validate_other.py").status_code == 404


def test_one_archive_has_every_open_track(scene: Scene, tmp_path: Path) -> None:
    labels = make_track(scene.task, "labels", name="Labels", kind="commitment")
    items = as_lines({"id": "j1", "question": "増配しますか。", "answer": "検討します。"})
    make_items(scene.dev, labels, items)
    program = tmp_path / "validators.pyz"
    program.write_bytes(Client().get("/tasks/ebisu/validators.pyz").content)
    runs = {
        "answers/dev": RUN,
        "answers/test": RUN,
        "labels": as_lines({"id": "j1", "label": "+1"}),
    }
    for name, content in runs.items():
        (tmp_path / "run.jsonl").write_bytes(content)
        command = [sys.executable, "-I", str(program), name, "run.jsonl"]
        done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
        assert done.returncode == 0, (name, done.stdout, done.stderr)
    asked = subprocess.run([sys.executable, str(program)], capture_output=True, text=True, check=False)
    assert asked.stderr.split()[-3:] == list(runs)
    page = get(scene, "").decode()
    assert all(f"<code>{name}</code>" in page for name in runs)
    with frozen_at(scene.dev.closes_at):
        page = get(scene, "").decode()
        assert "<code>answers</code>" in page
        assert "<code>labels</code>" not in page


def test_the_sample_run_is_valid_for_every_kind() -> None:
    for kind in all_kinds():
        assert any(not baseline.needs_gold for baseline in kind.baselines), kind.name
