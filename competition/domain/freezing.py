"""From a live board to an official one: what is in the way, the snapshot, and opening the door.

A frozen board is a copy. Nothing on it is read from a live table again, so nothing behind it can move it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, dataclass
from datetime import datetime
from typing import Any

from django.db import transaction

from competition import clock
from competition.domain import audit, blobs, evaluations, queueing, snapshots
from competition.domain.analysis import Material, work_out
from competition.domain.selection import Attempt
from competition.domain.snapshots import OfficialRun
from competition.domain.standings import official_of
from competition.enums import FreezeOutcome, WorkStatus
from competition.exceptions import NotReadyToFreeze, NotReadyToPublish
from competition.models import (
    FreezeRequest,
    FrozenLeaderboard,
    FrozenStanding,
    GoldCheck,
    GoldVersion,
    Phase,
    Publication,
    Result,
    Submission,
    Team,
    Track,
    User,
)
from competition.models.people import shown_name

Compute = Callable[[Callable[[], Any]], Any]
"""How heavy work is run: as it is, or in a child that limits can kill."""


@dataclass(frozen=True)
class Blocker:
    """What keeps a board from being frozen, and the way out. Both are sentences for the organizers' desk."""

    message: str
    fix: str


# Asking


def freeze_blockers(phase: Phase, track: Track, moment: datetime | None = None) -> list[Blocker]:
    """Everything in the way of an official board, or an empty list."""
    moment = moment or clock.now()
    gold = GoldVersion.objects.current_for(phase, track)
    blockers = _about_time_and_gold(phase, track, gold, moment)
    standing = [one for _, mine, _ in official_of(phase, track) for one in mine if not one.withdrawn]
    if not standing:
        blockers.append(Blocker("No team has a run that stands.", "Wait for runs, or leave the board live."))
    blockers += _about_runs(standing, gold, queueing.scorer_version(track))
    return blockers


def freeze_doubt(phase: Phase, track: Track) -> Blocker | None:
    """What is in the way unless an organizer says that it is meant: a board on which no team would stand."""
    stands = [team for team, _, selection in official_of(phase, track) if selection.run is not None]
    if not stands or not all(team.is_baseline for team in stands):
        return None
    return Blocker(
        "No team has a run that stands: the board would show "
        f"{_count(stands, 'baseline', 'baselines')} and rank nobody.",
        "Leave the board live, or say below that baselines alone are what you mean, and why.",
    )


def _about_time_and_gold(
    phase: Phase, track: Track, gold: GoldVersion | None, moment: datetime
) -> list[Blocker]:
    blockers = []
    if moment < phase.last_accepted_before:
        closing = f"{phase.last_accepted_before:%Y-%m-%d %H:%M} UTC"
        blockers.append(
            Blocker(f"{phase.name} takes runs until {closing}.", "Wait for the close, or move the deadline.")
        )
    if gold is None:
        blockers.append(Blocker("There is no gold that passed its check.", "Upload gold for this phase."))
    checks = GoldCheck.objects.filter(gold_version__phase=phase, gold_version__track=track)
    if checks.filter(status__in=[WorkStatus.QUEUED, WorkStatus.RUNNING]).exists():
        blockers.append(Blocker("A gold version is being checked.", "Wait for the check to end."))
    return blockers


def _about_runs(standing: list[Attempt[Any]], gold: GoldVersion | None, scorer: str) -> list[Blocker]:
    by_status = {
        status: [one for one in standing if one.run.status == status] for status in ("", *WorkStatus.values)
    }
    blockers = []
    unqueued = by_status[""]
    gone = [one for one in by_status[WorkStatus.FAILED] if one.run.items_are_gone]
    failed = [one for one in by_status[WorkStatus.FAILED] if not one.run.items_are_gone]
    waiting = by_status[WorkStatus.QUEUED] + by_status[WorkStatus.RUNNING]
    if waiting:
        blockers.append(
            Blocker(
                f"{_count(waiting, 'evaluation is', 'evaluations are')} still open.",
                "Wait until they are done.",
            )
        )
    if unqueued:
        blockers.append(
            Blocker(
                f"{_count(unqueued, 'run was', 'runs were')} never scored.", "Upload gold, or evaluate again."
            )
        )
    if failed:
        blockers.append(
            Blocker(
                f"{_count(failed, 'run', 'runs')} failed through our fault.",
                "Evaluate again once the cause is gone, or withdraw with a reason.",
            )
        )
    if gone:
        blockers.append(
            Blocker(
                f"{_count(gone, 'run answers', 'runs answer')} items that were replaced.",
                "Withdraw each on its page, with a reason. Its team has the attempt back; if it has no other "
                "run, move the deadline so that it can send one, or bring back the items and gold of before.",
            )
        )
    done = by_status[WorkStatus.DONE]
    stale = [one for one in done if gold is not None and one.run.gold_version != gold.version]
    if stale:
        blockers.append(
            Blocker(
                f"{_count(stale, 'run was', 'runs were')} scored with an older gold version.",
                f"Evaluate again with gold v{gold.version if gold else ''}.",
            )
        )
    old = [one for one in done if one.run.scorer_version != scorer]
    if old:
        blockers.append(
            Blocker(
                f"{_count(old, 'run was', 'runs were')} scored with another scorer than {scorer}.",
                "Evaluate again with this scorer.",
            )
        )
    return blockers + _about_environments(done)


