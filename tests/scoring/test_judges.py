"""Our measures against well-known libraries, 200 random inputs each."""

from __future__ import annotations

import random
from collections.abc import Callable
from itertools import chain
from typing import Any

import pytest
from seqeval.metrics import f1_score as span_f1
from seqeval.metrics.sequence_labeling import get_entities
from sklearn.metrics import (
    accuracy_score,
    confusion_matrix,
    precision_recall_fscore_support,
    top_k_accuracy_score,
)

from scoring.metrics.classes import accuracy, by_class, macro, micro
from scoring.metrics.hit_rate import hit_rate_at, recall_at
from scoring.metrics.sets import count
from scoring.metrics.spans import spans_of
from scoring.tracks.commitment import SCALE
from tests.support.kinds import score

INPUTS = 200

EXACT = {"rel": 1e-12, "abs": 1e-12}

Draw = random.Random


def on_many_inputs(test: Callable[[int], None]) -> Callable[[], None]:
    """Run the test for each seed; a failure names its own."""

    def every() -> None:
        for seed in range(INPUTS):
            try:
                test(seed)
            except AssertionError as fault:
                fault.add_note(f"seed {seed}")
                raise

    every.__name__, every.__doc__ = test.__name__, test.__doc__
    return every


def sklearn_averages(gold: list[Any], run: list[Any], average: str, labels: Any = None) -> tuple[float, ...]:
    found = precision_recall_fscore_support(gold, run, labels=labels, average=average, zero_division=0)
    return tuple(map(float, found[:3]))


@on_many_inputs
def test_labels_against_scikit_learn(seed: int) -> None:
    draw = Draw(seed)
    n = draw.randint(1, 40)
    gold, run = ([draw.choice(SCALE) for _ in range(n)] for _ in range(2))
    items = [{"id": str(i), "question": "…", "answer": "…"} for i in range(n)]
    report = score(
        "commitment",
        items,
        [{"id": str(i), "label": label} for i, label in enumerate(gold)],
        [{"id": str(i), "label": label} for i, label in enumerate(run)],
    )
    assert report.scores["accuracy"] == pytest.approx(accuracy_score(gold, run), **EXACT)
    assert report.scores["macro_f1"] == pytest.approx(sklearn_averages(gold, run, "macro")[2], **EXACT)
    assert report.diagnostics["confusion"]["rows"] == confusion_matrix(gold, run, labels=SCALE).tolist()


@on_many_inputs
def test_classes_against_scikit_learn(seed: int) -> None:
    draw = Draw(seed)
    n, labels = draw.randint(1, 30), "abcdefgh"[: draw.randint(1, 8)]
    gold, run = ([draw.choice(labels) for _ in range(n)] for _ in range(2))
    cells: dict[tuple[str, str], float] = {}
    for pair in zip(gold, run, strict=True):
        cells[pair] = cells.get(pair, 0) + 1
    classes = by_class(cells)
    assert tuple(macro(classes.values())) == pytest.approx(sklearn_averages(gold, run, "macro"), **EXACT)
    assert tuple(micro(classes.values())) == pytest.approx(sklearn_averages(gold, run, "micro"), **EXACT)
    assert accuracy(cells) == pytest.approx(accuracy_score(gold, run), **EXACT)
    every = [*"abcdefgh"]
    assert macro(classes.values(), divisor=8).f1 == pytest.approx(
        sklearn_averages(gold, run, "macro", every)[2], **EXACT
    )


@on_many_inputs
def test_sets_against_scikit_learn(seed: int) -> None:
    """A set as the positive class over everything that could be in it."""
    draw = Draw(seed)
    gold, run = (frozenset(i for i in range(12) if draw.random() < 0.4) for _ in range(2))
    counts = count(gold, run)
    rows = [[i in side for i in range(12)] for side in (gold, run)]
    expected = precision_recall_fscore_support(*rows, average="binary", zero_division=0)[:3]
    assert (counts.precision, counts.recall, counts.f1) == pytest.approx(tuple(map(float, expected)), **EXACT)


