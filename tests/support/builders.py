"""Plain builders of rows. Each makes what it needs, takes what it is given, and returns what it made."""

from __future__ import annotations

import hashlib
import itertools
import json
from datetime import timedelta
from functools import cache
from typing import Any

from django.contrib.auth.hashers import make_password

from competition import clock
from competition.domain import blobs
from competition.domain.accounts import make_organizer
from competition.domain.teams import create_team
from competition.enums import FileStatus, PhasePurpose, WorkStatus
from competition.models import (
    AuditEntry,
    Entry,
    Evaluation,
    FrozenLeaderboard,
    FrozenStanding,
    GoldVersion,
    ItemSet,
    Membership,
    Phase,
    Publication,
    Result,
    SharedTask,
    Submission,
    Team,
    Track,
    User,
)
from competition.models.tasks import PHASE_DEFAULTS

_count = itertools.count(1)
PASSWORD = "correct horse battery"


def make_user(name: str = "", **fields: Any) -> User:
    """A person called `name`, with an address made from it and `PASSWORD`."""
    name = name or f"person{next(_count)}"
    fields.setdefault("email", f"{name}@example.org")
    fields.setdefault("display_name", name.capitalize())
    fields.setdefault("username", fields["email"])
    return User.objects.create(password=_hashed(PASSWORD), **fields)


@cache
def _hashed(password: str) -> str:
    """Hashed once a process: good hashes are slow, and a test has a cast."""
    return make_password(password)


def make_organizer_of(task: SharedTask, name: str = "", **fields: Any) -> User:
    user = make_user(name, **fields)
    make_organizer(user=user, task=task)
    return user


def make_superuser(name: str = "root") -> User:
    return make_user(name, is_staff=True, is_superuser=True)


def make_task(slug: str = "", **fields: Any) -> SharedTask:
    slug = slug or f"task-{next(_count)}"
    fields.setdefault("published", True)
    return SharedTask.objects.create(slug=slug, name=fields.pop("name", slug.capitalize()), **fields)


def make_track(task: SharedTask | None = None, slug: str = "", **fields: Any) -> Track:
    slug = slug or f"track-{next(_count)}"
    fields.setdefault("kind", "short_answer")
    return Track.objects.create(
        task=task or make_task(), slug=slug, name=fields.pop("name", slug.capitalize()), **fields
    )


def make_phase(
    task: SharedTask | None = None, slug: str = "", purpose: str = PhasePurpose.DEVELOPMENT, **fields: Any
) -> Phase:
    """Open since yesterday and until tomorrow unless dates are given; quotas and visibility by purpose."""
    slug = slug or f"phase-{next(_count)}"
    now = clock.now()
    fields.setdefault("opens_at", now - timedelta(days=1))
    fields.setdefault("closes_at", now + timedelta(days=1))
    return Phase.objects.create(
        task=task or make_task(),
        slug=slug,
        name=fields.pop("name", slug.capitalize()),
        purpose=purpose,
        **{**PHASE_DEFAULTS[purpose], **fields},
    )


def make_team(
    task: SharedTask | None = None, name: str = "", captain: User | None = None, **fields: Any
) -> Team:
    """A team with a captain of its own, unless it is a baseline."""
    name = name or f"Team {next(_count)}"
    if captain is None and fields.get("role") != "baseline":
        captain = make_user()
    return create_team(task=task or make_task(), name=name, captain=captain, **fields)


def join(team: Team, user: User) -> Membership:
    return Membership.objects.create(team=team, user=user, task=team.task, joined_at=clock.now())


def as_lines(*records: dict[str, Any]) -> bytes:
    return b"".join(json.dumps(record, ensure_ascii=False).encode() + b"\n" for record in records)


ITEMS = as_lines(
    {"task_id": "q1", "tier": "easy", "question": "What was revenue?", "languages": ["en"]},
    {"task_id": "q2", "tier": "hard", "question": "What was profit?", "languages": ["el"]},
)
GOLD = as_lines({"task_id": "q1", "answer": "10 million"}, {"task_id": "q2", "answer": "2 million"})
RUN = as_lines({"task_id": "q1", "answer": "10 million"}, {"task_id": "q2", "answer": "3 million"})


def make_items(phase: Phase, track: Track, content: bytes = ITEMS, **fields: Any) -> ItemSet:
    fields.setdefault("version", ItemSet.objects.filter(phase=phase, track=track).count() + 1)
    fields.setdefault("status", FileStatus.READY)
    fields.setdefault("n_items", content.count(b"\n"))
    return ItemSet.objects.create(phase=phase, track=track, blob=blobs.store(content), **fields)


