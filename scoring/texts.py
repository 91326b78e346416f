"""Reports in words, for the command line and the stand-alone validator."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from scoring.problems import Problem, Problems
from scoring.report import Report
from scoring.tracks.base import Kind

if TYPE_CHECKING:
    from scoring.statistics.compare import Comparison

SHOWN_PER_CODE = 5


def print_report(kind: Kind, report: Report, problems: Problems) -> None:
    """Verdict first, then scores, then problems grouped by code."""
    print("\n".join(report_lines(kind, report, problems)))


def report_lines(kind: Kind, report: Report, problems: Problems, most: int = SHOWN_PER_CODE) -> Iterator[str]:
    counts = report.counts
    verdict = "VALID" if report.ok else "REFUSED"
    yield (
        f"{verdict}: {_n(counts['lines'], 'line')} for {_n(counts['items'], 'item')}, "
        f"{_n(counts['errors'], 'error')}, {_n(counts['warnings'], 'warning')}"
    )
    if report.scores:
        yield f"Scores over {_n(counts['scored'], 'item')} (percent):"
        width = max(map(len, report.scores))
        for key, value in report.scores.items():
            yield f"  {key:<{width}}  {100 * value:6.2f}"
        yield f"Signature: {report.signature}"
    yield from problem_lines(problems, most)
    if report.digests["run"]:
        yield f"SHA-256 of the run: {report.digests['run']}"


def problem_lines(problems: Problems, most: int = SHOWN_PER_CODE) -> Iterator[str]:
    """The first `most` problems of each code, each code with its total."""
    for code, first in problems.first_of_each(most).items():
        total = problems.totals[code]
        yield f"{code} ({_n(total, 'time')})"
        for problem in first:
            yield from _one(problem)
        if total > len(first):
            yield f"  … and {total - len(first)} more"


def comparison_lines(comparison: Comparison) -> Iterator[str]:
    """The verdict first, then the figures it rests on."""
    yield comparison.verdict
    for name, value in zip(comparison.names, (comparison.score_a, comparison.score_b)):
        yield f"  {name}: {comparison.score_key} {100 * value:.2f}"
    better, worse, equal = comparison.wins, comparison.losses, comparison.ties
    yield f"  items: {comparison.n}, better {better}, worse {worse}, equal {equal}"
    if comparison.p is not None:
        yield f"  p {comparison.p:.4f} ({comparison.method}), {comparison.about}"
    if comparison.mcnemar is not None:
        only_a, only_b, p = (comparison.mcnemar[name] for name in ("only_a", "only_b", "p"))
        yield f"  exact McNemar: only the first {only_a}, only the second {only_b}, p {p:.4f}"


def _n(count: int, thing: str) -> str:
    return f"{count} {thing}" if count == 1 else f"{count} {thing}s"


def _one(problem: Problem) -> Iterator[str]:
    place = f"line {problem.line}" if problem.line else "file"
    item = f", {problem.item_id}" if problem.item_id else ""
    yield f"  {place}{item}: {problem.message}"
    if problem.found and problem.found not in problem.message:
        yield f"    found: {problem.found}"
    if problem.expected and problem.expected not in problem.message:
        yield f"    expected: {problem.expected}"
    if problem.hint:
        yield f"    fix: {problem.hint}"
