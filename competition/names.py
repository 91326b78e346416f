"""Team names: what is refused, what counts as the same name, what looks like another.

A name may be in any script. Two names are the same when their keys are equal (`name_key`: a database
constraint). Names that only look alike share a `lookalike_key`; organizers are told, nobody is refused.
"""

from __future__ import annotations

import re
import unicodedata

from competition.exceptions import NameRefused

LONGEST = 60
MARKS_IN_A_ROW = 4

# Not of category Cf, yet nothing to see: fillers, the combining grapheme joiner, the blank Braille pattern.
BLANKS = frozenset("\u034f\u115f\u1160\u17b4\u17b5\u2800\u3164\uffa0") | frozenset(
    map(chr, range(0x180B, 0x1810))
)
VARIATION_SELECTORS = frozenset(map(chr, range(0xFE00, 0xFE10))) | frozenset(
    map(chr, range(0xE0100, 0xE01F0))
)
DIRECTION = frozenset("\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")
REFUSED_CATEGORIES = {
    "Cc": "a control character",
    "Cf": "an invisible character",
    "Co": "a private character",
}

# Cyrillic and Greek letters that pass for Latin ones: capitals first, since some look so in one case only.
_CAPITALS = dict(zip("АВЕЅІЈКМНОРСТУХΑΒΕΖΗΙΚΜΝΟΡΤΥΧ", "abesijkmhopctyxabezhikmnoptyx", strict=True))
_SMALL = dict(zip("авеѕіјкмнорстухһԁԛԝαικνορτυχγ", "abesijkmhopctyxhdqwaikvoptuxy", strict=True))
_STROKES = dict(zip("i1|0", "lllo", strict=True))
_TO_LATIN = str.maketrans(_CAPITALS | _SMALL)
_TO_STROKES = str.maketrans(_STROKES)


def clean_name(name: str) -> str:
    """The name as it is kept: NFC, single spaces, none at the ends. Raises NameRefused with the reason."""
    cleaned = " ".join(unicodedata.normalize("NFC", _spaces_joined(name)).split(" ")).strip()
    if fault := unseen_in(cleaned):
        raise NameRefused(f"The name has {fault}. Please leave it out.")
    if not cleaned:
        raise NameRefused("A team needs a name.")
    if len(cleaned) > LONGEST:
        raise NameRefused(f"The name has {len(cleaned)} characters; {LONGEST} are the most.")
    if not any(unicodedata.category(character)[0] in "LNS" for character in cleaned):
        raise NameRefused("The name needs a letter, a digit or a symbol.")
    if _most_marks(cleaned) > MARKS_IN_A_ROW:
        raise NameRefused(f"The name stacks more than {MARKS_IN_A_ROW} marks on one letter.")
    return cleaned


def unseen_in(text: str) -> str:
    """The first character nobody should find in a name, in words, or ""."""
    found = ((character, _fault_of(character)) for character in text)
    return next((f"{fault} (U+{ord(character):04X})" for character, fault in found if fault), "")


def name_key(name: str) -> str:
    """What must be unique in a shared task: NFKC, case folded, no invisible characters, spaces joined."""
    visible = "".join(character for character in name if not _is_invisible(character))
    folded = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", visible).casefold())
    return _spaces_joined(folded).strip()


def lookalike_key(name: str) -> str:
    """What names that pass for each other share: letters by shape, no accents, spaces or punctuation."""
    shaped = unicodedata.normalize("NFKC", name).translate(_TO_LATIN).casefold().translate(_TO_LATIN)
    decomposed = unicodedata.normalize("NFKD", shaped)
    skeleton = "".join(character for character in decomposed if unicodedata.category(character)[0] in "LN")
    return skeleton.translate(_TO_STROKES) or name_key(name)


def mixes_scripts(name: str) -> bool:
    """Whether a word mixes Latin letters with Cyrillic or Greek ones, as imitations do."""
    words = re.findall(r"\w+", name)
    return any("LATIN" in scripts and len(scripts) > 1 for scripts in map(_scripts_of, words))


def _scripts_of(word: str) -> set[str]:
    first_words = {unicodedata.name(character, "").split(" ")[0] for character in word if character.isalpha()}
    return first_words & {"LATIN", "CYRILLIC", "GREEK"}


def _spaces_joined(text: str) -> str:
    return re.sub(r"\s+", " ", text)


def _is_invisible(character: str) -> bool:
    return (
        character in BLANKS
        or character in VARIATION_SELECTORS
        or unicodedata.category(character) in ("Cc", "Cf", "Cs")
    ) and not character.isspace()


def _fault_of(character: str) -> str | None:
    if character in DIRECTION:
        return "a character that turns the direction of text"
    if character in BLANKS:
        return "an invisible character"
    if unicodedata.category(character) == "Cs":
        return "half a character"
    return REFUSED_CATEGORIES.get(unicodedata.category(character))


def _most_marks(text: str) -> int:
    most = run = 0
    for character in text:
        run = run + 1 if unicodedata.category(character) in ("Mn", "Me") else 0
        most = max(most, run)
    return most
