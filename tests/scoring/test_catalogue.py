"""Every code has its explanation, and keeps its meaning."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

import scoring
from scoring.catalogue import CODES
from scoring.problems import SEVERITIES, Faults, Problems
from scoring.readers import Reader

CODE = re.compile(r"[EWI][0-9]{3}")

FROZEN = """
E001 Empty file
E002 File too large
E003 UTF-16 or UTF-32
E004 Invalid UTF-8
E005 ZIP archive
E006 gzip file
E007 Not a text file
E008 Lone carriage return
E009 Line too long
E010 Too many lines
E011 Byte order mark inside the file
E101 Not valid JSON
E102 JSON array
E103 Pretty-printed
E104 Markdown fence
E105 Python instead of JSON
E106 Duplicate key
E107 NaN or infinity
E108 Number too large
E109 Whole number too large
E110 Nested too deep
E111 Half a character
E112 NUL character
E113 Line without an object
E114 Raw control character
E115 Two objects on a line
E116 Line ends too early
E117 Trailing comma
E201 No id
E202 Id is not a string
E203 White space around an id
E204 Invisible characters in an id
E205 Id in other case
E206 Id in another Unicode form
E207 Unknown id
E208 Duplicate id
E209 Missing item
E210 Wrong phase or track
E301 Field missing
E302 Wrong type
E303 Empty text
E304 Wrapper object
E305 JSON inside a string
E306 Answer and "invalid" together
E307 Empty list
E401 Not in the closed list
E402 Option not offered
E403 Text too long
E404 Text too long once normalised
E405 Too many combining marks
E406 Not in this item
E407 Given twice
E408 Concept in another form
E409 As many labels as tokens
E410 Period and balance needed
E411 Unknown reason
E412 "invalid" is not taken here
E601 Gold for an unknown item
E602 Item without gold
E603 Faulty record
E604 Duplicate id in an organizers' file
E605 File cannot be read
E606 Argument that does not fit
W501 Unknown field
W502 Over 100 words
W503 Invisible characters in an answer
W504 Repeated entry
W505 Empty list
W506 Concept not in the taxonomy
W507 Punctuation in a fact
W508 I- without B-
I901 Byte order mark ignored
I902 Blank lines skipped
I903 Excluded items
"""


def codes_in_source() -> dict[str, str]:
    """Code → the place of one string that spells it, from the syntax trees of scoring/."""
    room = Path(scoring.__file__).parent
    found = {}
    for path in sorted(room.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Constant) and isinstance(node.value, str) and CODE.fullmatch(node.value):
                found[node.value] = f"{path.relative_to(room.parent)}:{node.lineno}"
    return found


def test_every_code_in_use_is_explained() -> None:
    used = codes_in_source()
    assert len(used) > 40
    unexplained = {code: place for code, place in used.items() if code not in CODES}
    assert unexplained == {}


def test_no_code_changes_its_meaning() -> None:
    """A new code is added at the end of its group here; a line that is here stays."""
    assert [f"{rule.code} {rule.title}" for rule in CODES.values()] == FROZEN.strip().split("\n")


@pytest.mark.parametrize("code", CODES)
def test_a_rule_is_whole(code: str) -> None:
    rule = CODES[code]
    assert rule.code == code
    assert code[0] in SEVERITIES
    assert rule.title
    assert not rule.title.endswith(".")
    assert rule.explanation.endswith(".")
    assert rule.wrong
    assert rule.right
    assert rule.wrong != rule.right


@pytest.mark.parametrize("rule", CODES.values(), ids=list(CODES))
def test_the_reader_agrees_with_the_examples(rule) -> None:
    """A wrong line of a syntax rule gives just that code; every other example line reads without a word."""
    for lines, expected in (
        (rule.wrong, {rule.code} if rule.code.startswith("E1") else set()),
        (rule.right, set()),
    ):
        if not lines.startswith("("):
            problems = Problems()
            records = list(Reader(lines.encode(), Faults(problems)))
            assert set(problems.totals) == expected, lines
            assert expected or records
