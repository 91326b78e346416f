"""Tables that explain a run of short answers. Each is {"columns": […], "rows": [[…], …]}, never ranked."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from math import fsum
from typing import Any

from scoring.records import Items, Run
from scoring.text.scripts import SCRIPTS, different, script_of
from scoring.tracks.base import Scored
from scoring.tracks.texts import GUIDELINE_WORDS, word_count

Table = dict[str, Any]

ITEMS, F1, PRECISION, RECALL, EXACT, NUMBERS_FOUND, WITH_NUMBERS = range(7)
"""Columns of a tally: sums over items; the last counts items whose reference has numbers."""

WORD_BANDS = ((0, 25), (25, 50), (50, 75), (75, 100), (100, 150), (150, None))
"""Bands of answer length in words: more than the first number, up to the second."""


def band_of(words: int) -> str:
    """The name of the length band: "1–25", …, "over 150"."""
    for low, high in WORD_BANDS:
        if high is None or words <= high:
            return f"over {low}" if high is None else f"{low + 1}–{high}"
    raise AssertionError("the last band is open")


BANDS = tuple(band_of(low + 1) for low, _ in WORD_BANDS)


def none_table(items: Items, nones: Mapping[str, bool]) -> Table:
    """How many answers of each tier are the word None. `nones`: item id → whether its answer is."""
    tiers: dict[str, list[bool]] = {}
    for item_id, none in nones.items():
        tiers.setdefault(items.records[item_id]["tier"], []).append(none)
    return {
        "columns": ["tier", "n", "None", "rate"],
        "rows": [[tier, len(of), sum(of), sum(of) / len(of)] for tier, of in tiers.items()],
    }


def length_table(lengths: list[int]) -> Table:
    counts = Counter(map(band_of, lengths))
    n = len(lengths) or 1
    return {
        "columns": ["words", "n", "share", "within the guideline"],
        "rows": [
            [band, counts[band], counts[band] / n, low < GUIDELINE_WORDS]
            for band, (low, _) in zip(BANDS, WORD_BANDS)
        ],
    }


def script_table(items: Items, run: Run) -> Table:
    """Share of each script among letters and digits, over all answers and by the item's languages."""
    answers: dict[tuple[str, ...], list[str]] = {}
    for item_id, answer in run.answers.items():
        languages = tuple(dict.fromkeys(items.records[item_id].get("languages") or ()))
        answers.setdefault(languages, []).append(answer)
    characters: dict[str, Counter[str]] = {"all": Counter()}
    for languages, of in answers.items():
        found = _characters("".join(of))  # once for all answers in the same languages
        for language in ("all", *languages):
            characters.setdefault(language, Counter()).update(found)
    rows = []
    for language, counted in characters.items():
        scripts: Counter[str] = Counter()
        for character, times in counted.items():
            script = script_of(character)
            if script:
                scripts[script] += times
        total = sum(scripts.values())
        rows.append([language, *(scripts[script] / total if total else 0.0 for script in SCRIPTS)])
    return {"columns": ["language", *SCRIPTS], "rows": rows}


def _characters(text: str) -> Mapping[str, int]:
    """How often each character occurs. Few different ones are sought one by one, which is faster then."""
    found = different(text)
    return Counter(text) if len(found) > 100 else {one: text.count(one) for one in found}


def _mean(scored: Sequence[Scored], column: int) -> float:
    return fsum(one.tally[column] for one in scored) / len(scored) if scored else 0.0


def profile_table(scored: Sequence[Scored]) -> Table:
    """How many items have precision above recall, recall above precision, or both equal, with their means."""
    groups: dict[str, list[Scored]] = {"P > R": [], "P = R": [], "P < R": []}
    for one in scored:
        precision, recall = one.tally[PRECISION], one.tally[RECALL]
        groups["P > R" if precision > recall else "P < R" if precision < recall else "P = R"].append(one)
    return {
        "columns": ["items with", "n", "F1", "P", "R"],
        "rows": [
            [name, len(of), _mean(of, F1), _mean(of, PRECISION), _mean(of, RECALL)]
            for name, of in groups.items()
        ],
    }


def band_table(scored: Sequence[Scored]) -> Table:
    bands: dict[str, list[Scored]] = {band: [] for band in BANDS}
    for one in scored:
        bands[band_of(word_count(one.answer))].append(one)
    return {
        "columns": ["words", "n", "F1", "P", "R"],
        "rows": [
            [band, len(of), _mean(of, F1), _mean(of, PRECISION), _mean(of, RECALL)]
            for band, of in bands.items()
            if of
        ],
    }


def tier_table(scored: Sequence[Scored]) -> Table:
    cells: dict[tuple[str, str], list[Scored]] = {}
    for one in scored:
        cells.setdefault((one.item["tier"], one.item.get("question_type") or "—"), []).append(one)
    return {
        "columns": ["tier", "question type", "n", "F1", "P", "R"],
        "rows": [
            [*cell, len(of), _mean(of, F1), _mean(of, PRECISION), _mean(of, RECALL)]
            for cell, of in cells.items()
        ],
    }