def _about_environments(done: list[Attempt[Any]]) -> list[Blocker]:
    """Unicode tables differ between Pythons, and with them a token now and then."""
    evaluations_done = [one.run.evaluation_id for one in done]
    found = Result.objects.filter(evaluation__in=evaluations_done).values_list("environment", flat=True)
    tables = sorted({environment.get("unicode", "") for environment in found})
    if len(tables) < 2:
        return []
    return [
        Blocker(
            f"Runs were scored under different Unicode tables: {', '.join(tables)}.",
            "Evaluate again on workers of one kind.",
        )
    ]


def _count(some: list[Any], one: str, many: str) -> str:
    return f"{len(some)} {one if len(some) == 1 else many}"


# Freezing


@transaction.atomic
def request_freeze(
    *, phase: Phase, track: Track, requested_by: User | None, reason: str, baselines_alone: bool = False
) -> FreezeRequest:
    """Ask for a frozen board; a worker makes it. Raises NotReadyToFreeze with the blockers known now, and
    where no team would stand on it unless `baselines_alone` says that this is meant.
    """
    if not reason.strip():
        raise NotReadyToFreeze("Say why the board is frozen now.")
    Phase.objects.select_for_update().get(pk=phase.pk)
    _require_none(freeze_blockers(phase, track))
    doubt = freeze_doubt(phase, track)
    if doubt and not baselines_alone:
        _require_none([doubt])
    open_ones = FreezeRequest.objects.filter(
        phase=phase, track=track, status__in=[WorkStatus.QUEUED, WorkStatus.RUNNING]
    )
    if open_ones.exists():
        raise NotReadyToFreeze("A freeze of this phase and track is under way.")
    moment = clock.now()
    request = FreezeRequest.objects.create(
        phase=phase, track=track, requested_by=requested_by, reason=reason.strip(), queued_at=moment
    )
    audit.record(
        actor=requested_by,
        action="freeze requested",
        target=request,
        reason=reason,
        after={"phase": phase.slug, "track": track.slug, **({"baselines_alone": True} if doubt else {})},
        at=moment,
    )
    queueing.ring(request)
    return request


def freeze_leaderboard(
    *,
    phase: Phase,
    track: Track,
    frozen_by: User | None,
    reason: str,
    compute: Compute = lambda work: work(),
    request: FreezeRequest | None = None,
) -> FrozenLeaderboard:
    """Copy the standings into a numbered, digested, chained snapshot that nothing can change any more.

    Every official run is scored anew and compared with its stored result, and ROUGE-1 with a second
    opinion; a difference blocks. Raises NotReadyToFreeze with `blockers`. `request`, when claimed work
    stands behind this, is finished in the same transaction.
    """
    _require_none(freeze_blockers(phase, track))
    gold = GoldVersion.objects.current_for(phase, track)
    assert gold is not None
    official, exclusions = _official(phase, track)
    material = _material(track, gold, official)
    found = compute(lambda: work_out(material))
    _require_none(_disagreements(official, found))
    with transaction.atomic():
        phase = Phase.objects.select_for_update().get(pk=phase.pk)
        _require_none(freeze_blockers(phase, track))
        again, exclusions = _official(phase, track)
        if _fingerprint(again) != _fingerprint(official):
            raise NotReadyToFreeze("Runs changed while the board was being made. Freeze again.")
        board = _write(phase, track, gold, again, exclusions, found, frozen_by, reason)
        if request is not None:
            evaluations.finish(
                request, moment=board.frozen_at, outcome=FreezeOutcome.FROZEN, board=board, blockers=[]
            )
    return board


def record_blocked(*, request: FreezeRequest, refusal: NotReadyToFreeze) -> None:
    """End a claimed freeze request with what was in the way."""
    listed = [
        asdict(one) if isinstance(one, Blocker) else {"message": str(one), "fix": ""}
        for one in refusal.blockers
    ]
    listed = listed or [{"message": refusal.message, "fix": ""}]
    with transaction.atomic():
        evaluations.finish(request, moment=clock.now(), outcome=FreezeOutcome.BLOCKED, blockers=listed)


def _require_none(blockers: list[Blocker]) -> None:
    if blockers:
        raise NotReadyToFreeze(" ".join(one.message for one in blockers), blockers)


def _official(phase: Phase, track: Track) -> tuple[list[OfficialRun], list[dict[str, Any]]]:
    """The runs that stand for their teams, and who is left out, with the reason."""
    rows = official_of(phase, track)
    chosen = [selection.run.submission_id for _, _, selection in rows if selection.run is not None]
    stored = Submission.objects.in_bulk(chosen)
    official: list[OfficialRun] = []
    exclusions: list[dict[str, Any]] = []
    for team, mine, selection in rows:
        if selection.run is not None:
            official.append(OfficialRun(team, mine, selection, stored[selection.run.submission_id]))
        elif mine:
            exclusions.append({"team": team.name, "team_id": team.public_id, "reason": selection.reason})
        exclusions += [
            {
                "team": team.name,
                "team_id": team.public_id,
                "run_number": one.number,
                "reason": "Withdrawn.",
            }
            for one in mine
            if one.withdrawn
        ]
    return official, exclusions


