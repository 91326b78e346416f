"""`term_extraction`: the financial terms of a note, nested terms ranked inside each (Ebisu JF-TE)."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from math import fsum
from typing import TYPE_CHECKING, Any, NamedTuple

from scoring.metrics.hit_rate import distinct, recall_at
from scoring.metrics.sets import Counts
from scoring.problems import INVISIBLE, Faults, json_type, shown
from scoring.records import ORGANIZER_LIMITS, Gold, Invalid, Items, Limits, Run
from scoring.text.scripts import script_of
from scoring.tracks.base import (
    Baseline,
    Diagnostic,
    Field,
    Kind,
    Record,
    Resampling,
    Score,
    Scored,
    Slice,
    Tally,
)
from scoring.tracks.labels import InGold, chosen_by
from scoring.tracks.observing import given, lengths, table

if TYPE_CHECKING:
    from random import Random

CUTS = (1, 5, 10)

Groups = tuple[tuple[str, ...], ...]
"""Each group's terms in the order given, white space removed, each term once."""

RUNS = re.compile("[\u3005\u3007\u30a1-\u30fa\u30fc-\u30fe\u3400-\u9fff\uf900-\ufaff]{2,}")
"""Two Han or katakana characters or more in a row: what the baseline takes for a term."""


class Terms(NamedTuple):
    """One side of one item.

    `maximal` has each group's maximal term, `ranked` every term of all groups once, in order, `groups` the
    groups.
    """

    maximal: frozenset[str]
    ranked: list[str]
    groups: Groups


NOTHING = Terms(frozenset(), [], ())


def in_gold(groups: Groups) -> Terms:
    """Gold writes the maximal term of a group first."""
    return Terms(frozenset(group[0] for group in groups), _flat(groups), groups)


def in_run(groups: Groups) -> Terms:
    """A run's maximal term is the longest of its group, the first of equally long ones."""
    return Terms(frozenset(max(group, key=len) for group in groups), _flat(groups), groups)


def _flat(groups: Groups) -> list[str]:
    return distinct(term for group in groups for term in group)


def _runs(item: Record, generator: Random) -> Record:
    terms = distinct(match.group() for match in RUNS.finditer(item["note"]))
    return {"terms": [[term] for term in terms]}


def _common(items: Items, gold: Gold | None, generator: Random) -> Iterator[Record]:
    known = set().union(*(terms.maximal for terms in gold.references.values())) if gold else set()
    ordered = sorted(known, key=lambda term: (-len(term), term))
    for item_id, item in items.records.items():
        note = _bare(item["note"])
        yield {"id": item_id, "terms": [[term] for term in ordered if term in note]}


