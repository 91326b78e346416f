"""`short_answer`: its checks, its scores by hand and by law, its slices, diagnostics and baselines."""

from __future__ import annotations

import json
from random import Random
from typing import Any
from unicodedata import normalize

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoring.checks import CheckedRun, check_gold, check_items, check_run
from scoring.evaluate import evaluate
from scoring.options import read_options
from scoring.records import Gold, Items, Limits, Run
from scoring.report import Report
from scoring.tracks import get_kind
from scoring.tracks.answer_tables import band_of
from scoring.tracks.texts import first_look, is_none
from tests.support.shared import shared_path

KIND = get_kind("short_answer")


def lines(records: list[dict[str, Any]]) -> bytes:
    return "".join(json.dumps(one, ensure_ascii=True) + "\n" for one in records).encode()


def make_items(*records: dict[str, Any]) -> Items:
    made = [{"tier": "easy", "question": "?", **one} for one in records]
    checked = check_items(KIND, lines(made))
    assert checked.items is not None, list(checked.problems)
    return checked.items


def check(answer: Any, **limits: int) -> CheckedRun:
    items = make_items({"task_id": "q1"})
    return check_run(KIND, items, lines([{"task_id": "q1", "answer": answer}]), limits=Limits(**limits))


def codes(answer: Any, **limits: int) -> list[str]:
    return [problem.code for problem in check(answer, **limits).problems]


def score(items: Items, gold: dict[str, str], answers: dict[str, str], tokenizer: str = "multi.1") -> Report:
    options = read_options(KIND, {"tokenizer": tokenizer})
    return evaluate(KIND, items, Gold(gold, ""), Run(answers, "", len(answers)), options=options)


FIVE = {
    "latin": "Revenue rose 12.5% to €35.0B",
    "greek": "Τα έσοδα αυξήθηκαν κατά 8%",
    "han": "净利润同比增长15%",
    "arabic": "ارتفعت الأرباح هذا العام ٨٪",
    "devanagari": "बिक्री में 12 प्रतिशत वृद्धि",
}


# Checks


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        ("fine", []),
        ("None", []),
        *((text, []) for text in FIVE.values()),
        ("مُحَمَّدٌ", []),
        ("12\u00a0000\u3000円\u2028x\ty\r\n", []),
        ("", ["E303"]),
        (" \n\u3000", ["E303"]),
        ("\u200b \u2060", ["E303"]),
        (None, ["E302"]),
        (["a"], ["E302"]),
        ({"text": "a"}, ["E302"]),
        (12.5, ["E302"]),
        (True, ["E302"]),
        ("oper\u200bating and mar\u00adgin", ["W503"]),
        ("left\u202eright", ["W503"]),
        ("bell\u0007", ["W503"]),
        ("tag\U000e0041", ["W503"]),
        ("buy 😀 𠀀", []),
        ("w " * 100, []),
        ("w " * 101, ["W502"]),
        ("w\n" * 101, ["W502"]),
        ("w\u3000" * 101, ["W502"]),
        ("語" * 101, []),
        ("\u200bw " * 101, ["W502", "W503"]),
    ],
)
def test_what_an_answer_may_be(answer: Any, expected: list[str]) -> None:
    assert sorted(codes(answer)) == expected


def test_length_is_counted_before_and_after_nfkc() -> None:
    assert codes("x" * 20_000) == []
    assert codes("x" * 20_001) == ["E403"]
    assert len(normalize("NFKC", "\ufdfa")) == 18
    assert codes("\ufdfa" * 1_111) == []
    assert codes("\ufdfa" * 1_112) == ["E404"]
    assert codes("\ufdfa" * 3, answer_characters=53) == ["E404"]
    assert codes("ｘ" * 20_000) == []


@pytest.mark.parametrize("end", ["b", "\U0001f600"])
@pytest.mark.parametrize("mark", ["\u0301", "\u0301\u0323", "\u094d", "\u064e", "\U0001d165", "\uff9e\u0323"])
def test_thirty_marks_in_a_row_and_no_more(mark: str, end: str) -> None:
    assert codes("a" + (mark * 30)[:30] + end) == []
    assert codes("a" + (mark * 31)[:31] + end) == ["E405"]


