"""What a broken line is told: code, column and words, the same on every Python."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoring.nesting import line_nests_deeper, value_nests_deeper
from scoring.syntax import MOST_FAULTS, MOST_STEPS, excerpt, explain

CLASSICS = [
    # a place in a line: line, code, column, some words of the message
    ('{"id": "q1" "answer": "up"}', "E101", 13, "a comma is missing"),
    ('{"id": "q1", "answer" "up"}', "E101", 23, 'where the ":"'),
    ('{"id": "q1", "answer"= "up"}', "E101", 22, '"="'),
    ('{"id": "q1", "answer"}', "E101", 22, "has no value"),
    ('{"id": "q1", "answer": }', "E101", 24, "a value is missing"),
    ('{"id": "q1", , "answer": "up"}', "E101", 14, "a comma too many"),
    ('{"id": "q1", "answer": up}', "E101", 24, "the text up stands without quotes"),
    ('{"id": "q1", answer: "up"}', "E101", 14, "the key answer stands without quotes"),
    ('{"id": "q1", 5: "up"}', "E101", 14, "where a key belongs"),
    ('{"id": "q1", "answer": "he said "up" to me"}', "E101", 34, "the text goes on"),
    ('{"id": "q1", "answer": "up"]', "E101", 28, "closes what another bracket opened"),
    ('{"id": "q1", "answer": ["up"}', "E101", 29, "closes what another bracket opened"),
    ('{"id": "q1", "answer": "up" 5}', "E101", 29, "goes on with"),
    ('{"id": "q1", "n": 5 6}', "E101", 21, "after a value"),
    ('{"id": "q1", "n": 5 "a": 6}', "E101", 21, "a comma is missing"),
    ('{"id": “q1”}', "E101", 8, "typographic quote"),
    ('{“id”: "q1"}', "E101", 2, "typographic quote"),
    ('{\\"id\\": \\"q1\\"}', "E101", 2, "escaped"),
    ('{"id": "C:\\Users"}', "E101", 11, "is no escape"),
    ('{"id": "\\u12G4"}', "E101", 9, "four hexadecimal digits"),
    ('{"id": "q1", "n": 007}', "E101", 19, "007 is not a JSON number"),
    ('{"id": "q1", "n": 1.}', "E101", 19, "1. is not a JSON number"),
    ('{"id": "q1", "n": .5}', "E101", 19, ".5 is not a JSON number"),
    ('{"id": "q1", "n": -.5}', "E101", 19, "-.5 is not a JSON number"),
    ('{"id": "q1", "n": +1}', "E101", 19, "+1 is not a JSON number"),
    ('{"id": "q1", "n": 0x1F}', "E101", 19, "0x1F is not a JSON number"),
    ('{"id": "q1", "n": 12abc}', "E101", 19, "12abc is not a JSON number"),
    ('{"id": "q1", "n": 1e}', "E101", 19, "1e is not a JSON number"),
    ('{"id": "q1", "n": 1,5}', "E101", 21, "where a key belongs"),
    ('{"id": "q1", "n": ١٢}', "E101", 19, "where a value belongs"),
    ('{"id": "q1", "n": -}', "E101", 19, "a minus sign"),
    ('{"id": "q1", "n": undefined}', "E101", 19, "undefined"),
    ('{"id": "q1"} // done', "E101", 14, "remark"),
    ("# a header", "E101", 1, "remark"),
    ("id,answer", "E101", 1, "does not begin with {"),
    ("<!DOCTYPE html>", "E101", 1, "does not begin with {"),
    ('{"id": "q1"} trailing', "E101", 14, "after the end"),
    ('{"id": "q1"}}', "E101", 13, "after the end"),
    ('{"id":\u00a0"q1"}', "E101", 7, "<U+00A0>"),
    ('{"id": "q1"}\u200b', "E101", 13, "<U+200B>"),
    ('{\u3000"id": "q1"}', "E101", 2, "<U+3000>"),
    ("{'id': 'q1'}", "E105", 2, "double quotes"),
    ("{\"id\": 'q1'}", "E105", 8, "double quotes"),
    ('{"id": "q1", "answer": None}', "E105", 24, "None is null in JSON"),
    ('{"id": "q1", "answer": True}', "E105", 24, "True is true in JSON"),
    ('{"id": "q1", "answer": u"up"}', "E105", 24, "before a string"),
    ('{"id": "q1", "answer": ("up",)}', "E105", 24, "tuple"),
    ('{"id": "q1", "id": "q2"}', "E106", 14, 'the key "id" occurs twice'),
    ('{"id": "q1", "n": {"a": 1, "b": 2, "a": 3}}', "E106", 36, "first at column 20"),
    ('{"\\u0069d": "q1", "id": "q2"}', "E106", 19, 'the key "id" occurs twice'),
    ('{"id": "q1", "answer": NaN}', "E107", 24, "NaN is not valid JSON"),
    ('{"id": "q1", "answer": Infinity}', "E107", 24, "Infinity"),
    ('{"id": "q1", "answer": -Infinity}', "E107", 24, "-Infinity"),
    ('{"id": "q1", "answer": [nan, 1]}', "E107", 25, "nan"),
    ('{"id": "q1", "answer": -inf}', "E107", 24, "-inf"),
    ('{"id": "q1", "n": 1e999}', "E108", 19, "1e999"),
    ('{"id": "q1", "n": [[-1.5E+400]]}', "E108", 21, "-1.5E+400"),
    ('{"id": "q1", "n": 9007199254740993}', "E109", 19, "16 digits"),
    ('{"id": "q1", "n": -9007199254740993}', "E109", 19, "16 digits"),
    ('{"id": "q1", "n": ' + "9" * 4301 + "}", "E109", 19, "4301 digits"),
    ('{"id": ' + "[" * 32 + "1" + "]" * 32 + "}", "E110", 39, "more than 32 deep"),
    ("[" * 100_000, "E110", 33, "more than 32 deep"),
    ('{"a":' * 100_000, "E110", 161, "more than 32 deep"),
    ('{"id": "q1", "answer": "\\ud83d"}', "E111", 25, "\\ud83d is half"),
    ('{"id": "q1", "answer": "\\ude00\\ud83d x"}', "E111", 25, "\\ude00 is half"),
    ('{"id": "q1", "answer": "\\ud83d\\u0041"}', "E111", 25, "\\ud83d is half"),
    ('{"id": "q1", "\\udead": 1}', "E111", 15, "\\udead is half"),
    ('{"id": "q1", "answer": "up\\u0000"}', "E112", 27, "NUL"),
    ('{"id": "q1", "answer": "up\0"}', "E112", 27, "NUL"),
    ('{"id": "q1",\0 "answer": "up"}', "E112", 13, "NUL"),
    ('{"id": "q1", "answer": "up\tby"}', "E114", 27, "a tab (U+0009)"),
    ('{"id": "q1", "answer": "\x1b[1m"}', "E114", 25, "U+001B"),
    ('{"id": "q1",\x0b "answer": "up"}', "E114", 13, "<U+000B>"),
    ('{"id": "q1"}{"id": "q2"}', "E115", 13, "second object"),
    ('{"id": "q1"} {"id": "q2"}', "E115", 14, "second object"),
    ('{"id": "q1"},{"id": "q2"}', "E115", 13, "second object"),
    ('{"id": "q1", "answer": "up by', "E116", 24, "inside the string"),
    ('{"id": "q1", "answer": "up by\\', "E116", 30, "too early"),
    ('{"id": "q1", "answer": "up"', "E116", 28, "too early"),
    ('{"id": "q1", "answer":', "E116", 23, "too early"),
    ('{"id": "q1", "answer"', "E116", 22, "too early"),
    ('{"id": "q1",', "E116", 13, "too early"),
    ('{"id": "q1", "n": [1, 2', "E116", 24, "too early"),
    ("{", "E116", 2, "too early"),
    ('{"id": "q1",}', "E117", 12, "before the closing }"),
    ('{"id": "q1", "n": [1, 2, ]}', "E117", 24, "before the closing ]"),
    ('{"id": "q1"},', "E117", 13, "follows the object"),
    ('\ufeff{"id": "q1"}', "E011", 1, "byte order mark"),
]


@pytest.mark.parametrize(
    ("line", "code", "column", "words"), CLASSICS, ids=[line[0][:30] for line in CLASSICS]
)
def test_classics(line: str, code: str, column: int, words: str) -> None:
    first = explain(line)[0]
    assert (first.code, first.column) == (code, column)
    assert words in first.message
    assert first.message.startswith(f"Column {column}: ")
    assert first.message.endswith(".")
    assert len(first.message) <= 200
    assert "{" not in (first.expected or "").replace("{…}", "")


def test_every_fault_of_a_line_is_told_until_the_syntax_breaks() -> None:
    line = (
        '{"id": "q1", "id": NaN, "n": [1e999, 9007199254740993], "t": "\\u0000\\ud800", "n": 1,'
        ' "x": 01, "y": NaN}'
    )
    assert [(fault.code, fault.field) for fault in explain(line)] == [
        ("E106", "id"),
        ("E107", "id"),
        ("E108", "n"),
        ("E109", "n"),
        ("E112", "t"),
        ("E111", "t"),
        ("E106", "n"),
        ("E101", "x"),
    ]


@pytest.mark.parametrize(
    "line",
    [
        '{"id": "q1", "answer": "up", "n": [0, -0, -0.0, 1e5, 1.5E-7, 9007199254740992, -9007199254740992]}',
        ' \t{ "a" : [ ] , "b" : { } , "c" : [ { } , [ ] ] } \r',
        '{"a": "\\ud83d\\ude80\\n\\/\\"\\\\u0000", "b": true, "c": false, "d": null}',
        '{"A": 1, "a": 2, "é": 3, "e\u0301": 4}',
        '{"a": "1e999 NaN \'x\' ```[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[["}',
        "{" + '"a": {' * 31 + "}" * 32,
        '{"a": "\u2028\u2029\u0085\u200b\ufeff"}',
        '"text"',
        "5",
        "[]",
    ],
)
def test_strict_json_has_no_fault(line: str) -> None:
    json.loads(line)
    assert explain(line) == []


def test_the_place_is_shown_with_what_stands_around_it() -> None:
    line = '{"id": "q1", "answer":\u200b "' + "long " * 30 + '"}'
    assert explain(line)[0].found == '{"id": "q1", "answer":»<U+200B> "long long long long l…'
    assert excerpt("x" * 100, 50) == "…" + "x" * 32 + "»" + "x" * 24 + "…"


def test_an_endless_line_is_not_read_to_its_end() -> None:
    line = "[" + "1," * MOST_STEPS + "NaN]"
    (fault,) = explain(line)
    assert fault.code == "E101"
    assert fault.column > MOST_STEPS


def test_a_fault_that_repeats_is_not_told_without_end() -> None:
    assert len(explain("[" + "NaN," * 500 + "1]")) == MOST_FAULTS


PIECES = st.sampled_from(
    [*'{}[],:"\\', '"id"', '"a"', "1", "-", "0.5", "1e5", "true", "null", "NaN", "'", " ", "\t", "\\u00e9"]
    + [
        "\\ud83d",
        "\\ude00",
        "\\n",
        "\0",
        "é",
        "字",
        "\u00a0",
        "99999999999999999999",
        "1e999",
        "/",
        "\ufeff",
        "None",
    ]
)


def accepts(line: str) -> bool:
    """What the standard decoder, strict about duplicates, numbers and characters, takes."""

    def as_object(pairs: list) -> dict:
        if len({key for key, _ in pairs}) != len(pairs):
            raise ValueError("duplicate")
        return dict(pairs)

    def refuse(name: str) -> None:
        raise ValueError(name)

    def whole(written: str) -> int:
        if abs(int(written)) > 2**53:
            raise ValueError(written)
        return int(written)

    def real(written: str) -> float:
        if float(written) in (float("inf"), float("-inf")):
            raise ValueError(written)
        return float(written)

    def clean(value: object) -> bool:
        if isinstance(value, str):
            return "\0" not in value and not any("\ud800" <= char <= "\udfff" for char in value)
        if isinstance(value, dict):
            return all(clean(key) and clean(inner) for key, inner in value.items())
        return all(map(clean, value)) if isinstance(value, list) else True

    try:
        value = json.loads(
            line, object_pairs_hook=as_object, parse_constant=refuse, parse_int=whole, parse_float=real
        )
    except ValueError:
        return False
    return clean(value)


@given(st.lists(PIECES, max_size=30).map("".join))
def test_faults_are_found_exactly_where_the_decoder_refuses(line: str) -> None:
    assert (explain(line) == []) == accepts(line)


VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**53), 2**53)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"])),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(
            st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"])), inner, max_size=4
        )
    ),
    max_leaves=20,
)


@given(VALUES, st.booleans(), st.data())
def test_a_line_cut_or_changed_anywhere_is_judged_like_the_decoder(
    value: object, ascii_only: bool, data
) -> None:
    line = json.dumps(value, ensure_ascii=ascii_only)
    assert explain(line) == []
    place = data.draw(st.integers(0, len(line)))
    changed = line[:place] + data.draw(PIECES | st.just("")) + line[place + data.draw(st.integers(0, 2)) :]
    assert (explain(changed) == []) == accepts(changed)


def deepest(value: object) -> int:
    if isinstance(value, dict):
        return 1 + max(map(deepest, value.values()), default=0)
    return 1 + max(map(deepest, value), default=0) if isinstance(value, list) else 0


@given(VALUES, st.integers(1, 6))
def test_depth_is_told_from_the_line_and_from_the_value(value: object, depth: int) -> None:
    assert value_nests_deeper([value], depth) == (deepest([value]) > depth)
    assert line_nests_deeper(json.dumps(value), depth) == (deepest(value) > depth)
