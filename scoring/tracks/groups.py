"""What MultiFinGround's T2 tasks share: groups of excerpts, evidence conditions and paired contrasts."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from scoring.metrics.ratio import ratio
from scoring.problems import Faults, json_type, shown
from scoring.tracks.base import Diagnostic, Field, Record, Resampling, Scored, Slice

EVIDENCE = ("joint", "no_en", "en", "fr", "el")
LABELS = ("C1", "C2", "C3")
OPTION_SETS = ("base", "hard4", "hard20")

GROUP_FIELDS = (
    Field("group", "string", "items of one group differ only in their condition and are compared in pairs"),
    Field("evidence", "string", "joint, no_en, en, fr or el"),
    Field("excerpts", "list", '[{"excerpt": 1, "language": "en", "issuer": "…", "text": "…"}, …]'),
)

NO_INTERVAL = Resampling(
    "none", reason="not reported: groups share issuers, so no independent unit can be drawn"
)
"""MultiFinGround, section 4.1: the graph of groups and issuers is one connected component."""

CONTRASTS = Diagnostic(
    "contrasts",
    "Contrasts between conditions",
    1,
    "table",
    "Paired by group, exact McNemar test; exploratory, since groups share issuers.",
)


class Condition(NamedTuple):
    """Where an item stands: its evidence, how labels are written, which options are offered."""

    evidence: str
    labels: str
    option_set: str


def condition_of(item: Record) -> Condition:
    return Condition(item["evidence"], item.get("labels") or "C1", item.get("option_set") or "base")


PRIMARY = Condition("joint", "C1", "base")

CONDITION_SLICES = (
    Slice("condition", "Condition", values=lambda item, _: ("/".join(condition_of(item)),)),
    Slice("evidence", "Evidence", values=lambda item, _: _evidence_of(item)),
)


def _evidence_of(item: Record) -> tuple[str, ...]:
    """The evidence of an item in the usual presentation; other presentations would mix into the slice."""
    condition = condition_of(item)
    return (condition.evidence,) if condition[1:] == PRIMARY[1:] else ()


def read_group(item: Record, faults: Faults) -> Record | None:
    """Check what every T2 item carries; reports E603."""
    for field, allowed, value in (
        ("evidence", EVIDENCE, item["evidence"]),
        ("labels", LABELS, item.get("labels") or "C1"),
        ("option_set", OPTION_SETS, item.get("option_set") or "base"),
    ):
        if value not in allowed:
            listed = ", ".join(allowed)
            said = f'"{field}" is one of {listed}, not {shown(value)}.'
            faults.add("E603", said, field=field, found=shown(value), expected=listed)
            return None
    numbers = [entry.get("excerpt") for entry in item["excerpts"] if isinstance(entry, dict)]
    whole = all(type(number) is int for number in numbers)
    if not numbers or len(numbers) < len(item["excerpts"]) or not whole or len(set(numbers)) < len(numbers):
        faults.add(
            "E603",
            '"excerpts" is a list of objects, each with its own whole number in "excerpt".',
            field="excerpts",
            found=json_type(item["excerpts"]),
            expected='[{"excerpt": 1, "language": "en", "text": "…"}, …]',
        )
        return None
    return item


def excerpt_languages(item: Record) -> dict[int, str]:
    """Excerpt number → language."""
    return {entry["excerpt"]: str(entry.get("language", "")) for entry in item["excerpts"]}


def slim_group(item: Record) -> Record:
    """The item with its excerpts bare of text."""
    bare = [
        {"excerpt": entry["excerpt"], "language": entry.get("language", "")} for entry in item["excerpts"]
    ]
    return {**item, "excerpts": bare}


def contrast_pairs() -> list[tuple[str, Condition, Condition]]:
    """The comparisons of sections 5.2, 5.3 and 5.6, each a name and the two conditions."""
    pairs = [
        (f"joint - {evidence}", PRIMARY, Condition(evidence, "C1", "base"))
        for evidence in EVIDENCE
        if evidence != "joint"
    ]
    pairs += [
        (f"C1 - C2 ({evidence})", Condition(evidence, "C1", "base"), Condition(evidence, "C2", "base"))
        for evidence in ("en", "fr", "el")
    ]
    pairs.append(("C1 - C3 (joint)", PRIMARY, Condition("joint", "C3", "base")))
    for first, second in (("base", "hard4"), ("base", "hard20"), ("hard4", "hard20")):
        pairs.append(
            (f"{first} - {second}", Condition("joint", "C1", first), Condition("joint", "C1", second))
        )
    return pairs


def contrasts(scored: Sequence[Scored], right: Callable[[Scored], bool]) -> Mapping[str, Any]:
    """Rows of (contrast, groups, rate in A, rate in B, only A, only B, exact McNemar p), groups in both."""
    from scoring.statistics.mcnemar import (
        exact_p,  # not part of the stand-alone validator, which never scores
    )

    outcomes: dict[Condition, dict[str, bool]] = {}
    for one in scored:
        outcomes.setdefault(condition_of(one.item), {})[one.item["group"]] = right(one)
    rows = []
    for name, first, second in contrast_pairs():
        a, b = outcomes.get(first, {}), outcomes.get(second, {})
        shared = [group for group in a if group in b]
        if not shared:
            continue
        only_a = sum(a[group] and not b[group] for group in shared)
        only_b = sum(b[group] and not a[group] for group in shared)
        n = len(shared)
        rates = [ratio(sum(side[group] for group in shared), n) for side in (a, b)]
        rows.append([name, n, *rates, only_a, only_b, exact_p(only_a, only_b)])
    return {"columns": ["contrast", "groups", "A", "B", "only A", "only B", "p (exploratory)"], "rows": rows}
