"""Uncertainty of a whole board, worked out once when it is frozen."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from typing import Any, Dict, List, Mapping, Optional, Sequence, Tuple

import numpy as np

from scoring.evaluate import score_tallies
from scoring.statistics.bootstrap import DECIMALS, LEAST_UNITS, SEED, Resampled, resample
from scoring.statistics.rank_intervals import (
    better_share,
    brackets,
    first_shares,
    rank_interval,
    rank_shares,
    ranks,
    separated,
)
from scoring.statistics.resampling import Table, Units, units_of
from scoring.tracks.base import Kind, Resampling, Tally

LEVEL = 0.95
ALPHA = 0.05

PAIRS_LISTED = 50
"""Boards of up to this many teams list every pair; larger ones only neighbours."""


@dataclass(frozen=True)
class TeamAnalysis:
    """One team's uncertainty; all but score and rank are None or empty where the board has a reason for none.

    `low`, `high`: interval of the primary score, a fraction; None where every resample gives the same score.
    `rank_low`, `rank_high`: rank interval. `first`: P(first). `better_than_next`: P(better than `next`, the
    team below). `indistinguishable`: teams whose difference from this one is not significant after Holm, best
    first. `groups`: numbers of the board's groups this team is in. `rank_shares`: [rank, share of resamples].
    """

    score: float
    rank: int
    low: Optional[float] = None
    high: Optional[float] = None
    rank_low: Optional[int] = None
    rank_high: Optional[int] = None
    first: Optional[float] = None
    next: Optional[str] = None
    better_than_next: Optional[float] = None
    indistinguishable: List[str] = field(default_factory=list)
    groups: List[int] = field(default_factory=list)
    rank_shares: List[List[float]] = field(default_factory=list)


@dataclass(frozen=True)
class BoardAnalysis:
    """Intervals, rank intervals and groups of a board, or the `reason` why there are none.

    `signature` is the part a score's signature takes, `ci:cluster32x10000|seed:13`, "" when there is a
    reason. `unit` is "item", "cluster" or "none", `about` the same in words. `method` is "percentile" or
    "bootstrap-t". `teams` is in rank order. `groups`: longest stretches of the board, as team names, in which
    no two teams can be told apart. `pairs`: {"better", "worse", "difference", "p", "p_holm"}, `difference` a
    fraction, never negative.
    """

    score_key: str
    unit: str
    about: str
    signature: str
    reason: str
    method: str
    units: int
    resamples: int
    seed: int
    level: float
    alpha: float
    notes: List[str]
    teams: Dict[str, TeamAnalysis]
    groups: List[List[str]]
    pairs: List[Dict[str, Any]]

    def to_json(self) -> Dict[str, Any]:
        """Plain objects only; two analyses are equal when their JSON is."""
        return asdict(self)

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> BoardAnalysis:
        return cls(
            **{**data, "teams": {name: TeamAnalysis(**values) for name, values in data["teams"].items()}}
        )


def analyse(
    kind: Kind,
    options: Mapping[str, Any],
    teams: Mapping[str, Sequence[Tally]],
    items: Sequence[Mapping[str, Any]],
    seed: int = SEED,
    *,
    resamples: Optional[int] = None,
) -> BoardAnalysis:
    """The uncertainty of a board by the kind's resampling unit.

    `teams`: name → one tally per record of `items`, in the same order; items outside the primary score are
    left out here. The outcome depends on neither the order of teams nor that of items. `resamples` overrides
    the kind's number. Raises ValueError when a team has not one tally per item.
    """
    declared = kind.resampling
    resamples = declared.resamples if resamples is None else resamples
    names = sorted(teams)
    chosen = primary_items(kind, items, [(name, teams[name]) for name in names])
    score = kind.primary_for(options)
    point = {
        name: score_tallies(kind, tallies, options)[score.key] for name, tallies in zip(names, chosen.tallies)
    }
    units = None if declared.unit == "none" else units_of(declared, chosen.items, chosen.ids)
    reason = reason_for_none(declared, units) or ("" if names else "not reported: there is no team")
    order = sorted(names, key=lambda name: (-point[name] if score.higher_is_better else point[name], name))
    known = _Known(names, order, point, score.higher_is_better)
    details: Tuple[Dict[str, TeamAnalysis], List[List[str]], List[Dict[str, Any]]]
    if reason or units is None:
        details, notes, method = (known.plain(), [], []), [], ""
    else:
        sample = resample(
            Table(chosen.tallies, units),
            lambda total: kind.scores_of(total, options)[score.key],
            resamples,
            seed,
        )
        details, notes, method = known.with_uncertainty(sample), notes_on(units, sample), sample.method
    return BoardAnalysis(
        score_key=score.key,
        unit="none" if reason else ("cluster" if units and units.clustered else "item"),
        about=reason or in_words(declared, units, resamples),
        signature="" if reason or units is None else interval_signature(units, resamples, seed),
        reason=reason,
        method=method,
        units=units.count if units else 0,
        resamples=0 if reason else resamples,
        seed=seed,
        level=LEVEL,
        alpha=ALPHA,
        notes=notes,
        teams=details[0],
        groups=details[1],
        pairs=details[2],
    )


@dataclass(frozen=True)
class PrimaryItems:
    """The items that enter the primary score, their ids, and each run's tallies of them."""

    items: List[Mapping[str, Any]]
    ids: List[str]
    tallies: List[List[Tally]]


