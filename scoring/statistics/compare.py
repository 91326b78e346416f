"""Two runs side by side: difference, interval, wins and losses, exact McNemar, and a verdict in words."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any, Dict, List, Mapping, Optional, Sequence, Tuple

from scoring.evaluate import score_tallies
from scoring.records import Items
from scoring.report import Report
from scoring.statistics.board import (
    LEVEL,
    in_words,
    interval_signature,
    primary_items,
    reason_for_none,
)
from scoring.statistics.bootstrap import SEED
from scoring.statistics.mcnemar import McNemar, mcnemar
from scoring.statistics.paired import PairedBootstrap, approximate_randomization, paired_bootstrap
from scoring.statistics.resampling import units_of
from scoring.tracks.base import Kind, Score, Tally

NEAR = 1e-12


@dataclass(frozen=True)
class Comparison:
    """Run B against run A on the primary score. All scores are fractions, `difference` is B less A.

    `low`, `high` (95 % interval of the difference), `p` (paired bootstrap) and `p_randomization` are None
    where `reason` says why. `wins` counts items B answers better, `losses` worse. `mcnemar` {"only_a",
    "only_b", "p"} is None unless each item is simply right or wrong. `settled`: the interval leaves out 0;
    None where there is no interval.
    """

    score_key: str
    names: Tuple[str, str]
    n: int
    score_a: float
    score_b: float
    difference: float
    low: Optional[float]
    high: Optional[float]
    p: Optional[float]
    p_randomization: Optional[float]
    method: str
    about: str
    signature: str
    reason: str
    wins: int
    losses: int
    ties: int
    mcnemar: Optional[Dict[str, Any]]
    settled: Optional[bool]
    verdict: str

    def to_json(self) -> Dict[str, Any]:
        """Plain objects only."""
        return {**asdict(self), "names": list(self.names)}


def compare_reports(
    kind: Kind,
    options: Mapping[str, Any],
    items: Items,
    a: Report,
    b: Report,
    *,
    names: Tuple[str, str] = ("A", "B"),
    seed: int = SEED,
    resamples: Optional[int] = None,
) -> Comparison:
    """Compare two reports of `evaluate` under the same items, gold and options."""
    records = [items.records[item_id] for item_id in a.tallies]
    second = [b.tallies[item_id] for item_id in a.tallies]
    return compare(
        kind, options, records, list(a.tallies.values()), second, names=names, seed=seed, resamples=resamples
    )


def compare(
    kind: Kind,
    options: Mapping[str, Any],
    items: Sequence[Mapping[str, Any]],
    a: Sequence[Tally],
    b: Sequence[Tally],
    *,
    names: Tuple[str, str] = ("A", "B"),
    seed: int = SEED,
    resamples: Optional[int] = None,
) -> Comparison:
    """Compare two runs by their tallies, one per record of `items`, in the same order.

    Raises ValueError when a run has not one tally per item.
    """
    declared, score = kind.resampling, kind.primary_for(options)
    resamples = declared.resamples if resamples is None else resamples
    chosen = primary_items(kind, items, [(names[0], a), (names[1], b)])
    first, second = chosen.tallies
    score_a, score_b = (score_tallies(kind, tallies, options)[score.key] for tallies in (first, second))
    by_item = [[kind.scores_of(tally, options)[score.key] for tally in run] for run in (first, second)]
    gains = [(y - x if score.higher_is_better else x - y) for x, y in zip(*by_item)]
    units = None if declared.unit == "none" else units_of(declared, chosen.items, chosen.ids)
    reason = reason_for_none(declared, units)
    test, p_randomization = None, None
    if units is not None and not reason:

        def score_of(total: Tally) -> float:
            return kind.scores_of(total, options)[score.key]

        test = paired_bootstrap(first, second, score_of, units, resamples=resamples, seed=seed, level=LEVEL)
        p_randomization = approximate_randomization(
            first, second, score_of, units, swaps=resamples, seed=seed
        )
    outcomes = None
    if all(_right_or_wrong(kind, options, score, run, one) for run, one in zip((first, second), by_item)):
        outcomes = mcnemar([(x > 0.5, y > 0.5) for x, y in zip(*by_item)])
    return Comparison(
        score_key=score.key,
        names=names,
        n=len(gains),
        score_a=score_a,
        score_b=score_b,
        difference=score_b - score_a,
        low=test.low if test else None,
        high=test.high if test else None,
        p=test.p if test else None,
        p_randomization=p_randomization,
        method=test.method if test else "",
        about=reason or in_words(declared, units, resamples),
        signature=interval_signature(units, resamples, seed) if units and test else "",
        reason=reason,
        wins=sum(gain > NEAR for gain in gains),
        losses=sum(gain < -NEAR for gain in gains),
        ties=sum(abs(gain) <= NEAR for gain in gains),
        mcnemar=outcomes._asdict() if outcomes else None,
        settled=(test.low > 0 or test.high < 0) if test else None,
        verdict=_verdict(names, score, score_b - score_a, test, reason, outcomes),
    )


def _right_or_wrong(
    kind: Kind, options: Mapping[str, Any], score: Score, tallies: List[Tally], by_item: List[float]
) -> bool:
    """Whether items are right (1) or wrong (0) and the score is their mean, on the whole and on each half."""
    if not by_item or not set(by_item) <= {0.0, 1.0}:
        return False
    middle = (len(by_item) + 1) // 2
    for part in (slice(None), slice(middle), slice(middle, None)):
        mean = sum(by_item[part]) / max(1, len(by_item[part]))
        if abs(score_tallies(kind, tallies[part], options)[score.key] - mean) > NEAR:
            return False
    return True


def _verdict(
    names: Tuple[str, str],
    score: Score,
    difference: float,
    test: Optional[PairedBootstrap],
    reason: str,
    outcomes: Optional[McNemar],
) -> str:
    """In points (hundredths), such as "B is better by 0.80, interval -0.30..1.90: not settled"."""
    gain = difference if score.higher_is_better else -difference
    sentence = f"{names[0]} and {names[1]} score the same"
    if abs(gain) > NEAR:
        sentence = f"{names[gain > 0]} is better by {100 * abs(difference):.2f}"
    if test is None:
        p = f"p = {outcomes.p:.4f}" if outcomes and outcomes.p >= 0.0001 else "p < 0.0001"
        exploratory = f" (exact McNemar {p}, exploratory)" if outcomes else ""
        return f"{sentence}{exploratory}; interval {reason}"
    low, high = (test.low, test.high) if difference >= 0 else (-test.high, -test.low)
    settled = "settled" if test.low > 0 or test.high < 0 else "not settled"
    return f"{sentence}, interval {100 * low:.2f}..{100 * high:.2f}: {settled}"
