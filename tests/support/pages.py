"""A small shared task with a cast, for tests of pages: lead, teammate, rival, visitor, organizer."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from django.test import Client

from competition import clock
from competition.enums import PhasePurpose
from competition.models import Phase, SharedTask, Team, Track, User
from tests.support.builders import (
    join,
    make_gold,
    make_organizer_of,
    make_phase,
    make_task,
    make_team,
    make_track,
    make_user,
)


@dataclass
class Scene:
    """One shared task with an open development phase, an open test phase, items, gold and two teams."""

    task: SharedTask
    track: Track
    dev: Phase
    test: Phase
    team: Team
    rivals: Team
    lead: User
    teammate: User
    rival: User
    organizer: User

    @property
    def address(self) -> str:
        return f"/tasks/{self.task.slug}/{self.track.slug}/"

    def as_(self, who: User | None) -> Client:
        """A browser of this person; of a visitor when None."""
        client = Client()
        if who is not None:
            client.force_login(who)
        return client

    @property
    def cast(self) -> dict[str, User | None]:
        return {
            "lead": self.lead,
            "teammate": self.teammate,
            "rival": self.rival,
            "visitor": None,
            "organizer": self.organizer,
        }


def make_scene(**task: Any) -> Scene:
    shared = make_task("ebisu", name="Ebisu 2027", summary="Short answers.", **task)
    track = make_track(
        shared, "answers", name="Answers", languages=["en", "el"], example_language="el", sentence="Answer."
    )
    dev = make_phase(shared, "dev", name="Development")
    closing = clock.now() + timedelta(days=2)
    test = make_phase(shared, "test", PhasePurpose.TEST, name="Test", closes_at=closing)
    for phase in (dev, test):
        make_gold(phase, track)
    lead, teammate, rival = make_user("lead"), make_user("teammate"), make_user("rival")
    team, rivals = make_team(shared, "Aegean", lead), make_team(shared, "Rivals", rival)
    join(team, teammate)
    organizer = make_organizer_of(shared, "organizer")
    return Scene(shared, track, dev, test, team, rivals, lead, teammate, rival, organizer)
