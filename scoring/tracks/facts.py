"""What FinTagging's kinds share: lists of facts in a run, their types, and the resampling unit."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from scoring.problems import INVISIBLE, Faults, json_type, shown, visible
from scoring.records import Limits
from scoring.tracks.base import Field, Record, Resampling, Slice
from scoring.tracks.labels import nearest

TYPES = ("integerItemType", "monetaryItemType", "perShareItemType", "sharesItemType", "percentItemType")
"""FinTagging, section 3.2: the types of numeric facts."""

CONTEXT_FIELDS = (
    Field("context", "string", "the text, or the table in HTML", bulky=True),
    Field("structure", "string", '"text" or "table", a slice', required=False),
    Field(
        "company", "string", "whose filing it is; facts of one company are resampled together", required=False
    ),
)

STRUCTURE = Slice("structure", "Structure")

BY_COMPANY = Resampling("cluster", ("company",))
"""Filings differ more than facts of one filing do; items without a company stand alone."""

UNCLEAN = re.compile(r"[,$%()]")

NUMBER = re.compile(r"(?<![\w.])\d[\d,]*(?:\.\d+)?")

Pair = tuple[str, ...]
"""(Fact, Type) or (Fact, Type, Tag)."""

TagCheck = Callable[[str, str, Faults], bool]
"""(tag, field, faults) → whether it may stand."""


def structure_is_known(item: Record, faults: Faults) -> bool:
    """Whether an item's structure is "text" or "table", if it has one; reports E603."""
    structure = item.get("structure")
    if structure in (None, "text", "table"):
        return True
    faults.add(
        "E603",
        f'"structure" is "text" or "table", not {shown(structure)}.',
        field="structure",
        found=shown(structure),
        expected='"text" or "table"',
    )
    return False


def read_facts(
    value: Any, limits: Limits, faults: Faults, *, tag: TagCheck | None = None
) -> frozenset[Pair] | None:
    """The facts of one record as a set; with `tag`, facts have a Tag too.

    Reports E301 to E305, E401, E403, E408; and W501, W503, W507.
    """
    if not isinstance(value, list):
        _not_a_list(value, faults)
        return None
    names = ("Fact", "Type") if tag is None else ("Fact", "Type", "Tag")
    facts = [_read_fact(place, fact, names, faults) for place, fact in enumerate(value, start=1)]
    if any(fact is None for fact in facts):
        return None
    found = [fact for fact in facts if fact is not None]
    size = max((len(text) for fact in found for text in fact), default=0)
    if size > limits.answer_characters:
        faults.add(
            "E403",
            f'A text in "facts" has {size} characters, {limits.answer_characters} at most.',
            field="facts",
            found=f"{size} characters",
            expected=f"{limits.answer_characters} at most",
            hint="Give the facts alone.",
        )
        return None
    if tag is not None:
        fit = [tag(fact[2], "facts", faults) for fact in found]
        if not all(fit):
            return None
    _warn(found, faults)
    return frozenset(found)


def _not_a_list(value: Any, faults: Faults) -> None:
    expected = 'a list of objects, [{"Fact": "…", "Type": "…"}]'
    if isinstance(value, dict):
        faults.add(
            "E304",
            '"facts" must be a list, found an object.',
            field="facts",
            found="an object with "
            + (", ".join(f'"{visible(name)}"' for name in list(value)[:5]) or "no field"),
            expected=expected,
            hint=f'Send the list inside "{visible(next(iter(value)))}" itself, without the object around it.'
            if len(value) == 1
            else "Put the fact into a list.",
        )
    elif isinstance(value, str) and value.lstrip()[:1] in ("`", "[", "{"):
        faults.add(
            "E305",
            '"facts" must be a list of facts, found a string that holds one.',
            field="facts",
            found=shown(value),
            expected=expected,
            hint="Remove the Markdown fence and the quotes around the list, and send the list itself.",
        )
    else:
        faults.add(
            "E302",
            f'"facts" must be a list of facts, found {json_type(value)}.',
            field="facts",
            found=shown(value),
            expected=expected,
            hint="Where there is nothing to report, send an empty list: [].",
        )


