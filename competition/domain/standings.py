"""The live board: who stands where now, as far as this viewer may see. The number of queries does not grow
with teams.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from statistics import median
from typing import Any

from django.contrib.auth.models import AnonymousUser

from competition.domain import visibility
from competition.domain.attempts import SentRun, attempts_of
from competition.domain.invalid import InvalidShare, invalid_share
from competition.domain.queueing import scorer_version
from competition.domain.ranking import Contender, Place, rank
from competition.domain.selection import RULES, Attempt, Selection, official_submission
from competition.models import Entry, GoldVersion, Phase, Result, Submission, Team, Track
from scoring.tracks.base import Score

ANONYMOUS = "anonymous team"


@dataclass(frozen=True)
class Standing:
    """One line. `rank` is None for baselines and for runs without a score; `why` says which run counts and
    why.

    `stale`: scored under an older gold version or scorer than the current one.
    """

    section: str
    rank: int | None
    tied: bool
    team: Team
    name: str
    is_own: bool
    run: SentRun
    why: str
    n_runs: int
    primary: float | None = None
    scores: dict[str, float] = field(default_factory=dict)
    signature: str = ""
    invalid: InvalidShare | None = None
    stale: bool = False


@dataclass(frozen=True)
class Board:
    """A live board. Where scores are hidden, `ranked` is empty, `hidden` says until when, and `n_teams` is
    all there is.
    """

    phase: Phase
    track: Track
    rule: str
    columns: tuple[Score, ...]
    hidden: str = ""
    ranked: list[Standing] = field(default_factory=list)
    unranked: list[Standing] = field(default_factory=list)
    baselines: list[Standing] = field(default_factory=list)
    n_teams: int = 0
    median: float | None = None
    signature: str = ""
    public: bool = True

    @property
    def rows(self) -> list[Standing]:
        return [*self.ranked, *self.unranked, *self.baselines]


def columns_of(track: Track) -> tuple[Score, ...]:
    """The score columns of a track's boards, primary first."""
    return track.scores


def official_of(phase: Phase, track: Track) -> list[tuple[Team, list[Attempt[SentRun]], Selection[SentRun]]]:
    """Each team with an entry, its attempts, and the one that counts."""
    higher = columns_of(track)[0].higher_is_better
    attempts = attempts_of(phase, track)
    found = []
    entries = Entry.objects.filter(phase=phase, track=track).select_related("team", "chosen")
    for entry in entries.order_by("team__name", "pk"):
        mine = attempts.get(entry.team_id, [])
        chosen = entry.chosen.number if entry.chosen else None
        # A baseline has one run at a time, whatever counts for teams.
        counts = "last" if entry.team.is_baseline else phase.counts
        selection = official_submission(mine, counts=counts, chosen=chosen, higher_is_better=higher)
        found.append((entry.team, mine, selection))
    return found


def live_standings(
    phase: Phase, track: Track, viewer: Any, moment: datetime, *, as_organizer: bool = True
) -> Board:
    """The board as this viewer may see it at `moment`; not `as_organizer`, as a participant would."""
    columns = columns_of(track)
    sees = viewer if as_organizer else AnonymousUser()
    public = visibility.scores_public(phase, track, moment)
    if not public and not visibility.scores_visible(sees, phase, track, moment):
        return Board(
            phase,
            track,
            RULES[phase.counts],
            columns,
            hidden=visibility.hidden_until(phase),
            n_teams=_teams_with_runs(phase, track),
            public=False,
        )
    official = [(team, mine, chosen) for team, mine, chosen in official_of(phase, track) if chosen.run]
    named = visibility.names_visible(sees, phase, track)
    lines = _Lines(phase, track, viewer, [chosen.run for _, _, chosen in official if chosen.run], named)
    teams = [one for one in official if not one[0].is_baseline]
    ranking = rank([lines.contender(*one) for one in teams], higher_is_better=columns[0].higher_is_better)
    baselines = rank(
        [lines.contender(*one) for one in official if one[0].is_baseline],
        higher_is_better=columns[0].higher_is_better,
    )
    scored = [place.value for place in ranking.ranked if place.value is not None]
    ranked = [lines.standing("ranked", place) for place in ranking.ranked]
    return Board(
        phase,
        track,
        RULES[phase.counts],
        columns,
        ranked=ranked,
        unranked=[lines.standing("unranked", place) for place in ranking.unranked],
        baselines=[lines.standing("baseline", place) for place in baselines.places],
        n_teams=len(teams),
        median=median(scored) if len(scored) >= visibility.FIELD_LEAST else None,
        signature=next((line.signature for line in ranked if not line.stale), ""),
        public=public,
    )


def _teams_with_runs(phase: Phase, track: Track) -> int:
    runs = Submission.objects.standing().filter(phase=phase, track=track, team__role="participant")
    return runs.values("team").distinct().count()


Official = tuple[Team, list[Attempt[SentRun]], Selection[SentRun]]


class _Lines:
    """What lines need besides their place: scores, the viewer's teams, the current gold. `named`: whether
    names show.
    """

    def __init__(self, phase: Phase, track: Track, viewer: Any, runs: list[SentRun], named: bool) -> None:
        wanted = [run.evaluation_id for run in runs if run.evaluation_id is not None]
        results = Result.objects.filter(evaluation__in=wanted).values_list(
            "evaluation_id",
            "scores",
            "signature",
            "report__diagnostics__invalid_rate",
            "report__diagnostics__invalid_by_reason__rows",
        )
        self.results = {
            evaluation: (scores, signature, invalid_share(rate, reasons))
            for evaluation, scores, signature, rate, reasons in results
        }
        self.own = set(Team.objects.of(viewer).values_list("pk", flat=True))
        self.named = named
        gold = GoldVersion.objects.current_for(phase, track)
        self.gold = gold.version if gold else None
        self.scorer = scorer_version(track)

    def contender(
        self, team: Team, mine: list[Attempt[SentRun]], chosen: Selection[SentRun]
    ) -> Contender[Official]:
        value = chosen.attempt.value if chosen.attempt else None
        name = team.name if self.named or team.pk in self.own else ANONYMOUS
        return Contender(name, value, (team, mine, chosen))

    def standing(self, section: str, place: Place[Official]) -> Standing:
        team, mine, chosen = place.subject
        run = chosen.run
        assert run is not None
        scores, signature, invalid = self.results.get(run.evaluation_id or 0, ({}, "", None))
        return Standing(
            section=section,
            rank=place.rank if section == "ranked" else None,
            tied=place.tied,
            team=team,
            name=place.name,
            is_own=team.pk in self.own,
            run=run,
            why=chosen.reason,
            n_runs=len(mine),
            primary=place.value,
            scores=scores,
            signature=signature,
            invalid=invalid,
            stale=bool(scores) and (run.gold_version != self.gold or run.scorer_version != self.scorer),
        )