def primary_items(
    kind: Kind, items: Sequence[Mapping[str, Any]], runs: Sequence[Tuple[str, Sequence[Tally]]]
) -> PrimaryItems:
    for name, tallies in runs:
        if len(tallies) != len(items):
            raise ValueError(f"{name} has {len(tallies)} tallies for {len(items)} items")
    kept = [place for place, item in enumerate(items) if kind.in_primary(item)]  # type: ignore[arg-type]
    return PrimaryItems(
        items=[items[place] for place in kept],
        ids=[str(items[place][kind.id_field]) for place in kept],
        tallies=[[tallies[place] for place in kept] for _, tallies in runs],
    )


def reason_for_none(declared: Resampling, units: Optional[Units]) -> str:
    """Why no interval is given, "not reported: …", or ""."""
    if units is None:
        return declared.reason or "not reported: this kind of track has no unit to resample"
    if units.count < LEAST_UNITS:
        what = "groups of items" if units.clustered else "items"
        return f"not reported: {units.count} {what} are too few to resample, {LEAST_UNITS} are needed"
    return ""


def interval_signature(units: Units, resamples: int, seed: int) -> str:
    """`ci:cluster32x10000|seed:13`."""
    return f"ci:{'cluster' if units.clustered else 'item'}{units.count}x{resamples}|seed:{seed}"


def in_words(declared: Resampling, units: Optional[Units], resamples: int) -> str:
    """The resampling in one sentence for the foot of a table."""
    if units is None:
        return ""
    what = f"{units.count} items"
    if units.clustered:
        what = f"{units.count} groups of items with the same {' and '.join(declared.fields)}"
    within = f" within each {declared.within}" if declared.within else ""
    return f"{what}, drawn with replacement{within}, {resamples:,} times."


def notes_on(units: Units, sample: Resampled) -> List[str]:
    """What a reader must know to trust the intervals."""
    notes = []
    if sample.few and not sample.studentised:
        notes.append(
            f"With {units.count} units, percentile intervals are too short: "
            "they cover about 92 % instead of 95 %."
        )
    alone = sum(size == 1 for size in units.strata)
    if len(units.strata) > 1 and alone:
        notes.append(f"{alone} of {len(units.strata)} strata have one unit only, which is drawn every time.")
    return notes


@dataclass(frozen=True)
class _Known:
    """Teams by name (the runs of the sample), in rank order, and their scores."""

    names: List[str]
    order: List[str]
    point: Dict[str, float]
    higher: bool

    def ranks(self) -> Dict[str, int]:
        found = ranks(np.array([[self.point[name] for name in self.names]]), self.higher)[0]
        return dict(zip(self.names, found.tolist()))

    def plain(self) -> Dict[str, TeamAnalysis]:
        rank = self.ranks()
        return {name: TeamAnalysis(self.point[name], rank[name]) for name in self.order}

    def with_uncertainty(
        self, sample: Resampled
    ) -> Tuple[Dict[str, TeamAnalysis], List[List[str]], List[Dict[str, Any]]]:
        """Teams, groups and pairs of a `BoardAnalysis`."""
        run = {name: number for number, name in enumerate(self.names)}
        resampled, rank = ranks(sample.scores, self.higher), self.ranks()
        first = first_shares(resampled)
        differs, adjusted = separated(sample.pair_p, ALPHA)
        groups = [
            [self.names[one] for one in group]
            for group in brackets([run[name] for name in self.order], differs)
        ]
        teams = {}
        for name, below in zip(self.order, [*self.order[1:], None]):
            number = run[name]
            low, high = sample.interval(number, LEVEL) or (None, None)
            rank_low, rank_high = rank_interval(resampled[:, number], LEVEL)
            teams[name] = TeamAnalysis(
                score=self.point[name],
                rank=rank[name],
                low=_rounded(low),
                high=_rounded(high),
                rank_low=rank_low,
                rank_high=rank_high,
                first=_rounded(first[number]),
                next=below,
                better_than_next=self._better(sample, number, run[below]) if below is not None else None,
                indistinguishable=[
                    other for other in self.order if other != name and not differs[number, run[other]]
                ],
                groups=[place for place, group in enumerate(groups) if name in group],
                rank_shares=[[place, share] for place, share in rank_shares(resampled[:, number])],
            )
        return teams, groups, self._pairs(sample, run, adjusted)

    def _better(self, sample: Resampled, one: int, other: int) -> float:
        return better_share(sample.scores[:, one], sample.scores[:, other], self.higher)

    def _pairs(self, sample: Resampled, run: Dict[str, int], adjusted: np.ndarray) -> List[Dict[str, Any]]:
        pairs = []
        reach = len(self.order) if len(self.order) <= PAIRS_LISTED else 2
        for place, better in enumerate(self.order):
            for worse in self.order[place + 1 : place + reach]:
                cell = run[better], run[worse]
                pairs.append(
                    {
                        "better": better,
                        "worse": worse,
                        "difference": _rounded(abs(self.point[better] - self.point[worse])),
                        "p": _rounded(sample.pair_p[cell]),
                        "p_holm": _rounded(adjusted[cell]),
                    }
                )
        return pairs


def _rounded(value: Optional[float]) -> Optional[float]:
    return None if value is None else round(float(value), DECIMALS)
