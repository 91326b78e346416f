"""Imports run downhill. These tests read the syntax trees and point at the line that climbs."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.support.imports import ROOT, Import, imports_of, module_name, sources, tree_of

# From the top towards the bottom. A module may import from its own row and from rows below it.
ROWS = [
    "settings formats urls wsgi apps authentication middleware views admin bell jobs management templatetags",
    "forms",
    "domain exports operations scoring_child",
    "queries",
    "models grants triggers",
    "rules enums exceptions clock names logs outages passwords charts",
]
ROW = {room: number for number, rooms in enumerate(ROWS) for room in rooms.split()}
SCORING = len(ROWS)

HEAVY = {"pandas", "rouge_score", "nltk"}
NUMERIC = {"numpy", "scipy", "pandas"}
OUTSIDE = {"socket", "ssl", "http", "urllib", "time", "django", "competition", *HEAVY, "regex"}
WEB = ("admin", "forms", "middleware", "queries", "templatetags", "views")
READS_GOLD = {"GoldBlob", "check_gold", "prepare_gold", "packed", "load_gold"}

Rule = Callable[[ast.Module, Path], Iterator[str]]


def top(name: str) -> str:
    return name.partition(".")[0]


def row(module: str) -> int | None:
    """The row a module belongs to; None for what is neither ours nor placed."""
    if top(module) == "scoring":
        return SCORING
    parts = module.split(".")
    return ROW.get(parts[1]) if parts[0] == "competition" and len(parts) > 1 else None


def climbs(tree: ast.Module, path: Path) -> Iterator[str]:
    """An import from a row above one's own."""
    own = row(module_name(path))
    for found in imports_of(tree, path):
        theirs = row(found.module)
        if own is not None and theirs is not None and theirs < own:
            yield f"{path}:{found.line} imports {found.module}, which stands above it"


def is_statistics(module: str) -> bool:
    return module.startswith("scoring.statistics")


def leans_out(tree: ast.Module, path: Path) -> Iterator[str]:
    """`scoring/` standing on anything but the standard library, itself and, in its statistics room, numpy."""
    room = module_name(path)

    def allowed(found: Import) -> bool:
        name = top(found.module)
        if name in OUTSIDE:
            return False
        if name == "scoring":
            return is_statistics(room) or not (found.at_start and is_statistics(found.module))
        return name in sys.stdlib_module_names or (name == "numpy" and is_statistics(room))

    for found in imports_of(tree, path):
        if not allowed(found):
            yield f"{path}:{found.line} imports {found.module}"
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and node.attr in ("now", "utcnow", "today"):
            yield f"{path}:{node.lineno} reads the clock"


def serves_slowly(tree: ast.Module, path: Path) -> Iterator[str]:
    """Web code that asks for a slow library, at its start or in a function: that is work for the worker."""
    for found in imports_of(tree, path):
        if top(found.module) in HEAVY | NUMERIC or is_statistics(found.module):
            yield f"{path}:{found.line} imports {found.module}"


def touches_gold(tree: ast.Module, path: Path) -> Iterator[str]:
    """Web code that could bring references into its process: it may store gold, never read it."""
    for found in imports_of(tree, path):
        if found.module.rpartition(".")[2] in READS_GOLD:
            yield f"{path}:{found.line} imports {found.module}"
    for node in ast.walk(tree):
        if isinstance(node, ast.Name | ast.Attribute):
            name = node.id if isinstance(node, ast.Name) else node.attr
            if name in READS_GOLD:
                yield f"{path}:{node.lineno} uses {name}"
        elif isinstance(node, ast.Constant) and re.search(r"^[\w.]*(gold\w*__blob)", str(node.value)):
            yield f"{path}:{node.lineno} selects {node.value!r}"
        elif isinstance(node, ast.Call) and re.search(r"\bload\(.*gold", ast.unparse(node), re.IGNORECASE):
            yield f"{path}:{node.lineno} loads gold"


def broken(rule: Rule, paths: list[Path]) -> list[str]:
    return [fault for path in paths for fault in rule(tree_of(path), path)]


