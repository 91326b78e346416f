"""What a downloaded validator does: the same checks as the site, on the same items, in the same words.

Exit 0 valid, 1 refused, 2 usage or unreadable file, 3 our fault. It opens no socket and writes no file.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Mapping, Sequence
from importlib import import_module
from typing import Any, BinaryIO

from scoring.checks import CheckedRun, check_run
from scoring.evaluate import only_checked
from scoring.exits import OUR_FAULT, REFUSED, USAGE, VALID, exit_code
from scoring.options import read_options
from scoring.problems import KEPT
from scoring.records import Items, Limits
from scoring.report import Report
from scoring.texts import SHOWN_PER_CODE, report_lines


class Rules:
    """One track and phase as a validator carries it: kind, options, limits and slim items."""

    def __init__(self, data: Mapping[str, Any]) -> None:
        self.data = data
        self.kind = import_module(data["module"]).KIND
        self.options = read_options(self.kind, data["options"])
        self.limits = Limits(**data["limits"])
        records = {item[self.kind.id_field]: item for item in data["items"]}
        self.items = Items(records, data["items_digest"])

    def judge(self, source: bytes | BinaryIO, *, observed: bool = True) -> tuple[CheckedRun, Report]:
        """The site's own judgement of a run. Diagnostics, which take longer than the check, if `observed`."""
        checked = check_run(self.kind, self.items, source, limits=self.limits, options=self.options)
        return checked, only_checked(self.kind, checked, self.items, observed=observed)

    def name(self) -> str:
        return f"{self.data['task']} / {self.data['track']} / {self.data['phase']}"


def main(arguments: Sequence[str], data: Mapping[str, Any], program: str = "validator") -> int:
    """Judge one run by the rules in `data` (see `validator.rules_of`) and return the exit code."""
    blame = "This is the validator's fault, not your file's. Please report the lines above."
    return exit_code(lambda: _run(arguments, data, program), program, blame)


def _run(arguments: Sequence[str], data: Mapping[str, Any], program: str) -> int:
    asked = _parser(program, data).parse_args(arguments)
    if asked.version:
        print("\n".join(version_lines(data)))
        return VALID
    rules = Rules(data)
    return _self_test(rules) if asked.self_test else _judge(rules, asked)


def _parser(program: str, data: Mapping[str, Any]) -> argparse.ArgumentParser:
    about = f"Checks a run for {data['task']} / {data['track']} / {data['phase']} by the rules of the site."
    parser = argparse.ArgumentParser(prog=program, description=about)
    parser.add_argument("run", metavar="RUN", nargs="?", help="the run to check, JSON Lines")
    parser.add_argument("--json", action="store_true", help="print the full report as JSON and nothing else")
    parser.add_argument(
        "--max-errors",
        type=int,
        default=SHOWN_PER_CODE,
        metavar="N",
        help="problems shown per code (default 5)",
    )
    parser.add_argument("--strict", action="store_true", help="exit 1 for warnings as well")
    parser.add_argument("--version", action="store_true", help="say for what and from what this was built")
    parser.add_argument("--self-test", action="store_true", help="judge a sample run that must be valid")
    return parser


def _judge(rules: Rules, asked: argparse.Namespace) -> int:
    if asked.run is None:
        print("Name the run to check. See --help.", file=sys.stderr)
        return USAGE
    try:
        with open(asked.run, "rb") as source:
            checked, report = rules.judge(source, observed=asked.json)
    except OSError as fault:
        print(f"{asked.run}: cannot be read ({fault.strerror}).", file=sys.stderr)
        return USAGE
    if asked.json:
        json.dump(report.to_json(), sys.stdout, indent=1)
        sys.stdout.write("\n")
    else:
        print(rules.name())
        print("\n".join(report_lines(rules.kind, report, checked.problems, most=asked.max_errors)))
        if any(total > asked.max_errors for total in checked.problems.totals.values()):
            print(f"To see more: --max-errors {KEPT}, or --json for the full report.")
    refused = not report.ok or (asked.strict and checked.problems.warnings > 0)
    return REFUSED if refused else VALID


def _self_test(rules: Rules) -> int:
    """The sample must be valid, and refused once its last line is gone."""
    sample = rules.data["sample"].encode("utf-8")
    whole, _ = rules.judge(sample)
    cut, _ = rules.judge(b"".join(sample.splitlines(keepends=True)[:-1]))
    works = whole.run is not None and cut.run is None
    verdict = "passed" if works else "FAILED"
    print(f"Self-test {verdict}: {len(rules.items.records)} items, Python {sys.version.split()[0]}.")
    return VALID if works else OUR_FAULT


def version_lines(data: Mapping[str, Any]) -> list[str]:
    """For what the validator was built, and the digests it was built from."""
    lines = [f"{name}: {data[name]}" for name in ("task", "track", "phase", "kind", "rules", "scoring")]
    lines.append(f"items SHA-256: {data['items_digest']}")
    return lines + [f"option {name}: {value}" for name, value in sorted(data["options"].items())]