@on_many_inputs
def test_rankings_against_scikit_learn(seed: int) -> None:
    draw = Draw(seed)
    names, k = [f"n{i}" for i in range(10)], draw.randint(1, 9)
    rankings = [draw.sample(names, 10) for _ in range(draw.randint(1, 8))]
    golds = [draw.choice(names) for _ in rankings]
    scores = [[10 - ranking.index(name) for name in names] for ranking in rankings]
    expected = top_k_accuracy_score(golds, scores, k=k, labels=names)
    for measure in (hit_rate_at, recall_at):
        found = sum(
            measure(k, frozenset([gold]), ranking) for gold, ranking in zip(golds, rankings, strict=True)
        )
        assert found / len(golds) == pytest.approx(expected, **EXACT)


def bio(draw: Draw, tokens: int, outside: float) -> list[str]:
    labels = [f"{mark}-x:{name}" for mark in "BI" for name in "ABC"]
    return ["O" if draw.random() < outside else draw.choice(labels) for _ in range(tokens)]


def bio_scores(golds: list[list[str]], runs: list[list[str]]) -> dict[str, float]:
    ids = [str(n) for n in range(len(golds))]
    return score(
        "bio_tagging",
        [{"id": one, "tokens": ["…"] * len(labels)} for one, labels in zip(ids, golds, strict=True)],
        [{"id": one, "labels": labels} for one, labels in zip(ids, golds, strict=True)],
        [{"id": one, "labels": labels} for one, labels in zip(ids, runs, strict=True)],
    ).scores


def bio_rows(seed: int) -> tuple[list[list[str]], list[list[str]]]:
    """Gold and run labels; a run is gold with some labels drawn anew, so that many agree."""
    draw = Draw(seed)
    golds = [bio(draw, draw.randint(1, 12), 0.4) for _ in range(draw.randint(1, 6))]
    runs = [[label if draw.random() < 0.6 else bio(draw, 1, 0.4)[0] for label in labels] for labels in golds]
    return golds, runs


@on_many_inputs
def test_tokens_against_scikit_learn(seed: int) -> None:
    golds, runs = bio_rows(seed)
    found = bio_scores(golds, runs)
    gold, run = ([*chain(*side)] for side in (golds, runs))
    labels = sorted(({*gold, *run}) - {"O"})
    for average in ("macro", "micro"):
        expected = sklearn_averages(gold, run, average, labels) if labels else (0, 0, 0)
        keys = [f"{average}_{name}" for name in ("precision", "recall", "f1")]
        assert tuple(found[key] for key in keys) == pytest.approx(expected, **EXACT)


@on_many_inputs
def test_spans_against_seqeval(seed: int) -> None:
    golds, runs = bio_rows(seed)
    for labels in (*golds, *runs):
        assert [(span.name, span.start, span.stop - 1) for span in spans_of(labels)] == get_entities(labels)
    found = bio_scores(golds, runs)
    spans = any(label != "O" for labels in (*golds, *runs) for label in labels)
    for average in ("micro", "macro"):
        expected = span_f1(golds, runs, average=average, zero_division=0) if spans else 0
        assert found[f"span_{average}_f1"] == pytest.approx(expected, **EXACT)


@on_many_inputs
def test_triplets_against_scikit_learn(seed: int) -> None:
    """Macro over concepts: each triplet a position, its Tag the label, "" where a side lacks it."""
    draw = Draw(seed)
    facts = [(str(i), f"x:{draw.choice('ABCD')}") for i in range(10)]
    sides = [[fact for fact in facts if draw.random() < 0.6] for _ in range(2)]
    rows = [[{"id": "0", "facts": [_fact(*fact) for fact in side]}] for side in sides]
    found = score("tagging", [{"id": "0", "context": "…"}], *rows).scores
    gold, run = ([tag if (text, tag) in side else "" for text, tag in facts] for side in sides)
    labels = sorted(({*gold, *run}) - {""})
    for average in ("macro", "micro"):
        expected = sklearn_averages(gold, run, average, labels) if labels else (0, 0, 0)
        keys = [f"{average}_{name}" for name in ("precision", "recall", "f1")]
        assert tuple(found[key] for key in keys) == pytest.approx(expected, **EXACT)


def _fact(text: str, tag: str) -> dict[str, str]:
    return {"Fact": text, "Type": "monetaryItemType", "Tag": tag}
