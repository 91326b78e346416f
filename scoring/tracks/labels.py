"""What kinds with one label per item share: tallies, scores, and faults of a value outside a closed list."""

from __future__ import annotations

import unicodedata
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from math import fsum
from typing import TYPE_CHECKING, Any

from scoring.metrics.classes import by_class, macro
from scoring.problems import Faults, shown
from scoring.records import Gold, Invalid, Items
from scoring.tracks.base import Baseline, Record, Scored, Tally

if TYPE_CHECKING:
    from random import Random

Cells = dict[tuple[str, Any], float]

LONGEST = 1_000
"""Longer texts are not folded: combining marks take the square of their number to be put in order."""


class InGold(Faults):
    """Reads gold by a run's rules: every error becomes E603, warnings and hints for teams fall away."""

    def __init__(self, faults: Faults) -> None:
        super().__init__(faults.problems, faults.file)
        self.line, self.item_id = faults.line, faults.item_id

    def add(
        self,
        code: str,
        message: str,
        *,
        field: str | None = None,
        found: str | None = None,
        expected: str | None = None,
        hint: str | None = None,
    ) -> None:
        if code.startswith("E"):
            super().add("E603", message, field=field, found=found, expected=expected, hint=hint)


def tally_label(gold: str, answer: Any) -> Tally:
    """One (gold, run) cell, None as the run's label where the answer is invalid; and right of n."""
    if isinstance(answer, Invalid):
        return {(gold, None): 1, "right": 0, "n": 1}
    return {(gold, answer): 1, "right": int(gold == answer), "n": 1}


def cells_of(total: Any) -> Cells:
    """The (gold, run) cells of an added-up tally."""
    return {key: n for key, n in total.items() if isinstance(key, tuple)}


def label_scores(total: Any) -> dict[str, float]:
    """Accuracy, and macro-F1 over the labels in gold or run."""
    n = total.get("n", 0)
    return {
        "accuracy": total["right"] / n if n else 0.0,
        "macro_f1": macro(by_class(cells_of(total)).values()).f1,
    }


def cells_from(scored: Iterable[Scored]) -> Cells:
    """(gold, run) cells of scored items whose references and answers are labels."""
    counts = Counter(
        (one.reference, None if isinstance(one.answer, Invalid) else one.answer) for one in scored
    )
    return dict(counts)


def report_unlisted(
    code: str, value: Any, allowed: Sequence[str], field: str, faults: Faults, *, what: str = "label"
) -> None:
    """Report a value outside a closed list, with the listed one it was probably meant to be."""
    listed = ", ".join(shown(one) for one in allowed[:12]) + (", …" if len(allowed) > 12 else "")
    near = nearest(value, allowed)
    faults.add(
        code,
        f"The {what} {shown(value)} is not one of: {listed}.",
        field=field,
        found=shown(value),
        expected=listed,
        hint=None if near is None else f"Write it exactly as {shown(near)}: case and spaces count.",
    )


def nearest(value: Any, allowed: Iterable[str]) -> str | None:
    """The allowed text that is `value` but for case, spaces and Unicode form. Either may come from a run."""
    if not isinstance(value, str) or len(value) > LONGEST:
        return None
    wanted = _folded(value)
    return next((one for one in allowed if len(one) <= LONGEST and _folded(one) == wanted), None)


def _folded(text: str) -> str:
    return "".join(unicodedata.normalize("NFKC", text).casefold().split())


def chosen_by(name: str, title: str, choose: Callable[[Record, Random], Record]) -> Baseline:
    """A baseline that answers each item by `choose(item, generator)` → run fields."""

    def make(items: Items, gold: Gold | None, generator: Random) -> Iterator[Record]:
        for item_id, item in items.records.items():
            yield {"id": item_id, **choose(item, generator)}

    return Baseline(name, title, make)


def majority(field: str, offered: Callable[[Record], Sequence[str]]) -> Baseline:
    """The baseline that answers gold's commonest label, or the commonest one an item offers.

    `offered(item)` lists the labels of an item.
    """

    def make(items: Items, gold: Gold | None, generator: Random) -> Iterator[Record]:
        counts = Counter(gold.references.values()) if gold else Counter()
        ranked = [label for label, _ in sorted(counts.items(), key=lambda pair: (-pair[1], pair[0]))]
        for item_id, item in items.records.items():
            labels = offered(item)
            yield {"id": item_id, field: next((label for label in ranked if label in labels), labels[0])}

    return Baseline("majority", "The commonest label of gold", make, needs_gold=True)


def chance_of(offered: Iterable[Sequence[Any]]) -> float | None:
    """Expected accuracy of a uniformly random answer over these choices."""
    shares = [1 / len(choices) for choices in offered if choices]
    return fsum(shares) / len(shares) if shares else None


def text_list(value: Any, least: int = 1) -> bool:
    """Whether a JSON value is a list of at least `least` different non-blank strings."""
    return (
        isinstance(value, list)
        and len(value) >= least
        and all(isinstance(one, str) and bool(one.strip()) for one in value)
        and len(set(value)) == len(value)
    )
