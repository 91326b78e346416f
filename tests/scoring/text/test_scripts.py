"""Our letter tables against Unicode's, as far as the running Python knows them."""

from __future__ import annotations

import unicodedata

import pytest
import regex

from scoring.text import scripts

ASSIGNED = [code for code in range(0x110000) if unicodedata.category(chr(code)) not in ("Cn", "Cs")]


def members(ranges: scripts.Ranges) -> set[int]:
    return {code for low, high in ranges for code in range(low, high + 1)}


@pytest.mark.parametrize(
    ("ranges", "category"),
    [(scripts.letters(), "L"), (scripts.marks(), "M"), (scripts.digits(), "Nd")],
    ids=["letters", "marks", "digits"],
)
def test_general_categories_are_unicodes(ranges: scripts.Ranges, category: str) -> None:
    # Characters that a newer or older Unicode has on top say nothing about this table.
    ours = members(ranges)
    newer = tuple(map(int, unicodedata.unidata_version.split("."))) > (15, 1, 0)
    known = [code for code in ASSIGNED if not newer or code in ours]
    theirs = {code for code in known if unicodedata.category(chr(code)).startswith(category)}
    assert ours & set(known) == theirs
    if unicodedata.unidata_version == scripts.UNICODE:
        assert ours == theirs


@pytest.mark.parametrize(
    ("ranges", "pattern"),
    [
        (scripts.HAN, r"(?V1)[\p{Script=Han}&&[\p{L}\p{N}]]"),
        (scripts.KANA, r"(?V1)[[\p{Script=Hiragana}\p{Script=Katakana}]&&\p{L}]|[ー\uFF70]"),
    ],
    ids=["Han", "kana"],
)
def test_han_and_kana_are_unicodes(ranges: scripts.Ranges, pattern: str) -> None:
    ours, theirs = members(ranges), regex.compile(pattern)
    differ = [code for code in ASSIGNED if (code in ours) != bool(theirs.fullmatch(chr(code)))]
    assert [f"{code:X}" for code in differ] == []


@pytest.mark.parametrize(
    ("character", "script"),
    [
        *zip("aéZ", ["Latin"] * 3, strict=True),
        *zip("ελς", ["Greek"] * 3, strict=True),
        ("ж", "Cyrillic"),
        *zip("漢々〇", ["Han"] * 3, strict=True),
        *zip("あカー", ["kana"] * 3, strict=True),
        ("한", "Hangul"),
        *zip("عپ", ["Arabic"] * 2, strict=True),
        *zip("कष", ["Devanagari"] * 2, strict=True),
        *zip("7٣५", ["digits"] * 3, strict=True),
        *zip("אไ", ["other"] * 2, strict=True),
        *((one, None) for one in " .%€،।\u0301\u094d\u200b😀"),
    ],
)
def test_script_of_a_character(character: str, script: str | None) -> None:
    assert scripts.script_of(character) == script


def test_ranges_are_sorted_and_disjoint() -> None:
    for ranges in (scripts.letters(), scripts.marks(), scripts.digits(), scripts.HAN, scripts.KANA):
        flat = [end for pair in ranges for end in pair]
        assert flat == sorted(flat)
        assert len({low for low, _ in ranges}) == len(ranges)


def test_set_arithmetic_on_ranges() -> None:
    assert scripts.merged(((1, 3), (9, 9)), ((4, 5),)) == ((1, 5), (9, 9))
    assert scripts.outside(((1, 9), (20, 22)), ((3, 4), (9, 20))) == ((1, 2), (5, 8), (21, 22))
    assert scripts.up_to(((1, 9), (20, 22)), 5) == ((1, 5),)


@pytest.mark.parametrize("most", ["", "a", "é", "一", "一\u0301", "αβγδεζηθικλμνξοπρστυφχψω", "\U0001f600一"])
def test_the_different_characters_of_long_texts_are_all_found(most: str) -> None:
    for rest in ("", "x", "ünd\u3042\U00020000"):
        for text in (most * 3_000 + rest, rest + most * 3_000, rest * 700 + most):
            assert scripts.different(text) == set(text)
