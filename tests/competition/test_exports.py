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


def content(
    *teams: tuple[str, float],
    baselines: tuple[tuple[str, float], ...] = (),
    invalid: dict[str, dict[str, float]] | None = None,
) -> dict:
    """A small board. `invalid`: team → its reasons, where the kind takes invalid answers."""

    def line(rank, name, value):
        reasons = (invalid or {}).get(name, {})
        share = {"invalid": {"rate": sum(reasons.values(), 0.0), "reasons": reasons}}
        return {
            **(share if invalid is not None else {}),
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


ONE_OF_EIGHT = {"Beta": {"format": 0.125, "refused": 0.25}}
REASONS = ["request_failed", "budget_exhausted", "refused", "format"]


def test_the_invalid_rate_and_each_reason_stand_beside_the_scores():
    board = content(("Beta", 0.75), ("Alpha", 0.5), baselines=(("none", 0.0),), invalid=ONE_OF_EIGHT)
    beta, alpha, none = table(board)
    assert (beta["invalid_rate (%)"], beta["invalid_rate"]) == ("37.50", "0.375")
    assert [beta[f"invalid_{reason}"] for reason in REASONS] == ["0.0", "0.0", "0.25", "0.125"]
    for row in (alpha, none):
        assert (row["invalid_rate (%)"], row["invalid_rate"]) == ("0.00", "0.0")
        assert [row[f"invalid_{reason}"] for reason in REASONS] == ["0.0"] * 4
    head, _, first, second, *_ = exports.as_markdown(board, DIGEST).splitlines()
    assert head == "| Rank | Team | F1 | P | Invalid |"
    assert first == r"| 1 | Beta | 75.00 | – | 37.50 \(format 12.50, refused 25.00\) |"
    assert second == "| 2 | Alpha | 50.00 | – | 0.00 |"
    latex = exports.as_latex(board, DIGEST)
    assert "Rank & Team & F1 & P & Invalid \\\\" in latex
    assert "\\begin{tabular}{rlrrr}" in latex
    assert "1 & Beta & 75.00 & -- & 37.50 \\\\ % 0.75 - 0.375; invalid: format 0.125 refused 0.25" in latex
    for text in (latex, exports.as_markdown(board, DIGEST)):
        assert "Invalid answers count as wrong." in text


def test_a_rate_that_is_a_score_stands_once():
    board = content(("Beta", 0.75), invalid=ONE_OF_EIGHT)
    board["scores"].append({"key": "invalid_rate", "symbol": "Invalid"})
    board["entries"][0]["scores"]["invalid_rate"] = 0.375
    assert exports.as_csv(board, DIGEST).splitlines()[0].count("invalid_rate") == 2, "in percent and in full"
    assert table(board)[0]["invalid_refused"] == "0.25"
    marked = exports.as_markdown(board, DIGEST).splitlines()
    assert marked[0].count("Invalid") == 1
    assert marked[2].endswith(r"37.50 \(format 12.50, refused 25.00\) |")
    assert exports.as_latex(board, DIGEST).count(" Invalid \\\\") == 1


def test_where_no_answer_may_be_invalid_no_export_speaks_of_it():
    board = content(("Beta", 0.75), ("Alpha", 0.5))
    for _, write in exports.FORMATS.values():
        assert "invalid" not in write(board, DIGEST).lower()


def test_a_reason_cannot_break_out_of_its_cell_or_its_comment():
    hostile = "=cmd|' /C'!A0,\n\\input{x}"
    board = content(("Beta", 0.75), invalid={"Beta": {hostile: 0.5}})
    for cell in next(csv.reader(io.StringIO(exports.as_csv(board, DIGEST)[1:], newline=""))):
        assert exports.inert(cell) == cell
    assert table(board)[0][f"invalid_{' '.join(hostile.split())}"] == "0.5"
    row = exports.as_markdown(board, DIGEST).splitlines()[2]
    assert r"\=" not in row
    assert r"cmd\|" in row
    inputs = [line for line in exports.as_latex(board, DIGEST).splitlines() if "\\input" in line]
    assert len(inputs) == 1
    assert inputs[0].index("%") < inputs[0].index("\\input")
