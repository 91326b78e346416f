"""Refusals. The message of each is a sentence a page can show as it is."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime


class Refused(Exception):
    """The base of all: the domain declined, nothing was changed."""

    @property
    def message(self) -> str:
        return str(self)


class NotAllowed(Refused):
    """This person may not do this."""


class NameRefused(Refused):
    """A team name breaks a rule of `names.py`."""


class NameTaken(NameRefused):
    """Another team of the shared task has this name, or one that reads the same."""


class AlreadyInTeam(Refused):
    """A person is in one team per shared task."""


class InvitationRefused(Refused):
    """The link is unknown, used, expired, or for a team that takes nobody any more."""


class TeamLocked(Refused):
    """Members can no longer change: a phase the team took part in has closed."""


class CannotSubmit(Refused):
    """No run is taken from this team now: window, membership or terms."""


class TooOften(CannotSubmit):
    """So much within a while that the next waits; `again_at` says until when."""

    def __init__(self, message: str, again_at: datetime) -> None:
        super().__init__(message)
        self.again_at = again_at


class NotChecked(CannotSubmit):
    """A large file was not judged: too many are being judged now, or judging this one took too much."""


class QuotaUsedUp(CannotSubmit):
    """No attempts left today, or in all."""


class NotConfirmed(Refused):
    """More would happen than was confirmed; the message says what."""


class FileRefused(Refused):
    """An organizers' file (items or gold) cannot be taken; `problems` says why, in the form reports use."""

    def __init__(self, message: str, problems: Sequence[dict[str, object]] = ()) -> None:
        super().__init__(message)
        self.problems = list(problems)


class NotReadyToFreeze(Refused):
    """A freeze has blockers; `blockers` lists them."""

    def __init__(self, message: str, blockers: Sequence[object] = ()) -> None:
        super().__init__(message)
        self.blockers = list(blockers)


class NotReadyToPublish(Refused):
    """A board cannot be published: it is already, or a newer version exists."""


class LeaseLost(Refused):
    """The fencing token no longer holds: another worker has the row, and this result is discarded."""
