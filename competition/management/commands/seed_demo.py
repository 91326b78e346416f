"""`manage.py seed_demo`: the invented shared tasks of `fixtures/demo`, scored and with published boards.

Between them the tasks have a track of every kind. Dates are set relative to now, so that phases are open
whenever it is loaded. Safe to run again: it goes on where it was stopped, and touches no task that is there.
"""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandParser
from django.db import transaction

from competition import clock
from competition.domain.baselines import send_baselines
from competition.domain.evaluations import QUEUES
from competition.domain.freezing import publish_leaderboard, request_freeze
from competition.domain.gold import add_gold, add_items
from competition.domain.intake import receive_submission
from competition.domain.teams import create_team
from competition.enums import WorkStatus
from competition.management.commands.worker import Worker
from competition.models import FrozenLeaderboard, Phase, SharedTask, Team, Track, User
from competition.models.tasks import PHASE_DEFAULTS

FOLDER = Path(settings.BASE_DIR) / "fixtures" / "demo"
TASK_FIELDS = ("slug", "name", "summary", "about_markdown", "terms", "contact", "columns", "columns_average")
OPEN = (WorkStatus.QUEUED, WorkStatus.RUNNING)
PHASE_FIELDS = ("slug", "name", "purpose", "announcement")
TRACK_FIELDS = ("slug", "name", "sentence", "kind", "options", "languages", "example_language")


class Command(BaseCommand):
    help = "Loads the invented demo shared tasks that are not there, scores them and publishes their boards."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--first", action="store_true", help="only the first task, which is the smallest")

    def handle(self, *, first: bool = False, **_: Any) -> None:
        for folder, said in demo_tasks()[: 1 if first else None]:
            if not SharedTask.objects.filter(slug=said["slug"]).exists():
                load(folder, said)
            work_off()
            request_freezes(said)
            work_off()
            publish_frozen(said)


def work_off() -> None:
    """Do all queued work, and wait for what another worker has in hand."""
    while any(model._default_manager.filter(status__in=OPEN).exists() for model in QUEUES):
        Worker("seed").run(until_idle=True)
        time.sleep(0.05)


def demo_tasks() -> list[tuple[Path, dict[str, Any]]]:
    """Each demo task's folder and what its `task.json` says, in the folders' order."""
    return [
        (path.parent, json.loads(path.read_text(encoding="utf-8")))
        for path in sorted(FOLDER.glob("*/task.json"))
    ]


@transaction.atomic
def load(folder: Path, said: dict[str, Any]) -> SharedTask:
    """The whole task or nothing: phases, tracks, files, teams and runs, everything still to be scored."""
    moment = clock.now().replace(minute=0, second=0, microsecond=0)
    task = SharedTask.objects.create(published=True, **{key: said[key] for key in TASK_FIELDS if key in said})
    phases = [_phase(task, one, moment) for one in said["phases"]]
    tracks = [
        Track.objects.create(task=task, order=order, **{key: one[key] for key in TRACK_FIELDS})
        for order, one in enumerate(said["tracks"])
    ]
    teams = {one["slug"]: _team(task, one) for one in said["teams"]}
    for track, of_track in zip(tracks, said["tracks"], strict=True):
        for phase, of_phase in zip(phases, said["phases"], strict=True):
            _files(phase, track, folder / of_track["folder"], of_phase.get("files_of", phase.slug))
            _runs(phase, track, folder / of_track["folder"] / "runs", teams)
            send_baselines(phase=phase, track=track, requested_by=None)
    return task


def _phase(task: SharedTask, one: dict[str, Any], moment: datetime) -> Phase:
    return Phase.objects.create(
        task=task,
        opens_at=moment + timedelta(days=one["opens_in_days"]),
        closes_at=moment + timedelta(days=one["closes_in_days"]),
        **{key: one[key] for key in PHASE_FIELDS if key in one},
        **PHASE_DEFAULTS[one["purpose"]],
    )


def _team(task: SharedTask, one: dict[str, Any]) -> Team:
    address = f"captain@{one['slug']}.example"
    captain = User.objects.create_user(
        username=address, email=address, password=None, display_name=one["captain"]
    )
    return create_team(
        task=task,
        name=one["name"],
        captain=captain,
        affiliation=one["affiliation"],
        country=one["country"],
        contact=address,
    )


def _files(phase: Phase, track: Track, folder: Path, name: str) -> None:
    common: dict[str, Any] = {"phase": phase, "track": track, "uploaded_by": None, "reason": "Demo data."}
    add_items(content=(folder / f"items_{name}.jsonl").read_bytes(), **common)
    add_gold(content=(folder / f"gold_{name}.jsonl").read_bytes(), **common)


def _runs(phase: Phase, track: Track, folder: Path, teams: dict[str, Team]) -> None:
    """Every `<team>_<phase>_<n>.jsonl`, as if it had come in the first half of the phase."""
    for nth, path in enumerate(sorted(folder.glob(f"*_{phase.slug}_*.jsonl"))):
        slug, _, number = path.stem.split("_")
        team = teams[slug]
        receive_submission(
            team=team,
            phase=phase,
            track=track,
            submitted_by=team.captain,
            received_at=phase.opens_at + timedelta(days=int(number), minutes=37 * nth),
            content=path.read_bytes(),
            file_name=path.name,
            run_name=f"attempt {number}",
            method="Invented for the demonstration.",
        )


def _to_freeze(said: dict[str, Any]) -> Iterator[tuple[str, Phase, Track]]:
    """Why, and which boards: every track in each phase that says so."""
    task = SharedTask.objects.get(slug=said["slug"])
    for one in said["phases"]:
        for track in task.tracks.all() if one.get("frozen") else ():
            yield one["frozen"], task.phases.get(slug=one["slug"]), track


def request_freezes(said: dict[str, Any]) -> None:
    """Ask for the boards that are to be frozen and are not."""
    for reason, phase, track in _to_freeze(said):
        if not FrozenLeaderboard.objects.filter(phase=phase, track=track).exists():
            request_freeze(phase=phase, track=track, requested_by=None, reason=reason)


def publish_frozen(said: dict[str, Any]) -> None:
    for _reason, phase, track in _to_freeze(said):
        for board in FrozenLeaderboard.objects.filter(phase=phase, track=track, publication=None):
            publish_leaderboard(board=board, published_by=None)
