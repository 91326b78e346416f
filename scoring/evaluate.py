"""Scoring: count per item, add up, turn sums into scores; the same for the whole, a slice and a resample."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from math import fsum
from operator import itemgetter
from typing import Any

from scoring.checks import CheckedRun
from scoring.options import read_options
from scoring.records import INVALID_REASONS, Gold, Invalid, Items, Run
from scoring.report import Report, counts_of, digests_of
from scoring.signature import environment, signature
from scoring.tracks.base import Kind, Scored, Slice, Tally


def add_up(tallies: Sequence[Tally]) -> Tally:
    """The sum of tallies of one kind. `fsum` makes it exact, so the order of items never moves a rank."""
    if not tallies:
        return {}
    if isinstance(tallies[0], tuple):
        # Column by column: `zip(*tallies)` makes an object per item, which sets the garbage collector off.
        return tuple(fsum(map(itemgetter(at), tallies)) for at in range(len(tallies[0])))
    columns: dict[Any, list[float]] = {}
    for tally in tallies:
        for key, value in tally.items():  # type: ignore[union-attr]
            columns.setdefault(key, []).append(value)
    return {key: fsum(values) for key, values in columns.items()}


def score_tallies(kind: Kind, tallies: Sequence[Tally], options: Mapping[str, Any]) -> dict[str, float]:
    """Every score of the kind over these items; 0 for each where there are none."""
    if not tallies:
        return {score.key: 0.0 for score in kind.scores_for(options)}
    return kind.scores_of(add_up(tallies), options)


def prepare_gold(kind: Kind, items: Items, gold: Gold, options: Mapping[str, Any]) -> dict[str, Any]:
    """Item id → reference ready to score, in the items' order. Worked out once per gold version."""
    return {
        item_id: kind.prepare(gold.references[item_id], item, options)
        for item_id, item in items.records.items()
        if item_id in gold.references
    }


def evaluate(
    kind: Kind,
    items: Items,
    gold: Gold,
    run: Run,
    *,
    options: Mapping[str, Any] | None = None,
    gold_version: str = "local",
    prepared: Mapping[str, Any] | None = None,
    checked: CheckedRun | None = None,
) -> Report:
    """Score a checked run against gold.

    `options` comes from `read_options`, `prepared` from `prepare_gold` under the same options. `checked`,
    when given,
    brings the run's warnings into the report.
    """
    options = read_options(kind, {}) if options is None else options
    prepared = prepare_gold(kind, items, gold, options) if prepared is None else prepared
    scored = _score_items(kind, items, run, prepared, options)
    ranked = [one.tally for one in scored if kind.in_primary(one.item)]
    problems = checked.problems if checked else CheckedRun.clean().problems
    return Report(
        kind=kind.name,
        ok=True,
        scores=score_tallies(kind, ranked, options),
        breakdowns=_breakdowns(kind, scored, options),
        diagnostics={**observe(kind, items, run), **kind.diagnose(scored, options)},
        signature=signature(
            kind, kind.primary_for(options).key, options, gold_version=gold_version, n_scored=len(ranked)
        ),
        environment=environment(),
        problems=problems.in_order(),
        counts=counts_of(problems, lines=run.lines, items=len(items.records), scored=len(ranked)),
        digests=digests_of(run=run.digest, items=items.digest, gold=gold.digest),
        tallies={one.item_id: one.tally for one in scored},
    )


def _score_items(
    kind: Kind, items: Items, run: Run, prepared: Mapping[str, Any], options: Mapping[str, Any]
) -> list[Scored]:
    records, answers, tally = items.records, run.answers, kind.tally
    scored = []
    for item_id, reference in prepared.items():
        item, answer = records[item_id], answers[item_id]
        scored.append(Scored(item_id, item, reference, answer, tally(item, reference, answer, options)))
    return scored


def observe(kind: Kind, items: Items, run: Run) -> dict[str, Any]:
    """Diagnostics that need no gold; with the invalid rate, whole and by reason, where the kind takes
    invalid."""
    found = kind.observe(items, run)
    return {**found, **_invalid_of(run.answers.values())} if kind.takes_invalid else found


def _invalid_of(answers: Iterable[Any]) -> dict[str, Any]:
    answers = list(answers)
    reasons = Counter(answer.reason for answer in answers if isinstance(answer, Invalid))
    rows = [
        [reason, reasons[reason], reasons[reason] / len(answers)]
        for reason in INVALID_REASONS
        if reasons[reason]
    ]
    return {
        "invalid_rate": sum(reasons.values()) / len(answers) if answers else 0.0,
        "invalid_by_reason": {"columns": ["reason", "n", "rate"], "rows": rows},
    }


def _breakdowns(
    kind: Kind, scored: list[Scored], options: Mapping[str, Any]
) -> dict[str, dict[str, dict[str, Any]]]:
    """slice → value → {"n", scores…, invalid rates}; values in the order they first occur in the items."""
    declared = {one.name: one for one in kind.slices}
    for name in options.get("slices", ()):
        declared.setdefault(name, Slice(name, name))
    breakdowns = {}
    for name, cut in declared.items():
        members: dict[str, list[Scored]] = {}
        for one in scored:
            for value in cut.values_of(one.item, one.reference):
                members.setdefault(value, []).append(one)
        if members:
            breakdowns[name] = {value: _cell(kind, chosen, options) for value, chosen in members.items()}
    return {**breakdowns, **kind.inner_breakdowns(scored, options)}


def _cell(kind: Kind, chosen: list[Scored], options: Mapping[str, Any]) -> dict[str, Any]:
    cell: dict[str, Any] = {"n": len(chosen), **score_tallies(kind, [one.tally for one in chosen], options)}
    if kind.takes_invalid:
        invalid = _invalid_of([one.answer for one in chosen])
        cell["invalid_rate"] = invalid["invalid_rate"]
        cell["invalid_by_reason"] = {reason: rate for reason, _, rate in invalid["invalid_by_reason"]["rows"]}
    return cell


def only_checked(kind: Kind, checked: CheckedRun, items: Items, *, observed: bool = True) -> Report:
    """The report of a run that was only checked: refused, or valid and not scored; without diagnostics
    unless `observed`.
    """
    return Report(
        kind=kind.name,
        ok=checked.run is not None,
        scores={},
        breakdowns={},
        signature="",
        diagnostics=observe(kind, items, checked.run) if checked.run and observed else {},
        environment=environment(),
        problems=checked.problems.in_order(),
        counts=counts_of(checked.problems, lines=checked.lines, items=len(items.records)),
        digests=digests_of(run=checked.digest, items=items.digest),
    )