def test_every_module_has_its_place() -> None:
    strays = [
        path for path in sources("competition") if len(path.parts) > 1 and path.parts[1:] != ("__init__.py",)
    ]
    unplaced = [str(path) for path in strays if row(module_name(path)) is None]
    assert not unplaced, f"Give these a row in ROWS: {unplaced}"


@pytest.mark.parametrize(
    ("rule", "rooms"),
    [
        (climbs, ["competition"]),
        (leans_out, ["scoring"]),
        (serves_slowly, [f"competition/{room}" for room in WEB]),
        (touches_gold, [f"competition/{room}" for room in WEB]),
    ],
)
def test_the_rule_holds(rule: Rule, rooms: list[str]) -> None:
    faults = broken(rule, sources(*rooms))
    assert not faults, f"{rule.__doc__}\n" + "\n".join(faults)


@pytest.mark.parametrize(
    ("rule", "place", "line"),
    [
        (climbs, "competition/queries/rail.py", "from competition.domain import visibility"),
        (climbs, "competition/domain/gold.py", "def later(): from competition import jobs"),
        (climbs, "competition/models/teams.py", "from ..domain import teams"),
        (climbs, "competition/rules.py", "from competition.models import Team"),
        (leans_out, "scoring/checks.py", "import django.conf"),
        (leans_out, "scoring/checks.py", "from competition import clock"),
        (leans_out, "scoring/checks.py", "import numpy as np"),
        (leans_out, "scoring/checks.py", "from scoring.statistics import bootstrap"),
        (leans_out, "scoring/metrics/rouge1.py", "def judge(): from rouge_score import scoring"),
        (leans_out, "scoring/statistics/holm.py", "import scipy"),
        (leans_out, "scoring/report.py", "stamp = datetime.now()"),
        (serves_slowly, "competition/views/boards.py", "def table(): import pandas as pd"),
        (serves_slowly, "competition/queries/rail.py", "from scoring.statistics import board"),
        (touches_gold, "competition/views/tracks.py", "from competition.models import GoldBlob"),
        (touches_gold, "competition/admin/gold.py", "content = load(version.gold_blob)"),
        (touches_gold, "competition/queries/files.py", "rows.select_related('gold_version__blob')"),
    ],
)
def test_a_broken_rule_is_found_with_its_line(rule: Rule, place: str, line: str) -> None:
    [fault, *_] = rule(ast.parse(f'"""A module."""\n\n{line}\n'), Path(place))
    assert fault.startswith(f"{place}:3 ")


@pytest.mark.parametrize(
    ("rule", "place", "line"),
    [
        (climbs, "competition/views/home.py", "from competition.domain import visibility"),
        (climbs, "competition/domain/teams.py", "from competition.domain import audit"),
        (climbs, "competition/models/teams.py", "from scoring.tracks import get_kind"),
        (leans_out, "scoring/statistics/holm.py", "import numpy as np"),
        (leans_out, "scoring/cli.py", "def compare(): from scoring.statistics import compare"),
        (touches_gold, "competition/views/tracks.py", "content = load(items.blob)"),
        (touches_gold, "competition/admin/gold.py", "from competition.domain.gold import add_gold"),
    ],
)
def test_what_is_right_passes(rule: Rule, place: str, line: str) -> None:
    assert not list(rule(ast.parse(line), Path(place)))


SITE = "import django; django.setup(); import competition.urls; from django.test import RequestFactory;"
WORKER = "import django; django.setup(); import competition.jobs, competition.management.commands.worker;"
TOOL = "import scoring.checks, scoring.evaluate, scoring.tracks, scoring.cli;"


@pytest.mark.parametrize(
    ("program", "absent"),
    [
        pytest.param(SITE, HEAVY | NUMERIC, id="site"),
        pytest.param(WORKER, HEAVY | NUMERIC, id="worker"),
        pytest.param(TOOL, HEAVY | NUMERIC | {"django", "competition", "regex"}, id="tool"),
    ],
)
def test_a_process_loads_nothing_slow(program: str, absent: set[str]) -> None:
    """What is loaded in the end, by whatever path. A worker with numpy in forks four times as slowly."""
    ask = f"{program} import sys; print(*sorted({absent!r} & set(sys.modules)))"
    said = subprocess.run([sys.executable, "-c", ask], cwd=ROOT, capture_output=True, text=True, check=True)
    assert said.stdout.split() == []