def test_a_problem_says_what_was_found_and_what_to_do() -> None:
    (problem,) = check("oper\u200bating").problems
    assert (problem.line, problem.item_id, problem.field) == (1, "q1", "answer")
    assert "<U+200B>" in problem.message
    assert problem.found == '"oper<U+200B>ating"'
    assert problem.hint
    (problem,) = check("w " * 142).problems
    assert problem.message == "The answer has 142 words; the guideline is 100."


def test_invisible_characters_are_reported_once_a_line_and_the_answer_stays() -> None:
    checked = check("a\u200bb\u200bc")
    assert checked.problems.totals == {"W503": 1}
    assert checked.run is not None
    assert checked.run.answers == {"q1": "a\u200bb\u200bc"}


def test_an_item_cannot_be_marked_invalid() -> None:
    checked = check_run(KIND, make_items({"task_id": "q1"}), b'{"task_id": "q1", "invalid": "refused"}\n')
    assert "E412" in checked.problems.totals


@given(st.text(min_size=1, max_size=300))
def test_the_quick_scan_misses_nothing_the_close_look_would_find(text: str) -> None:
    quick, gaps = first_look(text)
    found = codes(text) if not set(text) & {"\0"} else []
    if quick:
        assert gaps == text.count(" ") + text.count("\n") >= len(text.split()) - 1
        assert "W503" not in found
        assert "E405" not in found


@pytest.mark.parametrize("word", ["a", "é"])
def test_the_gaps_of_a_text_of_any_length_are_counted(word: str) -> None:
    for words in (65_519, 65_520, 65_521, 65_522, 131_100):
        assert first_look(f" {word}" * words) == (True, words)
        assert first_look(" " * words) == (True, words)


def test_blank_references_and_odd_languages_are_the_organizers_fault() -> None:
    items = make_items({"task_id": "q1"})
    assert check_gold(KIND, items, lines([{"task_id": "q1", "answer": " "}])).problems.totals == {"E603": 1}
    odd = [{"task_id": "q1", "tier": "easy", "question": "?", "languages": ["en", 1]}]
    assert check_items(KIND, lines(odd)).problems.totals == {"E603": 1}


# Scores


@pytest.mark.parametrize("name", FIVE)
def test_scores_by_script(name: str) -> None:
    items = make_items({"task_id": "q1"})
    own = FIVE[name]
    assert set(score(items, {"q1": own}, {"q1": own}).scores.values()) == {1.0}
    twice = score(items, {"q1": own}, {"q1": f"{own} {own}"}).scores
    assert twice["rouge1_recall"] == 1
    assert twice["rouge1_precision"] == 0.5
    assert twice["rouge1_f1"] == pytest.approx(2 / 3)
    assert twice["exact_match"] == 0
    assert twice["number_recall"] == 1
    other = FIVE["greek" if name == "han" else "han"]
    assert score(items, {"q1": own}, {"q1": other}).scores["exact_match"] == 0


def test_means_are_over_items_and_number_recall_over_items_with_numbers() -> None:
    items = make_items({"task_id": "a"}, {"task_id": "b"}, {"task_id": "c"})
    gold = {"a": "profit 10 in 2020", "b": "sales fell", "c": "7"}
    report = score(items, gold, {"a": "profit 10", "b": "sales", "c": "8"})
    assert report.scores == {
        "rouge1_f1": pytest.approx((2 / 3 + 2 / 3 + 0) / 3),
        "rouge1_precision": pytest.approx(2 / 3),
        "rouge1_recall": pytest.approx((0.5 + 0.5 + 0) / 3),
        "exact_match": 0,
        "number_recall": pytest.approx((0.5 + 0) / 2),
    }
    assert report.signature == "short_answer.1|m:rouge1_f1|text:multi.1|agg:item-mean|gold:local|n:3"