class TermExtraction(Kind):
    name = "term_extraction"
    title = "Term extraction"
    summary = "Find the financial terms of a note, and rank the terms nested in each."
    source = "Ebisu, JF-TE (section 3.2, appendix F, equations 13 to 18)"
    aggregate = "pooled"
    item_fields = (
        Field("note", "string", "the note of a report", bulky=True),
        Field("company", "string", "whose report it is", required=False),
    )
    gold_fields = (Field("terms", "list", 'groups of terms, the maximal first: [["…", "…"], ["…"]]'),)
    run_fields = (
        Field("terms", "list", "a list for each maximal term with its nested terms, likeliest first, or []"),
    )
    scores = (
        Score("f1", "F1", "F1", "2PR / (P + R) over the maximal terms of all items"),
        Score("precision", "Precision", "P", "right maximal terms / answered maximal terms"),
        Score("recall", "Recall", "R", "right maximal terms / gold maximal terms"),
        *(
            Score(
                f"hit_rate_{k}",
                f"HitRate@{k}",
                f"HR@{k}",
                f"mean over items with terms of |gold terms in the first {k}| / |gold terms|",
            )
            for k in CUTS
        ),
        Score(
            "f1_corpus_set",
            "F1 of pooled sets",
            "F1 (sets)",
            "2PR / (P + R) over the sets of maximal terms of the whole corpus, as the published code has it",
        ),
    )
    slices = (
        Slice("nesting", "Deepest group in gold", values=lambda item, terms: (_nesting(terms),)),
        Slice("company", "Company"),
    )
    diagnostics = (
        Diagnostic("groups_per_item", "Maximal terms per answer", 0, "table"),
        Diagnostic("empty_rate", "Items answered with nothing", 0, "percent"),
        Diagnostic("term_lengths", "Length of terms in characters", 0, "table"),
        Diagnostic("script_mix", "Scripts of the answered terms", 0, "table"),
        Diagnostic(
            "hit_curve",
            "HitRate by K",
            1,
            "table",
            "Over the whole list, and within maximal terms.",
            chart="slope",
        ),
        Diagnostic("skipped_items", "Items without terms in gold", 1, "number", "Left out of HitRate."),
        Diagnostic("found_by_script", "Gold terms found, by script", 1, "table"),
    )
    baselines = (
        chosen_by("empty", "No terms at all", lambda item, rng: {"terms": []}),
        chosen_by("runs", "Every run of Han or katakana characters", _runs),
        Baseline("known", "Every maximal term of gold that stands in the note", _common, needs_gold=True),
    )
    resampling = Resampling("item")
    example = {
        "items": [
            {"id": "te-1", "note": "連結貸借対照表に計上した固定資産について減損損失を認識しました。"},
            {"id": "te-2", "note": "繰延税金資産の回収可能性を毎期見直しています。"},
            {"id": "te-3", "note": "該当事項はありません。"},
        ],
        "gold": [
            {"id": "te-1", "terms": [["連結貸借対照表", "貸借対照表"], ["固定資産"], ["減損損失", "減損"]]},
            {"id": "te-2", "terms": [["繰延税金資産", "税金資産"]]},
            {"id": "te-3", "terms": []},
        ],
        "run": [
            {"id": "te-1", "terms": [["連結貸借対照表", "貸借対照表"], ["減損"]]},
            {"id": "te-2", "terms": [["税金資産", "繰延税金資産"]]},
            {"id": "te-3", "terms": []},
        ],
    }

    def read_reference(self, record: Record, item: Record, faults: Faults) -> Terms | None:
        groups = _read(record["terms"], ORGANIZER_LIMITS, InGold(faults))
        return None if groups is None else in_gold(groups)

    def read_answer(self, record: Record, item: Record, limits: Limits, faults: Faults) -> Terms | None:
        groups = _read(record["terms"], limits, faults)
        return None if groups is None else in_run(groups)

    def tally(self, item: Record, prepared: Any, answer: Any, options: Mapping[str, Any]) -> Tally:
        """Keys: ("maximal", role), "items", "hit_rate_K", and (side, term, "") for the pooled sets."""
        terms = NOTHING if isinstance(answer, Invalid) else answer
        gold = frozenset(prepared.ranked)
        tally: dict[Any, float] = {
            ("maximal", "hits"): len(prepared.maximal & terms.maximal),
            ("maximal", "predicted"): len(terms.maximal),
            ("maximal", "expected"): len(prepared.maximal),
            "items": 1 if gold else 0,
        }
        for k in CUTS:
            tally[f"hit_rate_{k}"] = recall_at(k, gold, terms.ranked)
        for side, maximal in (("gold", prepared.maximal), ("run", terms.maximal)):
            tally.update(((side, term, ""), 1) for term in maximal)
        return tally

    def scores_of(self, total: Any, options: Mapping[str, Any]) -> dict[str, float]:
        counts = Counts(*(total[("maximal", role)] for role in ("hits", "predicted", "expected")))
        items = total["items"]
        hit_rates = {f"hit_rate_{k}": total[f"hit_rate_{k}"] / items if items else 0.0 for k in CUTS}
        return {
            "f1": counts.f1,
            "precision": counts.precision,
            "recall": counts.recall,
            **hit_rates,
            "f1_corpus_set": _pooled(total).f1,
        }

    def annotation_of(self, answer: Any) -> Any:
        return answer.maximal

    def observe(self, items: Items, run: Run) -> dict[str, Any]:
        answers = given(run.answers.values())
        terms = [term for answer in answers for term in answer.ranked]
        mixes = [script_mix(term) for term in terms]
        return {
            "groups_per_item": lengths([len(answer.groups) for answer in answers], "maximal terms"),
            "empty_rate": sum(not answer.groups for answer in answers) / len(answers) if answers else 0.0,
            "term_lengths": lengths(list(map(len, terms)), "characters", (1, 2, 4, 6, 8, 12, 20)),
            "script_mix": table(
                ["scripts", "n", "share"],
                ((mix, mixes.count(mix), mixes.count(mix) / len(mixes)) for mix in sorted(set(mixes))),
            ),
        }

    def diagnose(self, scored: list[Scored], options: Mapping[str, Any]) -> dict[str, Any]:
        valid = [one for one in scored if one.reference.groups]
        tallies: list[Any] = [one.tally for one in valid]
        within = [pair for one in valid for pair in _within(one)]
        groups = len(within) or 1
        return {
            "hit_curve": table(
                ["K", "HitRate", "within maximal terms"],
                (
                    (
                        k,
                        fsum(tally[f"hit_rate_{k}"] for tally in tallies) / (len(valid) or 1),
                        fsum(recall_at(k, gold, ranked) for gold, ranked in within) / groups,
                    )
                    for k in CUTS
                ),
            ),
            "skipped_items": len(scored) - len(valid),
            "found_by_script": _found_by_script(valid),
        }


