"""A whole board worked out from stored bytes: every official run scored anew, uncertainty, second opinion.

Used at a freeze and by `verify`. Runs in a child: it loads numpy, rouge-score and regex, and it reads gold.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from competition.domain import scorer
from competition.domain.invalid import invalid_in

SEED = 13
ROUGE = "rouge1_f1"


@dataclass(frozen=True)
class Material:
    """All that a board rests on. `runs`: submission public id → bytes; `ranked`: those that enter the
    analysis.
    """

    kind: str
    options: Mapping[str, Any]
    items: bytes
    gold: bytes
    gold_version: int
    runs: Mapping[str, bytes]
    ranked: tuple[str, ...] = ()
    seed: int = field(default=SEED)


def work_out(material: Material) -> dict[str, Any]:
    """Plain JSON: `scores`, `signatures`, `invalid` and `second_opinion` by run, `analysis`, `environment`,
    `n_scored`, `n_items`.

    `analysis` is the JSON of `scoring.statistics.board.BoardAnalysis` with runs for teams. A second opinion
    is given for ROUGE-1 and is otherwise {}: {"scores", "differences"}.
    """
    from scoring.signature import environment
    from scoring.statistics.board import analyse

    prepared = scorer.prepare(material.kind, material.options, material.items, material.gold)
    scores, signatures, tallies, opinions = {}, {}, {}, {}
    invalid: dict[str, Any] = {}
    for run_id, content in material.runs.items():
        report = scorer.score(prepared, content, gold_version=material.gold_version)
        scores[run_id], signatures[run_id] = report.scores, report.signature
        tallies[run_id] = [report.tallies[item_id] for item_id in prepared.references]
        share = invalid_in(report.diagnostics)
        invalid[run_id] = share.to_json() if share else None
        opinions[run_id] = _second_opinion(prepared, content, report.scores)
    items = [prepared.items.records[item_id] for item_id in prepared.references]
    ranked = {run_id: tallies[run_id] for run_id in material.ranked}
    return {
        "scores": scores,
        "signatures": signatures,
        "invalid": invalid,
        "second_opinion": opinions,
        "analysis": analyse(prepared.kind, prepared.options, ranked, items, material.seed).to_json(),
        "environment": environment(),
        "n_scored": len(prepared.references),
        "n_items": len(prepared.items.records),
    }


def _second_opinion(
    prepared: scorer.Prepared, content: bytes, official: Mapping[str, float]
) -> dict[str, Any]:
    if ROUGE not in official:
        return {}
    from competition.domain import second_opinion

    answers = scorer.read_run(prepared, content).answers
    found = second_opinion.rouge1(prepared.gold.references, answers, prepared.options["tokenizer"])
    return {"scores": found, "differences": second_opinion.compare(official, found)}