def test_exact_match_is_the_same_under_both_tokenizers() -> None:
    items = make_items({"task_id": "a"}, {"task_id": "b"}, {"task_id": "c"})
    gold = {"a": "ﬁnancial flow", "b": "%", "c": "売上高"}
    answers = {"a": "Financial  FLOW", "b": " %", "c": "売上"}
    for tokenizer in ("multi.1", "ascii.1"):
        assert score(items, gold, answers, tokenizer).scores["exact_match"] == pytest.approx(2 / 3)
    assert score(items, gold, answers, "ascii.1").signature.split("|")[2] == "text:ascii.1"


def test_an_item_counts_in_each_of_its_languages() -> None:
    items = make_items(
        {"task_id": "a", "languages": ["en", "el"], "group": "g", "question_type": "revenue"},
        {"task_id": "b", "languages": ["en"], "tier": "expert"},
    )
    cuts = score(items, {"a": "x", "b": "y"}, {"a": "x", "b": "z"}).breakdowns
    assert {slice: {value: cell["n"] for value, cell in cut.items()} for slice, cut in cuts.items()} == {
        "tier": {"easy": 1, "expert": 1},
        "question_type": {"revenue": 1},
        "group": {"g": 1},
        "language": {"en": 2, "el": 1},
    }
    assert cuts["language"]["en"]["rouge1_f1"] == 0.5


ANSWERS = st.lists(st.sampled_from([*FIVE.values(), "None", "8%"]), min_size=2, max_size=6)


@given(ANSWERS, ANSWERS, st.randoms(use_true_random=False))
def test_item_order_moves_nothing(gold: list[str], answers: list[str], chance: Random) -> None:
    n = min(len(gold), len(answers))
    names = [f"q{at}" for at in range(n)]
    items = make_items(*({"task_id": name} for name in names))
    references, given_answers = dict(zip(names, gold, strict=False)), dict(zip(names, answers, strict=False))
    shuffled = list(items.records.items())
    chance.shuffle(shuffled)
    assert (
        score(Items(dict(shuffled), ""), references, given_answers).scores
        == score(items, references, given_answers).scores
    )


def test_every_shared_case_has_its_value() -> None:
    cases = json.loads(shared_path("cases/cases.json").read_text(encoding="utf-8"))["cases"]
    seen = 0
    for case in cases:
        if case.get("task") != "qa" or "rouge1_f1_R0" not in case["expect"]:
            continue
        gold = case["gold"]
        items = make_items(*({"task_id": name} for name in gold))
        data = shared_path(f"cases/{case['file']}").read_bytes().replace(b'"id"', b'"task_id"')
        checked = check_run(KIND, items, data)
        assert checked.run is not None, case["id"]
        scores = score(items, gold, checked.run.answers).scores
        assert round(scores["rouge1_f1"], 4) == case["expect"]["rouge1_f1_R0"], case["id"]
        assert round(scores["exact_match"], 4) == case["expect"]["exact_match_E0"], case["id"]
        plain = score(items, gold, checked.run.answers, "ascii.1").scores["rouge1_f1"]
        assert round(plain, 4) == case["expect"]["for_contrast_ascii_only_tokenizer"], case["id"]
        seen += 1
    assert seen > 30


def test_first_thirty_words_of_the_public_references() -> None:
    items = check_items(KIND, shared_path("data/polyfiqa/items.jsonl").read_bytes()).items
    assert items is not None
    gold = check_gold(KIND, items, shared_path("data/polyfiqa/gold.jsonl").read_bytes()).gold
    assert gold is not None
    answers = {name: " ".join(text.split()[:30]) for name, text in gold.references.items()}
    assert round(score(items, gold.references, answers).scores["rouge1_f1"], 4) == 0.7296


# Diagnostics


@pytest.mark.parametrize(
    ("answer", "none"),
    [
        ("None", True),
        (" None. ", True),
        ("None\n", True),
        ("none", False),
        ("None..", False),
        ("Nones", False),
    ],
)
def test_the_word_none(answer: str, none: bool) -> None:
    assert is_none(answer) is none


def test_length_bands() -> None:
    assert [band_of(words) for words in (1, 25, 26, 100, 101, 150, 151)] == [
        *("1–25", "1–25", "26–50", "76–100"),
        *("101–150", "101–150", "over 150"),
    ]


