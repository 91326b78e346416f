"""Fields, constraints, short properties and querysets that speak the domain."""

from competition.models.audit import AuditEntry
from competition.models.boards import FrozenLeaderboard, FrozenStanding, Publication
from competition.models.files import Blob, BuiltFile, GoldBlob, GoldVersion, ItemSet
from competition.models.people import OrganizerRole, TermsAcceptance, User
from competition.models.submissions import Entry, ExtraAttempts, RefusedUpload, Submission
from competition.models.tasks import Announcement, Phase, SharedTask, Track
from competition.models.teams import Invitation, Membership, Team, TeamNameChange
from competition.models.tokens import ApiToken
from competition.models.work import Evaluation, FreezeRequest, GoldCheck, QueuedWork, Result, WorkerBeat

__all__ = [
    "Announcement",
    "ApiToken",
    "AuditEntry",
    "Blob",
    "BuiltFile",
    "Entry",
    "Evaluation",
    "ExtraAttempts",
    "FreezeRequest",
    "FrozenLeaderboard",
    "FrozenStanding",
    "GoldBlob",
    "GoldCheck",
    "GoldVersion",
    "Invitation",
    "ItemSet",
    "Membership",
    "OrganizerRole",
    "Phase",
    "Publication",
    "QueuedWork",
    "RefusedUpload",
    "Result",
    "SharedTask",
    "Submission",
    "Team",
    "TeamNameChange",
    "TermsAcceptance",
    "Track",
    "User",
    "WorkerBeat",
]
