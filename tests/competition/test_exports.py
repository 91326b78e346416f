"""A frozen board as files: the same story in each, hostile names kept harmless, numbers kept whole."""

from __future__ import annotations

import csv
import io
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from competition import exports
from competition.domain.ranking import percent

DIGEST = "d" * 64


def content(*teams: tuple[str, float], baselines: tuple[tuple[str, float], ...] = ()) -> dict:
    def line(rank, name, value):
        return {
            "rank": rank,
            "team": name,
            "affiliation": "=cmd()",
            "run_number": 1,
            "received_at": "2026-05-10T12:00:00.000000Z",
            "scores": {"f1": value, "p": None},
            "interval": [value - 0.25, value],
        }

    return {
        "task": {"slug": "t", "name": "Task_1"},
        "track": {"slug": "a", "name": "Answers & more"},
        "phase": {"slug": "test", "name": "Test"},
        "version": 2,
        "frozen_at": "2026-05-11T12:00:00.000000Z",
        "gold": {"n_scored": 8},
        "signature": "short_answer.1|m:f1",
        "scores": [{"key": "f1", "symbol": "F1"}, {"key": "p", "symbol": "P"}],
        "entries": [line(rank, name, value) for rank, (name, value) in enumerate(teams, start=1)],
        "baselines": [line(None, name, value) for name, value in baselines],
        "unranked": [],
    }


def table(board: dict) -> list[dict[str, str]]:
    text = exports.as_csv(board, DIGEST)
    assert text.startswith("\ufeff")
    return list(csv.DictReader(io.StringIO(text[1:], newline="")))


HOSTILE = [
    "=1+1",
    "+1 team",
    "-team",
    "@GT",
    "＝1+1",
    "＋1",
    "－x",
    "＠SUM(A1)",
    "\t=1",
    "\r=1",
    " =1",
    "%x",
    "|calc",
]


@pytest.mark.parametrize("name", HOSTILE)
def test_names_that_a_spreadsheet_would_run_are_neutralised(name):
    (row,) = table(content((name, 0.5)))
    assert row["team"].startswith("'")
    assert row["affiliation"] == "'=cmd()"


def test_ordinary_names_stay_and_awkward_ones_stay_one_cell():
    names = ["DS@GT FinMMEval", 'A, "B"; C\n,9.99', "队伍", "Τρεις Κουκουβάγιες", "O'Neill"]
    assert [row["team"] for row in table(content(*((name, 0.5) for name in names)))] == names


def test_numbers_stay_numbers_with_a_point():
    (row,) = table(content(("x", 0.31182)))
    assert (row["f1 (%)"], row["f1"], row["p"], row["p (%)"]) == ("31.18", "0.31182", "", "")
    assert float(table(content(("x", -0.125)))[0]["interval_low"]) == -0.375


@given(st.text(max_size=30))
def test_no_cell_ever_begins_like_a_formula(name):
    text = exports.as_csv(content((name, -0.5)), DIGEST)[1:]
    for row in csv.reader(io.StringIO(text, newline="")):
        for cell in row:
            stripped = cell.lstrip()
            if stripped[:1] in ("=", "+", "-", "@", "＝", "＋", "－", "＠"):
                float(stripped)


@given(st.floats(0, 1))
def test_full_values_survive_every_machine_format(value):
    board = content(("x", value))
    assert float(table(board)[0]["f1"]) == value
    assert json.loads(exports.as_json(board, DIGEST))["content"]["entries"][0]["scores"]["f1"] == value
    assert repr(value) in exports.as_latex(board, DIGEST)


def test_every_format_has_the_same_rows_in_the_same_order():
    board = content(("Beta", 0.75), ("Alpha", 0.5), baselines=(("none", 0.0),))
    order = [("1", "Beta", "75.00"), ("2", "Alpha", "50.00"), ("", "none", "0.00")]
    assert [(row["rank"], row["team"], row["f1 (%)"]) for row in table(board)] == order
    marked = [line.split(" | ") for line in exports.as_markdown(board, DIGEST).splitlines()[2:5]]
    assert [(a.strip("| "), b.split(" *")[0], c) for a, b, c, _ in marked] == [
        (rank or "–", team, shown) for rank, team, shown in order
    ]
    lines = [line for line in exports.as_latex(board, DIGEST).splitlines() if line.count("&") == 3][1:]
    assert [line.split(" & ")[2] for line in lines] == [shown for _, _, shown in order]
    assert percent(0.75) == "75.00"


def test_markdown_and_latex_escape_names():
    board = content(("<b>*x*|y</b>", 0.5), ("50% & {more}_$ \\end", 0.4))
    assert r"\<b\>\*x\*\|y\</b\>" in exports.as_markdown(board, DIGEST)
    latex = exports.as_latex(board, DIGEST)
    assert r"50\% \& \{more\}\_\$ \textbackslash{}end" in latex
    assert r"Task\_1, Answers \& more" in latex


def test_each_file_carries_signature_and_digest():
    board = content(("x", 0.5))
    for _, write in exports.FORMATS.values():
        text = write(board, DIGEST)
        assert DIGEST in text
        assert "short" in text
