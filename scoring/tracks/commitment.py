"""`commitment`: how firmly an answer to investors commits, from +2 to -2 (Ebisu JF-ICR)."""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping
from typing import Any

from scoring.problems import Faults, shown
from scoring.records import Items, Limits, Run
from scoring.tracks.base import Diagnostic, Field, Kind, Record, Resampling, Score, Scored, Slice, Tally
from scoring.tracks.labels import InGold, cells_from, chosen_by, label_scores, majority, tally_label
from scoring.tracks.observing import (
    BY_LABEL,
    CONFUSION,
    DISTRIBUTION,
    ENTROPY,
    REPEATED,
    confusion,
    distribution,
    given,
    mean,
    table,
)

SCALE = ("+2", "+1", "0", "-1", "-2")
SPELLINGS = {**{label: label for label in SCALE}, "2": "+2", "1": "+1"}
LONGEST = 20
"""Longer labels are not normalised; none of the scale is."""


class Commitment(Kind):
    name = "commitment"
    title = "Implicit commitment"
    summary = "Judge how firmly management's answer commits: +2 strong commitment … -2 strong refusal."
    source = "Ebisu, JF-ICR (section 3.1, appendix F, equation 12)"
    aggregate = "pooled"
    item_fields = (
        Field("question", "string", "what the investor asked", bulky=True),
        Field("answer", "string", "what management answered", bulky=True),
        Field("company", "string", "who answered, a slice", required=False),
    )
    gold_fields = (Field("label", "any", "one of +2 +1 0 -1 -2"),)
    run_fields = (Field("label", "any", "one of +2 +1 0 -1 -2, as text or as a whole number"),)
    scores = (
        Score("accuracy", "Accuracy", "Acc", "right labels / items"),
        Score("macro_f1", "Macro-F1", "macro-F1", "mean of the F1 of each label that occurs in gold or run"),
    )
    slices = (Slice("company", "Company"),)
    diagnostics = (
        DISTRIBUTION,
        ENTROPY,
        REPEATED,
        CONFUSION._replace(chart="band"),
        BY_LABEL,
        Diagnostic(
            "adjacent_errors",
            "Errors one step away",
            1,
            "percent",
            "Share of the wrong labels that stand next to gold's.",
        ),
        Diagnostic("mean_commitment", "Mean commitment", 1, "table", "Mean label of the answered items."),
    )
    baselines = (
        chosen_by("random", "A random label", lambda item, rng: {"label": rng.choice(SCALE)}),
        chosen_by("neutral", "Always 0", lambda item, rng: {"label": "0"}),
        majority("label", lambda item: SCALE),
    )
    resampling = Resampling("item")
    example = {
        "items": [
            {
                "id": "jf-1",
                "question": "来期の増配は予定していますか。",
                "answer": "来期は一株当たり十円の増配を実施いたします。",
                "company": "あおば工業",
            },
            {
                "id": "jf-2",
                "question": "海外工場の新設についてお聞かせください。",
                "answer": "状況を見ながら前向きに検討してまいります。",
                "company": "あおば工業",
            },
            {
                "id": "jf-3",
                "question": "不採算店舗を閉鎖する考えはありますか。",
                "answer": "現時点では閉鎖は考えておりません。",
                "company": "みなと商事",
            },
        ],
        "gold": [
            {"id": "jf-1", "label": "+2"},
            {"id": "jf-2", "label": "+1"},
            {"id": "jf-3", "label": "-1"},
        ],
        "run": [{"id": "jf-1", "label": "+2"}, {"id": "jf-2", "label": 0}, {"id": "jf-3", "label": "−1"}],
    }

    def read_reference(self, record: Record, item: Record, faults: Faults) -> str | None:
        return _read(record["label"], InGold(faults))

    def read_answer(self, record: Record, item: Record, limits: Limits, faults: Faults) -> str | None:
        return _read(record["label"], faults)

    def tally(self, item: Record, prepared: Any, answer: Any, options: Mapping[str, Any]) -> Tally:
        return tally_label(prepared, answer)

    def scores_of(self, total: Any, options: Mapping[str, Any]) -> dict[str, float]:
        return label_scores(total)

    def observe(self, items: Items, run: Run) -> dict[str, Any]:
        return distribution(given(run.answers.values()), order=SCALE)

    def diagnose(self, scored: list[Scored], options: Mapping[str, Any]) -> dict[str, Any]:
        cells = cells_from(scored)
        pairs = [(int(gold), int(label), n) for (gold, label), n in cells.items() if label is not None]
        wrong = sum(n for gold, label, n in pairs if gold != label)
        near = sum(n for gold, label, n in pairs if abs(gold - label) == 1)
        return {
            **confusion(cells, order=SCALE),
            "adjacent_errors": near / wrong if wrong else None,
            "mean_commitment": table(
                ["", "mean"],
                [
                    ("gold", mean([gold for gold, _, n in pairs for _ in range(int(n))])),
                    ("run", mean([label for _, label, n in pairs for _ in range(int(n))])),
                ],
            ),
        }

    def chance(self, items: Items) -> float | None:
        return 1 / len(SCALE)


def _read(value: Any, faults: Faults) -> str | None:
    """The label in its canonical spelling.

    A whole number, or text after NFKC and trimming with U+2212 as minus; a plus sign may be left out. "-0",
    "+0", 1.0 and true are refused (E302, E401).
    """
    if type(value) is int:
        label = SPELLINGS.get(str(value))
    elif isinstance(value, str):
        plain = unicodedata.normalize("NFKC", value) if len(value) <= LONGEST else value
        label = SPELLINGS.get(plain.strip().replace("\u2212", "-"))
    else:
        whole = isinstance(value, float) and value.is_integer()
        faults.add(
            "E302",
            f'The field "label" must be a whole number or a string, found {shown(value)}.',
            field="label",
            found=shown(value),
            expected="one of +2, +1, 0, -1, -2",
            hint=f"Write it without a decimal point: {int(value)}." if whole else 'Write it as text: "+1".',
        )
        return None
    if label is None:
        zero = isinstance(value, str) and value.strip()[1:] == "0"
        faults.add(
            "E401",
            f"The label {shown(value)} is not one of: +2, +1, 0, -1, -2.",
            field="label",
            found=shown(value),
            expected="one of +2, +1, 0, -1, -2",
            hint='Zero has no sign: "0".' if zero else "Give the label alone, without other words.",
        )
    return label


KIND = Commitment()
