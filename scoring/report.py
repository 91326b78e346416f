"""The outcome of checking or scoring one run, as an object and as JSON."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, NamedTuple

from scoring.problems import Problem, Problems
from scoring.tracks.base import Kind, Tally


class Report(NamedTuple):
    """Scores are fractions at full precision. A refused run has `ok` False and no scores.

    `breakdowns` is slice → value → {"n", scores…}; `counts` has lines, items, scored, errors, warnings and
    the totals per code; `digests` are SHA-256 of raw bytes, "" where a file was not read.
    `tallies` (item id → counts) serves statistics and per-item scores and is not part of the JSON.
    """

    kind: str
    ok: bool
    scores: Mapping[str, float]
    breakdowns: Mapping[str, Mapping[str, Mapping[str, Any]]]
    diagnostics: Mapping[str, Any]
    signature: str
    environment: Mapping[str, str]
    problems: list[Problem]
    counts: Mapping[str, Any]
    digests: Mapping[str, str]
    tallies: Mapping[str, Tally] = MappingProxyType({})

    def to_json(self) -> dict[str, Any]:
        """Plain objects only; every key is always there."""
        return {
            "ok": self.ok,
            "kind": self.kind,
            "scores": self.scores,
            "breakdowns": self.breakdowns,
            "diagnostics": self.diagnostics,
            "signature": self.signature,
            "environment": self.environment,
            "problems": [problem.to_json() for problem in self.problems],
            "counts": self.counts,
            "digests": self.digests,
        }

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Report:
        values = dict(data)
        values["problems"] = [Problem.from_json(problem) for problem in data["problems"]]
        return cls(**values)

    def per_item(self, kind: Kind, options: Mapping[str, Any]) -> list[dict[str, Any]]:
        """{"item_id", scores…, the kind's `item_counts`…} for each scored item, in the items' order."""
        return [
            {"item_id": item_id, **kind.scores_of(tally, options), **kind.item_counts(tally)}
            for item_id, tally in self.tallies.items()
        ]


def counts_of(problems: Problems, *, lines: int, items: int, scored: int = 0) -> dict[str, Any]:
    """The `counts` of a report."""
    return {
        "lines": lines,
        "items": items,
        "scored": scored,
        "errors": problems.errors,
        "warnings": problems.warnings,
        "codes": dict(sorted(problems.totals.items())),
    }


def digests_of(*, run: str = "", items: str = "", gold: str | None = None) -> dict[str, str]:
    return {"run": run, "items": items, "gold": gold or ""}
