"""Which evaluation speaks for a run, and whether the run counts."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from competition.domain import visibility
from competition.domain.attempts import attempts_of, who_speaks
from competition.domain.selection import RULES, Selection, official_submission
from competition.models import Entry, Evaluation, Phase, Submission, Team, Track
from scoring.options import read_options
from scoring.tracks import get_kind


def speaking_evaluation(submission: Submission) -> Evaluation | None:
    """The evaluation that speaks for a run; None where there is none yet."""
    return speaking_evaluations([submission]).get(submission.pk)


def speaking_evaluations(submissions: Sequence[Submission]) -> dict[int, Evaluation]:
    """Run → the evaluation that speaks for it, in one query. A result's report is fetched when it is read."""
    evaluations = Evaluation.objects.filter(submission__in=submissions).select_related("result")
    oldest_first = evaluations.defer("result__report").order_by("pk")
    return who_speaks((one.submission_id, one) for one in oldest_first)


def selection_for(viewer: Any, team: Team, phase: Phase, track: Track, now: datetime) -> Selection[Any]:
    """The run of a team that counts, as this viewer may know it."""
    kind = get_kind(track.kind)
    entry = Entry.objects.filter(team=team, phase=phase, track=track).select_related("chosen").first()
    return official_submission(
        attempts_of(phase, track, team).get(team.pk, []),
        counts=phase.counts,
        chosen=entry.chosen.number if entry and entry.chosen else None,
        higher_is_better=kind.primary_for(read_options(kind, track.options)).higher_is_better,
        scores_visible=visibility.scores_visible(viewer, phase, track, now),
    )


def why_it_counts(viewer: Any, submission: Submission, now: datetime) -> str:
    """Whether this run is the one that counts, and which one is if not."""
    selection = selection_for(viewer, submission.team, submission.phase, submission.track, now)
    if selection.run is not None and selection.run.submission_id == submission.pk:
        return f"This run counts. {RULES[submission.phase.counts]}"
    if selection.run is not None:
        return f"Not this run but {selection.reason.removeprefix('Counts: ')}"
    return selection.reason
