"""What a phase's settings give away of references that are to stay hidden, in words for its organizers.

The figures are those of `docs/visibility.md`; `tests/security/test_oracles.py` holds both to what it
measures.
"""

from __future__ import annotations

from competition.enums import DiagnosticsLevel, PhasePurpose, ScoresVisible
from competition.models import ItemSet, Phase
from competition.models.tasks import PHASE_DEFAULTS

ENOUGH = PHASE_DEFAULTS[PhasePurpose.POST]["total_quota"]
"""Attempts in all with which a score that shows at once tells little."""

HIDDEN = (PhasePurpose.TEST, PhasePurpose.POST)

TABLES = (
    "From level 1 on, tables against gold show at once: in a trial with 94 labels, 10 uploads read all of "
    "them. If the references are to stay hidden, set level 0 or show scores after publication."
)
ATTEMPTS = (
    "Scores show at once, for many attempts: in a trial with 94 labels, where naming the most frequent one "
    "is right 30 times, 20 uploads read 41 and 50 uploads 64. If the references are to stay hidden, allow "
    f"{ENOUGH} attempts in all or show scores after publication."
)
DECIDES = (
    "Scores of a test phase show as soon as a run is scored, and teams can use in their next run what they "
    "learn. Show scores after publication if the phase decides ranks."
)

BESIDE = {
    "total_quota": "Attempts a team has per track in all; empty for no limit. Where scores show at once and "
    f"the references are to stay hidden, {ENOUGH} are enough: 50 can read two labels of three.",
    "scores_visible": "A score that shows while runs can still be sent tells something of the references. "
    "Where the phase decides ranks: after publication.",
    "diagnostics_level": "What a team sees of its own runs before publication. With scores at once, level 1 "
    "can tell every label of a small track within ten runs.",
    "published_level": "What a team sees of its own runs after publication. Level 0 if a later phase asks "
    "the same items and the references are to stay hidden.",
}
"""What stands beside each setting where it is chosen."""


def cost_of(phase: Phase) -> str:
    """What these settings cost, and what would cost less; "" where they cost little."""
    if phase.scores_visible != ScoresVisible.AT_ONCE or not has_hidden_gold(phase):
        return ""
    if phase.diagnostics_level >= DiagnosticsLevel.AGGREGATES:
        return TABLES
    if phase.total_quota is None or phase.total_quota > ENOUGH:
        return ATTEMPTS
    return DECIDES if phase.purpose == PhasePurpose.TEST else ""


def has_hidden_gold(phase: Phase) -> bool:
    """Whether ranks rest on this phase's references: a test phase's, one that follows it, or one that asks
    the same items.
    """
    if phase.purpose in HIDDEN:
        return True
    current = ItemSet.objects.current().filter(phase__task=phase.task_id)
    tested = current.filter(phase__purpose__in=HIDDEN).values("blob")
    return phase.pk is not None and current.filter(phase=phase.pk, blob__in=tested).exists()
