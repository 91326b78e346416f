"""`manage.py seed_demo`: the invented shared task of `fixtures/demo`, scored and with one published board.

Dates are set relative to now, so that phases are open whenever it is loaded. Safe to run again: it goes on
where it was stopped, and touches nothing once the task is there.
"""

from __future__ import annotations

import json
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand
from django.db import transaction

from competition import clock
from competition.domain.baselines import send_baselines
from competition.domain.freezing import publish_leaderboard, request_freeze
from competition.domain.gold import add_gold, add_items
from competition.domain.intake import receive_submission
from competition.domain.teams import create_team
from competition.management.commands.worker import Worker
from competition.models import FrozenLeaderboard, Phase, SharedTask, Team, Track, User
from competition.models.tasks import PHASE_DEFAULTS

FOLDER = Path(settings.BASE_DIR) / "fixtures" / "demo"
PHASE_FIELDS = ("slug", "name", "purpose", "announcement")
TRACK_FIELDS = ("slug", "name", "sentence", "kind", "options", "languages", "example_language")


class Command(BaseCommand):
    help = "Loads the invented demo shared task, if it is not there, and scores it."

    def handle(self, **_: Any) -> None:
        said = json.loads((FOLDER / "task.json").read_text(encoding="utf-8"))
        task = SharedTask.objects.filter(slug=said["slug"]).first()
        if task is None:
            task = load(said)
        Worker("seed").run(until_idle=True)
        publish_frozen(task, said)


@transaction.atomic
def load(said: dict[str, Any]) -> SharedTask:
    """The whole task or nothing: phases, tracks, files, teams and runs, everything still to be scored."""
    moment = clock.now().replace(minute=0, second=0, microsecond=0)
    told = {key: said[key] for key in ("slug", "name", "summary", "about_markdown", "terms", "contact")}
    task = SharedTask.objects.create(published=True, **told)
    phases = [_phase(task, one, moment) for one in said["phases"]]
    tracks = [
        Track.objects.create(task=task, order=order, **{key: one[key] for key in TRACK_FIELDS})
        for order, one in enumerate(said["tracks"])
    ]
    teams = {one["slug"]: _team(task, one) for one in said["teams"]}
    for track, of_track in zip(tracks, said["tracks"], strict=True):
        for phase, of_phase in zip(phases, said["phases"], strict=True):
            _files(phase, track, FOLDER / of_track["folder"], of_phase.get("files_of", phase.slug))
            _runs(phase, track, FOLDER / of_track["folder"] / "runs", teams)
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


def publish_frozen(task: SharedTask, said: dict[str, Any]) -> None:
    """Freeze and publish the boards of phases that say so, where there is none yet."""
    for one in said["phases"]:
        for track in task.tracks.all():
            phase = task.phases.get(slug=one["slug"])
            boards = FrozenLeaderboard.objects.filter(phase=phase, track=track)
            if not one.get("frozen"):
                continue
            if not boards.exists():
                request_freeze(phase=phase, track=track, requested_by=None, reason=one["frozen"])
                Worker("seed").run(until_idle=True)
            for board in boards.filter(publication=None):
                publish_leaderboard(board=board, published_by=None)
