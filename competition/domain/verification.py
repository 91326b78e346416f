"""Whether a frozen board still says what it said, and whether it was right: everything recomputed, then
compared.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from competition.domain import blobs, snapshots
from competition.domain.analysis import Material, work_out
from competition.domain.blobs import CorruptBlob
from competition.domain.freezing import Compute
from competition.domain.ranking import Contender, percent, rank
from competition.models import AuditEntry, FrozenLeaderboard, GoldVersion, ItemSet, Submission

TOLERANCE = 1e-9
"""For resampled shares and intervals only. Scores must be equal to the last bit."""


@dataclass(frozen=True)
class Difference:
    """One thing that is not as it was: where, what is stored, what was found."""

    where: str
    stored: str
    found: str

    def __str__(self) -> str:
        return f"{self.where}: stored {self.stored}, found {self.found}"


def verify_leaderboard(
    board: FrozenLeaderboard, *, compute: Compute = lambda work: work()
) -> list[Difference]:
    """Every difference between the snapshot, its rows, its chain, and what stored runs and gold give."""
    found = written_differences(board)
    try:
        return found + list(_scores(board, json.loads(board.content), compute))
    except (ValueError, KeyError, TypeError, IndexError) as fault:
        broken = _not_whole(board, fault)
        return found if broken in found else [*found, broken]


def written_differences(board: FrozenLeaderboard) -> list[Difference]:
    """What differs in text, chain, rows and audit trail: all that can be seen without scoring."""
    found = list(_text(board)) + list(_chain(board))
    try:
        return found + list(_rows(board, json.loads(board.content)))
    except (ValueError, KeyError, TypeError, IndexError) as fault:
        return [*found, _not_whole(board, fault)]


def _not_whole(board: FrozenLeaderboard, fault: Exception) -> Difference:
    if isinstance(fault, json.JSONDecodeError):
        return Difference(f"{_name(board)}, content", "no JSON", "a JSON object expected")
    return Difference(f"{_name(board)}, content", "not a whole snapshot", type(fault).__name__)


def _name(board: FrozenLeaderboard) -> str:
    return f"board {board.public_id} version {board.version}"


def _text(board: FrozenLeaderboard) -> Iterator[Difference]:
    digest = snapshots.digest_of(board.content)
    if digest != board.digest:
        yield Difference(f"{_name(board)}, digest", board.digest, digest)
    witnesses = AuditEntry.objects.filter(action="leaderboard frozen", target_id=board.public_id)
    for entry in witnesses:
        yield from _same(
            f"{_name(board)}, digest in the audit trail", board.digest, entry.after.get("digest")
        )
    if not witnesses:
        yield Difference(f"{_name(board)}, audit trail", "a board", "no entry of its freeze")


def _chain(board: FrozenLeaderboard) -> Iterator[Difference]:
    before = FrozenLeaderboard.objects.filter(
        phase=board.phase, track=board.track, version=board.version - 1
    ).first()
    expected = before.digest if before else ""
    if board.previous_digest != expected:
        yield Difference(
            f"{_name(board)}, previous digest", board.previous_digest or "none", expected or "none"
        )


def _rows(board: FrozenLeaderboard, content: dict[str, Any]) -> Iterator[Difference]:
    """The columns and rows that pages read, against the snapshot."""
    columns = {
        "version": board.version,
        "reason": board.reason,
        "previous_digest": board.previous_digest,
        "frozen_at": snapshots.instant(board.frozen_at),
    }
    for name, stored in columns.items():
        yield from _same(f"{_name(board)}, {name}", stored, content[name])
    stored_rows = {row.position: row for row in board.standings.select_related("team", "submission")}
    expected_rows = snapshots.rows_of(content)
    for expected in expected_rows:
        row = stored_rows.pop(expected["position"], None)
        where = f"{_name(board)}, row {expected['position']} ({expected['team_name']})"
        if row is None:
            yield Difference(where, "missing", "a row of the snapshot")
            continue
        team, run = expected.pop("team_public_id"), expected.pop("run_public_id")
        yield from _same(f"{where}, team", row.team.public_id, team)
        yield from _same(f"{where}, run", row.submission.public_id if row.submission else None, run)
        for name, value in expected.items():
            yield from _same(f"{where}, {name}", getattr(row, name), value)
    for position in stored_rows:
        yield Difference(f"{_name(board)}, row {position}", "a row", "none in the snapshot")


def _scores(board: FrozenLeaderboard, content: dict[str, Any], compute: Compute) -> Iterator[Difference]:
    """The stored files, and what they give when scored again."""
    where = _name(board)
    lines = [line for name, _ in snapshots.SECTIONS for line in content[name]]
    stored = {
        one.public_id: one
        for one in Submission.objects.filter(public_id__in=[line["run"] for line in lines]).select_related(
            "blob"
        )
    }
    same_board = {"phase": board.phase, "track": board.track}
    item_set = ItemSet.objects.filter(**same_board, version=content["items"]["version"]).first()
    gold = GoldVersion.objects.filter(**same_board, version=content["gold"]["version"]).first()
    if item_set is None or gold is None:
        yield Difference(f"{where}, files", "items and gold of the snapshot", "missing")
        return
    runs: dict[str, bytes] = {}
    try:
        items, references = blobs.load(item_set.blob), blobs.load(gold.blob)
        for line in lines:
            runs[line["run"]] = blobs.load(stored[line["run"]].blob)
    except (CorruptBlob, KeyError) as fault:
        yield Difference(f"{where}, stored files", "whole", str(fault))
        return
    yield from _same(f"{where}, items digest", content["items"]["digest"], hashlib.sha256(items).hexdigest())
    yield from _same(f"{where}, gold commitment", content["gold"]["commitment"], gold.blob_id)
    for line in lines:
        digest = hashlib.sha256(runs[line["run"]]).hexdigest()
        yield from _same(f"{where}, run of {line['team']}, digest", line["run_digest"], digest)
        received = snapshots.instant(stored[line["run"]].received_at)
        yield from _same(f"{where}, run of {line['team']}, received", line["received_at"], received)
    material = Material(
        kind=content["track"]["kind"],
        options=content["track"]["options"],
        items=items,
        gold=references,
        gold_version=content["gold"]["version"],
        runs=runs,
        ranked=tuple(line["run"] for name in ("entries", "unranked") for line in content[name]),
        seed=content["analysis"]["seed"],
    )
    yield from _recomputed(where, content, lines, compute(lambda: work_out(material)))


def _recomputed(
    where: str, content: dict[str, Any], lines: list[dict[str, Any]], again: dict[str, Any]
) -> Iterator[Difference]:
    for line in lines:
        run, mine = line["run"], f"{where}, {line['team']}"
        yield from _same(f"{mine}, scores", line["scores"], again["scores"][run])
        shown = {key: percent(value) for key, value in again["scores"][run].items()}
        yield from _same(f"{mine}, shown", line["shown"], shown)
        yield from _same(f"{mine}, signature", line["signature"], again["signatures"][run])
        for difference in again["second_opinion"][run].get("differences", ()):
            yield Difference(
                f"{mine}, second opinion", repr(difference["official"]), repr(difference["second"])
            )
        uncertainty = again["analysis"]["teams"].get(run)
        if "uncertainty" in line and not _close(line["uncertainty"], uncertainty):
            yield Difference(f"{mine}, interval", _short(line["interval"]), _short(uncertainty))
    score = content["scores"][0]
    ranking = rank(
        [
            Contender(line["team"], again["scores"][line["run"]].get(score["key"]), line["run"])
            for name in ("entries", "unranked")
            for line in content[name]
        ],
        higher_is_better=score["higher_is_better"],
    )
    ranks = [(place.rank, place.subject) for place in ranking.places]
    listed = [(line["rank"], line["run"]) for name in ("entries", "unranked") for line in content[name]]
    yield from _same(f"{where}, order", listed, ranks)
    yield from _same(f"{where}, scored items", content["gold"]["n_scored"], again["n_scored"])


def _same(where: str, stored: Any, found: Any) -> Iterator[Difference]:
    if stored != found:
        yield Difference(where, _short(stored), _short(found))


def _close(one: Any, other: Any) -> bool:
    """Equal but for the last places of resampled shares, where numpy's versions may differ."""
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(_close(one[key], other[key]) for key in one)
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(_close, one, other))
    if isinstance(one, float) and isinstance(other, (int, float)):
        return abs(one - other) <= TOLERANCE
    return bool(one == other)


def _short(value: Any) -> str:
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)
    return text if len(text) <= 200 else text[:200] + "…"