def script_mix(term: str) -> str:
    """The scripts of a term's letters and digits, "Han + kana"."""
    scripts = {script_of(character) for character in term} - {None}
    return " + ".join(sorted(map(str, scripts))) or "none"


def _nesting(terms: Terms) -> str:
    deepest = max(map(len, terms.groups), default=0)
    return str(deepest) if deepest < 3 else "3 or more"


def _pooled(total: Mapping[Any, float]) -> Counts:
    """Maximal terms of the whole corpus as two sets of strings."""
    sides: dict[str, set[str]] = {"gold": set(), "run": set()}
    for key, n in total.items():
        if isinstance(key, tuple) and len(key) == 3 and n > 0:
            sides[key[0]].add(key[1])
    return Counts(len(sides["gold"] & sides["run"]), len(sides["run"]), len(sides["gold"]))


def _within(one: Scored) -> Iterator[tuple[frozenset[str], list[str]]]:
    """Each gold group's terms, and the run's ranking under the same maximal term (Ebisu, section 3.2)."""
    groups = () if isinstance(one.answer, Invalid) else one.answer.groups
    rankings: dict[str, list[str]] = {}
    for group in groups:
        rankings.setdefault(max(group, key=len), []).extend(group)
    for group in one.reference.groups:
        yield frozenset(group), distinct(rankings.get(group[0], ()))


def _found_by_script(scored: list[Scored]) -> dict[str, Any]:
    """Script mix → gold terms, and the share that the run has anywhere in its item's answer."""
    counts: dict[str, list[int]] = {}
    for one in scored:
        answered = frozenset(() if isinstance(one.answer, Invalid) else one.answer.ranked)
        for term in one.reference.ranked:
            cell = counts.setdefault(script_mix(term), [0, 0])
            cell[0] += 1
            cell[1] += term in answered
    rows = ((mix, n, found / n) for mix, (n, found) in sorted(counts.items()))
    return table(["scripts", "gold terms", "found"], rows)


def _bare(text: str) -> str:
    """`text` without white space."""
    return "".join(text.split())


def _read(value: list[Any], limits: Limits, faults: Faults) -> Groups | None:
    """The groups with white space removed; reports E302, E303, E307, E403, and W503, W504."""
    groups = [_read_group(place, group, limits, faults) for place, group in enumerate(value, start=1)]
    if any(group is None for group in groups):
        return None
    found = tuple(tuple(distinct(group)) for group in groups if group)
    for group, once in zip(groups, found):
        if group is not None and len(group) > len(once):
            faults.add(
                "W504",
                f"The group of {shown(once[0])} has a term twice; its first position counts.",
                field="terms",
                found=f"{len(group) - len(once)} repeats",
                expected="each term once in its group",
            )
            break
    unseen = next((term for group in found for term in group if INVISIBLE.search(term)), None)
    if unseen is not None:
        faults.add(
            "W503",
            f"The term {shown(unseen)} has invisible characters, which count.",
            field="terms",
            found=shown(unseen),
            hint="Remove them if they are a slip.",
        )
    return found


def _read_group(place: int, group: Any, limits: Limits, faults: Faults) -> list[str] | None:
    if not isinstance(group, list):
        faults.add(
            "E302",
            f'Entry {place} of "terms" must be a list of terms, found {json_type(group)}.',
            field="terms",
            found=shown(group),
            expected='["maximal term", "nested term"]',
            hint="Put each maximal term into a list of its own, even when nothing is nested in it.",
        )
        return None
    if not group:
        faults.add(
            "E307",
            f'Group {place} of "terms" is empty.',
            field="terms",
            found="[]",
            expected="a term or more",
            hint="Leave the group out.",
        )
        return None
    good = [_term_fits(place, term, limits, faults) for term in group]
    return [_bare(term) for term in group] if all(good) else None


def _term_fits(place: int, term: Any, limits: Limits, faults: Faults) -> bool:
    if not isinstance(term, str):
        faults.add(
            "E302",
            f'A term in group {place} of "terms" must be a string, found {json_type(term)}.',
            field="terms",
            found=shown(term),
            expected="a string",
            hint="Groups hold terms only, no further lists." if isinstance(term, list) else None,
        )
    elif not term.strip():
        faults.add(
            "E303",
            f'A term in group {place} of "terms" is blank.',
            field="terms",
            found=shown(term),
            expected="a term",
            hint="Leave it out.",
        )
    elif len(term) > limits.answer_characters:
        faults.add(
            "E403",
            f'A term in group {place} of "terms" has {len(term)} characters, '
            f"{limits.answer_characters} at most.",
            field="terms",
            found=f"{len(term)} characters",
            expected=f"{limits.answer_characters} at most",
        )
    else:
        return True
    return False


KIND = TermExtraction()
