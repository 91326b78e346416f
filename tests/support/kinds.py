"""Small tracks in tests: records in, reports and problems out, through the checks all others use."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any

from scoring.checks import CheckedRun, check_gold, check_items, check_run
from scoring.evaluate import evaluate
from scoring.options import read_options
from scoring.problems import Problem
from scoring.records import Gold, Items
from scoring.report import Report
from scoring.tracks import get_kind

Records = Iterable[Mapping[str, Any]]


def as_lines(records: Records) -> bytes:
    """Records as a JSON Lines file."""
    return "".join(json.dumps(record, ensure_ascii=False) + "\n" for record in records).encode()


def read_items(kind_name: str, items: Records) -> Items:
    checked = check_items(get_kind(kind_name), as_lines(items))
    assert checked.items is not None, [problem.message for problem in checked.problems]
    return checked.items


def read_gold(kind_name: str, items: Items, gold: Records) -> Gold:
    checked = check_gold(get_kind(kind_name), items, as_lines(gold))
    assert checked.gold is not None, [problem.message for problem in checked.problems]
    return checked.gold


def check(kind_name: str, items: Records, run: Records, **options: str) -> CheckedRun:
    """The run against the items, under options written as on the command line."""
    kind = get_kind(kind_name)
    return check_run(kind, read_items(kind_name, items), as_lines(run), options=read_options(kind, options))


def score(kind_name: str, items: Records, gold: Records, run: Records, **options: str) -> Report:
    kind = get_kind(kind_name)
    read = read_items(kind_name, items)
    chosen = read_options(kind, options)
    checked = check_run(kind, read, as_lines(run), options=chosen)
    assert checked.run is not None, [problem.message for problem in checked.problems]
    return evaluate(
        kind, read, read_gold(kind_name, read, gold), checked.run, options=chosen, checked=checked
    )


def the_problem(checked: CheckedRun) -> Problem:
    """The only problem of a file."""
    problems = list(checked.problems)
    assert len(problems) == 1, [(problem.code, problem.message) for problem in problems]
    return problems[0]


def codes(checked: CheckedRun) -> list[str]:
    """The code of each problem, in line order."""
    return [problem.code for problem in checked.problems]


def gold_refused(kind_name: str, items: Records, gold: Records) -> list[str]:
    """The messages with which gold is refused."""
    checked = check_gold(get_kind(kind_name), read_items(kind_name, items), as_lines(gold))
    assert checked.gold is None
    assert set(checked.problems.totals) == {"E603"}
    return [problem.message for problem in checked.problems]


def items_refused(kind_name: str, items: Records) -> list[str]:
    """The messages with which items are refused."""
    checked = check_items(get_kind(kind_name), as_lines(items))
    assert checked.items is None
    assert set(checked.problems.totals) == {"E603"}
    return [problem.message for problem in checked.problems]
