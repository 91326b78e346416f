"""The ways in which a run can be judged, each as a function from bytes to the report as plain JSON.

Library, command line, stand-alone file, check page, upload form: whatever differs between two of them (but
for the environment a report names) is a fault.
"""

from __future__ import annotations

import io
import json
import subprocess
import sys
from collections.abc import Iterable, Mapping
from contextlib import redirect_stdout
from functools import cache
from pathlib import Path
from typing import Any

from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from competition.models import ItemSet, RefusedUpload, Submission, Track
from scoring import cli
from scoring.checks import check_items, check_run
from scoring.evaluate import only_checked
from scoring.options import read_options
from scoring.tracks import get_kind
from tests.support.builders import make_items, make_phase, make_task, make_team, make_track

DRIVER = Path(__file__).with_name("driver.py")
FLOOR = (3, 9)
Report = dict[str, Any]


@cache
def interpreters() -> dict[tuple[int, int], str]:
    """Version → path of every Python from the floor up that can be found here and really runs."""
    versions = Path.home() / ".pyenv" / "versions"
    candidates = [sys.executable, *(f"python3.{minor}" for minor in range(9, 16))]
    candidates += [str(path) for path in sorted(versions.glob("*/bin/python"))]
    found: dict[tuple[int, int], str] = {}
    for candidate in candidates:
        try:
            ask = [candidate, "-I", "-c", "import sys; print(*sys.version_info[:2])"]
            done = subprocess.run(ask, capture_output=True, text=True, timeout=20, check=True)
        except (OSError, subprocess.SubprocessError):
            continue
        major, minor = map(int, done.stdout.split())
        if (major, minor) >= FLOOR:
            found.setdefault((major, minor), candidate)
    return dict(sorted(found.items()))


def oldest_and_newest() -> list[str]:
    found = list(interpreters().values())
    return list(dict.fromkeys([found[0], found[-1]]))


def without_environment(report: Mapping[str, Any]) -> Report:
    return {key: value for key, value in report.items() if key != "environment"}


class Place:
    """A track of one kind on the site, with its items and the validator participants would download."""

    def __init__(self, folder: Path, kind_name: str, items: bytes, **options: str) -> None:
        self.kind, self.options = get_kind(kind_name), options
        task = make_task()
        self.track: Track = make_track(task, kind=kind_name, options=self.options)
        self.phase = make_phase(task, daily_quota=None)
        self.item_set: ItemSet = make_items(self.phase, self.track, items)
        self.team = make_team(task)
        self.visitor, self.member = Client(), Client()
        assert self.team.captain is not None
        self.member.force_login(self.team.captain)
        self.address = self.track.get_absolute_url()
        self.run_path = folder / f"{self.track.slug}-run.jsonl"
        self.items_path = folder / f"{self.track.slug}-items.jsonl"
        self.items_path.write_bytes(items)
        read = check_items(self.kind, items).items
        assert read is not None
        self.read = read
        self.program = folder / f"validate_{self.track.slug}.py"
        address = f"{self.address}data/{self.phase.slug}/validate_{self.track.slug}.py"
        self.program.write_bytes(self.visitor.get(address).content)

    def by_library(self, content: bytes) -> Report:
        options = read_options(self.kind, self.options)
        checked = check_run(self.kind, self.read, content, options=options, limits=self.track.run_limits)
        report: Report = json.loads(json.dumps(only_checked(self.kind, checked, self.read).to_json()))
        return report

    def by_command_line(self, content: bytes) -> Report:
        self.run_path.write_bytes(content)
        said = io.StringIO()
        command = ["check", self.kind.name, str(self.run_path), "--items", str(self.items_path), "--json"]
        command += [f"--{name}={value}" for name, value in self.options.items()]
        with redirect_stdout(said):
            code = cli.main(command)
        report: Report = json.loads(said.getvalue())
        assert code == (0 if report["ok"] else 1)
        return report

    def by_check_page(self, content: bytes) -> Report:
        address = f"{self.address}check/?phase={self.phase.slug}&as=json"
        answer = self.visitor.post(address, {"file": SimpleUploadedFile("run.jsonl", content)})
        assert answer.status_code == 200, answer.content
        report: Report = json.loads(answer.content)
        return report

    def by_upload_form(self, content: bytes) -> Report:
        address = f"{self.address}submit/?phase={self.phase.slug}"
        answer = self.member.post(address, {"file": SimpleUploadedFile("run.jsonl", content)})
        assert answer.status_code == 302, answer.content
        _, address, public_id, _ = answer["Location"].split("/")
        if address == "submissions":
            run = Submission.objects.values("warnings", "observed").get(public_id=public_id)
            return {**run["warnings"], "diagnostics": run["observed"]}
        report: Report = RefusedUpload.objects.values_list("problems", flat=True).get(public_id=public_id)
        assert not report["ok"]
        return {key: value for key, value in report.items() if key != "excerpts"}


class Elsewhere:
    """The stand-alone files of some places in another interpreter, which lives as long as this does."""

    def __init__(self, python: str, places: Iterable[Place]) -> None:
        programs = [f"{place.kind.name}={place.program}" for place in places]
        self.process = subprocess.Popen(
            [python, "-I", str(DRIVER), *programs],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            encoding="utf-8",
        )
        self.slowest = self.memory = 0.0

    def __enter__(self) -> Elsewhere:
        return self

    def __exit__(self, *_: object) -> None:
        self.process.communicate(timeout=20)

    def judge(self, place: Place, content: bytes) -> Report:
        """What the file says, measured."""
        place.run_path.write_bytes(content)
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.process.stdin.write(json.dumps([place.kind.name, str(place.run_path)]) + "\n")
        self.process.stdin.flush()
        answer = json.loads(self.process.stdout.readline())
        self.slowest = max(self.slowest, answer["seconds"])
        self.memory = max(self.memory, answer["memory"])
        report: Report = json.loads(answer["said"])
        assert answer["code"] == (0 if report["ok"] else 1)
        return report
