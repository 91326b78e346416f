"""The repository speaks of the product alone, in pieces a reader can take in."""

from __future__ import annotations

import ast
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.imports import ROOT

MOST_LINES = 450
BIN = (".png", ".ico", ".woff2", ".gz", ".zip", ".jpg")

# Brackets keep these patterns from finding themselves.
ELSEWHERE = {
    "paths": r"(?<![\w.])[/](work|root|farm|home)/",
    "hosts": r"pypi[.]org|pythonhosted[.]org|npmjs[.]org|deb[.]debian[.]org",
    "open ends": r"\b(T[O]DO|F[I]XME|X[X]X)\b",
    "tooling": r"(?i)\b(sub-?agents?|co[-]authored-by|chat[b]ots?)\b",
}


def tracked() -> list[Path]:
    listing = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=True)
    names = [Path(name) for name in listing.stdout.split("\0") if name]
    return [name for name in names if (ROOT / name).is_file() and name.suffix not in BIN]


def lines_of(path: Path) -> Iterator[tuple[int, str]]:
    yield from enumerate((ROOT / path).read_text(encoding="utf-8", errors="replace").splitlines(), 1)


@pytest.mark.parametrize("name", ELSEWHERE)
def test_nothing_is_said_that_is_not_about_podium(name: str) -> None:
    words = re.compile(ELSEWHERE[name])
    said = [
        f"{path}:{at}: {line[:99]}" for path in tracked() for at, line in lines_of(path) if words.search(line)
    ]
    assert not said, "\n".join(said)


@pytest.mark.parametrize(
    ("name", "line"),
    [
        ("paths", "DATA = '/" + "home/someone/gold.jsonl'"),
        ("hosts", "--index-url https://pypi." + "org/simple"),
        ("open ends", "# TO" + "DO: later"),
        ("tooling", "Co-Auth" + "ored-By: somebody"),
    ],
)
def test_such_words_would_be_found(name: str, line: str) -> None:
    assert re.search(ELSEWHERE[name], line)


def test_files_are_short_enough_to_know() -> None:
    counts = {
        path: sum(1 for _ in lines_of(path))
        for path in tracked()
        if path.suffix in (".py", ".html", ".css", ".js")
    }
    long = {
        str(path): count
        for path, count in counts.items()
        if count > MOST_LINES and "migrations" not in path.parts
    }
    assert not long


def test_no_file_is_broken_by_a_stray_conflict_or_tab() -> None:
    marks = ("<" * 7 + " ", ">" * 7 + " ")
    faults = [
        f"{path}:{number}"
        for path in tracked()
        for number, line in lines_of(path)
        if line.startswith(marks) or (path.suffix == ".py" and line.startswith("\t"))
    ]
    assert not faults


def test_every_skip_says_what_would_run_it() -> None:
    """A bare skip hides a test for ever."""
    bare = []
    for path in tracked():
        if path.parts[0] != "tests" or path.suffix != ".py":
            continue
        for node in ast.walk(ast.parse((ROOT / path).read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and re.search(r"\b(skip|skipif|xfail)$", ast.unparse(node.func)):
                reasons = [word for word in node.keywords if word.arg == "reason"]
                if not node.args and not reasons:
                    bare.append(f"{path}:{node.lineno}")
            elif isinstance(node, ast.Attribute) and ast.unparse(node) in (
                "pytest.mark.skip",
                "pytest.mark.xfail",
            ):
                bare.append(f"{path}:{node.lineno}")
    assert not bare


def test_the_locks_are_exact_and_hashed() -> None:
    for name in ("requirements.txt", "requirements-dev.txt"):
        pins = re.findall(r"^[a-z].*$(?:\n    .*)*", (ROOT / name).read_text(), re.MULTILINE)
        loose = [
            pin.split()[0] for pin in pins if "==" not in pin.split("\n")[0] or "--hash=sha256:" not in pin
        ]
        assert len(pins) > 30
        assert not loose


def test_what_the_site_runs_on_is_what_is_tested() -> None:
    def pins(name: str) -> set[str]:
        return set(re.findall(r"^[\w.-]+==\S+", (ROOT / name).read_text(), re.MULTILINE))

    assert pins("requirements.txt") <= pins("requirements-dev.txt")


@pytest.mark.parametrize("target", ["demo", "test", "check", "bench", "faults"])
def test_the_makefile_keeps_its_promises(target: str) -> None:
    assert re.search(rf"^{target}:", (ROOT / "Makefile").read_text(), re.MULTILINE)
