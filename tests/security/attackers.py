"""Attackers who read hidden references out of the scores they are shown. Each sends well-formed runs within a
quota, looks only at what a page shows, and says in the end what it believes.

They are plain on purpose: what they get is a floor for what a patient person gets.
"""

from __future__ import annotations

from random import Random
from typing import Any

import numpy as np

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


def read_labels(oracle: Oracle, uploads: int, *, confusion: bool, seed: int) -> list[str]:
    """Send runs of random labels; each visible count is one linear equation about who has which label.

    `confusion`: the table of gold against given is shown as well, 25 counts in place of one.
    """
    draw, n, k = Random(seed), sum(COUNTS.values()), len(SCALE)
    rows: list[Any] = []
    seen: list[float] = []
    for number in range(uploads):
        constant = number < k - 1 and not confusion
        given = [number if constant else draw.randrange(k) for _ in range(n)]
        report = oracle.report(as_lines(*({"id": f"c{i}", "label": SCALE[g]} for i, g in enumerate(given))))
        for gold, label, count in _counts(report, n, confusion):
            row = np.zeros((n, k))
            for item, chosen in enumerate(given):
                if label is None:
                    row[item, chosen] = 1
                elif chosen == label:
                    row[item, gold] = 1
            rows.append(row.ravel())
            seen.append(count)
    for item in range(n):  # every item has one label
        row = np.zeros((n, k))
        row[item] = 1
        rows.append(row.ravel())
        seen.append(1.0)
    guess = np.linalg.lstsq(np.array(rows), np.array(seen), rcond=None)[0].reshape(n, k)
    return [SCALE[int(best)] for best in guess.argmax(axis=1)]


def _counts(report: Report, n: int, confusion: bool) -> list[tuple[int, int | None, float]]:
    """(gold label, given label, how many); given is None where only the accuracy shows, as pages print it."""
    if not confusion:
        return [(0, None, round(float(percent(report.scores["accuracy"])) * n / 100))]
    table = report.diagnostics["confusion"]
    assert tuple(table["labels"]) == SCALE
    return [
        (gold, given, float(count))
        for gold, row in enumerate(table["rows"])
        for given, count in enumerate(row[: len(SCALE)])
    ]


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
