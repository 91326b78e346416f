"""The runs of a phase and track as `selection.Attempt`s, in two queries however many teams there are."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import NamedTuple, TypeVar

from competition.domain.selection import Attempt
from competition.enums import WorkStatus
from competition.models import Evaluation, Phase, Submission, Team, Track
from competition.models.work import are_items_gone


@dataclass(frozen=True)
class SentRun:
    """One submission and the evaluation that speaks for it."""

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
    items_are_gone: bool = False


def attempts_of(phase: Phase, track: Track, team: Team | None = None) -> dict[int, list[Attempt[SentRun]]]:
    """Team id → its attempts, oldest first. `status` of a run is that of its newest evaluation, "" where
    none is.
    """
    submissions = Submission.objects.filter(phase=phase, track=track)
    evaluations = Evaluation.objects.filter(submission__phase=phase, submission__track=track)
    if team is not None:
        submissions = submissions.filter(team=team)
        evaluations = evaluations.filter(submission__team=team)
    words = [
        (submission_id, _Word._make(columns))
        for submission_id, *columns in evaluations.order_by("pk").values_list("submission_id", *_COLUMNS)
    ]
    newest = {submission_id: word.status for submission_id, word in words}
    speaking = who_speaks(words)
    found: dict[int, list[Attempt[SentRun]]] = defaultdict(list)
    for pk, public_id, team_id, number, run_name, received_at, withdrawn_at in submissions.order_by(
        "team_id", "number"
    ).values_list("pk", "public_id", "team_id", "number", "run_name", "received_at", "withdrawn_at"):
        word, status = speaking.get(pk, _Word()), newest.get(pk, "")
        sent = SentRun(
            submission_id=pk,
            public_id=public_id,
            team_id=team_id,
            number=number,
            run_name=run_name,
            received_at=received_at,
            evaluation_id=word.evaluation_id,
            status=status,
            gold_version=word.gold_version,
            scorer_version=word.scorer_version,
            items_are_gone=word.items_are_gone,
        )
        failed = status == WorkStatus.FAILED and word.status != WorkStatus.DONE
        gone = withdrawn_at is not None
        found[team_id].append(Attempt(number, sent, word.primary, failed=failed, withdrawn=gone))
    return dict(found)


Word = TypeVar("Word", "Evaluation", "_Word")


def who_speaks(evaluations: Iterable[tuple[int, Word]]) -> dict[int, Word]:
    """Run → the evaluation that speaks for it, of (run, evaluation) from the oldest on: the newest
    scored one, else the newest; where the run's items are gone since, the one that says so.
    """
    speaking: dict[int, Word] = {}
    for submission_id, one in evaluations:
        before = speaking.get(submission_id)
        scored = before is not None and before.status == WorkStatus.DONE
        if not scored or one.status == WorkStatus.DONE or one.items_are_gone:
            speaking[submission_id] = one
    return speaking


class _Word(NamedTuple):
    """One evaluation: the columns of `_COLUMNS`."""

    evaluation_id: int | None = None
    status: str = ""
    gold_version: int | None = None
    scorer_version: str = ""
    primary: float | None = None
    failure_kind: str = ""

    @property
    def items_are_gone(self) -> bool:
        return are_items_gone(self.status, self.failure_kind)


_COLUMNS = ("pk", "status", "gold_version__version", "scorer_version", "result__primary", "failure_kind")
