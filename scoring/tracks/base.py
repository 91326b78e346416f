"""What a track kind declares. Checks, pages, boards, documents and the validator are made from it.

A kind is one module with one subclass of `Kind`. It reads its three records, counts per item, and turns
added-up counts into scores: count per item first, aggregate afterwards, so that any subset of items (a slice,
a resample) is scored by the very same code.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import (
    TYPE_CHECKING,
    Any,
    Callable,
    NamedTuple,
    Union,
)

from scoring.problems import Faults
from scoring.records import Gold, Invalid, Items, Limits, Run

if TYPE_CHECKING:
    from random import Random

Record = dict[str, Any]
Tally = Union[tuple[float, ...], dict[Any, float]]
"""Counts of one item that add up over items: a tuple of fixed columns, or a mapping where labels are open."""

AnswerReader = Callable[[Record, Record, Limits, Faults], Any]
"""(run record, item, limits, faults) → the answer, or None when a fault was reported."""


class Field(NamedTuple):
    """One field of a JSON Lines record, as checks and documents need it.

    `type` is "string", "integer", "boolean", "list", "object", or "any" where the kind looks itself.
    `bulky` marks text of an item that neither checks nor level-0 diagnostics look at: the validator leaves
    it out.
    """

    name: str
    type: str
    about: str
    required: bool = True
    bulky: bool = False


class Score(NamedTuple):
    """A score a kind gives, a fraction in [0, 1]. The first a kind lists is its primary score.

    `symbol` is the short column head ("F1"), `formula` one line in words and symbols for the evaluation page.
    """

    key: str
    title: str
    symbol: str
    formula: str
    higher_is_better: bool = True


class Slice(NamedTuple):
    """A breakdown by an item field; a list in the field puts the item into each of its values.

    `values` overrides where the value comes from: (item, reference) → values.
    """

    name: str
    title: str
    field: str = ""
    values: Callable[[Record, Any], Iterable[str]] | None = None

    def values_of(self, item: Record, reference: Any) -> tuple[str, ...]:
        if self.values is not None:
            return tuple(self.values(item, reference))
        value = item.get(self.field or self.name)
        if value is None:
            return ()
        return tuple(map(str, value)) if isinstance(value, list) else (str(value),)


class Diagnostic(NamedTuple):
    """Something that explains a run and is never ranked.

    `level`: 0 needs no gold, 1 aggregates of gold, 2 item scores, 3 gold itself (diagnostics.md).
    `display`: "percent" or "number" (a plain number, or None), "table" ({"columns": […], "rows": [[…], …]},
    first column the row head) or "matrix" ({"labels": […], "rows": [[count, …], …]}; rows gold, columns run).
    `chart` says how pages draw a table or matrix: "slope" (first column K, then fractions), "bars" (row head
    and last column), "languages" (precision and recall of each), "band" (a matrix of ordered labels).
    """

    key: str
    title: str
    level: int
    display: str = "number"
    about: str = ""
    chart: str = ""


class Resampling(NamedTuple):
    """What is drawn when a score's interval is made.

    `unit` is "item", "cluster" (items that share `fields`) or "none", where `reason` says why not.
    `within` names a field inside whose values clusters are drawn (issuers within language).
    """

    unit: str = "item"
    fields: tuple[str, ...] = ()
    within: str = ""
    resamples: int = 10_000
    reason: str = ""


class Baseline(NamedTuple):
    """A pinned run anyone could have sent: (items, gold or None, generator) → run records, one per item."""

    name: str
    title: str
    make: Callable[[Items, Gold | None, Random], Iterator[Record]]
    needs_gold: bool = False


class Option(NamedTuple):
    """A setting of a track ("tokenizer"). `read` turns text into a value or raises ValueError.

    `signed` is False where the setting moves no score and so stays out of signatures.
    """

    name: str
    default: str
    about: str
    choices: tuple[str, ...] = ()
    read: Callable[[str], Any] = str
    signed: bool = True


class Scored(NamedTuple):
    """One scored item as diagnostics see it; `reference` is what `prepare` made of it."""

    item_id: str
    item: Record
    reference: Any
    answer: Any
    tally: Tally


INVALID_DIAGNOSTICS = (
    Diagnostic(
        "invalid_rate", "Invalid answers", 0, "percent", "Items sent as not answered; each counts as wrong."
    ),
    Diagnostic("invalid_by_reason", "Invalid answers by reason", 0, "table"),
)


class Kind:
    """A family of tasks with one shape of files and one set of measures. Subclasses override what differs."""

    name = ""
    version = 1
    title = ""
    summary = ""
    source = ""
    id_field = "id"
    aggregate = "item-mean"
    takes_invalid = True
    item_fields: tuple[Field, ...] = ()
    gold_fields: tuple[Field, ...] = ()
    run_fields: tuple[Field, ...] = ()
    scores: tuple[Score, ...] = ()
    slices: tuple[Slice, ...] = ()
    diagnostics: tuple[Diagnostic, ...] = ()
    options: tuple[Option, ...] = ()
    baselines: tuple[Baseline, ...] = ()
    resampling = Resampling()
    example: Mapping[str, Sequence[Record]] = {}
    """{"items": […], "gold": […], "run": […]}: a small valid track for documents, pages and tests."""

    @property
    def shown_diagnostics(self) -> tuple[Diagnostic, ...]:
        """What the kind declares, and the invalid rate where the strict protocol is open to it."""
        return self.diagnostics + (INVALID_DIAGNOSTICS if self.takes_invalid else ())

    def slim(self, item: Record) -> Record:
        """What checks and `observe` need of an item, for the stand-alone validator."""
        kept = {self.id_field, *(field.name for field in self.item_fields if not field.bulky)}
        return {name: value for name, value in item.items() if name in kept}

    # Reading. Each gets a record whose id and declared fields already have the right JSON type, reports
    # faults
    # through `faults` and returns None when it reported an error.

    def read_item(self, item: Record, faults: Faults) -> Record | None:
        """The item as kept (usually itself)."""
        return item

    def read_reference(self, record: Record, item: Record, faults: Faults) -> Any:
        """The reference of one scored item from its gold record."""
        raise NotImplementedError

    def read_answer(self, record: Record, item: Record, limits: Limits, faults: Faults) -> Any:
        """The answer of one item from its run record."""
        raise NotImplementedError

    def answer_reader(self, items: Items, options: Mapping[str, Any]) -> AnswerReader:
        """What reads the answers of one run; a kind that checks them against all items or an option
        overrides this."""
        return self.read_answer

    # Scoring.

    def prepare(self, reference: Any, item: Record, options: Mapping[str, Any]) -> Any:
        """The reference in the form `tally` wants, worked out once per gold version (token counts)."""
        return reference

    def tally(self, item: Record, prepared: Any, answer: Any, options: Mapping[str, Any]) -> Tally:
        """Counts of one item. An `Invalid` answer counts as wrong."""
        raise NotImplementedError

    def scores_of(self, total: Tally, options: Mapping[str, Any]) -> dict[str, float]:
        """Added-up counts → every score by key. A total of no items gives 0 for each."""
        raise NotImplementedError

    def item_counts(self, tally: Tally) -> dict[str, Any]:
        """Counts of one item beside its scores in per-item files, for views over several tracks."""
        return {}

    def scores_for(self, options: Mapping[str, Any]) -> tuple[Score, ...]:
        """The scores under these options (a kind whose score keys depend on K overrides this)."""
        return self.scores

    def primary_for(self, options: Mapping[str, Any]) -> Score:
        """The score that ranks; the first declared, unless options decide."""
        return self.scores_for(options)[0]

    def in_primary(self, item: Record) -> bool:
        """Whether the item enters the scores; items that do not still enter slices and diagnostics."""
        return True

    # Explaining.

    def observe(self, items: Items, run: Run) -> dict[str, Any]:
        """Diagnostics of level 0: what can be said of a run without gold."""
        return {}

    def diagnose(self, scored: list[Scored], options: Mapping[str, Any]) -> dict[str, Any]:
        """Diagnostics of level 1 and above, from the scored items."""
        return {}

    def inner_breakdowns(
        self, scored: list[Scored], options: Mapping[str, Any]
    ) -> dict[str, dict[str, dict[str, Any]]]:
        """Breakdowns below the item (by type of fact, by class): slice → value → {"n", scores…}."""
        return {}

    def annotation_of(self, answer: Any) -> Any:
        """What annotators are compared on: a label, {place: label}, a frozenset, or None for free text."""
        return answer

    def chance(self, items: Items) -> float | None:
        """The primary score a uniformly random valid run expects, or None where that says nothing."""
        return None

    def text_profile(self, options: Mapping[str, Any]) -> str:
        """The text profile named in the signature, or "" where text is compared as it is."""
        return ""


def is_invalid(answer: Any) -> bool:
    return isinstance(answer, Invalid)
