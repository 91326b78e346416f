"""Tokens of `multi.1` and `ascii.1`: a table by hand in many scripts, then laws, then a slow judge."""

from __future__ import annotations

import json
import unicodedata
from typing import Any

import pytest
import regex
from hypothesis import example, given
from hypothesis import strategies as st
from rouge_score.tokenizers import DefaultTokenizer

from scoring.text import normalize, tokenize
from scoring.text.tokenize import ascii_tokens, multi_tokens
from tests.support.shared import shared_path

BY_HAND = [
    ("Latin", "Revenue rose 12.5% in Q3", "revenue rose 12 5 in q3"),
    ("accents stay", "La inflación SUBIÓ", "la inflación subió"),
    ("Greek, final sigma", "Ο ΚΌΣΜΟΣ", "ο κόσμος"),
    ("Han, each alone", "净利润2020年", "净 利 润 2020 年"),
    ("iteration mark and zero", "人々〇", "人 々 〇"),
    ("kana, each alone", "サーバーの", "サ ー バ ー の"),
    ("half-width kana join their marks", "\uff76\uff9e", "ガ"),
    ("Arabic with marks", "مُحَمَّد 2024", "مُحَمَّد 2024"),
    ("Arabic digits are not folded", "عام ٢٠٢٤", "عام ٢٠٢٤"),
    ("Devanagari keeps vowel signs", "वर्ष की बिक्री", "वर्ष की बिक्री"),
    ("Hangul", "매출액이 증가", "매출액이 증가"),
    ("mixed", "Toyotaの売上高 rose", "toyota の 売 上 高 rose"),
    ("a mark at the start is dropped", "\u0301a", "a"),
    ("a mark after an ideograph is dropped", "漢\u0301字", "漢 字"),
    ("a mark after a digit separates", "1\u03062", "1 2"),
    ("a mark after a letter, then a digit", "q\u03063", "q\u03063"),
    ("underline separates", "a_b", "a b"),
    ("zero width space cuts", "oper\u200bating", "oper ating"),
    ("ligature and superscript", "ﬁnancial m²", "financial m2"),
    ("full-width", "ＥＢＩＴＤＡ　８", "ebitda 8"),
    ("emoji separate", "buy😀now", "buy now"),
    ("rare ideographs", "a\U00020000\U0002a6d6b", "a \U00020000 \U0002a6d6 b"),
    ("rare letters run with common ones", "x\U0001e922\U0001e944 y", "x\U0001e922\U0001e944 y"),
    ("nothing but signs", "—%!", ""),
    ("nothing", "", ""),
]


@pytest.mark.parametrize(("text", "expected"), [row[1:] for row in BY_HAND], ids=[row[0] for row in BY_HAND])
def test_multi_by_hand(text: str, expected: str) -> None:
    assert multi_tokens(text) == expected.split()


def cases_with_tokens() -> list[dict[str, Any]]:
    cases = json.loads(shared_path("cases/cases.json").read_text(encoding="utf-8"))["cases"]
    return [case for case in cases if "tokens_answer_R0" in case["expect"]]


def test_multi_on_every_shared_case() -> None:
    cases = cases_with_tokens()
    assert len(cases) > 30
    for case in cases:
        line = shared_path(f"cases/{case['file']}").read_bytes().splitlines()[0]
        assert multi_tokens(json.loads(line)["answer"]) == case["expect"]["tokens_answer_R0"], case["id"]
        reference = next(iter(case["gold"].values()))
        assert multi_tokens(reference) == case["expect"]["tokens_reference_R0"], case["id"]


def test_order_is_nfkc_then_lower_case() -> None:
    def other_way(text: str) -> str:
        return unicodedata.normalize("NFKC", text.lower())

    differ = [code for code in range(0x110000) if normalize.multi(chr(code)) != other_way(chr(code))]
    assert len(differ) > 600


def test_a_profile_by_name() -> None:
    assert tokenize.tokens("Année 2020") == ["année", "2020"]
    assert tokenize.tokens("Année 2020", "ascii.1") == ["ann", "e", "2020"]
    with pytest.raises(KeyError):
        tokenize.tokens("x", "ascii.2")


def test_exact_profile_collapses_white_space_and_folds_nothing_else() -> None:
    assert normalize.exact("  12\u00a0000\n Euros ") == "12 000 euros"
    assert normalize.exact("-5%") != normalize.exact("−5%")


JUDGE = regex.compile(
    r"(?V1)[[\p{Script=Han}&&[\p{L}\p{N}]][\p{Script=Hiragana}\p{Script=Katakana}&&\p{L}]ー]"
    r"|(?:[[\p{L}]--[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}ー]]\p{M}*|\p{Nd})+"
)
"""The profile again on script properties, as its sentence reads: slow, and independent of our tables."""

OF_OUR_UNICODE = st.characters(exclude_categories=["Cs", "Cn", "Co"], max_codepoint=0x323AF)
WORDS = st.text(
    "aÉςΣ1٣५漢々あーガ한مُक्षा\u0301\u0323\u200b .,-\U00020000\U0001e922\U0001e950\U0001d165😀", max_size=40
)


@given(st.one_of(WORDS, st.text(OF_OUR_UNICODE, max_size=30)))
@example("1\u03062")
def test_multi_agrees_with_an_independent_judge(text: str) -> None:
    assert multi_tokens(text) == JUDGE.findall(normalize.multi(text))


@given(st.one_of(WORDS, st.text(st.characters(max_codepoint=0xFFFF, exclude_categories=["Cs"]), max_size=30)))
def test_both_ways_of_cutting_agree(text: str) -> None:
    text = normalize.multi(text.replace("\U0001d165", ""))
    if all(character <= "\uffff" for character in text):
        assert tokenize._short()(text) == tokenize._cut_by_class(text)


@given(WORDS, WORDS)
def test_a_space_always_separates(left: str, right: str) -> None:
    assert multi_tokens(f"{left} . {right}") == multi_tokens(left) + multi_tokens(right)


@given(st.text(max_size=60))
@example("İK")
def test_ascii_is_rouge_scores_default(text: str) -> None:
    assert ascii_tokens(text) == DefaultTokenizer(use_stemmer=False).tokenize(text)
