"""`submit.py` against a live site: a run taken, refused, only checked, and why not."""

from __future__ import annotations

import ast
import os
import runpy
import subprocess
import sys
import urllib.error
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings

from competition.domain.tokens import create_token
from competition.models import RefusedUpload, Submission
from tests.support.builders import RUN, as_lines
from tests.support.pages import Scene, make_scene

pytestmark = [pytest.mark.django_db(transaction=True)]

SCRIPT = Path(settings.BASE_DIR) / "static" / "tools" / "submit.py"


@pytest.fixture
def scene(live_server: Any) -> Scene:
    return make_scene()


def submit(
    live_server: Any, scene: Scene, folder: Path, content: bytes, *more: str, secret: str = ""
) -> subprocess.CompletedProcess[str]:
    run = folder / 'my "run".jsonl'
    run.write_bytes(content)
    place = ["--site", live_server.url, "--task", "ebisu", "--track", "answers", "--phase", "dev"]
    environment = {"PATH": os.environ["PATH"], "PODIUM_TOKEN": secret}
    return subprocess.run(
        [sys.executable, "-I", str(SCRIPT), str(run), *place, *more],
        env=environment,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


def test_a_run_is_taken(live_server: Any, scene: Scene, tmp_path: Path) -> None:
    secret = create_token(user=scene.lead, name="s", scope="submit").secret
    done = submit(live_server, scene, tmp_path, RUN, "--name", "night é", "-m", "Two\nlines.", secret=secret)
    assert done.returncode == 0, done.stderr
    run = Submission.objects.get()
    assert done.stdout.startswith("Run 1 of Aegean, 2 lines, ")
    assert run.digest in done.stdout
    assert f"{live_server.url}/submissions/{run.public_id}/" in done.stdout
    assert (run.run_name, run.method, run.file_name) == ("night é", "Two\nlines.", "my _run_.jsonl")
    again = submit(live_server, scene, tmp_path, RUN, secret=secret)
    assert again.stdout.startswith("Run 1 of Aegean, 2 lines, ")
    words = "this very file already: that is its receipt, and no further attempt was used"
    assert (words in again.stdout, words in done.stdout) == (True, False)


FAULTY = as_lines({"task_id": "q1", "answer": ""})


def test_a_refused_file_comes_back_with_its_problems(live_server: Any, scene: Scene, tmp_path: Path) -> None:
    secret = create_token(user=scene.lead, name="s", scope="submit").secret
    done = submit(live_server, scene, tmp_path, FAULTY, secret=secret)
    assert done.returncode == 1
    assert done.stdout.startswith("E303 line 1 q1 ")
    assert done.stdout.endswith("INVALID: nothing was counted.\n")
    assert RefusedUpload.objects.exists()


def test_a_dry_run_needs_no_token_and_keeps_nothing(live_server: Any, scene: Scene, tmp_path: Path) -> None:
    assert submit(live_server, scene, tmp_path, RUN, "--dry-run").stdout == "VALID\n"
    assert submit(live_server, scene, tmp_path, FAULTY, "--dry-run").returncode == 1
    assert not Submission.objects.exists()
    assert not RefusedUpload.objects.exists()


def test_a_site_that_stops_reading_is_said_to_and_not_to_be_away(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """It answers a file beyond its limit before reading it, and then the line breaks under the sender."""
    script = runpy.run_path(str(SCRIPT))

    def breaks(*arguments: Any, **more: Any) -> None:
        raise urllib.error.URLError(BrokenPipeError(32, "Broken pipe"))

    monkeypatch.setattr("urllib.request.urlopen", breaks)
    monkeypatch.setattr("time.sleep", lambda seconds: None)
    with pytest.raises(SystemExit):
        script["ask"]("https://podium.example.org/", "", b"x" * 3 * 1024 * 1024)
    assert capsys.readouterr().err == "The site stopped reading. Are 3.0 MiB more than a run may have?\n"


def test_it_is_read_by_python_3_9() -> None:
    ast.parse(SCRIPT.read_text(), feature_version=(3, 9))


def test_without_the_right_token_it_says_so(live_server: Any, scene: Scene, tmp_path: Path) -> None:
    none = submit(live_server, scene, tmp_path, RUN)
    assert (none.returncode, "PODIUM_TOKEN" in none.stderr) == (2, True)
    reads = create_token(user=scene.lead, name="s", scope="read").secret
    assert submit(live_server, scene, tmp_path, RUN, secret=reads).stderr == "This token may only read.\n"
    assert "Traceback" not in submit(live_server, scene, tmp_path, RUN, secret="nonsense").stderr
    assert not Submission.objects.exists()


def test_a_faulty_field_is_named(live_server: Any, scene: Scene, tmp_path: Path) -> None:
    secret = create_token(user=scene.lead, name="s", scope="submit").secret
    done = submit(live_server, scene, tmp_path, RUN, "--name", "\u202eevil", secret=secret)
    assert done.returncode == 2
    assert "run_name: The run name has a character that turns the direction of text" in done.stderr
    assert not Submission.objects.exists()
