"""ROUGE-1 by other hands: rouge-score counts, on tokens cut by script properties of the `regex` module.

At a freeze every official ROUGE-1 value is worked out again by code that shares nothing with `scoring`.
Imported only inside a job's child: both libraries are slow to load.
"""

from __future__ import annotations

import math
import unicodedata
from collections.abc import Mapping
from typing import Any

import regex
from rouge_score import rouge_scorer, tokenizers

TOLERANCE = 1e-9
"""Two correct computations differ by rounding in the last places only."""

_ALONE = r"[[\p{sc=Han}&&\p{L}]〇[[\p{sc=Hiragana}\p{sc=Katakana}ー]&&\p{L}]]"
_MULTI = regex.compile(
    rf"(?V1){_ALONE}|(?:[\p{{L}}--{_ALONE}]\p{{M}}*|\p{{Nd}})+",
)
_ASCII = regex.compile(r"[a-z0-9]+")


class _Multi(tokenizers.Tokenizer):
    def tokenize(self, text: str) -> list[str]:
        return _MULTI.findall(unicodedata.normalize("NFKC", text).lower())


class _Ascii(tokenizers.Tokenizer):
    def tokenize(self, text: str) -> list[str]:
        return _ASCII.findall(text.lower())


TOKENIZERS: dict[str, type[tokenizers.Tokenizer]] = {"multi.1": _Multi, "ascii.1": _Ascii}


def rouge1(references: Mapping[str, str], answers: Mapping[str, str], tokenizer: str) -> dict[str, float]:
    """Mean item-level ROUGE-1 F1, precision and recall over the references, keys as `short_answer` names
    them.
    """
    scorer = rouge_scorer.RougeScorer(["rouge1"], tokenizer=TOKENIZERS[tokenizer]())
    found = [scorer.score(reference, answers[item_id])["rouge1"] for item_id, reference in references.items()]
    n = len(found) or 1
    return {
        "rouge1_f1": math.fsum(one.fmeasure for one in found) / n,
        "rouge1_precision": math.fsum(one.precision for one in found) / n,
        "rouge1_recall": math.fsum(one.recall for one in found) / n,
    }


def compare(official: Mapping[str, float], second: Mapping[str, float]) -> list[dict[str, Any]]:
    """The scores on which both disagree, each with both values."""
    return [
        {"score": key, "official": official.get(key), "second": value}
        for key, value in second.items()
        if not (key in official and abs(official[key] - value) <= TOLERANCE)
    ]
