"""The baselines of a track's kind as pinned rows: made from public items, sent and scored like any run."""

from __future__ import annotations

from random import Random

from django.db import transaction

from competition import clock, rules
from competition.domain import audit
from competition.domain.intake import receive_baseline
from competition.domain.samples import as_lines, items_of
from competition.domain.teams import create_team
from competition.enums import TeamRole
from competition.exceptions import CannotSubmit, NotAllowed
from competition.models import ItemSet, Phase, SharedTask, Submission, Team, Track, User
from competition.models.teams import TEAM_NAME_LENGTH
from competition.names import name_key
from scoring.tracks import get_kind

SEED = 13


@transaction.atomic
def send_baselines(*, phase: Phase, track: Track, requested_by: User | None) -> list[Submission]:
    """Send every baseline of the kind that needs no gold. Calling it again with the same items changes
    nothing.

    Raises CannotSubmit while there are no items; NotAllowed when somebody else than an organizer asks.
    """
    if requested_by is not None and not rules.organizes(requested_by, phase.task):
        raise NotAllowed("Only organizers send baselines.")
    item_set = ItemSet.objects.current_for(phase, track)
    if item_set is None:
        raise CannotSubmit("Upload the items first: baselines are made from them.")
    items, before = items_of(item_set), clock.now()
    runs = [
        receive_baseline(
            team=_team(phase.task, baseline.title),
            item_set=item_set,
            baseline_name=baseline.name,
            content=as_lines(baseline.make(items, None, Random(SEED))),  # nosec B311
            submitted_by=requested_by,
        )
        for baseline in get_kind(track.kind).baselines
        if not baseline.needs_gold
    ]
    sent = [run.baseline_name for run in runs if run.received_at >= before]
    if sent:
        audit.record(
            actor=requested_by,
            action="baselines sent",
            target=phase,
            after={"track": track.slug, "items": item_set.version, "baselines": sent},
        )
    return runs


def _team(task: SharedTask, title: str) -> Team:
    name = f"Baseline: {title}"[:TEAM_NAME_LENGTH].rstrip()
    known = Team.objects.filter(task=task, role=TeamRole.BASELINE, name_key=name_key(name)).first()
    return known or create_team(task=task, name=name, captain=None, role=TeamRole.BASELINE)
