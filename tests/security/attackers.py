"""Attackers who read hidden references out of the scores they are shown. Each sends well-formed runs within a
quota, looks only at what a page shows, and says in the end what it believes.

They are plain on purpose: what they get is a floor for what a patient person gets.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from random import Random
from typing import Any

import numpy as np
from scipy.optimize import lsq_linear

from competition.domain.ranking import percent
from scoring.checks import check_gold, check_items, check_run
from scoring.evaluate import evaluate
from scoring.report import Report
from scoring.tracks import get_kind
from scoring.tracks.commitment import SCALE
from tests.support.builders import as_lines

COUNTS = dict(zip(SCALE, (30, 28, 20, 10, 6), strict=True))
"""94 labels, as many as JF-ICR has. Who always answers the most frequent one is right 30 times."""
MAJORITY = max(COUNTS.values())
GROUPS, IN_GROUP = 32, 8
"""256 questions over 32 reports, as FinMMEval has."""


class Oracle:
    """Scores runs against gold that its owner keeps to itself, as the site does."""

    def __init__(self, kind: str, items: bytes, gold: bytes) -> None:
        self.kind = get_kind(kind)
        self.items: Any = check_items(self.kind, items).items
        self.gold: Any = check_gold(self.kind, self.items, gold).gold

    def report(self, run: bytes) -> Report:
        checked = check_run(self.kind, self.items, run)
        assert checked.run is not None, checked.problems.in_order()[:3]
        return evaluate(self.kind, self.items, self.gold, checked.run)


# commitment: 94 labels


def commitment_gold(seed: int) -> list[str]:
    labels = [label for label, count in COUNTS.items() for _ in range(count)]
    Random(seed).shuffle(labels)
    return labels


def commitment_oracle(labels: list[str]) -> Oracle:
    ids = range(len(labels))
    items = as_lines(*({"id": f"c{i}", "question": "Will you?", "answer": "We shall see."} for i in ids))
    return Oracle("commitment", items, as_lines(*({"id": f"c{i}", "label": labels[i]} for i in ids)))


SHOWN = ("accuracy", "scores", "confusion")
"""What the attacker is shown: the accuracy alone; accuracy and macro-F1, as a page of level 0 has them; or
the table of gold against given labels as well, which is level 1.
"""


@dataclass(frozen=True)
class Probe:
    """A run that was sent, as the place of each label on the scale, and what came back."""

    given: list[int]
    report: Report


def probe_labels(oracle: Oracle, uploads: int, *, table: bool, seed: int) -> list[Probe]:
    """Runs of random labels; where no table shows, first a run of each label, to learn how often it is."""
    draw, n, k = Random(seed), sum(COUNTS.values()), len(SCALE)
    constant = 0 if table else k - 1
    sent = []
    for number in range(uploads):
        given = [number] * n if number < constant else [draw.randrange(k) for _ in range(n)]
        run = as_lines(*({"id": f"c{i}", "label": SCALE[g]} for i, g in enumerate(given)))
        sent.append(Probe(given, oracle.report(run)))
    return sent


def read_labels(probes: list[Probe], shown: str) -> list[str]:
    """The labels that agree best with what was shown, and else with how often each occurs.

    Whatever shows is a linear equation about who has which label. There are fewer equations than unknowns
    for long, so of all answers between 0 and 1 the one nearest to the frequencies is taken.
    """
    n, k = sum(COUNTS.values()), len(SCALE)
    counts = _frequencies(probes, shown)
    equations = [_one_label_each(item, n, k) for item in range(n)]
    for probe in probes:
        equations += _shown_by(probe, shown, counts)
    prior = np.tile(np.array(counts) / sum(counts), (n, 1)).ravel()
    rows = np.vstack([*(row.ravel() for row, _ in equations), PULL * np.eye(n * k)])
    values = np.concatenate([[value for _, value in equations], PULL * prior])
    guess = lsq_linear(rows, values, bounds=(0, 1)).x.reshape(n, k)
    return [SCALE[int(best)] for best in guess.argmax(axis=1)]


PULL = 0.03
"""How much a frequency weighs beside an equation: it decides only what nothing else does."""
WEIGHT = 40.0
"""Brings the equation of a macro-F1 to the size of the others."""

Equation = tuple[Any, float]


def _one_label_each(item: int, n: int, k: int) -> Equation:
    row = np.zeros((n, k))
    row[item] = 1
    return row, 1.0


def _right(probe: Probe) -> int:
    """How many labels are right, from the accuracy as pages print it."""
    return round(float(percent(probe.report.scores["accuracy"])) * len(probe.given) / 100)


def _frequencies(probes: list[Probe], shown: str) -> list[int]:
    """How often each label occurs in gold, as far as the first runs told."""
    n, k = sum(COUNTS.values()), len(SCALE)
    if shown == "confusion":
        return [sum(row) for row in probes[0].report.diagnostics["confusion"]["rows"]]
    counts = [_right(probe) for probe in probes[: k - 1]]
    return [*counts, n - sum(counts)] if len(counts) == k - 1 else [*counts, *[0] * (k - len(counts))]


def _shown_by(probe: Probe, shown: str, counts: list[int]) -> Iterator[Equation]:
    n, k = len(probe.given), len(SCALE)
    right = np.zeros((n, k))
    right[range(n), probe.given] = 1
    yield right, _right(probe)
    if shown == "confusion":
        table = probe.report.diagnostics["confusion"]
        assert tuple(table["labels"]) == SCALE
        for gold, row in enumerate(table["rows"]):
            for given, count in enumerate(row[:k]):
                cell = np.zeros((n, k))
                cell[[item for item, label in enumerate(probe.given) if label == given], gold] = 1
                yield cell, float(count)
    elif shown == "scores" and len(set(probe.given)) == k and all(counts):
        # Macro-F1 is the mean of 2 · hits / (in gold + in run); all but the hits is known.
        by_label = np.array([1 / (counts[label] + probe.given.count(label)) for label in range(k)])
        macro = float(percent(probe.report.scores["macro_f1"])) / 100
        yield WEIGHT * right * by_label, WEIGHT * macro * k / 2


# short_answer: is this word in the reference?

VOCABULARY = [f"word{n}" for n in range(8)]
PADS = (1, 2, 4, 8, 16, 32, 64)
"""Words in each answer: the n-th probe weighs 1 / 2ⁿ of an item's precision, so a sum is read as bits."""


