"""The runs of a phase and track as `selection.Attempt`s, in two queries however many teams there are."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from datetime import datetime

from competition.domain.selection import Attempt
from competition.enums import WorkStatus
from competition.models import Evaluation, Phase, Submission, Team, Track


@dataclass(frozen=True)
class SentRun:
    """One submission and the evaluation that speaks for it: the newest scored one, else the newest."""

    submission_id: int
    public_id: str
    team_id: int
    number: int
    run_name: str
    received_at: datetime
    evaluation_id: int | None
    status: str
    gold_version: int | None
    scorer_version: str


def attempts_of(phase: Phase, track: Track, team: Team | None = None) -> dict[int, list[Attempt[SentRun]]]:
    """Team id → its attempts, oldest first. `status` of a run is that of its newest evaluation, "" where
    none is.
    """
    submissions = Submission.objects.filter(phase=phase, track=track)
    evaluations = Evaluation.objects.filter(submission__phase=phase, submission__track=track)
    if team is not None:
        submissions = submissions.filter(team=team)
        evaluations = evaluations.filter(submission__team=team)
    newest: dict[int, str] = {}
    speaking: dict[int, tuple[int, str, int, str, float | None]] = {}
    for submission_id, pk, status, gold, scorer, primary in evaluations.order_by("pk").values_list(
        "submission_id", "pk", "status", "gold_version__version", "scorer_version", "result__primary"
    ):
        newest[submission_id] = status
        spoken = speaking.get(submission_id)
        if status == WorkStatus.DONE or spoken is None or spoken[1] != WorkStatus.DONE:
            speaking[submission_id] = (pk, status, gold, scorer, primary)
    found: dict[int, list[Attempt[SentRun]]] = defaultdict(list)
    for row in submissions.order_by("team_id", "number").values_list(
        "pk", "public_id", "team_id", "number", "run_name", "received_at", "withdrawn_at"
    ):
        *known, withdrawn_at = row
        pk, number = row[0], row[3]
        evaluation, status, gold, scorer, primary = speaking.get(pk, (None, "", None, "", None))
        sent = SentRun(*known, evaluation, newest.get(pk, ""), gold, scorer)
        failed = newest.get(pk) == WorkStatus.FAILED and status != WorkStatus.DONE
        found[row[2]].append(
            Attempt(number, sent, primary, failed=failed, withdrawn=withdrawn_at is not None)
        )
    return dict(found)
