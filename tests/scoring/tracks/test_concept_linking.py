"""Concept linking: exact names, the taxonomy and candidates, retrieval and rerank, the real subset."""

from __future__ import annotations

import csv
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoring.options import BadOption, read_options
from scoring.tracks import get_kind
from tests.support.kinds import (
    as_lines,
    check,
    codes,
    gold_refused,
    items_refused,
    read_gold,
    read_items,
    score,
    the_problem,
)
from tests.support.shared import shared_path

KIND = "concept_linking"

TAXONOMY = "concept\ttype\nus-gaap:Revenues\tmonetaryItemType\nus-gaap:Assets\tmonetaryItemType\n"


def item(item_id: str, candidates: list[str] | None = None, **more: Any) -> dict[str, Any]:
    found = {"id": item_id, "entity": "46", "entity_type": "monetaryItemType", "structure": "text", **more}
    return found if candidates is None else {**found, "candidates": candidates}


def lines(names: list[str]) -> list[dict[str, Any]]:
    return [{"id": str(n), "concept": name} for n, name in enumerate(names)]


def test_names_compare_exactly() -> None:
    items = [item(str(n)) for n in range(3)]
    report = score(KIND, items, lines(["x:A", "x:B", "x:C"]), lines(["x:A", "x:b", "y:C"]))
    assert report.scores == {"accuracy": pytest.approx(1 / 3)}


def test_rerank_accuracy_goes_over_items_whose_gold_is_a_candidate() -> None:
    items = [item("0", ["x:A", "x:B"]), item("1", ["x:A"]), item("2", ["x:C", "x:A"]), item("3")]
    report = score(KIND, items, lines(["x:A", "x:B", "x:A", "x:D"]), lines(["x:A", "x:A", "x:C", "x:D"]))
    assert report.scores == {"accuracy": 0.5, "rerank_accuracy": 0.5}
    assert report.diagnostics["retrieval"]["rows"][:2] == [[1, 1 / 3], [10, 2 / 3]]
    assert report.diagnostics["gold_ranks"]["rows"] == [["1", "x:B", None, "x:A"], ["2", "x:A", 2, "x:C"]]
    levels = {one.key: one.level for one in get_kind(KIND).diagnostics}
    assert levels["gold_ranks"] == 3


def test_without_candidates_nothing_is_said_of_retrieval() -> None:
    report = score(KIND, [item("0")], lines(["x:A"]), lines(["x:A"]))
    assert "rerank_accuracy" not in report.scores
    assert "retrieval" not in report.diagnostics


def test_an_invalid_answer_is_wrong() -> None:
    run = [{"id": "0", "invalid": "refused"}]
    report = score(KIND, [item("0", ["x:A"])], lines(["x:A"]), run)
    assert report.scores == {"accuracy": 0, "rerank_accuracy": 0}
    assert report.diagnostics["gold_ranks"]["rows"] == [["0", "x:A", 1, None]]


def test_slices_and_bands_of_gold_frequency() -> None:
    golds = ["x:Head"] * 5 + ["x:Middle"] * 2 + ["x:Tail"]
    items = [item(str(n), structure="table" if n else "text") for n in range(8)]
    report = score(KIND, items, lines(golds), lines(["x:Head"] * 8))
    assert {
        name: (cell["n"], cell["accuracy"]) for name, cell in report.breakdowns["gold_frequency"].items()
    } == {
        "head": (5, 1),
        "middle": (2, 0),
        "tail": (1, 0),
    }
    assert set(report.breakdowns) == {"structure", "entity_type", "gold_frequency"}


@pytest.mark.parametrize(
    "name",
    [
        "Revenues",
        "revenues",
        "US-GAAP:Revenues",
        "us-gaap_Revenues",
        " us-gaap:Revenues",
        "us-gaap:REVENUES",
        "ｕｓ-gaap:Revenues",
        "us_gaap:Revenues",
    ],
)
def test_a_loose_spelling_of_a_known_concept_is_refused_with_the_fix(name: str) -> None:
    for items, options in (([item("0")], {"taxonomy": TAXONOMY}), ([item("0", ["us-gaap:Revenues"])], {})):
        problem = the_problem(check(KIND, items, lines([name]), **options))
        assert problem.code == "E408"
        assert problem.hint == 'Did you mean "us-gaap:Revenues"? Prefix, colon and case count.'


def test_a_concept_outside_the_taxonomy_is_a_warning_and_wrong() -> None:
    items = [item("0"), item("1")]
    checked = check(KIND, items, lines(["us-gaap:Sales", "us-gaap:Sales"]), taxonomy=TAXONOMY)
    assert codes(checked) == ["W506", "W506"]
    assert checked.run is not None


