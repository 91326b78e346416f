"""MultiFinGround T1 by worked examples (tracks.md) and laws."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoring.checks import check_gold, check_items, check_run
from scoring.evaluate import evaluate
from scoring.tracks import get_kind
from scoring.tracks.fact_identification import CLASSES

KIND = get_kind("fact_identification")


def as_lines(records: list[dict[str, Any]]) -> bytes:
    return "".join(json.dumps(record, ensure_ascii=False) + "\n" for record in records).encode()


def fact(number: int, name: str, **more: Any) -> dict[str, Any]:
    if "-" in name:
        period, balance = name.split("-")
        return {"number": number, "type": "monetary", "period": period, "balance": balance, **more}
    return {"number": number, "type": name, **more}


def item(item_id: str, n: int, language: str = "en", form: str = "text") -> dict[str, Any]:
    numbers = [{"number": number, "surface": str(number)} for number in range(1, n + 1)]
    return {
        "id": item_id,
        "language": language,
        "format": form,
        "issuer": "Example plc",
        "text": "…",
        "numbers": numbers,
    }


def score(items: list[Any], gold: list[Any], run: list[Any]) -> Any:
    read = check_items(KIND, as_lines(items)).items
    assert read is not None
    references = check_gold(KIND, read, as_lines(gold)).gold
    checked = check_run(KIND, read, as_lines(run))
    assert references is not None
    assert checked.run is not None, [p.message for p in checked.problems]
    return evaluate(KIND, read, references, checked.run)


GOLD = ["duration-credit", "none", "shares", "none", "instant-debit"]


@pytest.mark.parametrize(
    ("answer", "macro"),
    [
        (GOLD, 0.5714),
        (["duration-credit", "none", None, "none", "instant-debit"], 0.4000),
        (["duration-debit", "none", "shares", "none", "instant-debit"], 0.4286),
        ("invalid", 0.0816),
        (["duration-credit"] * 5, 0.0476),
    ],
)
def test_worked_examples(answer: Any, macro: float) -> None:
    gold = [{"id": "a", "facts": [fact(n, name) for n, name in enumerate(GOLD, 1)]}]
    if answer == "invalid":
        run = [{"id": "a", "invalid": "format"}]
    else:
        run = [{"id": "a", "facts": [fact(n, name) for n, name in enumerate(answer, 1) if name]}]
    report = score([item("a", 5)], gold, run)
    assert round(report.scores["macro_f1"], 4) == macro
    assert report.scores["invalid_rate"] == (1.0 if answer == "invalid" else 0.0)


def test_attributes_are_judged_only_where_both_sides_found_a_fact() -> None:
    names = ["instant-debit", "duration-credit", "shares", "none"]
    gold = [{"id": "a", "facts": [fact(n, name) for n, name in enumerate(names, 1)]}]
    answers = ["instant-credit", "shares", "shares", "per_share"]
    run = [{"id": "a", "facts": [fact(n, name) for n, name in enumerate(answers, 1)]}]
    scores = score([item("a", 4)], gold, run).scores
    assert scores["type_accuracy"] == pytest.approx(2 / 3)
    assert scores["period_accuracy"] == 1.0
    assert scores["balance_accuracy"] == 0.0
    assert scores["joint_f1"] == pytest.approx(2 * 1 / (4 + 3))


def test_unscored_numbers_are_ignored_on_both_sides() -> None:
    gold = [{"id": "a", "facts": [fact(1, "shares"), fact(2, "none", scored=False)]}]
    with_it = score([item("a", 2)], gold, [{"id": "a", "facts": [fact(1, "shares"), fact(2, "per_share")]}])
    without = score([item("a", 2)], gold, [{"id": "a", "facts": [fact(1, "shares")]}])
    assert with_it.scores == without.scores


def test_slices_keep_all_seven_classes_in_the_divisor() -> None:
    items = [item("a", 1, "en"), item("b", 1, "el", "table")]
    gold = [{"id": one, "facts": [fact(1, "shares")]} for one in "ab"]
    report = score(
        items, gold, [{"id": "a", "facts": [fact(1, "shares")]}, {"id": "b", "invalid": "refused"}]
    )
    assert report.breakdowns["language"]["en"]["macro_f1"] == pytest.approx(1 / 7)
    assert report.breakdowns["language"]["el"]["invalid_by_reason"] == {"refused": 1.0}
    assert report.breakdowns["class"]["shares"] == {
        "n": 2,
        "precision": 1.0,
        "recall": 0.5,
        "f1": pytest.approx(2 / 3),
    }


@pytest.mark.parametrize(
    ("facts", "code"),
    [
        ([{"number": 1, "type": "monetary"}], "E410"),
        ([{"number": 1, "type": "monetary", "period": "instant", "balance": "Debit"}], "E401"),
        ([{"number": 1, "type": "currency"}], "E401"),
        ([{"number": 9, "type": "none"}], "E406"),
        ([{"number": 1, "type": "none"}, {"number": 1, "type": "none"}], "E407"),
        ([{"number": "1", "type": "none"}], "E302"),
        ([{"number": True, "type": "none"}], "E302"),
        ([{"type": "none"}], "E301"),
        ([{"number": 1}], "E301"),
        (["none"], "E302"),
    ],
)
def test_faulty_facts_are_refused_by_name(facts: list[Any], code: str) -> None:
    items = check_items(KIND, as_lines([item("a", 2)])).items
    assert items is not None
    checked = check_run(KIND, items, as_lines([{"id": "a", "facts": facts}]))
    assert checked.run is None
    assert code in checked.problems.totals


def test_period_and_balance_of_other_types_are_ignored() -> None:
    gold = [{"id": "a", "facts": [fact(1, "shares")]}]
    run = [{"id": "a", "facts": [{"number": 1, "type": "shares", "period": "instant", "balance": "debit"}]}]
    assert score([item("a", 1)], gold, run).scores["joint_f1"] == 1.0


def test_gold_must_cover_every_number() -> None:
    items = check_items(KIND, as_lines([item("a", 2)])).items
    assert items is not None
    checked = check_gold(KIND, items, as_lines([{"id": "a", "facts": [fact(1, "none")]}]), file="gold.jsonl")
    assert [problem.code for problem in checked.problems] == ["E603"]
    assert "gold.jsonl" in checked.problems.in_order()[0].message


names = st.sampled_from(CLASSES)


@given(st.lists(st.tuples(names, names), min_size=1, max_size=12))
def test_bounds_and_perfection(pairs: list[tuple[str, str]]) -> None:
    n = len(pairs)
    gold = [{"id": "a", "facts": [fact(k, gold) for k, (gold, _) in enumerate(pairs, 1)]}]
    run = [{"id": "a", "facts": [fact(k, sent) for k, (_, sent) in enumerate(pairs, 1)]}]
    scores = score([item("a", n)], gold, run).scores
    assert all(0.0 <= value <= 1.0 for value in scores.values())
    perfect = score([item("a", n)], gold, [{"id": "a", "facts": gold[0]["facts"]}]).scores
    assert perfect["macro_f1"] == pytest.approx(len({gold for gold, _ in pairs}) / 7)


@given(st.lists(st.tuples(names, names), min_size=2, max_size=10))
def test_items_may_be_split_and_shuffled(pairs: list[tuple[str, str]]) -> None:
    """Counts pool over items, so one item of n numbers scores as n items of one number in any order."""
    n = len(pairs)
    together = score(
        [item("a", n)],
        [{"id": "a", "facts": [fact(k, gold) for k, (gold, _) in enumerate(pairs, 1)]}],
        [{"id": "a", "facts": [fact(k, sent) for k, (_, sent) in enumerate(pairs, 1)]}],
    )
    apart = score(
        [item(f"i{k}", 1) for k in range(n)],
        [{"id": f"i{k}", "facts": [fact(1, gold)]} for k, (gold, _) in enumerate(pairs)][::-1],
        [{"id": f"i{k}", "facts": [fact(1, sent)]} for k, (_, sent) in enumerate(pairs)][::-1],
    )
    assert apart.scores == together.scores