def _read_fact(place: int, fact: Any, names: tuple[str, ...], faults: Faults) -> Pair | None:
    if not isinstance(fact, dict):
        faults.add(
            "E302",
            f"Fact {place} must be an object, found {json_type(fact)}.",
            field="facts",
            found=shown(fact),
            expected="{" + ", ".join(f'"{name}": "…"' for name in names) + "}",
        )
        return None
    texts = [_read_text(place, fact, name, faults) for name in names]
    for name in fact:
        if name not in names:
            faults.add(
                "W501",
                f'Fact {place} has a field "{visible(name)}", which is not used.',
                field="facts",
                found=f'"{visible(name)}"',
                expected=", ".join(f'"{one}"' for one in names),
            )
    return None if None in texts else tuple(text for text in texts if text is not None)


def _read_text(place: int, fact: Record, name: str, faults: Faults) -> str | None:
    value = fact.get(name)
    if name not in fact:
        near = nearest(name, fact)
        other = next((one for one in fact if one.casefold() == name.casefold()), near)
        faults.add(
            "E301",
            f'Fact {place} has no "{name}": {name} is missing.',
            field="facts",
            found=", ".join(f'"{visible(one)}"' for one in list(fact)[:5]) or "an empty object",
            expected=f'"{name}": a string',
            hint=f'Rename "{visible(other)}" to "{name}".' if other else None,
        )
    elif not isinstance(value, str):
        number = type(value) in (int, float)
        faults.add(
            "E302",
            f'Fact {place}: "{name}" must be a string, found {json_type(value)}'
            + (f" ({shown(value)})." if number else "."),
            field="facts",
            found=shown(value),
            expected="a string",
            hint=f'Write it in double quotes, as the text has it: "{shown(value)}".' if number else None,
        )
    elif not value.strip():
        faults.add(
            "E303",
            f'Fact {place}: "{name}" is blank.',
            field="facts",
            found=shown(value),
            expected="text",
            hint="Leave the fact out.",
        )
    elif name == "Type" and value not in TYPES:
        near = nearest(value, TYPES)
        faults.add(
            "E401",
            f"Fact {place}: the type {shown(value)} is not one of: {', '.join(TYPES)}.",
            field="facts",
            found=shown(value),
            expected=", ".join(TYPES),
            hint=f'Write it exactly as "{near}".' if near else None,
        )
    else:
        return value
    return None


def _warn(facts: list[Pair], faults: Faults) -> None:
    for code, pattern, what, hint in (
        (
            "W507",
            UNCLEAN,
            "has one of , $ % ( ), and facts are compared as they are",
            "Gold writes plain numbers: 1234, not 1,234.",
        ),
        ("W503", INVISIBLE, "has invisible characters, which count", "Remove them if they are a slip."),
    ):
        odd = [fact[0] for fact in facts if pattern.search(fact[0])]
        if odd:
            more = f" (and {len(odd) - 1} more)" if len(odd) > 1 else ""
            faults.add(
                code,
                f"The Fact {shown(odd[0])} {what}{more}.",
                field="facts",
                found=shown(odd[0]),
                hint=hint,
            )


def numbers_in(context: str) -> Iterator[str]:
    """The numbers of a context as gold writes them, each once, in order: 1,234 → 1234. Tags are skipped."""
    text = re.sub(r"<[^>]*>", " ", context)
    yield from dict.fromkeys(match.group().replace(",", "") for match in NUMBER.finditer(text))


def as_records(facts: Iterable[Pair]) -> list[Record]:
    """Facts as a run writes them."""
    return [dict(zip(("Fact", "Type", "Tag"), fact)) for fact in facts]
