"""A frozen board as the table template prints it, from its stored content and nothing else."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from competition.charts.whisker import Axis, axis, whisker
from competition.domain.invalid import invalid_on
from competition.views.board_table import (
    BoardTable,
    Column,
    Line,
    Section,
    brackets,
    chance_notes,
    extra_columns,
    score_cells,
    short_moment,
)

Content = Mapping[str, Any]


def frozen_table(
    content: Content, own: frozenset[str] = frozenset(), chance: float | None = None
) -> BoardTable:
    """`content`: the snapshot; `own`: public ids of the viewer's teams; `chance`: of its items."""
    scores, key = content["scores"], content["scores"][0]["key"]
    keys = [score["key"] for score in scores]
    everything = [*content["entries"], *content["baselines"], *content["unranked"]]
    title = f"{scores[0]['title']} in percent"
    if any(line.get("interval") for line in everything):
        title += ", with 95 % interval"
    scale = axis(_values(everything, key), title)
    lanes, pieces = brackets([frozenset(line.get("groups", "")) for line in content["entries"]])
    ranked = [_line(line, scores, scale, own) for line in content["entries"]]
    for line, piece in zip(ranked, pieces, strict=True):
        line.brackets = piece
    sections = [Section("ranked", "", ranked)] if ranked else []
    for name, part, heading in (
        ("baseline", "baselines", "Baselines, not ranked"),
        ("unranked", "unranked", "Without a finite score"),
    ):
        rows = [_line(line, scores, scale, own) for line in content[part]]
        for row in rows:
            row.brackets = [""] * len(lanes)
        if rows:
            sections.append(Section(name, heading, rows))
    return BoardTable(
        caption=(
            f"{content['track']['name']}, {content['phase']['name']}, {content['gold']['n_scored']} items"
        ),
        columns=[
            *(_column(score, score is scores[0]) for score in scores),
            *extra_columns(keys, [invalid_on(line) for line in everything]),
        ],
        sections=sections,
        rule=f"{content['rule']} Equal scores share a rank; order and rank go by full precision.",
        axis=scale,
        lanes=lanes,
        has_ranks=any(line.get("rank_interval") for line in content["entries"]),
        groups=[*_groups(content["entries"]), *chance_notes(scores[0]["title"], chance)],
        interval_note=_interval_note(content["analysis"]),
        signature=content["signature"],
        excluded=[{"team": one["team"], "reason": _excluded(one)} for one in content["exclusions"]],
        digests=[
            (f"Items, version {content['items']['version']}", content["items"]["digest"]),
            (
                f"Gold, version {content['gold']['version']} (salted commitment)",
                content["gold"]["commitment"],
            ),
        ],
    )


def _line(line: Content, scores: Sequence[Content], scale: Axis | None, own: frozenset[str]) -> Line:
    value = line["scores"].get(scores[0]["key"])
    interval = line.get("interval")
    ranks = line.get("rank_interval")
    under = [part for part in (line.get("affiliation"), line.get("run_name"), line.get("note")) if part]
    return Line(
        rank=str(line["rank"]) if line["rank"] else "–",
        team=line["team"],
        href=f"/teams/{line['team_id']}/" if line["rank"] else "",
        under=" · ".join(under),
        mine=line["team_id"] in own,
        scores=score_cells([score["key"] for score in scores], line["scores"], invalid_on(line)),
        whisker=whisker(scale, value, tuple(interval) if interval else None)
        if scale and value is not None
        else None,
        rank_interval=_range(*ranks) if ranks else "",
        sent=short_moment(datetime.fromisoformat(line["received_at"])),
    )


def _values(lines: Sequence[Content], key: str) -> list[float]:
    """Every number the axis must hold: scores and the ends of intervals."""
    values = [line["scores"].get(key) for line in lines]
    ends = [end for line in lines for end in line.get("interval") or ()]
    return [value for value in [*values, *ends] if value is not None]


def _column(score: Content, first: bool) -> Column:
    higher = score["higher_is_better"]
    return Column(
        symbol=score["symbol"],
        title=f"{score['title']}, {'higher' if higher else 'lower'} is better",
        arrow="↑" if higher else "↓",
        sorted=("descending" if higher else "ascending") if first else "",
    )


def _groups(entries: Sequence[Content]) -> list[str]:
    """The brackets in words: "Ranks 1–4 cannot be told apart."."""
    sentences = []
    for letter in sorted({letter for line in entries for letter in line.get("groups", "")}):
        ranks = [line["rank"] for line in entries if letter in line.get("groups", "")]
        if len(ranks) > 1:
            sentences.append(_range(ranks[0], ranks[-1]))
    if not sentences:
        return []
    return [f"Cannot be told apart (brackets at the left edge): ranks {', ranks '.join(sentences)}."]


def _interval_note(analysis: Content) -> str:
    if analysis.get("reason"):
        return f"No intervals: {analysis['reason']}"
    notes = " ".join(analysis.get("notes", ()))
    return (
        f"Intervals and groups: {analysis['about'].rstrip('.')}. {notes}".strip()
        if analysis.get("about")
        else notes
    )


def _excluded(one: Content) -> str:
    return f"run {one['run_number']}: {one['reason']}" if one.get("run_number") else one["reason"]


def _range(first: int, last: int) -> str:
    return str(first) if first == last else f"{first}–{last}"
