"""A shared task in one call: a track, an open phase with items and gold, ways to send and score runs."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

from competition import clock, jobs
from competition.domain import audit
from competition.domain.intake import receive_submission
from competition.models import (
    GoldVersion,
    ItemSet,
    Phase,
    RefusedUpload,
    SharedTask,
    Submission,
    Team,
    Track,
)
from tests.support.builders import (
    as_lines,
    make_gold,
    make_items,
    make_phase,
    make_task,
    make_team,
    make_track,
)

WORDS = ("alpha", "beta", "gamma", "delta")


@dataclass
class Stage:
    task: SharedTask
    track: Track
    phase: Phase
    items: ItemSet
    gold: GoldVersion

    def team(self, name: str = "", **fields: Any) -> Team:
        return make_team(self.task, name, **fields)

    def send(self, team: Team, content: bytes | None = None, **more: Any) -> Submission:
        """What intake gives for a valid run."""
        sent = self.upload(team, run() if content is None else content, **more)
        assert isinstance(sent, Submission), sent.problems
        return sent

    def upload(self, team: Team, content: bytes, **more: Any) -> Submission | RefusedUpload:
        more.setdefault("submitted_by", team.captain)
        more.setdefault("received_at", clock.now())
        return receive_submission(team=team, phase=self.phase, track=self.track, content=content, **more)

    def close(self) -> None:
        """Let the phase end now, on record as when an organizer moves it."""
        before = self._dates()
        self.phase.closes_at = clock.now()
        self.phase.grace_seconds = 0
        self.phase.save()
        audit.record(actor=None, action="phase moved", target=self.phase, before=before, after=self._dates())

    def _dates(self) -> dict[str, Any]:
        moments = {name: getattr(self.phase, name).isoformat() for name in ("opens_at", "closes_at")}
        return {**moments, "grace_seconds": self.phase.grace_seconds}


def items(n: int = 8) -> bytes:
    return as_lines(
        *(
            {
                "task_id": f"q{i}",
                "tier": "easy",
                "question": "Which word?",
                "group": f"g{i}",
                "languages": ["en"],
            }
            for i in range(n)
        )
    )


def gold(n: int = 8, shift: int = 0) -> bytes:
    return as_lines(*({"task_id": f"q{i}", "answer": WORDS[(i + shift) % 4]} for i in range(n)))


def run(right: int = 8, n: int = 8, filler: str = "nothing") -> bytes:
    """A run with the first `right` of `n` answers right: its F1 is right / n."""
    return as_lines(
        *({"task_id": f"q{i}", "answer": WORDS[i % 4] if i < right else filler} for i in range(n))
    )


def set_stage(n: int = 8, **phase: Any) -> Stage:
    task = make_task()
    track, window = make_track(task), make_phase(task, **phase)
    item_set = make_items(window, track, items(n))
    return Stage(task, track, window, item_set, make_gold(window, track, gold(n)))


def work_until_idle(worker: str = "w") -> int:
    """Do all queued work here and now; returns how many rows there were."""
    done = 0
    while (work := jobs.claim_any(worker)) is not None:
        jobs.do(work)
        done += 1
    return done


def fresh(row: Any) -> Any:
    """The row as the database has it now."""
    return type(row)._default_manager.get(pk=row.pk)


def codes(refused: RefusedUpload) -> dict[str, int]:
    return json.loads(json.dumps(refused.problems))["counts"]["codes"]