def _material(track: Track, gold: GoldVersion, official: list[OfficialRun]) -> Material:
    assert gold.item_set is not None
    return Material(
        kind=track.kind,
        options=track.options,
        items=blobs.load(gold.item_set.blob),
        gold=blobs.load(gold.blob),
        gold_version=gold.version,
        runs={one.submission.public_id: blobs.load(one.submission.blob) for one in official},
        ranked=tuple(one.submission.public_id for one in official if not one.team.is_baseline),
    )


def _disagreements(official: list[OfficialRun], found: dict[str, Any]) -> list[Blocker]:
    stored = dict(
        Result.objects.filter(
            evaluation__in=[one.selection.run.evaluation_id for one in official if one.selection.run]
        ).values_list("evaluation__submission__public_id", "scores")
    )
    blockers = []
    for one in official:
        run, who = one.submission.public_id, f"{one.team.name}, run {one.submission.number}"
        if stored.get(run) != found["scores"][run]:
            blockers.append(
                Blocker(
                    f"{who}: scoring it again gives other values than stored.",
                    "Evaluate it again, and find out what changed: gold, scorer or stored bytes.",
                )
            )
        for difference in found["second_opinion"][run].get("differences", ()):
            blockers.append(
                Blocker(
                    f"{who}: a second opinion on {difference['score']} says "
                    f"{difference['second']!r} where we say {difference['official']!r}.",
                    "Do not publish these scores; report the run's number to the maintainers.",
                )
            )
    return blockers


def _fingerprint(official: list[OfficialRun]) -> list[tuple[Any, ...]]:
    return [
        (
            one.team.pk,
            one.team.name,
            one.submission.digest,
            one.selection.run and one.selection.run.evaluation_id,
        )
        for one in official
    ]


def _write(
    phase: Phase,
    track: Track,
    gold: GoldVersion,
    official: list[OfficialRun],
    exclusions: list[dict[str, Any]],
    found: dict[str, Any],
    frozen_by: User | None,
    reason: str,
) -> FrozenLeaderboard:
    before = FrozenLeaderboard.objects.filter(phase=phase, track=track).order_by("-version").first()
    moment = clock.now()
    content = snapshots.describe(
        phase=phase,
        track=track,
        gold=gold,
        official=official,
        exclusions=exclusions,
        found=found,
        version=before.version + 1 if before else 1,
        previous_digest=before.digest if before else "",
        frozen_at=moment,
        frozen_by=shown_name(frozen_by) if frozen_by else "",
        reason=reason,
    )
    text = snapshots.canonical(content)
    board = FrozenLeaderboard.objects.create(
        phase=phase,
        track=track,
        version=content["version"],
        frozen_at=moment,
        frozen_by=frozen_by,
        reason=reason,
        content=text,
        digest=snapshots.digest_of(text),
        previous_digest=content["previous_digest"],
    )
    teams = {one.team.public_id: one.team for one in official}
    runs = {one.submission.public_id: one.submission for one in official}
    FrozenStanding.objects.bulk_create(_standings(board, content, teams, runs))
    audit.record(
        actor=frozen_by,
        action="leaderboard frozen",
        target=board,
        reason=reason,
        after={"version": board.version, "digest": board.digest, "teams": len(content["entries"])},
        at=moment,
    )
    return board


def _standings(
    board: FrozenLeaderboard,
    content: dict[str, Any],
    teams: dict[str, Team],
    runs: dict[str, Submission],
) -> list[FrozenStanding]:
    standings = []
    for row in snapshots.rows_of(content):
        team, run = teams[row.pop("team_public_id")], runs[row.pop("run_public_id")]
        standings.append(FrozenStanding(board=board, team=team, submission=run, **row))
    return standings


# Publishing


@transaction.atomic
def publish_leaderboard(*, board: FrozenLeaderboard, published_by: User | None) -> Publication:
    """Open a frozen board to everybody. Raises NotReadyToPublish when it is open, or a newer version is."""
    Phase.objects.select_for_update().get(pk=board.phase_id)
    if Publication.objects.filter(board=board).exists():
        raise NotReadyToPublish("This board is published already.")
    same = FrozenLeaderboard.objects.filter(phase=board.phase, track=board.track)
    newer = same.published().filter(version__gt=board.version).order_by("-version").first()
    if newer is not None:
        raise NotReadyToPublish(f"Version {newer.version} is published, which is newer than this one.")
    moment = clock.now()
    publication = Publication.objects.create(board=board, published_at=moment, published_by=published_by)
    audit.record(
        actor=published_by,
        action="leaderboard published",
        target=board,
        reason=board.reason,
        after={"version": board.version, "digest": board.digest},
        at=moment,
    )
    return publication
