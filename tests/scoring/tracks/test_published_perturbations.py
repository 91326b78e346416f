"""Scores others published: gold answers edited mechanically, scored against themselves (PolyFiQA Easy).

Every number to the 4 decimals it was printed with, through the command line, under both text profiles.
"""

from __future__ import annotations

import csv
import json
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.support.shared import ROOT, shared_path

EVIDENCE = "News Evidence:"
FAMILIES = ("Revenue", "BalanceSheet", "CashFlow", "RnD")
TOKENIZERS = {"finmmeval_multiscript": "multi.1", "multifinben_default": "ascii.1"}


def without_numbers_format(answer: str) -> str:
    return re.sub("[$€¥£]", " ", re.sub(r"(?<=[0-9]),(?=[0-9]{3})", "", answer))


VARIANTS: dict[str, Callable[[str], str]] = {
    "A_original": lambda answer: answer,
    "B_labels_removed": lambda answer: re.sub("News Evidence:|Answer:", " ", answer),
    "C_evidence_removed": lambda answer: answer.split(EVIDENCE, 1)[0],
    "D_numbers_removed": lambda answer: re.sub(r"\S*[0-9]\S*", " ", answer),
    "E_numbers_normalized": without_numbers_format,
}


@pytest.fixture(scope="module")
def easy(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """The Easy tier with a question type and an evidence label on each item, as files."""
    place = tmp_path_factory.mktemp("easy")
    lines = shared_path("data/polyfiqa/gold.jsonl").read_bytes().splitlines()
    gold = [record for record in map(json.loads, lines) if record["task_id"].startswith("easy")]
    items = []
    for at, record in enumerate(gold):
        evidence = record["answer"].partition(EVIDENCE)[2].strip()
        none = not evidence or evidence.lower().startswith("none")
        items.append(
            {
                "task_id": record["task_id"],
                "tier": "easy",
                "question": "?",
                "question_type": FAMILIES[at % 4],
                "evidence": "evidence_none" if none else "evidence_present",
            }
        )
    write(place / "items.jsonl", items)
    write(place / "gold.jsonl", gold)
    for variant, edit in VARIANTS.items():
        write(place / f"{variant}.jsonl", [{**one, "answer": edit(one["answer"])} for one in gold])
    return {"place": place, "n": len(gold)}


def write(path: Path, records: list[dict[str, Any]]) -> None:
    path.write_text("".join(json.dumps(one, ensure_ascii=False) + "\n" for one in records), encoding="utf-8")


def score(place: Path, variant: str, tokenizer: str) -> dict[str, Any]:
    command = [sys.executable, "-m", "scoring", "score", "short_answer", "--json", "--tokenizer", tokenizer]
    command += ["--slices", "evidence", "--items", str(place / "items.jsonl")]
    command += ["--gold", str(place / "gold.jsonl"), str(place / f"{variant}.jsonl")]
    done = subprocess.run(command, capture_output=True, cwd=ROOT, check=False)
    assert done.returncode == 0, done.stdout.decode() + done.stderr.decode()
    return json.loads(done.stdout)


def values_of(report: dict[str, Any], group: str) -> dict[str, float]:
    cuts = report["breakdowns"]
    cells = {"all": report["scores"], **cuts["question_type"], **cuts["evidence"]}
    return {name: cells[group][f"rouge1_{name}"] for name in ("precision", "recall", "f1")}


@pytest.mark.parametrize("scorer", TOKENIZERS)
@pytest.mark.parametrize("variant", VARIANTS)
def test_every_published_number(easy: dict[str, Any], variant: str, scorer: str) -> None:
    with shared_path("data/polyfiqa/published_perturbations.csv").open(encoding="utf-8") as file:
        rows = [row for row in csv.DictReader(file) if (row["variant"], row["scorer"]) == (variant, scorer)]
    assert rows
    report = score(easy["place"], variant, TOKENIZERS[scorer])
    assert report["counts"]["scored"] == easy["n"] == 76
    for row in rows:
        values = values_of(report, row["group"])
        for name in ("precision", "recall", "f1"):
            if row[name]:
                assert round(values[name], 4) == float(row[name]), (row["group"], name)
