"""Views over several tracks: a shared task's table, and MultiFinGround's recognition by coverage."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import fsum
from typing import Any, NamedTuple

from scoring.metrics.ratio import ratio
from scoring.metrics.sets import Counts
from scoring.records import Items
from scoring.tracks.base import Tally
from scoring.tracks.groups import PRIMARY, condition_of

BANDS = (("1-2", 1, 2), ("3-6", 3, 6), ("7+", 7, None))
"""Groups by number of targets; the paper compares 3 to 6 with 7 and more (MultiFinGround, section 5.1)."""


class Column(NamedTuple):
    """A score of a track as one column of a shared task's table."""

    track: str
    score: str
    title: str


def average(values: Sequence[float | None]) -> float | None:
    """The unweighted mean over all columns, or None where one is missing: a gap is never averaged away."""
    present = [value for value in values if value is not None]
    return fsum(present) / len(present) if present and len(present) == len(values) else None


def across_tracks(
    columns: Sequence[Column], scores: Mapping[tuple[str, str], Mapping[str, float]], teams: Sequence[str]
) -> list[dict[str, Any]]:
    """One row per team: {"team", "values" (None where the track is missing), "average"}.

    `scores` maps (team, track) to the track's scores. Rows keep the order of `teams`.
    """
    rows = []
    for team in teams:
        values = [scores.get((team, column.track), {}).get(column.score) for column in columns]
        rows.append({"team": team, "values": values, "average": average(values)})
    return rows


def recognition_by_coverage(
    recognition: Mapping[str, Tally], t2a: Items, selection: Mapping[str, Tally], t2b: Items
) -> dict[str, Any]:
    """Does recognising a concept mean finding all its facts? (MultiFinGround, section 5.1 and table 5)

    `recognition` and `selection` are per-item tallies of one team's T2a and T2b runs. Groups are paired over
    the primary condition. Among recognised groups: `omission_rate`, the share missing a target (invalid T2b
    outputs miss); `by_band` the same by number of targets; `by_language` precision and recall over mentions.
    `quadrants` counts all paired groups, `unpaired` those found on one side only.
    """
    recognised = {group: bool(tally[0]) for group, tally in _by_group(recognition, t2a).items()}
    selected = _by_group(selection, t2b)
    paired = [group for group in recognised if group in selected]
    known = [group for group in paired if recognised[group]]
    quadrants = {
        f"{'' if right else 'not '}recognised, {'' if complete else 'not '}complete": sum(
            recognised[group] is right and bool(selected[group]["covered"]) is complete for group in paired
        )
        for right in (True, False)
        for complete in (True, False)
    }
    return {
        "groups": len(paired),
        "unpaired": len(recognised.keys() ^ selected.keys()),
        "recognised": len(known),
        "omission_rate": _omission_rate([selected[group] for group in known]),
        "by_band": _by_band([selected[group] for group in known]),
        "by_language": _by_language([selected[group] for group in known]),
        "quadrants": quadrants,
    }


def _by_group(tallies: Mapping[str, Tally], items: Items) -> dict[str, Any]:
    return {
        items.records[item_id]["group"]: tally
        for item_id, tally in tallies.items()
        if condition_of(items.records[item_id]) == PRIMARY
    }


def _omission_rate(tallies: Sequence[Mapping[Any, float]]) -> float | None:
    return 1 - ratio(sum(tally["covered"] for tally in tallies), len(tallies)) if tallies else None


def _targets(tally: Mapping[Any, float]) -> float:
    return sum(count for key, count in tally.items() if isinstance(key, tuple) and key[0] == "expected")


def _by_band(tallies: Sequence[Mapping[Any, float]]) -> list[dict[str, Any]]:
    bands = []
    for name, low, high in BANDS:
        members = [tally for tally in tallies if low <= _targets(tally) <= (high or float("inf"))]
        if members:
            bands.append({"targets": name, "groups": len(members), "omission_rate": _omission_rate(members)})
    return bands


def _by_language(tallies: Sequence[Mapping[Any, float]]) -> list[dict[str, Any]]:
    languages = sorted(
        {key[1] for tally in tallies for key in tally if isinstance(key, tuple) and key[0] == "hits"}
    )
    rows = []
    for language in languages:
        columns = [fsum(tally.get((name, language), 0) for tally in tallies) for name in Counts._fields]
        counts = Counts(*columns)
        mentions = int(counts.expected)
        rows.append(
            {
                "language": language,
                "mentions": mentions,
                "precision": counts.precision,
                "recall": counts.recall,
            }
        )
    return rows
