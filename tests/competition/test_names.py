"""Team names: same, alike, refused. The cases of other sites' trouble are named where they are met."""

from __future__ import annotations

import json

import pytest

from competition.exceptions import NameRefused
from competition.names import LONGEST, clean_name, lookalike_key, mixes_scripts, name_key
from tests.support.shared import shared_path

SAME = [
    "Calibrated  Signals",
    "CALIBRATED SIGNALS",
    "Calibrated Signals\u200b",
    "Ｃalibrated Signals",
    " Calibrated Signals ",
    "Calibrated\u00a0Signals",
    "Cali\u00adbrated Signals",
    "Calibrated\u2060 Signals",
]


@pytest.mark.parametrize("name", SAME)
def test_names_that_read_the_same_have_one_key(name: str) -> None:
    assert name_key(name) == name_key("Calibrated Signals")


@pytest.mark.parametrize(
    ("one", "other"),
    [("Team A!", "team-a"), ("ﬀ", "fa"), ("東京チーム", "京東チーム"), ("Résumé", "Resume"), ("Maß", "Mas")],
)
def test_names_that_differ_have_two_keys(one: str, other: str) -> None:
    assert name_key(one) != name_key(other)


def test_keys_meet_across_case_and_form() -> None:
    assert name_key("Straße") == name_key("STRASSE")
    assert name_key("ΣΟΦΟΣ") == name_key("σοφος") == name_key("σοφοσ")
    assert name_key("ﾁｰﾑ") == name_key("チーム")
    assert name_key("é") == name_key("e\u0301")


@pytest.mark.parametrize(
    "name", ["Саlibrated Signals", "Calibrated-Signals", "CaIibrated Signals", "Cаlibrаted Sіgnаls"]
)
def test_imitations_share_the_look(name: str) -> None:
    assert name_key(name) != name_key("Calibrated Signals")
    assert lookalike_key(name) == lookalike_key("Calibrated Signals")


@pytest.mark.parametrize("name", ["東京チーム", "Команда", "🙂", "فريق", "टीम", "Ομάδα", "Team 7", "a"])
def test_names_of_any_script_are_taken_as_they_are(name: str) -> None:
    assert clean_name(name) == name
    assert name_key(name)
    assert lookalike_key(name)


def test_looks_differ_where_names_do() -> None:
    names = ["東京チーム", "Команда", "🙂", "🙃", "فريق", "टीम", "Ομάδα", "Team 7"]
    assert len({lookalike_key(name) for name in names}) == len(names)


@pytest.mark.parametrize(
    ("name", "mixed"),
    [
        ("Саlibrated Signals", True),
        ("Αthena", True),
        ("Команда A", False),
        ("東京 team", False),
        ("Team Ω", False),
        ("plain", False),
    ],
)
def test_a_word_of_two_alphabets_is_noticed(name: str, mixed: bool) -> None:
    assert mixes_scripts(name) is mixed


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("abc\u202edef", "direction"),
        ("abc\u2066def", "direction"),
        ("abc\u200bdef", "U+200B"),
        ("abc\u00addef", "U+00AD"),
        ("abc\x00def", "control"),
        ("abc\x1bdef", "control"),
        ("abc\ud800def", "half"),
        ("\u3164", "U+3164"),
        ("\u2800\u2800", "U+2800"),
        ("", "needs a name"),
        ("   ", "needs a name"),
        ("\t\n", "needs a name"),
        ("!!!", "letter"),
        ("x" * (LONGEST + 1), "60 are the most"),
        ("Z\u0301\u0302\u0303\u0304\u0305\u0306algo", "marks"),
    ],
)
def test_names_nobody_could_read_or_tell_apart_are_refused(name: str, said: str) -> None:
    with pytest.raises(NameRefused, match=said.replace("+", r"\+")):
        clean_name(name)


def test_cleaning_joins_spaces_and_marks() -> None:
    assert clean_name("  Cafe\u0301   Noir ") == "Café Noir"
    assert clean_name("tab\tbed") == "tab bed"
    assert len(clean_name("x" * LONGEST)) == LONGEST


def test_the_lookalike_case_of_the_collection() -> None:
    case = json.loads(shared_path("cases/team-name-lookalike.json").read_text())
    assert "Cyrillic" in case["when"][0]
    taken = ["Calibrated  Signals", "CALIBRATED SIGNALS", "Calibrated Signals\u200b", "Ｃalibrated Signals"]
    assert {name_key(name) for name in taken} == {name_key("Calibrated Signals")}
    assert mixes_scripts("Саlibrated Signals")
