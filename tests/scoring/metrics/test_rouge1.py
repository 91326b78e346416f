"""ROUGE-1, exact match and number recall: by hand in five scripts, by law, and beside rouge-score."""

from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rouge_score import rouge_scorer
from rouge_score.tokenizers import Tokenizer

from scoring.metrics.exact_match import exact_match
from scoring.metrics.numbers import number_recall, numbers
from scoring.metrics.rouge1 import overlap, ratios, rouge1, unigrams
from scoring.text.tokenize import multi_tokens

ROUGE = [
    # prediction, reference, hits, predicted, expected
    ("the the the the", "the cat", 1, 4, 2),
    ("a a b", "a a a c", 2, 3, 4),
    ("τα έσοδα αυξήθηκαν", "τα έσοδα", 2, 3, 2),
    ("净利润上升", "净利润下降", 3, 5, 5),
    ("ارتفعت الأرباح هذا العام", "انخفضت الأرباح هذا العام", 3, 4, 4),
    ("बिक्री बढ़ी", "बिक्री घटी", 1, 2, 2),
    ("", "word", 0, 0, 1),
    ("word", "%", 0, 1, 0),
    ("", "", 0, 0, 0),
]


@pytest.mark.parametrize(("prediction", "reference", "hits", "predicted", "expected"), ROUGE)
def test_rouge_by_hand(prediction: str, reference: str, hits: int, predicted: int, expected: int) -> None:
    counts = rouge1(multi_tokens(prediction), multi_tokens(reference))
    assert counts == (hits, predicted, expected)
    assert ratios(hits, predicted, expected) == (counts.f1, counts.precision, counts.recall)


TOKENS = st.lists(st.sampled_from(["a", "b", "c", "κ", "漢", "ع", "क"]), max_size=12)


@given(TOKENS, TOKENS)
def test_swapping_sides_swaps_precision_and_recall(left: list[str], right: list[str]) -> None:
    one, other = rouge1(left, right), rouge1(right, left)
    assert (one.precision, one.recall, one.f1) == (other.recall, other.precision, other.f1)


@given(TOKENS, TOKENS, st.randoms(use_true_random=False))
def test_order_changes_nothing(left: list[str], right: list[str], chance: random.Random) -> None:
    shuffled = list(left)
    chance.shuffle(shuffled)
    assert rouge1(shuffled, right) == rouge1(left, right)


@given(TOKENS, TOKENS)
def test_bounds_and_perfection(left: list[str], right: list[str]) -> None:
    counts = rouge1(left, right)
    assert 0 <= counts.hits <= min(counts.predicted, counts.expected)
    low, high = sorted((counts.precision, counts.recall))
    assert 0 <= low <= counts.f1 + 1e-15
    assert counts.f1 <= high + 1e-15 <= 1 + 2e-15
    assert (counts.f1 == 1) == (sorted(left) == sorted(right) != [])


@given(TOKENS, TOKENS)
def test_the_reference_is_left_as_it_was(left: list[str], right: list[str]) -> None:
    reference = unigrams(right)
    overlap(left, reference)
    assert reference == unigrams(right)


@given(TOKENS, TOKENS, TOKENS, TOKENS)
def test_counts_add_up(a: list[str], b: list[str], c: list[str], d: list[str]) -> None:
    one, other = rouge1(a, b), rouge1(c, d)
    assert one.plus(other) == tuple(x + y for x, y in zip(one, other, strict=True))


class Ours(Tokenizer):
    def tokenize(self, text: str) -> list[str]:
        return multi_tokens(text)


@given(st.text(max_size=40), st.text(max_size=40))
def test_rouge_score_agrees_given_the_same_tokens(prediction: str, reference: str) -> None:
    theirs = rouge_scorer.RougeScorer(["rouge1"], tokenizer=Ours()).score(reference, prediction)["rouge1"]
    ours = rouge1(multi_tokens(prediction), multi_tokens(reference))
    assert (ours.f1, ours.precision, ours.recall) == pytest.approx(
        (theirs.fmeasure, theirs.precision, theirs.recall), abs=1e-12
    )


@pytest.mark.parametrize(
    ("prediction", "reference", "same"),
    [
        ("  Net\nPROFIT ", "net profit", True),
        ("ΚΌΣΜΟΣ", "κόσμος", True),
        ("神\ufa19", "神神", True),
        ("ﺳﻼﻡ", "سلام", True),
        ("वर्ष", "वर्ष", True),
        ("−5%", "-5%", False),
        ("company’s", "company's", False),
        ("٢٠٢٤", "2024", False),
        ("मई", "मइ", False),
    ],
)
def test_exact_match(prediction: str, reference: str, same: bool) -> None:
    assert exact_match(prediction, reference) is same
    assert exact_match(reference, prediction) is same


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("In Q3 FY2020, $1,234.50 and 7.", {"3", "2020", "1234.50", "7"}),
        ("έσοδα 1.250, 3,5%", {"1.250", "35"}),
        ("１２．５％ 到 ４，０００億円", {"12.5", "4000"}),
        ("عام ٢٠٢٤", {"٢٠٢٤"}),
        ("वर्ष २०२४, २०", {"२०२४", "२०"}),
        ("12,, 5 ,6 .7 8. 9. 10... .. 1.,2 v1.x", {"12", "5", "6", "7", "8", "9", "10", "1.2", "1"}),
        ("٣.٥ و ٤٬٥ ٦..", {"٣.٥", "٤", "٥", "٦"}),
        ("no number, none.", set()),
        ("\U0001e951\U0001e952.\U0001e953 and 6", {"\U0001e951\U0001e952.\U0001e953", "6"}),
    ],
)
def test_numbers(text: str, expected: set[str]) -> None:
    assert numbers(text) == expected


def test_number_recall_is_over_the_references_numbers_as_a_set() -> None:
    assert number_recall("1234 and 8 and 9", "1,234 of 7, again 1234") == 0.5
    assert number_recall("12", "12.5") == 0
    assert number_recall("12", "twelve") is None
