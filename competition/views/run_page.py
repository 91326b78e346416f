"""Where a run is, in one sentence and five steps, and what its team may see of its report now."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from competition.domain.evaluations import position
from competition.domain.ranking import percent
from competition.enums import WorkStatus
from competition.models import Evaluation, Submission
from competition.models.work import MOST_ATTEMPTS, are_items_gone
from competition.queries.machinery import workers_alive
from competition.rules import is_member, organizes
from competition.templatetags.podium import age
from scoring.tracks.base import Score

POLL_QUICKLY = 30
STEPS = ("Received", "Checked", "Queued", "Scoring", "Scored")


@dataclass(frozen=True)
class Step:
    word: str
    state: str


@dataclass(frozen=True)
class RunState:
    """`poll`: seconds until the page looks again; `final`: nothing will change by itself any more."""

    sentence: str
    steps: list[Step]
    final: bool
    tone: str
    word: str
    poll: int = 2
    note: str = ""
    free: bool = False
    """Whether it used no attempt."""

    @property
    def bad(self) -> bool:
        return self.tone == "bad"


def state_of(submission: Submission, evaluation: Evaluation | None, now: datetime) -> RunState:
    """The state of one run for its page: a reason and an age, always."""
    if submission.withdrawn_at is not None:
        who = submission.withdrawn_by
        by = who is not None and organizes(who, submission.phase.task) and not is_member(who, submission.team)
        since = f"Withdrawn{' by the organizers' if by else ''} {age(submission.withdrawn_at, now)} ago"
        scored = evaluation is not None and evaluation.status == WorkStatus.DONE
        steps = [step for step in _steps(5 if scored else 2) if step.state == "done"]
        return RunState(since, steps, True, "calm", "Withdrawn", note="A withdrawn run never counts.")
    if evaluation is None:
        return RunState(
            "Received and valid; waits for the references",
            _steps(2, now="Queued"),
            True,
            "calm",
            "Received",
            note="The references for its items are not loaded yet. The run is scored once they are.",
        )
    if evaluation.status == WorkStatus.DONE and evaluation.finished_at:
        return RunState(f"Scored {age(evaluation.finished_at, now)} ago", _steps(5), True, "good", "Scored")
    if evaluation.items_are_gone:
        again = (
            "Get the new items and send a run for them."
            if submission.phase.accepts_at(now)
            else "The phase has closed since: ask the organizers what becomes of it."
        )
        note = (
            "The organizers replaced the items after this run was sent, and it does not fit the new ones. "
            f"That is not your fault: your team has the attempt back. {again}"
        )
        sentence = "Not scored: its items were replaced"
        return RunState(sentence, _steps(3, failed=True), True, "bad", "Failed", note=note, free=True)
    if evaluation.status == WorkStatus.FAILED:
        note = (
            f"Scoring failed by our fault (reference {evaluation.failure_reference}). The attempt was not "
            "used, and the organizers have been told."
        )
        sentence = "Not scored, and that is our fault"
        return RunState(sentence, _steps(3, failed=True), True, "bad", "Failed", note=note, free=True)
    waited = (now - evaluation.queued_at).total_seconds()
    poll = 2 if waited < POLL_QUICKLY else 5 if waited < 4 * POLL_QUICKLY else 10
    if evaluation.status == WorkStatus.RUNNING:
        started = age(evaluation.started_at or evaluation.queued_at, now)
        heard = age(evaluation.heartbeat_at or evaluation.queued_at, now)
        sentence = f"Being scored for {started}, last sign of life {heard} ago"
        return RunState(
            sentence, _steps(3, now="Scoring"), False, "warn", "Scoring", poll, _tries(evaluation.attempts)
        )
    workers = workers_alive(now).count()
    ahead = position(evaluation)
    alive = f"{workers} worker{'' if workers == 1 else 's'} alive"
    sentence = f"Queued {age(evaluation.queued_at, now)}, {ahead} ahead, {alive}"
    note = _tries(evaluation.attempts + 1)
    if not workers:
        note = "No worker is alive just now. Your run is kept and is scored when one is back."
    return RunState(sentence, _steps(2, now="Queued"), False, "warn", "Queued", poll, note)


def _tries(attempt: int) -> str:
    """Said when the first attempt did not come to its end."""
    if attempt < 2:
        return ""
    return (
        f"Attempt {attempt} of {MOST_ATTEMPTS}: the one before was cut short by our fault. Nothing is lost."
    )


def short_state(submission: Any) -> tuple[str, str]:
    """A run's state in a table, as (word, tone), from `with_status()`."""
    if submission.withdrawn_at is not None:
        return "Withdrawn", "calm"
    if items_are_gone(submission):
        return "Not scored, items replaced", "bad"
    return {
        WorkStatus.DONE: ("Scored", "good"),
        WorkStatus.FAILED: ("Failed, our fault", "bad"),
        WorkStatus.RUNNING: ("Scoring", "warn"),
        WorkStatus.QUEUED: ("Queued", "warn"),
    }.get(submission.work_status, ("Received", "calm"))


def items_are_gone(submission: Any) -> bool:
    """Whether what came last is that its items were replaced, from `with_status()`."""
    return are_items_gone(submission.work_status, submission.failure_kind)


def shown_scores(scores: tuple[Score, ...], values: Mapping[str, float]) -> list[dict[str, str]]:
    return [
        {"title": score.title, "shown": percent(values[score.key])} for score in scores if score.key in values
    ]


def _steps(done: int, now: str = "", *, failed: bool = False) -> list[Step]:
    """The first `done` steps are behind us; the next is at work or failed."""
    states = ["done" if place < done else "to-come" for place in range(len(STEPS))]
    if failed:
        states[done] = "failed"
    elif now:
        states[STEPS.index(now)] = "now"
    return [Step(word, state) for word, state in zip(STEPS, states, strict=True)]