def test_what_can_be_said_without_gold() -> None:
    items = make_items(
        {"task_id": "a", "languages": ["el", "ja"]},
        {"task_id": "b", "languages": ["ja"]},
        {"task_id": "c", "tier": "expert"},
    )
    seen = KIND.observe(items, Run({"a": "έσοδα", "b": "None.", "c": "w " * 101}, "", 3))
    assert seen["n_answers"] == 3
    assert seen["none_rate"] == pytest.approx(1 / 3)
    assert seen["none_by_tier"]["rows"] == [["easy", 2, 1, 0.5], ["expert", 1, 0, 0.0]]
    assert seen["over_guideline_rate"] == pytest.approx(1 / 3)
    assert [row[:2] for row in seen["answer_words"]["rows"] if row[1]] == [["1–25", 2], ["101–150", 1]]
    mix = {
        row[0]: dict(zip(seen["script_mix"]["columns"][1:], row[1:], strict=True))
        for row in seen["script_mix"]["rows"]
    }
    assert set(mix) == {"all", "el", "ja"}
    assert mix["el"]["Greek"] == 1
    assert (mix["ja"]["Greek"], mix["ja"]["Latin"]) == (pytest.approx(5 / 9), pytest.approx(4 / 9))


@pytest.mark.parametrize("different", [3, 500])
def test_scripts_are_counted_alike_in_texts_of_few_and_of_many_characters(different: int) -> None:
    ideographs = "".join(chr(0x4E00 + at) for at in range(different)) * 2
    seen = KIND.observe(make_items({"task_id": "a"}), Run({"a": ideographs + "a!" * different}, "", 1))
    ((_, *shares),) = seen["script_mix"]["rows"]
    mix = dict(zip(seen["script_mix"]["columns"][1:], shares, strict=True))
    assert {script: share for script, share in mix.items() if share} == {
        "Han": pytest.approx(2 / 3),
        "Latin": pytest.approx(1 / 3),
    }


def test_what_gold_explains() -> None:
    items = make_items(
        {"task_id": "a", "question_type": "revenue"},
        {"task_id": "b", "question_type": "revenue"},
        {"task_id": "c"},
    )
    report = score(items, {"a": "x y", "b": "x", "c": "z"}, {"a": "x", "b": "x y", "c": "z"})
    tables = report.diagnostics
    assert [row[:2] for row in tables["profile"]["rows"]] == [["P > R", 1], ["P = R", 1], ["P < R", 1]]
    assert tables["f1_by_length"]["rows"] == [
        ["1–25", 3, pytest.approx(7 / 9), pytest.approx(2.5 / 3), pytest.approx(2.5 / 3)]
    ]
    assert [row[:3] for row in tables["tier_by_question_type"]["rows"]] == [
        ["easy", "revenue", 2],
        ["easy", "—", 1],
    ]


def test_every_diagnostic_is_declared() -> None:
    items = make_items({"task_id": "a"})
    report = score(items, {"a": "x"}, {"a": "x"})
    assert set(report.diagnostics) == {one.key for one in KIND.diagnostics}


# Declarations


def test_baselines_are_runs_anyone_could_have_sent() -> None:
    items = make_items(
        {"task_id": "a", "question": "How much?", "context": "w " * 120}, {"task_id": "b", "question": "Why?"}
    )
    made = {one.name: list(one.make(items, None, Random(1))) for one in KIND.baselines}
    assert [one["answer"] for one in made["none"]] == ["None", "None"]
    assert [one["answer"] for one in made["question"]] == ["How much?", "Why?"]
    assert [len(one["answer"].split()) for one in made["context_head"]] == [100, 1]
    for run in made.values():
        assert check_run(KIND, items, lines(run)).problems.errors == 0


def test_the_example_is_a_valid_track() -> None:
    items = check_items(KIND, lines(list(KIND.example["items"]))).items
    assert items is not None
    gold = check_gold(KIND, items, lines(list(KIND.example["gold"]))).gold
    run = check_run(KIND, items, lines(list(KIND.example["run"])))
    assert gold is not None
    assert run.run is not None
    assert run.problems.warnings == 0
    scores = score(items, gold.references, run.run.answers).scores
    assert 0 < scores["rouge1_f1"] < 1
