"""Closed lists of words. The first of each pair is stored, the second is shown."""

from __future__ import annotations

from django.db.models import IntegerChoices, TextChoices


class PhasePurpose(TextChoices):
    DEVELOPMENT = "development", "development"
    TEST = "test", "test"
    POST = "post", "post-evaluation"


class PhaseStatus(TextChoices):
    """Computed from the clock, never stored."""

    ANNOUNCED = "announced", "opens later"
    OPEN = "open", "open"
    CLOSED = "closed", "closed"


class Counts(TextChoices):
    """Which of a team's runs stands for it."""

    LAST = "last", "the last valid submission"
    BEST = "best", "the best valid submission"
    CHOSEN = "chosen", "the submission the team chose"


class ScoresVisible(TextChoices):
    AT_ONCE = "at_once", "as soon as a run is scored"
    AFTER_CLOSE = "after_close", "after the phase has closed"
    AFTER_PUBLICATION = "after_publication", "after the leaderboard is published"


class DiagnosticsLevel(IntegerChoices):
    GOLD_FREE = 0, "0: what needs no gold"
    AGGREGATES = 1, "1: and aggregates against gold"
    ITEM_SCORES = 2, "2: and the score of each item"
    GOLD = 3, "3: and the references themselves"


class TeamRole(TextChoices):
    PARTICIPANT = "participant", "participant"
    BASELINE = "baseline", "baseline"


class TokenScope(TextChoices):
    """What a program may do with a token."""

    READ = "read", "read"
    SUBMIT = "submit", "read and submit"


class FileStatus(TextChoices):
    """Of an organizers' file: items or gold."""

    RECEIVED = "received", "received"
    CHECKING = "checking", "being checked"
    READY = "ready", "ready"
    REJECTED = "rejected", "rejected"


class WorkStatus(TextChoices):
    """Of queued work. `failed` is our fault; a faulty file never gets as far as the queue."""

    QUEUED = "queued", "queued"
    RUNNING = "running", "running"
    DONE = "done", "done"
    FAILED = "failed", "failed"


class WorkerRole(TextChoices):
    """Who gives a sign of life."""

    WORKER = "worker", "worker"
    SWEEPER = "sweeper", "sweeper"


class FreezeOutcome(TextChoices):
    OPEN = "", "not decided yet"
    FROZEN = "frozen", "frozen"
    BLOCKED = "blocked", "refused: see the blockers"


class Section(TextChoices):
    """Where a line of a frozen board stands."""

    RANKED = "ranked", "ranked"
    UNRANKED = "unranked", "unranked"
    BASELINE = "baseline", "baseline"