def make_gold(phase: Phase, track: Track, content: bytes = GOLD, **fields: Any) -> GoldVersion:
    """A ready gold version, with the current items or new ones."""
    if "item_set" not in fields:
        fields["item_set"] = ItemSet.objects.current_for(phase, track) or make_items(phase, track)
    fields.setdefault("version", GoldVersion.objects.filter(phase=phase, track=track).count() + 1)
    fields.setdefault("status", FileStatus.READY)
    fields.setdefault("n_scored", content.count(b"\n"))
    blob = blobs.store_gold(content)
    return GoldVersion.objects.create(phase=phase, track=track, blob=blob, commitment=blob.digest, **fields)


def make_submission(
    team: Team | None = None,
    phase: Phase | None = None,
    track: Track | None = None,
    content: bytes = RUN,
    **fields: Any,
) -> Submission:
    """A submission as intake leaves it, but without an evaluation: see `make_evaluation`, `make_scored`."""
    team = team or make_team()
    phase = phase or make_phase(team.task)
    track = track or make_track(team.task)
    entry, _ = Entry.objects.get_or_create(team=team, phase=phase, track=track)
    blob = blobs.store(content)
    fields.setdefault("number", entry.submissions.count() + 1)
    fields.setdefault("received_at", clock.now())
    fields.setdefault("submitted_by", team.captain)
    fields.setdefault("n_lines", content.count(b"\n"))
    return Submission.objects.create(
        entry=entry,
        team=team,
        phase=phase,
        track=track,
        blob=blob,
        digest=blob.digest,
        size=len(content),
        **fields,
    )


def make_evaluation(submission: Submission | None = None, **fields: Any) -> Evaluation:
    """Queued against the current gold of its phase and track, or new gold."""
    submission = submission or make_submission()
    gold = fields.pop("gold_version", None)
    gold = gold or GoldVersion.objects.current_for(submission.phase, submission.track)
    gold = gold or make_gold(submission.phase, submission.track)
    fields.setdefault("queued_at", clock.now())
    fields.setdefault("scorer_version", "short_answer.1")
    if fields.get("status") in (WorkStatus.DONE, WorkStatus.FAILED):
        fields.setdefault("finished_at", clock.now())
    return Evaluation.objects.create(
        submission=submission, team=submission.team, gold_version=gold, item_set=gold.item_set, **fields
    )


def make_scored(submission: Submission | None = None, primary: float = 0.5, **fields: Any) -> Result:
    """A submission with a finished evaluation and this primary score."""
    evaluation = make_evaluation(submission, status=WorkStatus.DONE)
    scores = {"rouge1_f1": primary, **fields.pop("scores", {})}
    return Result.objects.create(
        evaluation=evaluation,
        report=fields.pop("report", {"ok": True, "scores": scores}),
        primary=primary,
        scores=scores,
        signature=fields.pop(
            "signature", "short_answer.1|m:rouge1_f1|text:multi.1|agg:item-mean|gold:v1|n:2"
        ),
        **fields,
    )


def make_board(phase: Phase | None = None, track: Track | None = None, **fields: Any) -> FrozenLeaderboard:
    """A frozen board with the content given, or a small one of no teams."""
    phase = phase or make_phase()
    track = track or make_track(phase.task)
    newest = FrozenLeaderboard.objects.filter(phase=phase, track=track).order_by("-version").first()
    content = fields.pop(
        "content", json.dumps({"entries": [], "version": newest.version + 1 if newest else 1})
    )
    fields.setdefault("version", newest.version + 1 if newest else 1)
    fields.setdefault("previous_digest", newest.digest if newest else "")
    fields.setdefault("reason", "The phase has closed.")
    return FrozenLeaderboard.objects.create(
        phase=phase,
        track=track,
        content=content,
        digest=hashlib.sha256(content.encode()).hexdigest(),
        frozen_at=clock.now(),
        **fields,
    )


def make_standing(board: FrozenLeaderboard, team: Team | None = None, **fields: Any) -> FrozenStanding:
    team = team or make_team(board.phase.task)
    position = board.standings.count() + 1
    fields.setdefault("rank", position)
    return FrozenStanding.objects.create(
        board=board, position=fields.pop("position", position), team=team, team_name=team.name, **fields
    )


def publish(board: FrozenLeaderboard, user: User | None = None) -> Publication:
    return Publication.objects.create(board=board, published_at=clock.now(), published_by=user)


def make_audit_entry(**fields: Any) -> AuditEntry:
    fields.setdefault("at", clock.now())
    fields.setdefault("action", "something done")
    fields.setdefault("target_type", "SharedTask")
    fields.setdefault("target_id", "1")
    return AuditEntry.objects.create(**fields)
