"""What `python -m scoring` does; see `__main__` for the forms and exit codes."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from os.path import basename
from typing import Any, BinaryIO, NoReturn

from scoring.baselines import GoldNeeded, UnknownBaseline, baseline_run
from scoring.checks import CheckedRun, check_gold, check_items, check_run
from scoring.commands import Command, Refused, write_lines
from scoring.evaluate import evaluate, only_checked
from scoring.exits import REFUSED, USAGE, VALID, exit_code
from scoring.options import BadOption, read_options
from scoring.problems import Problem, Problems
from scoring.records import Gold, Items
from scoring.report import Report, counts_of, digests_of
from scoring.signature import environment
from scoring.texts import comparison_lines, print_report
from scoring.tracks import UnknownKind, get_kind, kind_names
from scoring.tracks.base import Kind

OPTIONS = ("tokenizer", "k", "slices", "taxonomy")


def main(arguments: Sequence[str]) -> int:
    """Run one command and return its exit code."""
    blame = "scoring: this is our fault, not your file's. Please report the lines above."
    return exit_code(lambda: _run(arguments), "scoring", blame)


def _run(arguments: Sequence[str]) -> int:
    asked = _parser(next(iter(arguments), "")).parse_args(arguments)
    try:
        return asked.command(asked)
    except Refused as refused:
        print(f"scoring: {refused}", file=sys.stderr)
        if "kind" in asked and getattr(asked, "json", False):
            _print_json(_stopped(asked.kind, refused))
        return USAGE


class _Parser(argparse.ArgumentParser):
    """Its help is as wide everywhere: to ask the terminal takes a tenth of a whole check."""

    def __init__(self, **settings: Any) -> None:
        super().__init__(
            formatter_class=partial(argparse.HelpFormatter, width=100), allow_abbrev=False, **settings
        )


def _parser(name: str) -> argparse.ArgumentParser:
    """Knows the command of this name, which starts sooner, or all of them where it is none of `COMMANDS`."""
    parser = _Parser(prog="python -m scoring", description="Check and score runs of a shared task.")
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    for known, command in ({name: COMMANDS[name]} if name in COMMANDS else _all_commands()).items():
        own = commands.add_parser(known, help=command.about)
        command.arrange(own)
        own.set_defaults(command=command.work)
    return parser


def _all_commands() -> dict[str, Command]:
    from scoring import corpus_commands  # organizers' work, which a check need not load

    return COMMANDS | corpus_commands.COMMANDS


def _arrange_check(parser: argparse.ArgumentParser) -> None:
    _add_files(parser)
    parser.add_argument("--taxonomy", help="the public list of concepts, TSV, where the kind takes one")


def _arrange_score(parser: argparse.ArgumentParser) -> None:
    _add_files(parser)
    parser.add_argument("--gold", required=True, metavar="GOLD", help="gold, JSON Lines")
    parser.add_argument("--per-item", metavar="FILE.jsonl", help="write each item's scores to this file")
    _add_options(parser)


def _arrange_compare(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("kind", metavar="KIND", help="a track kind; see: python -m scoring kinds")
    parser.add_argument("runs", nargs=2, metavar=("A", "B"), help="the two runs, JSON Lines")
    parser.add_argument("--items", required=True, metavar="ITEMS", help="the items, JSON Lines")
    parser.add_argument("--gold", required=True, metavar="GOLD", help="gold, JSON Lines")
    parser.add_argument("--json", action="store_true", help="print one JSON object and nothing else")
    _add_options(parser)


def _arrange_baseline(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("kind", metavar="KIND", help="a track kind; see: python -m scoring kinds")
    parser.add_argument("name", metavar="NAME", help="a baseline of the kind; a wrong name lists them")
    parser.add_argument("--items", required=True, metavar="ITEMS", help="the items, JSON Lines")
    parser.add_argument("--gold", metavar="GOLD", help="gold, for baselines made from it")
    parser.add_argument("--seed", type=int, default=0, metavar="N", help="the same seed, the same run")
    parser.add_argument("-o", dest="run", required=True, metavar="RUN", help="where to write it")


def _add_options(parser: argparse.ArgumentParser) -> None:
    for name in OPTIONS:
        parser.add_argument(f"--{name}", help="a setting of the kind; the default is the track's usual one")


def _add_files(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("kind", metavar="KIND", help="a track kind; see: python -m scoring kinds")
    parser.add_argument("run", metavar="RUN", help="the run, JSON Lines")
    parser.add_argument("--items", required=True, metavar="ITEMS", help="the items, JSON Lines")
    parser.add_argument("--json", action="store_true", help="print one JSON report and nothing else")


def _kinds(asked: argparse.Namespace) -> int:
    print("\n".join(kind_names()))
    return VALID


def _check(asked: argparse.Namespace) -> int:
    kind = _kind(asked.kind)
    options = _options(kind, asked)
    items = _items(kind, asked.items)
    checked = _checked_run(kind, items, asked.run, options)
    return _finish(asked, kind, only_checked(kind, checked, items), checked)


def _score(asked: argparse.Namespace) -> int:
    kind = _kind(asked.kind)
    options = _options(kind, asked)
    items = _items(kind, asked.items)
    gold = _gold(kind, items, asked.gold)
    checked = _checked_run(kind, items, asked.run, options)
    if checked.run is None:
        return _finish(asked, kind, only_checked(kind, checked, items), checked)
    report = evaluate(kind, items, gold, checked.run, options=options, checked=checked)
    if asked.per_item:
        inputs = (asked.items, asked.gold, asked.run)
        write_lines(asked.per_item, report.per_item(kind, options), inputs=inputs)
    return _finish(asked, kind, report, checked)


def _baseline(asked: argparse.Namespace) -> int:
    kind = _kind(asked.kind)
    items = _items(kind, asked.items)
    gold = _gold(kind, items, asked.gold) if asked.gold else None
    try:
        rows = baseline_run(kind, asked.name, items, gold, asked.seed)
    except (UnknownBaseline, GoldNeeded) as fault:
        raise Refused(str(fault)) from fault
    write_lines(asked.run, rows, inputs=[asked.items, *([asked.gold] if asked.gold else [])])
    return VALID


def _compare(asked: argparse.Namespace) -> int:
    """Exit 1 when either run is refused; its problems are printed then, and nothing is compared."""
    from scoring.statistics.compare import compare_reports  # numpy, which the other commands do without

    kind = _kind(asked.kind)
    options = _options(kind, asked)
    items = _items(kind, asked.items)
    gold = _gold(kind, items, asked.gold)
    reports = []
    for path in asked.runs:
        checked = _checked_run(kind, items, path, options)
        if checked.run is None:
            print(f"{path}: refused, so nothing was compared.", file=sys.stderr)
            return _finish(asked, kind, only_checked(kind, checked, items), checked)
        reports.append(evaluate(kind, items, gold, checked.run, options=options))
    a, b = map(basename, asked.runs)
    names = ("A", "B") if a == b else (a, b)
    comparison = compare_reports(kind, options, items, *reports, names=names)
    if asked.json:
        print(json.dumps(comparison.to_json(), indent=1))
    else:
        print("\n".join(comparison_lines(comparison)))
    return VALID


def _finish(asked: argparse.Namespace, kind: Kind, report: Report, checked: CheckedRun) -> int:
    if asked.json:
        _print_json(report)
    else:
        print_report(kind, report, checked.problems)
    return VALID if report.ok else REFUSED


def _kind(name: str) -> Kind:
    try:
        return get_kind(name)
    except UnknownKind as fault:
        raise Refused(str(fault.args[0])) from fault


def _options(kind: Kind, asked: argparse.Namespace) -> dict[str, Any]:
    given = {name: getattr(asked, name, None) for name in OPTIONS}
    try:
        return read_options(kind, {name: text for name, text in given.items() if text is not None})
    except BadOption as fault:
        raise Refused(str(fault)) from fault


def _items(kind: Kind, path: str) -> Items:
    with _open(path) as source:
        checked = check_items(kind, source, file=basename(path))
    return checked.items or _bad_file("items", path, checked.problems)


def _gold(kind: Kind, items: Items, path: str) -> Gold:
    with _open(path) as source:
        checked = check_gold(kind, items, source, file=basename(path))
    return checked.gold or _bad_file("gold", path, checked.problems)


def _checked_run(kind: Kind, items: Items, path: str, options: Mapping[str, Any]) -> CheckedRun:
    with _open(path) as source:
        return check_run(kind, items, source, options=options)


@contextmanager
def _open(path: str) -> Iterator[BinaryIO]:
    """The file, to be read in a `with` block. Raises `Refused`, in the middle of reading too."""
    try:
        with open(path, "rb") as source:
            yield source
    except OSError as fault:
        problems = Problems()
        name = basename(path.rstrip("/")) or path
        message = f"{name}: the file cannot be read ({fault.strerror})."
        hint = "Check the path and its permissions."
        problems.add(Problem("E605", None, None, None, name, "a file that can be read", message, hint))
        raise Refused(f"{path}: cannot be read ({fault.strerror}).", problems) from fault


def _bad_file(role: str, path: str, problems: Problems) -> NoReturn:
    first = problems.in_order()[:5]
    many = "1 problem" if problems.errors == 1 else f"{problems.errors:,} problems"
    some = f", the first {len(first)}" if problems.errors > len(first) else ""
    lines = [f"{path} is not fit to be {role}: {many}{some}:"]
    lines += [f"  {one.code} line {one.line or '-'}: {one.message}" for one in first]
    raise Refused("\n".join(lines), problems)


def _stopped(kind_name: str, refused: Refused) -> Report:
    problems = refused.problems
    if problems is None:
        problems, hint = Problems(), "See: python -m scoring --help"
        problems.add(Problem("E606", None, None, None, "", "arguments that fit", str(refused), hint))
    return Report(
        kind=kind_name,
        ok=False,
        scores={},
        breakdowns={},
        diagnostics={},
        signature="",
        environment=environment(),
        problems=problems.in_order(),
        counts=counts_of(problems, lines=0, items=0),
        digests=digests_of(),
    )


def _print_json(report: Report) -> None:
    json.dump(report.to_json(), sys.stdout, indent=1)
    sys.stdout.write("\n")


COMMANDS = {
    "kinds": Command("list the track kinds, one name a line", lambda parser: None, _kinds),
    "check": Command("check a run against the items", _arrange_check, _check),
    "score": Command("score a run against gold", _arrange_score, _score),
    "compare": Command("compare two runs on the primary score", _arrange_compare, _compare),
    "baseline": Command("write a run anyone could send", _arrange_baseline, _baseline),
}
