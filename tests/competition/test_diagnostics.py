"""Diagnostics of each kind on pages: drawn as declared, invalid answers beside slices, nothing too small."""

from __future__ import annotations

import json
from typing import Any

import pytest

from competition.domain.invalid import InvalidShare, invalid_in
from competition.views.board_table import extra_columns, score_cells
from competition.views.drawings import board_profile
from competition.views.explaining import breakdown_tables, explain, explain_breakdowns
from scoring.options import read_options
from scoring.tracks import get_kind, kind_names
from tests.support.kinds import score

TOLD = '10.00<span class="reasons">format 10.00</span>'


def many(kind_name: str, times: int = 10) -> Any:
    """The kind's example `times` over: no slice is too small, and every third copy starts invalid."""
    kind = get_kind(kind_name)
    parts: dict[str, list[dict[str, Any]]] = {"items": [], "gold": [], "run": []}
    for n in range(times):
        for part, records in parts.items():
            for place, record in enumerate(kind.example[part]):
                line = {**record, kind.id_field: f"{n}-{record[kind.id_field]}"}
                if "group" in line:
                    line["group"] = f"{n}-{line['group']}"
                if part == "run" and kind.takes_invalid and n % 3 == 0 and place == 0:
                    line = {kind.id_field: line[kind.id_field], "invalid": "format"}
                records.append(line)
    return score(kind_name, parts["items"], parts["gold"], parts["run"])


def as_stored(report: Any) -> dict[str, Any]:
    """The report as a page gets it: out of the database, as JSON."""
    return json.loads(json.dumps(report.to_json()))


@pytest.mark.parametrize("name", kind_names())
def test_every_kind_is_explained_without_a_fault(name: str) -> None:
    kind = get_kind(name)
    stored = as_stored(many(name))
    scores = kind.scores_for(read_options(kind, {}))
    for explained in (
        explain(kind, stored["diagnostics"], levels=range(4)),
        explain_breakdowns(kind, scores, stored["scores"], stored["breakdowns"]),
    ):
        for chart in explained.charts:
            assert "<title>" in chart.drawing.svg
            assert chart.table.rows, chart.table.title
        for table in [*explained.tables, *(chart.table for chart in explained.charts)]:
            assert all(len(row.cells) == len(table.columns) - 1 for row in table.rows), table.title


@pytest.mark.parametrize(
    ("name", "finding"),
    [
        ("commitment", "errors are one step away"),
        ("term_extraction", "HitRate goes from"),
        ("ranked_list", "HitRate goes from"),
        ("concept_linking", "Acc@k goes from"),
        ("fact_identification", "F1 is highest for"),
        ("fact_selection", "Recall is highest for"),
        ("tagging", "F1 is highest for Fact"),
        ("multiple_choice", "answers are right"),
    ],
)
def test_what_a_kind_declares_is_drawn_with_its_finding(name: str, finding: str) -> None:
    kind = get_kind(name)
    explained = explain(kind, as_stored(many(name))["diagnostics"], levels=[1])
    findings = [chart.drawing.finding for chart in explained.charts]
    assert any(finding in one for one in findings), findings


@pytest.mark.parametrize("name", ["numeric_identification", "tagging", "fact_selection", "short_answer"])
def test_precision_and_recall_are_drawn_where_a_kind_has_both(name: str) -> None:
    kind = get_kind(name)
    stored = as_stored(many(name))
    explained = explain_breakdowns(kind, kind.scores, stored["scores"], stored["breakdowns"])
    assert any(chart.table.title == "Precision and recall" for chart in explained.charts)


def test_a_slice_says_how_much_of_it_was_invalid_and_why() -> None:
    kind = get_kind("multiple_choice")
    tables = breakdown_tables(kind, kind.scores, as_stored(many("multiple_choice"))["breakdowns"])
    by_language = next(table for table in tables if table.title == "By language")
    assert by_language.columns == ["Language", "Items", "Acc", "Invalid"]
    cells = {row.head: [cell.text for cell in row.cells] for row in by_language.rows}
    assert cells["English"] == ["10", "60.00", "40.00 (format 40.00)"]
    assert cells["Arabic"] == ["10", "100.00", "0.00"]