def test_without_a_taxonomy_a_name_needs_prefix_and_colon() -> None:
    for name in (
        "Revenues",
        "us-gaap Revenues",
        "us-gaap:",
        ":Revenues",
        "us-gaap_Sales",
        "us-gaap:Net sales",
    ):
        assert the_problem(check(KIND, [item("0")], lines([name]))).code == "E408"
    assert codes(check(KIND, [item("0")], lines(["ifrs-full:Revenue"]))) == []


def test_a_check_never_knows_gold() -> None:
    """The same refusal whatever gold says: only candidates and the taxonomy are ever suggested."""
    items = [item("0", ["us-gaap:Assets"])]
    read_gold(KIND, read_items(KIND, items), lines(["us-gaap:Revenues"]))
    problem = the_problem(check(KIND, items, lines(["revenues"])))
    assert "Revenues" not in str(problem).replace("revenues", "")


@pytest.mark.parametrize(
    ("name", "code"),
    [
        ("", "E303"),
        (" ", "E303"),
        (1, "E302"),
        (None, "E302"),
        (["x:A"], "E302"),
        ("x:" + "A" * 20_000, "E403"),
    ],
)
def test_a_concept_is_a_short_text(name: Any, code: str) -> None:
    assert the_problem(check(KIND, [item("0")], lines([name]))).code == code


def test_items_and_gold_are_checked() -> None:
    assert items_refused(KIND, [item("0", structure="graph")])
    assert items_refused(KIND, [item("0", ["x:A", "x:A"])])
    assert gold_refused(KIND, [item("0")], lines(["Revenues"]))


def test_a_taxonomy_is_a_table(tmp_path: Path) -> None:
    path = tmp_path / "taxonomy.tsv"
    path.write_text(TAXONOMY, encoding="utf-8")
    read = read_options(get_kind(KIND), {"taxonomy": str(path)})["taxonomy"]
    assert read == read_options(get_kind(KIND), {"taxonomy": TAXONOMY})["taxonomy"]
    assert read.names == {"us-gaap:Revenues", "us-gaap:Assets"}
    for text in ("name\nus-gaap:Assets\n", "concept\n\n", str(tmp_path / "nowhere.tsv")):
        with pytest.raises(BadOption):
            read_options(get_kind(KIND), {"taxonomy": text})


def test_a_taxonomy_moves_no_score_and_no_signature() -> None:
    track = ([item("0")], lines(["us-gaap:Sales"]), lines(["us-gaap:Sales"]))
    plain, listed = score(KIND, *track), score(KIND, *track, taxonomy=TAXONOMY)
    assert (plain.scores, plain.signature) == (listed.scores, listed.signature)


NAMES = st.sampled_from(["x:A", "x:B", "x:C"])


@given(st.lists(st.tuples(NAMES, NAMES, st.lists(NAMES, unique=True, min_size=1)), min_size=1, max_size=12))
def test_laws(rows: list[tuple[str, str, list[str]]]) -> None:
    items = [item(str(n), row[2]) for n, row in enumerate(rows)]
    gold, run = lines([row[0] for row in rows]), lines([row[1] for row in rows])
    found = score(KIND, items, gold, run).scores
    assert found["accuracy"] == sum(row[0] == row[1] for row in rows) / len(rows)
    assert all(0 <= value <= 1 for value in found.values())
    assert set(score(KIND, items, gold, gold).scores.values()) == {1}
    assert score(KIND, items[::-1], gold[::-1], run[::-1]).scores == found


def real_track() -> tuple[list[Any], list[Any]]:
    with shared_path("data/fintagging/FinCL-eval-subset.csv").open(encoding="utf-8", newline="") as source:
        rows = list(csv.DictReader(source))
    items = [
        {
            "id": str(n),
            "entity": row["entity"],
            "entity_type": row["entity_type"],
            "structure": row["category"],
        }
        for n, row in enumerate(rows)
    ]
    return items, lines([row["answer"] for row in rows])


def test_the_real_subset() -> None:
    items, gold = real_track()
    taxonomy = str(shared_path("data/fintagging/us_gaap_2024_concepts.tsv"))
    always = lines(["us-gaap:RevenueFromContractWithCustomerExcludingAssessedTax"] * len(items))
    report = score(KIND, items, gold, always, taxonomy=taxonomy)
    assert len(items) == 500
    assert report.scores == {"accuracy": 0.03}
    assert report.problems == []
    assert score(KIND, items, gold, gold, taxonomy=taxonomy).scores == {"accuracy": 1}
    assert as_lines(gold).count(b"us-gaap:") == 500
