"""`short_answer`: one short free-text answer per item, scored by ROUGE-1.

FinMMEval 2026 Task 2, sections 3.2 and 4.2: the whole answer counts, item-level precision, recall and F1 over
unigram multisets, and the mean of the items' F1 ranks. The 100-word limit is a guideline, not a score.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

from scoring.metrics import rouge1
from scoring.metrics.numbers import other_numbers, plain_numbers
from scoring.problems import Faults, shown
from scoring.records import Gold, Items, Limits, Run
from scoring.text import normalize
from scoring.text.tokenize import PROFILES, ascii_tokens, cut
from scoring.tracks.answer_tables import (
    EXACT,
    F1,
    ITEMS,
    NUMBERS_FOUND,
    PRECISION,
    RECALL,
    WITH_NUMBERS,
    band_table,
    length_table,
    none_table,
    profile_table,
    script_table,
    tier_table,
)
from scoring.tracks.base import (
    Baseline,
    Diagnostic,
    Field,
    Kind,
    Option,
    Record,
    Resampling,
    Score,
    Scored,
    Slice,
    Tally,
)
from scoring.tracks.texts import GUIDELINE_WORDS, check_text, is_none, word_count

if TYPE_CHECKING:
    from random import Random

MULTI = PROFILES[0]


class Reference(NamedTuple):
    """A gold answer ready to be compared with many."""

    unigrams: rouge1.Unigrams
    length: int
    exact: str
    plain_numbers: frozenset[bytes]
    other_numbers: frozenset[str]


class ShortAnswer(Kind):
    name = "short_answer"
    title = "Short answers"
    summary = "One short free-text answer per item, compared word by word with a reference answer."
    source = "FinMMEval 2026 Task 2, sections 3.2 and 4.2"
    id_field = "task_id"
    takes_invalid = False
    item_fields = (
        Field("task_id", "string", "the item's id"),
        Field("tier", "string", 'how hard the item is, for example "easy" or "expert"'),
        Field("question", "string", "what to answer", bulky=True),
        Field("context", "string", "the evidence to answer from", required=False, bulky=True),
        Field("group", "string", "what the item shares its evidence with, such as a report", required=False),
        Field("question_type", "string", "the question template", required=False),
        Field("languages", "list", 'languages of the evidence, such as ["en", "el"]', required=False),
    )
    gold_fields = (
        Field("task_id", "string", "the item's id"),
        Field("answer", "string", "the reference answer"),
    )
    run_fields = (
        Field("task_id", "string", "the item's id"),
        Field("answer", "string", 'the answer, never empty; the word "None" where no answer can be found'),
    )
    scores = (
        Score("rouge1_f1", "ROUGE-1 F1", "F1", "mean over items of 2PR / (P + R); 0 where P + R = 0"),
        Score(
            "rouge1_precision",
            "ROUGE-1 precision",
            "P",
            "mean over items of shared words / words of the answer",
        ),
        Score(
            "rouge1_recall", "ROUGE-1 recall", "R", "mean over items of shared words / words of the reference"
        ),
        Score(
            "exact_match",
            "Exact match",
            "EM",
            "share of items equal after NFKC, lower case, one space for white space",
        ),
        Score(
            "number_recall",
            "Number recall",
            "Num",
            "mean share of the reference's numbers in the answer, where it has any; not ranked",
        ),
    )
    slices = (
        Slice("tier", "Tier"),
        Slice("question_type", "Question type"),
        Slice("group", "Group"),
        Slice("language", "Language", "languages"),
    )
    diagnostics = (
        Diagnostic("n_answers", "Answers", 0),
        Diagnostic("none_rate", "Answered None", 0, "percent", "Answers that are the word None."),
        Diagnostic("none_by_tier", "Answered None, by tier", 0, "table"),
        Diagnostic(
            "over_guideline_rate", f"Over {GUIDELINE_WORDS} words", 0, "percent", "Counted, never cut."
        ),
        Diagnostic(
            "answer_words", "Answer length in words", 0, "table", f"The guideline is {GUIDELINE_WORDS} words."
        ),
        Diagnostic(
            "script_mix", "Scripts by language", 0, "table", "Share of the answers' letters and digits."
        ),
        Diagnostic(
            "profile", "Precision and recall", 1, "table", "What moves F1: too many words, or the wrong ones."
        ),
        Diagnostic("f1_by_length", "F1 by answer length", 1, "table"),
        Diagnostic("tier_by_question_type", "F1 by tier and question type", 1, "table"),
    )
    options = (Option("tokenizer", MULTI, "text profile: every script, or a–z and 0–9 only", PROFILES),)
    resampling = Resampling("cluster", ("group",))

    # Reading

    def read_item(self, item: Record, faults: Faults) -> Record | None:
        languages = item.get("languages")
        if languages is not None and not all(isinstance(one, str) for one in languages):
            faults.add(
                "E603",
                '"languages" must be a list of strings.',
                field="languages",
                found=shown(next(one for one in languages if not isinstance(one, str))),
                expected='for example ["en", "el"]',
            )
            return None
        return item

    def read_reference(self, record: Record, item: Record, faults: Faults) -> str | None:
        answer = record["answer"]
        if answer.strip():
            return answer
        faults.add(
            "E603",
            "The reference answer is blank.",
            field="answer",
            found=shown(answer),
            expected="text",
            hint='Exclude the item with a reason, or write "None" where no answer can be found.',
        )
        return None

    def read_answer(self, record: Record, item: Record, limits: Limits, faults: Faults) -> str | None:
        answer = record["answer"]
        return answer if check_text(answer, "answer", limits, faults) else None

    # Scoring

    def text_profile(self, options: Mapping[str, Any]) -> str:
        return options["tokenizer"]

    def prepare(self, reference: str, item: Record, options: Mapping[str, Any]) -> Reference:
        text = normalize.multi(reference)
        tokens = cut(text) if options["tokenizer"] == MULTI else ascii_tokens(reference)
        return Reference(
            rouge1.unigrams(tokens),
            len(tokens),
            normalize.collapsed(text),
            frozenset(filter(None, plain_numbers(text))),
            frozenset(other_numbers(text)),
        )

    def tally(self, item: Record, prepared: Reference, answer: str, options: Mapping[str, Any]) -> Tally:
        unigrams, length, exact, plain, other = prepared
        text = normalize.multi(answer)
        multi = options["tokenizer"] == MULTI
        tokens = cut(text) if multi else ascii_tokens(answer)
        hits, predicted = rouge1.overlap(tokens, unigrams), len(tokens)
        # Under `multi.1` equal texts have equal tokens, which spares most answers the comparison.
        may_match = hits == length == predicted or not multi
        matches = 1 if may_match and normalize.collapsed(text) == exact else 0
        f1, precision, recall = rouge1.ratios(hits, predicted, length)
        numbers = len(plain) + len(other)
        if not numbers:
            return (1, f1, precision, recall, matches, 0.0, 0)
        found = len(plain.intersection(plain_numbers(text)))
        if other:
            found += len(other.intersection(other_numbers(text)))
        return (1, f1, precision, recall, matches, found / numbers, 1)

    def scores_of(self, total: Tally, options: Mapping[str, Any]) -> dict[str, float]:
        n, numeric = total[ITEMS] or 1, total[WITH_NUMBERS] or 1
        return {
            "rouge1_f1": total[F1] / n,
            "rouge1_precision": total[PRECISION] / n,
            "rouge1_recall": total[RECALL] / n,
            "exact_match": total[EXACT] / n,
            "number_recall": total[NUMBERS_FOUND] / numeric,
        }

    # Explaining

    def annotation_of(self, answer: Any) -> Any:
        return None

    def observe(self, items: Items, run: Run) -> dict[str, Any]:
        answers = run.answers
        n = len(answers) or 1
        nones = {item_id: is_none(answer) for item_id, answer in answers.items()}
        lengths = [word_count(answer) for answer in answers.values()]
        return {
            "n_answers": len(answers),
            "none_rate": sum(nones.values()) / n,
            "none_by_tier": none_table(items, nones),
            "over_guideline_rate": sum(words > GUIDELINE_WORDS for words in lengths) / n,
            "answer_words": length_table(lengths),
            "script_mix": script_table(items, run),
        }

    def diagnose(self, scored: list[Scored], options: Mapping[str, Any]) -> dict[str, Any]:
        return {
            "profile": profile_table(scored),
            "f1_by_length": band_table(scored),
            "tier_by_question_type": tier_table(scored),
        }


def _answers_none(items: Items, gold: Gold | None, random: Random) -> Iterator[Record]:
    return ({"task_id": item_id, "answer": "None"} for item_id in items.records)


def _answers_question(items: Items, gold: Gold | None, random: Random) -> Iterator[Record]:
    return ({"task_id": item_id, "answer": item["question"]} for item_id, item in items.records.items())


def _answers_context_head(items: Items, gold: Gold | None, random: Random) -> Iterator[Record]:
    """The first 100 words of the context; the word None where an item has none."""
    for item_id, item in items.records.items():
        words = (item.get("context") or "").split()[:GUIDELINE_WORDS]
        yield {"task_id": item_id, "answer": " ".join(words) or "None"}


ShortAnswer.baselines = (
    Baseline("none", "The word None", _answers_none),
    Baseline("question", "The question itself", _answers_question),
    Baseline("context_head", "The first 100 words of the context", _answers_context_head),
)

ShortAnswer.example = {
    "items": [
        {
            "task_id": "easy_0001",
            "tier": "easy",
            "group": "aegean-2031",
            "question_type": "revenue",
            "languages": ["en", "el"],
            "question": "How did the revenue of Aegean Ferries change in 2031?",
            "context": "Τα έσοδα της Aegean Ferries αυξήθηκαν κατά 8% και έφτασαν τα 1.250 εκατ. ευρώ.",
        },
        {
            "task_id": "easy_0002",
            "tier": "easy",
            "group": "aegean-2031",
            "question_type": "cash flow",
            "languages": ["en", "ar"],
            "question": "What happened to the operating cash flow of Aegean Ferries?",
            "context": "ارتفع التدفق النقدي التشغيلي لشركة العبارات إلى 310 ملايين يورو.",
        },
        {
            "task_id": "expert_0001",
            "tier": "expert",
            "group": "hoshizora-2031",
            "question_type": "revenue",
            "languages": ["ja", "zh", "hi"],
            "question": "Which news explains the weaker sales of Hoshizora Robotics?",
            "context": "星空ロボティクスの売上高は12%減の4,800億円。 星空机器人销售额下降。 बिक्री घटी।",
        },
    ],
    "gold": [
        {"task_id": "easy_0001", "answer": "Revenue rose 8% to 1,250 million euros: «αυξήθηκαν κατά 8%»."},
        {"task_id": "easy_0002", "answer": "It rose to 310 million euros: «ارتفع التدفق النقدي»."},
        {"task_id": "expert_0001", "answer": "「売上高は12%減の4,800億円」, 销售额下降, बिक्री घटी।"},
    ],
    "run": [
        {"task_id": "easy_0001", "answer": "Revenue rose by 8% to 1,250 million euros."},
        {"task_id": "easy_0002", "answer": "None"},
        {"task_id": "expert_0001", "answer": "Sales fell 12%: 「売上高は12%減」, बिक्री घटी।"},
    ],
}

KIND = ShortAnswer()