def test_a_rate_that_is_a_score_has_no_second_column() -> None:
    kind = get_kind("concept_recognition")
    tables = breakdown_tables(kind, kind.scores, as_stored(many("concept_recognition"))["breakdowns"])
    assert tables[0].columns.count("Invalid") == 1
    share = InvalidShare(0.1, {"format": 0.1})
    assert extra_columns(["accuracy", "invalid_rate"], [share]) == []
    assert score_cells(["accuracy", "invalid_rate"], {"accuracy": 0.5, "invalid_rate": 0.1}, share) == [
        "50.00",
        TOLD,
    ]
    assert score_cells(["accuracy"], {"accuracy": 0.5}, share) == ["50.00", TOLD]
    assert [column.symbol for column in extra_columns(["accuracy"], [None, share])] == ["Invalid"]
    assert extra_columns(["rouge1_f1"], [None]) == []


def test_a_score_that_is_missing_is_a_dash() -> None:
    """`rerank_accuracy` is left out where no item has its gold among candidates."""
    assert score_cells(["accuracy", "rerank_accuracy"], {"accuracy": 0.5}, None) == ["50.00", "–"]
    kind = get_kind("concept_linking")
    cells = {"n": 10, "accuracy": 0.5, "invalid_rate": 0.0, "invalid_by_reason": {}}
    found = {"structure": {"text": cells, "table": {**cells, "rerank_accuracy": 0.25}}}
    (table,) = breakdown_tables(kind, kind.scores, found)
    assert [[cell.text for cell in row.cells] for row in table.rows] == [
        ["10", "50.00", "–", "0.00"],
        ["10", "50.00", "25.00", "0.00"],
    ]


def test_small_rows_of_gold_are_left_out_of_tables_and_charts_alike() -> None:
    kind = get_kind("fact_identification")
    rows = [
        ["instant-debit", 9, 0.5, 0.5, 0.5],
        ["shares", 12, 0.1, 0.1, 0.1],
        ["per_share", 3, 1.0, 1.0, 1.0],
    ]
    found = {"by_class": {"columns": ["class", "n", "precision", "recall", "f1"], "rows": rows}}
    (chart,) = explain(kind, found, levels=[1]).charts
    assert [row.head for row in chart.table.rows] == ["instant-debit", "shares"]
    assert "per_share" not in chart.drawing.svg
    assert "fewer than 8" in chart.table.note


def test_numbers_that_are_no_shares_stay_numbers() -> None:
    kind = get_kind("commitment")
    found = {"mean_commitment": {"columns": ["", "mean"], "rows": [["gold", 0.46], ["run", -0.3]]}}
    (table,) = explain(kind, found, levels=[1]).tables
    assert [[cell.text for cell in row.cells] for row in table.rows] == [["0.46"], ["-0.3"]]
    assert [head.text for head in table.heads] == ["Of", "Mean"], "no head is empty"


def test_the_invalid_share_in_words() -> None:
    share = invalid_in(
        {
            "invalid_rate": 0.05,
            "invalid_by_reason": {"rows": [["request_failed", 1, 0.02], ["format", 2, 0.03]]},
        }
    )
    assert share is not None
    assert share.text == "5.00 (request failed 2.00, format 3.00)"
    assert InvalidShare(**share.to_json()) == share
    assert invalid_in({"none_rate": 0.1}) is None


def test_a_board_with_precision_and_recall_is_drawn_and_others_are_not() -> None:
    def content(keys: list[str], teams: int) -> dict[str, Any]:
        scores = [{"key": key, "title": key, "symbol": key} for key in keys]
        lines = [{"team": f"T{n}", "scores": dict.fromkeys(keys, 0.2 + n / 10)} for n in range(teams)]
        return {"scores": scores, "entries": lines}

    profile = board_profile(content(["f1", "precision", "recall"], 3))
    assert profile is not None
    assert profile.drawing.finding == "0 of 3 teams are more precise than complete"
    assert (profile.columns, profile.first) == (("precision", "recall"), 0)
    many = board_profile(content(["f1", "precision", "recall"], 21))
    assert many is not None
    assert many.first == 20
    assert board_profile(content(["f1", "precision", "recall"], 1)) is None
    assert board_profile(content(["accuracy"], 3)) is None
