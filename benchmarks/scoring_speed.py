"""How fast short answers are scored, as ratios within one run, on real answers.

    python -m benchmarks.scoring_speed [--rounds 7] [--data ../shared/data/polyfiqa]

Every figure is the median over interleaved rounds of a ratio of processor times, so that other work on
the machine hits both sides alike. Exits with 1 when a ratio misses its bound or scores differ by over 1e-12.

"ROUGE-1" is what rouge-score computes, so it is held against rouge-score and against tokenizing. "All five
scores" adds exact match and number recall, which rouge-score does not know, and is held against ROUGE-1.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
from collections.abc import Callable, Iterator
from math import fsum
from operator import itemgetter
from pathlib import Path
from statistics import median
from time import process_time
from unicodedata import normalize

from rouge_score import rouge_scorer
from rouge_score.tokenizers import Tokenizer

from scoring.checks import check_run
from scoring.evaluate import evaluate, prepare_gold, score_tallies
from scoring.metrics import rouge1
from scoring.options import read_options
from scoring.records import Gold, Items, Run
from scoring.text.tokenize import multi_tokens
from scoring.tracks import get_kind

KIND = get_kind("short_answer")
OPTIONS = read_options(KIND, {})
SIZES = (256, 1_000, 62_668)
Ways = dict[str, Callable[[], object]]
NEXT_REPORT = 4
"""Every fourth item asks the same question of another report: its answer is a plausible wrong prediction."""


class Ours(Tokenizer):
    """`multi.1` for rouge-score."""

    def tokenize(self, text: str) -> list[str]:
        return multi_tokens(text)


class Sample:
    """`size` items whose references and predictions are real answers, repeated as often as needed."""

    def __init__(self, answers: list[str], size: int) -> None:
        names = [f"item_{at:06d}" for at in range(size)]
        pick = [answers[at % len(answers)] for at in range(size + NEXT_REPORT)]
        records = {name: {"task_id": name, "tier": "easy", "question": "?"} for name in names}
        self.items = Items(records, "")
        self.gold = Gold(dict(zip(names, pick[:size], strict=True)), "")
        self.run = Run(dict(zip(names, pick[NEXT_REPORT:], strict=True)), "", size)
        self.pairs = list(zip(pick[:size], pick[NEXT_REPORT:], strict=True))
        self.prepared = prepare_gold(KIND, self.items, self.gold, OPTIONS)
        self.unigrams = [(one.unigrams, one.length) for one in self.prepared.values()]

    def score(self) -> dict[str, float]:
        records, answers = self.items.records, self.run.answers
        tallies = [
            KIND.tally(records[name], one, answers[name], OPTIONS) for name, one in self.prepared.items()
        ]
        return score_tallies(KIND, tallies, OPTIONS)

    def rouge1(self) -> dict[str, float]:
        """What rouge-score computes and no more: tokens, overlap and the three means."""
        rows = []
        for (_, prediction), reference in zip(self.pairs, self.unigrams, strict=True):
            tokens = multi_tokens(prediction)
            rows.append(rouge1.ratios(rouge1.overlap(tokens, reference[0]), len(tokens), reference[1]))
        means = [fsum(map(itemgetter(at), rows)) / len(rows) for at in range(3)]
        return dict(zip(("rouge1_f1", "rouge1_precision", "rouge1_recall"), means, strict=True))

    def tokenize(self) -> None:
        for _, prediction in self.pairs:
            multi_tokens(prediction)

    def plain_tokenize(self) -> None:
        for _, prediction in self.pairs:
            re.findall(r"\w+", normalize("NFKC", prediction).lower())

    def rouge_score(self) -> dict[str, float]:
        scorer = rouge_scorer.RougeScorer(["rouge1"], tokenizer=Ours())
        found = [scorer.score(reference, prediction)["rouge1"] for reference, prediction in self.pairs]
        n = len(found)
        return {
            "rouge1_f1": sum(one.fmeasure for one in found) / n,
            "rouge1_precision": sum(one.precision for one in found) / n,
            "rouge1_recall": sum(one.recall for one in found) / n,
        }


def hostile(limit: int = 20_000) -> dict[str, str]:
    """Answers within the limits that cost most for their length."""
    marks = "\u0301\u0323" * 15
    return {
        "ideographs": "\u4e00" * limit,
        "ideograph, digit": "\u4e001" * (limit // 2),
        "letter, space": "a " * (limit // 2),
        "Greek letter, space": "\u03b1 " * (limit // 2),
        "digit, space": "1 " * (limit // 2),
        "digits and commas": "1,\u00e9" * (limit // 3),
        "emoji": "\U0001f600" * limit,
        "rare ideographs": "\U00020000" * limit,
        "rare ideograph, space": "\U00020000 " * (limit // 2),
        "rare letter, space": "\U0001e900 " * (limit // 2),
        "rare digit, space": "\U0001e950 " * (limit // 2),
        "tags": "a\U000e0041" * (limit // 2),
        "stacked marks": ("a" + marks) * (limit // 31),
        "marks to reorder": (" " + marks) * (limit // 31),
        "U+FDFA": "\ufdfa" * (limit // 18),
        "ideograph, mark": "\u4e00\u0301" * (limit // 2),
    }


class Files:
    """A run of one answer repeated, as bytes: from reading the file to the whole report."""

    def __init__(self, answers: list[str]) -> None:
        names = [f"item_{at:06d}" for at in range(len(answers))]
        self.items = Items({name: {"task_id": name, "tier": "easy", "question": "?"} for name in names}, "")
        gold = Gold(dict.fromkeys(names, "Revenue grew 14% to $143,015 million in 2020, from 125,843."), "")
        self.gold, self.prepared = gold, prepare_gold(KIND, self.items, gold, OPTIONS)
        records = [{"task_id": name, "answer": answer} for name, answer in zip(names, answers, strict=True)]
        self.data = "".join(json.dumps(one, ensure_ascii=False) + "\n" for one in records).encode()

    def report(self) -> None:
        checked = check_run(KIND, self.items, self.data)
        if checked.run is None:
            raise SystemExit(f"A hostile answer is refused: {next(iter(checked.problems)).message}")
        evaluate(KIND, self.items, self.gold, checked.run, options=OPTIONS, prepared=self.prepared)


def interleaved(rounds: int, ways: Ways, passes: int = 1) -> dict[str, list[float]]:
    """Way → seconds of processor time in each round, of so many passes in which the ways take turns: where a
    machine is slow for a while, it is so for all.

    Each turn runs a way twice and times the second run: rouge-score leaves Python's memory scattered, and who
    came next paid for it.
    """
    times: dict[str, list[float]] = {name: [0.0] * rounds for name in ways}
    for number in range(rounds):
        for _ in range(passes):
            for name, way in ways.items():
                way()
                start = process_time()
                way()
                times[name][number] += process_time() - start
    return times


def ratio(times: dict[str, list[float]], above: str, below: str) -> float:
    """The median over rounds of one way's time divided by the other's."""
    return median(one / other for one, other in zip(times[above], times[below], strict=True))


def repeated(way: Callable[[], object], times: int) -> Callable[[], None]:
    def run() -> None:
        for _ in range(times):
            way()

    return run


def measured(answers: list[str], rounds: int) -> Iterator[tuple[str, float, str, float]]:
    """(what, ratio, "≤" or "≥", bound)"""
    samples = {size: Sample(answers, size) for size in SIZES}
    for size, sample in samples.items():
        ours, alone, theirs = sample.score(), sample.rouge1(), sample.rouge_score()
        worst = max(max(abs(ours[key] - value), abs(alone[key] - value)) for key, value in theirs.items())
        yield f"{size:6} items: largest difference to rouge-score", worst, "≤", 1e-12
        ways = {
            "scoring": sample.score,
            "ROUGE-1": sample.rouge1,
            "rouge-score": sample.rouge_score,
            "tokens": sample.tokenize,
            "plain tokens": sample.plain_tokenize,
        }
        took = interleaved(rounds, ways, passes=max(1, 8_000 // size))
        yield f"{size:6} items: rouge-score / ROUGE-1", ratio(took, "rouge-score", "ROUGE-1"), "≥", 4
        plain = ratio(took, "tokens", "plain tokens")
        yield f"{size:6} items: tokenizing / NFKC, lower, \\w+", plain, "≤", 1.5
        yield f"{size:6} items: ROUGE-1 / tokenizing", ratio(took, "ROUGE-1", "tokens"), "≤", 1.8
        yield f"{size:6} items: all five scores / ROUGE-1", ratio(took, "scoring", "ROUGE-1"), "≤", 1.4
    few, many = samples[SIZES[1]], samples[SIZES[2]]
    times = round(SIZES[2] / SIZES[1])
    took = interleaved(rounds, {"few": repeated(few.score, times), "many": many.score})
    per_item = ratio(took, "many", "few") * times * SIZES[1] / SIZES[2]
    yield f"time per item, {SIZES[2]:,} / {SIZES[1]:,}", per_item, "≤", 1.2
    yield from measured_hostile(answers, rounds)


def measured_hostile(answers: list[str], rounds: int) -> Iterator[tuple[str, float, str, float]]:
    """From bytes to report, an answer that costs most against the mean of the real ones."""
    n, few = 10 * len(answers), 4
    ways: Ways = {"ordinary": Files(answers * 10).report}
    ways |= {name: Files([answer] * few).report for name, answer in hostile().items()}
    took = interleaved(rounds, ways)
    for name in hostile():
        yield f"hostile / ordinary answer: {name}", ratio(took, name, "ordinary") * n / few, "≤", 100


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--data", type=Path, default=Path("../shared/data/polyfiqa"))
    asked = parser.parse_args()
    lines = (asked.data / "gold.jsonl").read_text(encoding="utf-8").splitlines()
    answers = [json.loads(line)["answer"] for line in lines]
    missed = 0
    for what, ratio, side, bound in measured(answers, asked.rounds):
        good = ratio <= bound if side == "≤" else ratio >= bound
        missed += not good
        print(f"{'ok  ' if good else 'MISS'} {what}: {ratio:.3g} ({side} {bound:g})", flush=True)
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
