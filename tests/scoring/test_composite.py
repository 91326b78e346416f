"""Tables over several tracks, worked out by hand."""

from __future__ import annotations

from typing import Any

import pytest

from scoring.composite import Column, across_tracks, average, recognition_by_coverage
from scoring.records import Invalid, Items
from scoring.tracks import get_kind

EBISU = [
    Column("jf-icr", "accuracy", "JF-ICR"),
    Column("jf-te", "f1", "JF-TE F1"),
    Column("jf-te", "hit_rate_1", "HR@1"),
]


def test_a_missing_track_is_missing_and_stops_the_average() -> None:
    scores = {
        ("Ada", "jf-icr"): {"accuracy": 0.5},
        ("Ada", "jf-te"): {"f1": 0.25, "hit_rate_1": 0.75},
        ("Bo", "jf-icr"): {"accuracy": 0.9},
    }
    ada, bo, cleo = across_tracks(EBISU, scores, ["Ada", "Bo", "Cleo"])
    assert ada == {"team": "Ada", "values": [0.5, 0.25, 0.75], "average": 0.5}
    assert bo == {"team": "Bo", "values": [0.9, None, None], "average": None}
    assert cleo["values"] == [None, None, None]
    assert cleo["average"] is None


def test_a_zero_is_a_score_and_no_gap() -> None:
    assert average([0.0, 1.0]) == 0.5
    assert average([]) is None


def make_items(*records: dict[str, Any]) -> Items:
    return Items({record["id"]: record for record in records}, "")


def facts(*languages: str) -> list[dict[str, Any]]:
    return [{"number": number, "language": language} for number, language in enumerate(languages, 1)]


def test_recognition_by_coverage() -> None:
    """Four groups: recognised and complete; recognised and missing a Greek target; recognised with an invalid
    T2b; not recognised but complete. A fifth stands in T2a only, and no_en items do not enter."""
    recognition, selection = get_kind("concept_recognition"), get_kind("fact_selection")
    groups = ["g1", "g2", "g3", "g4"]
    t2a = make_items(
        *({"id": f"a-{group}", "group": group, "evidence": "joint"} for group in [*groups, "g5"]),
        {"id": "a-g1-no", "group": "g1", "evidence": "no_en"},
    )
    right = {"a-g1": "A", "a-g2": "A", "a-g3": "A", "a-g4": "B", "a-g5": "A", "a-g1-no": "B"}
    t2a_tallies = {
        item_id: recognition.tally(t2a.records[item_id], "A", answer, {}) for item_id, answer in right.items()
    }
    languages = ("en", "en", "fr", "el", "el", "el", "el", "el")
    t2b = make_items(
        *(
            {
                "id": f"b-{group}",
                "group": group,
                "evidence": "joint",
                "concept": "X",
                "facts": facts(*languages),
            }
            for group in groups
        )
    )
    targets = {"g1": {1, 3, 4}, "g2": {1, 3, 4}, "g3": {1, 2, 3, 4, 5, 6, 7}, "g4": {1}}
    answers: dict[str, Any] = {"g1": {1, 3, 4, 2}, "g2": {1, 3}, "g3": Invalid("refused"), "g4": {1}}
    t2b_tallies = {
        f"b-{group}": selection.tally(
            t2b.records[f"b-{group}"],
            frozenset(targets[group]),
            answers[group] if isinstance(answers[group], Invalid) else frozenset(answers[group]),
            {},
        )
        for group in groups
    }
    view = recognition_by_coverage(t2a_tallies, t2a, t2b_tallies, t2b)
    assert (view["groups"], view["recognised"], view["unpaired"]) == (4, 3, 1)
    assert view["omission_rate"] == pytest.approx(2 / 3)
    assert view["by_band"] == [
        {"targets": "3-6", "groups": 2, "omission_rate": 0.5},
        {"targets": "7+", "groups": 1, "omission_rate": 1.0},
    ]
    assert view["quadrants"] == {
        "recognised, complete": 1,
        "recognised, not complete": 2,
        "not recognised, complete": 1,
        "not recognised, not complete": 0,
    }
    by_language = {row["language"]: row for row in view["by_language"]}
    assert by_language["el"]["mentions"] == 1 + 1 + 4
    assert by_language["el"]["recall"] == pytest.approx(1 / 6)
    assert by_language["en"]["precision"] == pytest.approx(2 / 3)
