"""What of scores and diagnostics somebody may see now. Every page, export, mail and count asks here, and
only here.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from datetime import datetime
from decimal import Decimal
from typing import Any

from competition import rules
from competition.domain.ranking import percent
from competition.enums import DiagnosticsLevel, ScoresVisible
from competition.models import FrozenLeaderboard, Phase, Team, Track

FIELD_LEAST = 5
"""Medians and other comparisons with the field need this many teams: with fewer, a median is somebody's
score.
"""


def is_published(phase: Phase, track: Track) -> bool:
    """Whether an official board of this phase and track is open to everybody."""
    return FrozenLeaderboard.objects.published().filter(phase=phase, track=track).exists()


def is_final(phase: Phase, track: Track, moment: datetime) -> bool:
    """Whether a board is official and the phase takes no runs. One that was opened again goes by its policy
    of before: what is published is its earlier board alone.
    """
    return moment >= phase.last_accepted_before and is_published(phase, track)


def scores_visible(viewer: Any, phase: Phase, track: Track, moment: datetime) -> bool:
    """Whether this viewer may see any score of the phase and track now, a team's own included.

    A score hidden from a team's rivals is hidden from the team too: trying runs would read the references.
    """
    return rules.organizes(viewer, phase.task) or scores_public(phase, track, moment)


def scores_public(phase: Phase, track: Track, moment: datetime) -> bool:
    """The phase's policy, for anybody."""
    if not phase.task.published:
        return False
    if phase.scores_visible == ScoresVisible.AT_ONCE:
        return True
    if phase.scores_visible == ScoresVisible.AFTER_CLOSE and moment >= phase.last_accepted_before:
        return True
    return is_final(phase, track, moment)


def fineness(phase: Phase, track: Track, moment: datetime) -> Callable[[float], float]:
    """What a visible score becomes for a program: no finer than pages print it before it is official.

    The digits beyond are of no use for ranking one's own runs, and hold many references at once
    (`docs/visibility.md`).
    """
    return _all_digits if is_final(phase, track, moment) else digits_shown


def _all_digits(value: float) -> float:
    return value


def digits_shown(value: float) -> float:
    """A score as pages print it; a drawing of it is no finer either."""
    return float(Decimal(percent(value)) / 100) if math.isfinite(value) else value


def hidden_until(phase: Phase) -> str:
    """When scores come to light, as a page says it."""
    if phase.scores_visible == ScoresVisible.AFTER_CLOSE:
        return (
            f"Scores show after the phase has closed, on {phase.last_accepted_before:%Y-%m-%d at %H:%M} UTC."
        )
    return "Scores show when the phase is closed and the organizers have published the leaderboard."


def diagnostics_level(viewer: Any, team: Team, phase: Phase, track: Track, moment: datetime) -> int | None:
    """Up to which level this viewer may see diagnostics of this team's runs; None: not even that they exist.

    Organizers see item scores, never references: those are shown by no page.
    """
    if rules.organizes(viewer, phase.task):
        return max(DiagnosticsLevel.ITEM_SCORES, phase.published_level)
    if not rules.is_member(viewer, team):
        return None
    if not scores_public(phase, track, moment):
        return DiagnosticsLevel.GOLD_FREE
    return phase.published_level if is_final(phase, track, moment) else phase.diagnostics_level


def aggregates_public(phase: Phase, track: Track) -> bool:
    """Whether everybody may see aggregates against gold of every team: once a board is published and the
    organizers chose that level.
    """
    chosen = phase.task.published and phase.published_level >= DiagnosticsLevel.AGGREGATES
    return chosen and is_published(phase, track)


def team_visible(viewer: Any, team: Team) -> bool:
    """Whether a team's page says who it is, where the shared task keeps teams anonymous until publication."""
    if not team.task.anonymous_until_publication or team.is_baseline:
        return True
    if rules.can_see_runs_of(viewer, team):
        return True
    return FrozenLeaderboard.objects.published().filter(standings__team=team).exists()


def names_visible(viewer: Any, phase: Phase, track: Track) -> bool:
    """Whether a board may name teams, where the shared task keeps them anonymous until publication."""
    task = phase.task
    return not task.anonymous_until_publication or rules.organizes(viewer, task) or is_published(phase, track)