def answer_gold(seed: int) -> list[set[str]]:
    draw = Random(seed)
    return [set(draw.sample(VOCABULARY, 4)) for _ in range(GROUPS * IN_GROUP)]


def answer_oracle(references: list[set[str]]) -> Oracle:
    items = as_lines(
        *(
            {
                "task_id": f"q{i}",
                "tier": "easy",
                "question": "What?",
                "group": f"g{i // IN_GROUP}",
                "languages": ["en"],
            }
            for i in range(len(references))
        )
    )
    gold = as_lines(
        *({"task_id": f"q{i}", "answer": " ".join(sorted(words))} for i, words in enumerate(references))
    )
    return Oracle("short_answer", items, gold)


def read_words(oracle: Oracle, references: list[set[str]], *, by_group: bool) -> tuple[int, int]:
    """One upload of probes: (memberships read rightly, memberships asked).

    Where only the overall precision shows, the first items carry all the probes; where it shows for each
    group, every group carries its own.
    """
    n = len(references)
    most = sum(1 for pad in PADS if 100 / pad / (IN_GROUP if by_group else n) > 0.02)
    asked = {
        group * IN_GROUP + bit: bit
        for group in (range(GROUPS) if by_group else [0])
        for bit in range(min(most, IN_GROUP))
    }
    word = VOCABULARY[0]
    texts = [
        " ".join([word] + [f"filler{i}x{m}" for m in range(PADS[asked[i]] - 1)]) if i in asked else "nothing"
        for i in range(n)
    ]
    report = oracle.report(as_lines(*({"task_id": f"q{i}", "answer": text} for i, text in enumerate(texts))))
    read = 0
    for group in range(GROUPS) if by_group else [0]:
        scores = report.breakdowns["group"][f"g{group}"] if by_group else report.scores
        size = IN_GROUP if by_group else n
        left = float(percent(scores["rouge1_precision"])) * size / 100
        for bit in range(min(most, IN_GROUP)):
            weight = 1 / PADS[bit]
            smallest = 1 / PADS[min(most, IN_GROUP) - 1]
            is_in = left > weight - smallest / 2
            left -= weight * is_in
            read += is_in == (word in references[group * IN_GROUP + bit])
    return read, len(asked)
