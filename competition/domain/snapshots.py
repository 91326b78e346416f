"""The content of a frozen board: canonical JSON, from what was worked out and what the database knows. Pure
but for reading.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from competition.domain.attempts import SentRun
from competition.domain.ranking import Contender, Place, percent, rank
from competition.domain.selection import RULES, Attempt, Selection
from competition.domain.standings import columns_of
from competition.enums import Section
from competition.models import GoldVersion, Phase, Submission, Team, Track

FORMAT = "podium.board.1"
LETTERS = "abcdefghijklmnopqrstuvwxyz"

SECTIONS = (
    ("entries", Section.RANKED),
    ("unranked", Section.UNRANKED),
    ("baselines", Section.BASELINE),
)
"""Lists of the content in the order of the page, with the section of their rows."""


@dataclass(frozen=True)
class OfficialRun:
    """One line to be: the team, all it sent, what counts, and the stored run."""

    team: Team
    attempts: list[Attempt[SentRun]]
    selection: Selection[SentRun]
    submission: Submission


def canonical(content: Any) -> str:
    """The one text of a JSON value: sorted keys, no spaces, characters as they are, floats as Python prints
    them.
    """
    return json.dumps(content, sort_keys=True, ensure_ascii=False, allow_nan=False, separators=(",", ":"))


def digest_of(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8")).hexdigest()


def instant(moment: datetime) -> str:
    """A moment as the snapshot writes it: UTC, microseconds, Z."""
    return moment.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ")


def describe(
    *,
    phase: Phase,
    track: Track,
    gold: GoldVersion,
    official: list[OfficialRun],
    exclusions: list[dict[str, Any]],
    found: dict[str, Any],
    version: int,
    previous_digest: str,
    frozen_at: datetime,
    frozen_by: str,
    reason: str,
) -> dict[str, Any]:
    """Everything a board says. `found` is what `analysis.work_out` gives."""
    columns = columns_of(track)
    item_set = gold.item_set
    assert item_set is not None
    uncertainty = found["analysis"]
    interval = uncertainty["signature"]
    base = next((found["signatures"][one.submission.public_id] for one in official), "")
    return {
        "format": FORMAT,
        "task": {"slug": phase.task.slug, "name": phase.task.name},
        "track": {"slug": track.slug, "name": track.name, "kind": track.kind, "options": track.options},
        "phase": {
            "slug": phase.slug,
            "name": phase.name,
            "purpose": phase.purpose,
            "opens_at": instant(phase.opens_at),
            "closes_at": instant(phase.closes_at),
            "grace_seconds": phase.grace_seconds,
            "daily_quota": phase.daily_quota,
            "total_quota": phase.total_quota,
            "counts": phase.counts,
        },
        "rule": RULES[phase.counts],
        "version": version,
        "previous_digest": previous_digest,
        "frozen_at": instant(frozen_at),
        "frozen_by": frozen_by,
        "reason": reason,
        "items": {"version": item_set.version, "digest": item_set.blob_id, "n": found["n_items"]},
        "gold": {"version": gold.version, "commitment": gold.commitment, "n_scored": found["n_scored"]},
        "environment": found["environment"],
        "signature": f"{base}|{interval}" if base and interval else base,
        "scores": [
            {
                "key": score.key,
                "title": score.title,
                "symbol": score.symbol,
                "higher_is_better": score.higher_is_better,
            }
            for score in columns
        ],
        "analysis": {key: value for key, value in uncertainty.items() if key != "teams"},
        **_lines(columns, official, found),
        "exclusions": exclusions,
    }


def _lines(columns: Any, official: list[OfficialRun], found: dict[str, Any]) -> dict[str, Any]:
    key, higher = columns[0].key, columns[0].higher_is_better

    def contender(one: OfficialRun) -> Contender[OfficialRun]:
        return Contender(one.team.name, found["scores"][one.submission.public_id].get(key), one)

    ranking = rank([contender(one) for one in official if not one.team.is_baseline], higher_is_better=higher)
    pinned = rank([contender(one) for one in official if one.team.is_baseline], higher_is_better=higher)
    return {
        "entries": [_line(place, found, place.rank) for place in ranking.ranked],
        "unranked": [{**_line(place, found, None), "note": "No finite score."} for place in ranking.unranked],
        "baselines": [_line(place, found, None) for place in pinned.places],
    }


def _line(place: Place[OfficialRun], found: dict[str, Any], rank_shown: int | None) -> dict[str, Any]:
    one = place.subject
    submission, team = one.submission, one.team
    scores = found["scores"][submission.public_id]
    line: dict[str, Any] = {
        "rank": rank_shown,
        "tied": place.tied if rank_shown is not None else False,
        "team": team.name,
        "team_id": team.public_id,
        "affiliation": team.affiliation,
        "run": submission.public_id,
        "run_name": submission.run_name,
        "run_number": submission.number,
        "run_digest": submission.digest,
        "received_at": instant(submission.received_at),
        "runs_sent": len(one.attempts),
        "why": one.selection.reason,
        "scores": scores,
        "shown": {key: percent(value) for key, value in scores.items()},
        "signature": found["signatures"][submission.public_id],
    }
    invalid = found["invalid"].get(submission.public_id)
    if invalid:
        line["invalid"] = invalid
    opinion = found["second_opinion"].get(submission.public_id)
    if opinion:
        line["second_opinion"] = opinion["scores"]
    uncertainty = found["analysis"]["teams"].get(submission.public_id)
    if uncertainty and rank_shown is not None:
        line |= {
            "interval": _pair(uncertainty["low"], uncertainty["high"]),
            "rank_interval": _pair(uncertainty["rank_low"], uncertainty["rank_high"]),
            "groups": "".join(LETTERS[number % 26] for number in uncertainty["groups"]),
            "uncertainty": uncertainty,
        }
    return line


def _pair(low: Any, high: Any) -> list[Any] | None:
    return None if low is None or high is None else [low, high]


def rows_of(content: dict[str, Any]) -> list[dict[str, Any]]:
    """The content as rows of `FrozenStanding`, but for the board, team and submission: those go by public id.

    Keys beside the model's fields: `team_public_id` and `run_public_id`.
    """
    primary = content["scores"][0]["key"]
    rows: list[dict[str, Any]] = []
    for name, section in SECTIONS:
        for line in content[name]:
            rows.append(
                {
                    "position": len(rows) + 1,
                    "section": section.value,
                    "rank": line["rank"],
                    "team_name": line["team"],
                    "primary": line["scores"].get(primary),
                    "scores": line["scores"],
                    "signature": line["signature"],
                    "interval": line.get("interval"),
                    "rank_interval": line.get("rank_interval"),
                    "group": line.get("groups", ""),
                    "note": line.get("note", ""),
                    "team_public_id": line["team_id"],
                    "run_public_id": line["run"],
                }
            )
    return rows
