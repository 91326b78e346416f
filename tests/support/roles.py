"""Everybody who could come by, and a site with something behind every address for them to look at.

The words planted here are the canaries: each names what it stands in, and who may meet it is said once, in
`MAY_MEET`.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any

from django.core.management import call_command
from django.test import Client

from competition import clock
from competition.domain.freezing import freeze_leaderboard, publish_leaderboard
from competition.domain.intake import grant_attempts, receive_submission
from competition.domain.teams import invite, leave_team
from competition.domain.tokens import Made, create_token
from competition.enums import PhasePurpose
from competition.models import (
    Announcement,
    FreezeRequest,
    FrozenLeaderboard,
    GoldVersion,
    ItemSet,
    Phase,
    RefusedUpload,
    SharedTask,
    Submission,
    Team,
    Track,
    User,
    WorkerBeat,
)
from tests.support.builders import (
    as_lines,
    join,
    make_gold,
    make_items,
    make_organizer_of,
    make_phase,
    make_scored,
    make_submission,
    make_superuser,
    make_task,
    make_team,
    make_track,
    make_user,
)

VISITOR = "visitor"
ROLES = (
    *(VISITOR, "observer", "namesake", "member", "teammate", "ex-member", "rival"),
    *("organizer", "other organizer", "superuser"),
)
TEAM = {"member", "teammate"}
ORGANIZERS = {"organizer", "superuser"}
STAFF = {*ORGANIZERS, "other organizer"}
SIGNED_IN = set(ROLES) - {VISITOR}
EVERYONE = set(ROLES)

GOLD = "kanarigoldword"
RUN = "kanarirunword"
RIVAL_RUN = "kanaririvalword"
DRAFT = "kanaridraftword"
MAIL = "kanarimail"
HIDDEN = 0.7312961


def gold_lines(n: int = 4) -> bytes:
    return as_lines(*({"task_id": f"q{i}", "answer": f"{GOLD}{i} revenue"} for i in range(n)))


def item_lines(n: int = 4) -> bytes:
    asked = ({"tier": "easy", "question": f"Question {i}?", "languages": ["en"]} for i in range(n))
    return as_lines(*({"task_id": f"q{i}", **item} for i, item in enumerate(asked)))


def run_lines(word: str, n: int = 4) -> bytes:
    return as_lines(*({"task_id": f"q{i}", "answer": f"{word}{i} revenue"} for i in range(n)))


@dataclass
class Everyone:
    """The people by the part they play, and the objects by what they are and in which state."""

    people: dict[str, User | None]
    task: SharedTask
    track: Track
    dev: Phase
    test: Phase
    over: Phase
    team: Team
    rivals: Team
    draft: SharedTask
    draft_track: Track
    draft_phase: Phase
    draft_team: Team
    runs: dict[str, Submission] = field(default_factory=dict)
    boards: dict[str, FrozenLeaderboard] = field(default_factory=dict)
    refused: RefusedUpload = None  # type: ignore[assignment]
    rival_refused: RefusedUpload = None  # type: ignore[assignment]
    invitation: str = ""
    tokens: dict[str, Made] = field(default_factory=dict)
    rows: dict[str, Any] = field(default_factory=dict)

    def as_(self, role: str, **options: Any) -> Client:
        """A browser of whoever plays this part."""
        client = Client(**options)
        if (person := self.people[role]) is not None:
            client.force_login(person)
        return client

    def program_of(self, role: str) -> Client:
        """A program with this role's API token; a visitor's has none."""
        if role == VISITOR:
            return Client()
        return Client(headers={"Authorization": f"Bearer {self.tokens[role].secret}"})

    @property
    def address(self) -> str:
        return f"/tasks/{self.task.slug}/{self.track.slug}/"


def gather() -> Everyone:
    """A published shared task with a phase that is open, one whose scores are hidden and one that is over and
    frozen, in two versions of which one is published; beside it a draft of another organizer.
    """
    task = make_task("ebisu", name="Ebisu", summary="Short answers.", terms="For research.")
    track = make_track(task, "answers", name="Answers", languages=["en"], sentence="Answer.")
    now = clock.now()
    dev = make_phase(task, "dev", name="Development")
    test = make_phase(task, "test", PhasePurpose.TEST, name="Test", closes_at=now + timedelta(days=2))
    over = make_phase(
        task, "over", name="Over", opens_at=now - timedelta(days=9), closes_at=now - timedelta(days=8)
    )
    people = _people()
    people["organizer"] = make_organizer_of(task, "organizer", email=f"{MAIL}-organizer@example.org")
    team = make_team(task, "Aegean", people["member"], contact=f"{MAIL}-contact@example.org")
    rivals = make_team(task, "Boreas", people["rival"])
    join(team, people["teammate"])
    join(team, people["ex-member"])
    leave_team(team=team, user=people["ex-member"])
    draft = make_task("draft", name=f"Task {DRAFT}", summary=DRAFT, published=False)
    draft_track = make_track(draft, "secret", name=f"Track {DRAFT}")
    everyone = Everyone(
        people,
        *(task, track, dev, test, over, team, rivals),
        *(draft, draft_track, make_phase(draft, "soon", name=DRAFT), make_team(draft, f"Team {DRAFT}")),
    )
    people["other organizer"] = make_organizer_of(draft, "other", email=f"{MAIL}-other@example.org")
    _fill(everyone)
    _accounts(everyone)
    return everyone


def _people() -> dict[str, User | None]:
    names = {"observer": "olga", "member": "mara", "teammate": "tom", "ex-member": "eva", "rival": "rob"}
    people: dict[str, User | None] = {
        role: make_user(name, email=f"{MAIL}-{name}@example.org") for role, name in names.items()
    }
    # Signed up with the member's address, which nobody verified, and another password: that gives nothing.
    people["namesake"] = make_user("nora", email=people["member"].email, username="nora")  # type: ignore[union-attr]
    people[VISITOR] = None
    people["superuser"] = make_superuser()
    return people


def _fill(everyone: Everyone) -> None:
    for phase in (everyone.dev, everyone.test, everyone.over):
        _files(phase, everyone.track)
    _files(everyone.draft_phase, everyone.draft_track)
    sides = {"own": (everyone.team, "member", RUN), "rival": (everyone.rivals, "rival", RIVAL_RUN)}
    for side, (team, role, word) in sides.items():
        sent: dict[str, Any] = {"team": team, "track": everyone.track, "submitted_by": everyone.people[role]}
        for name in ("dev", "over"):
            phase = getattr(everyone, name)
            moment = phase.opens_at + timedelta(hours=1)
            taken = receive_submission(phase=phase, received_at=moment, content=run_lines(word), **sent)
            assert isinstance(taken, Submission)
            everyone.runs[f"{side}, {name}"] = taken
        faulty = as_lines({"task_id": "q0", "answer": ""}, {"task_id": f"{word}x", "answer": word})
        refused = receive_submission(phase=everyone.dev, received_at=clock.now(), content=faulty, **sent)
        assert isinstance(refused, RefusedUpload)
        setattr(everyone, "refused" if side == "own" else "rival_refused", refused)
        hidden = make_submission(team, everyone.test, everyone.track, content=run_lines(word))
        make_scored(hidden, primary=HIDDEN)
        everyone.runs[f"{side}, test"] = hidden
    call_command("worker", until_idle=True, name="w")
    _freeze(everyone)
    organizer = everyone.people["organizer"]
    assert organizer is not None
    everyone.invitation = invite(team=everyone.team, invited_by=everyone.team.captain).token
    moment = clock.now()
    extra = grant_attempts(
        team=everyone.team,
        phase=everyone.dev,
        track=everyone.track,
        amount=1,
        reason="A fair reason.",
        granted_by=organizer,
    )
    request = FreezeRequest.objects.create(
        phase=everyone.dev,
        track=everyone.track,
        requested_by=organizer,
        reason="It is over.",
        queued_at=moment,
        status="done",
        outcome="refused",
        finished_at=moment,
    )
    everyone.rows = {
        "announcement": Announcement.objects.create(task=everyone.task, at=moment, text="The items are out."),
        "auditentry": everyone.task.audit.first(),
        "evaluation": everyone.runs["own, dev"].latest_evaluation,
        "extraattempts": extra,
        "freezerequest": request,
        "frozenleaderboard": everyone.boards["unpublished"],
        "goldversion": GoldVersion.objects.get(phase=everyone.dev),
        "itemset": ItemSet.objects.get(phase=everyone.dev),
        "phase": everyone.dev,
        "refusedupload": everyone.refused,
        "sharedtask": everyone.task,
        "submission": everyone.runs["own, dev"],
        "team": everyone.team,
        "track": everyone.track,
        "user": everyone.people["member"],
        "workerbeat": WorkerBeat.objects.create(name="w2", started_at=moment, seen_at=moment),
    }


def _accounts(everyone: Everyone) -> None:
    """A token for each person's programs."""
    for role, person in everyone.people.items():
        if person is not None:
            everyone.tokens[role] = create_token(user=person, name="laptop", scope="submit")


def _files(phase: Phase, track: Track) -> None:
    items = make_items(phase, track, item_lines())
    make_gold(phase, track, gold_lines(), item_set=items)


def _freeze(everyone: Everyone) -> None:
    organizer = everyone.people["organizer"]
    assert organizer is not None
    asked: dict[str, Any] = {"phase": everyone.over, "track": everyone.track, "frozen_by": organizer}
    for state in ("published", "unpublished"):
        everyone.boards[state] = freeze_leaderboard(**asked, reason="It is over.")
        if state == "published":
            publish_leaderboard(board=everyone.boards[state], published_by=organizer)
