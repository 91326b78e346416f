"""`bio_tagging`: label each token of a filing with B- or I- and a concept, or O (FinTagging)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from scoring.metrics.classes import macro, micro
from scoring.metrics.spans import orphans, spans_of
from scoring.problems import Faults, json_type, shown
from scoring.records import Gold, Invalid, Items, Limits, Run
from scoring.tracks.averages import average_scores, averages, bands_of, class_table, classes_of, count_classes
from scoring.tracks.base import AnswerReader, Baseline, Diagnostic, Field, Kind, Record, Score, Scored, Tally
from scoring.tracks.facts import BY_COMPANY
from scoring.tracks.labels import InGold, chosen_by
from scoring.tracks.observing import DISTRIBUTION, ENTROPY, REPEATED, distribution, given
from scoring.tracks.taxonomy import TAXONOMY, Concepts

if TYPE_CHECKING:
    from random import Random

OUTSIDE = "O"
SPAN = ("span",)


def _majority(items: Items, gold: Gold | None, generator: Random) -> Iterator[Record]:
    counts = Counter(
        label for labels in (gold.references.values() if gold else ()) for label in labels if label[0] == "B"
    )
    commonest = min(counts, key=lambda label: (-counts[label], label), default=OUTSIDE)
    for item_id, item in items.records.items():
        tokens = item["tokens"]
        labels = [commonest if any(map(str.isdigit, token)) else OUTSIDE for token in tokens]
        yield {"id": item_id, "labels": labels}


class BioTagging(Kind):
    name = "bio_tagging"
    title = "Tagging by token"
    summary = "Label every token: B- and I- with a concept, or O."
    source = "FinTagging (table 5, appendix G); spans: Tjong Kim Sang and De Meulder (2003)"
    aggregate = "macro-label"
    item_fields = (
        Field("tokens", "list", 'the tokens, ["Revenues", "rose", "46"]'),
        Field("company", "string", "whose filing it is, a resampling unit", required=False),
    )
    gold_fields = (Field("labels", "list", 'a label for each token, ["O", "O", "B-us-gaap:Revenues"]'),)
    run_fields = (
        Field("labels", "list", 'a label for each token: "O", "B-us-gaap:Revenues", "I-us-gaap:Revenues"'),
    )
    scores = (
        *average_scores("tokens without O", "BIO labels"),
        Score("span_micro_f1", "Span micro-F1", "span micro F1", "2PR / (P + R) over entity spans"),
        Score(
            "span_macro_f1",
            "Span macro-F1",
            "span macro F1",
            "mean over the concepts in gold or run of the F1 of spans",
        ),
    )
    options = (TAXONOMY,)
    diagnostics = (
        DISTRIBUTION,
        ENTROPY,
        REPEATED,
        Diagnostic("outside_rate", "Tokens labelled O", 0, "percent"),
        Diagnostic("by_concept", "The commonest concepts, as spans", 1, "table"),
    )
    baselines = (
        chosen_by(
            "outside", "O for every token", lambda item, rng: {"labels": [OUTSIDE] * len(item["tokens"])}
        ),
        Baseline(
            "majority", "Gold's commonest B- label on every token with a digit", _majority, needs_gold=True
        ),
    )
    resampling = BY_COMPANY
    example = {
        "items": [
            {"id": "b1", "tokens": ["Revenues", "of", "46", "million"]},
            {"id": "b2", "tokens": ["Assets", "510", ";", "debt", "12"]},
        ],
        "gold": [
            {"id": "b1", "labels": ["O", "O", "B-us-gaap:Revenues", "I-us-gaap:Revenues"]},
            {
                "id": "b2",
                "labels": ["O", "B-us-gaap:Assets", "O", "O", "B-us-gaap:DebtInstrumentCarryingAmount"],
            },
        ],
        "run": [
            {"id": "b1", "labels": ["O", "O", "B-us-gaap:Revenues", "O"]},
            {"id": "b2", "labels": ["O", "B-us-gaap:Assets", "O", "O", "B-us-gaap:Liabilities"]},
        ],
    }

    def read_item(self, item: Record, faults: Faults) -> Record | None:
        tokens = item["tokens"]
        if tokens and all(isinstance(token, str) and token for token in tokens):
            return item
        faults.add(
            "E603",
            '"tokens" needs one non-empty string or more.',
            field="tokens",
            found=f"{len(tokens)} entries",
            expected='["…", "…"]',
        )
        return None

    def read_reference(self, record: Record, item: Record, faults: Faults) -> list[str] | None:
        return _read(record["labels"], item["tokens"], Concepts(Items({}, "")), InGold(faults))

    def answer_reader(self, items: Items, options: Mapping[str, Any]) -> AnswerReader:
        concepts = Concepts(items, options.get("taxonomy"))

        def read(record: Record, item: Record, limits: Limits, faults: Faults) -> list[str] | None:
            return _read(record["labels"], item["tokens"], concepts, faults)

        return read

    def tally(self, item: Record, prepared: Any, answer: Any, options: Mapping[str, Any]) -> Tally:
        labels: Sequence[str] = () if isinstance(answer, Invalid) else answer
        return {
            **count_classes(_places(prepared), _places(labels)),
            **count_classes(_spans(prepared), _spans(labels), SPAN),
        }

    def scores_of(self, total: Any, options: Mapping[str, Any]) -> dict[str, float]:
        spans = classes_of(total, SPAN).values()
        return {
            **averages(classes_of(total)),
            "span_micro_f1": micro(spans).f1,
            "span_macro_f1": macro(spans).f1,
        }

    def annotation_of(self, answer: Any) -> Any:
        return dict(enumerate(answer))

    def observe(self, items: Items, run: Run) -> dict[str, Any]:
        labels = [label for answer in given(run.answers.values()) for label in answer]
        inside = [label for label in labels if label != OUTSIDE]
        return {
            **distribution(inside),
            "outside_rate": 1 - len(inside) / len(labels) if labels else 0.0,
        }

    def diagnose(self, scored: list[Scored], options: Mapping[str, Any]) -> dict[str, Any]:
        return {"by_concept": class_table(classes_of(_sum(scored), SPAN), "concept")}

    def inner_breakdowns(
        self, scored: list[Scored], options: Mapping[str, Any]
    ) -> dict[str, dict[str, dict[str, Any]]]:
        return {"gold_frequency": bands_of(classes_of(_sum(scored)))}


def _places(labels: Sequence[str]) -> Iterator[tuple[str, int]]:
    return ((label, place) for place, label in enumerate(labels) if label != OUTSIDE)


def _spans(labels: Sequence[str]) -> Iterator[tuple[str, tuple[int, int]]]:
    return ((span.name, (span.start, span.stop)) for span in spans_of(labels))


def _sum(scored: list[Scored]) -> Counter[Any]:
    total: Counter[Any] = Counter()
    for one in scored:
        total.update(one.tally)
    return total


def _read(labels: list[Any], tokens: list[str], concepts: Concepts, faults: Faults) -> list[str] | None:
    """One label per token; reports E302, E401, E408, E409 and W506, W508."""
    if len(labels) != len(tokens):
        faults.add(
            "E409",
            f'"labels" has {len(labels)} labels for {len(tokens)} tokens.',
            field="labels",
            found=f"{len(labels)} labels",
            expected=f"{len(tokens)} labels",
            hint="Give one label for each token of the item, O included.",
        )
        return None
    good = [
        label == OUTSIDE or _fits(place, label, concepts, faults)
        for place, label in enumerate(labels, start=1)
    ]
    if not all(good):
        return None
    alone = orphans(labels)
    if alone:
        more = f" (and {len(alone) - 1} more)" if len(alone) > 1 else ""
        faults.add(
            "W508",
            f"Label {alone[0] + 1}, {shown(labels[alone[0]])}, follows no label of its concept{more}.",
            field="labels",
            found=shown(labels[alone[0]]),
            expected="B- where a span starts",
            hint="It counts as it is, and starts a span.",
        )
    return labels


def _fits(place: int, label: Any, concepts: Concepts, faults: Faults) -> bool:
    if not isinstance(label, str):
        faults.add(
            "E302",
            f'Label {place} of "labels" must be a string, found {json_type(label)}.',
            field="labels",
            found=shown(label),
            expected="a string",
        )
        return False
    if label[:2] in ("B-", "I-") and label[2:].strip():
        return concepts.fits(label[2:], "labels", faults)
    plain = label.strip().upper()
    faults.add(
        "E401",
        f"Label {place}, {shown(label)}, is neither O nor B- or I- with a concept.",
        field="labels",
        found=shown(label),
        expected='"O", "B-us-gaap:Name" or "I-us-gaap:Name"',
        hint='Write the capital letter "O".' if plain in ("O", "0", "") else "Start it with B- or I-.",
    )
    return False


KIND = BioTagging()
