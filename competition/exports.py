"""A frozen board as CSV, JSON, Markdown and LaTeX. Each takes the snapshot's content and reads nothing
else.

Every format tells the same ordered story: rank, team, each score as shown (percent) and, in CSV and JSON,
its full value. Where the kind takes invalid answers their rate stands beside the scores, with its reasons.
"""

from __future__ import annotations

import io
import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from defusedcsv import csv

from competition.domain.invalid import KEY, SYMBOL, InvalidShare, has_own_column, invalid_on, reasons_on
from competition.domain.ranking import percent

Content = dict[str, Any]

BYTE_ORDER_MARK = "\ufeff"
"""Without it spreadsheets read UTF-8 as a local code page, and names in Chinese or Greek break."""

_ACTS_IN_A_SPREADSHEET = re.compile(r"^[\s\x00-\x1f]*[=+\-@|%\uff1d\uff0b\uff0d\uff20]|^[\t\r\n]")


@dataclass(frozen=True)
class Row:
    """One line of a board in any format. `kind` is "team", "baseline" or "unranked"."""

    kind: str
    rank: int | None
    team: str
    entry: dict[str, Any]

    @property
    def invalid(self) -> InvalidShare | None:
        return invalid_on(self.entry)


@dataclass(frozen=True)
class Columns:
    """The numbers between a team's name and the rest: its scores, and the invalid rate where that is none of
    them. `reasons` is empty where the kind takes no invalid answers.
    """

    keys: list[str]
    symbols: list[str]
    reasons: tuple[str, ...]

    def values(self, row: Row) -> list[float | None]:
        """At full precision, one for each column."""
        rate = {KEY: row.invalid.rate} if row.invalid else {}
        found = {**rate, **row.entry["scores"]}
        return [found.get(key) for key in self.keys]


def columns(content: Content) -> Columns:
    shares = [row.invalid for row in rows(content)]
    keys = [score["key"] for score in content["scores"]]
    symbols = [score["symbol"] for score in content["scores"]]
    if has_own_column(keys, shares):
        keys, symbols = [*keys, KEY], [*symbols, SYMBOL]
    return Columns(keys, symbols, reasons_on(shares))


def rows(content: Content) -> Iterator[Row]:
    """Ranked teams, then the pinned baselines, then the unranked section."""
    for kind, section in (("team", "entries"), ("baseline", "baselines"), ("unranked", "unranked")):
        for entry in content[section]:
            yield Row(kind, entry.get("rank"), entry["team"], entry)


def as_json(content: Content, digest: str) -> str:
    """The snapshot itself with its digest beside it, indented for people; `content` digests to `digest`."""
    return json.dumps({"digest": digest, "content": content}, ensure_ascii=False, indent=1) + "\n"


def as_csv(content: Content, digest: str) -> str:
    """Comma-separated with a byte order mark; text cells that a spreadsheet would run are neutralised."""
    out = io.StringIO(newline="")
    out.write(BYTE_ORDER_MARK)
    write = csv.writer(out, lineterminator="\r\n").writerow
    shown = columns(content)
    head = ["rank", "section", "team", "affiliation", "run"]
    for key in shown.keys:
        head += [f"{key} (%)", key]
    write(
        [
            *head,
            *(f"invalid_{_one_line(reason)}" for reason in shown.reasons),
            "interval_low",
            "interval_high",
            "rank_low",
            "rank_high",
            "received_at",
            "signature",
            "digest",
        ]
    )
    for row in rows(content):
        entry = row.entry
        cells: list[Any] = [
            "" if row.rank is None else row.rank,
            row.kind,
            inert(row.team),
            inert(entry.get("affiliation", "")),
            entry.get("run_number", ""),
        ]
        for value in shown.values(row):
            cells += ["", ""] if value is None else [percent(value), value]
        cells += [row.invalid.reasons.get(reason, 0.0) if row.invalid else "" for reason in shown.reasons]
        interval = entry.get("interval") or ["", ""]
        ranks = entry.get("rank_interval") or ["", ""]
        write([*cells, *interval, *ranks, entry.get("received_at", ""), content["signature"], digest])
    return out.getvalue()


def inert(text: str) -> str:
    """`text` that no spreadsheet takes for a formula: an apostrophe before a sign that would start one."""
    return f"'{text}" if _ACTS_IN_A_SPREADSHEET.match(text) else text


def as_markdown(content: Content, digest: str) -> str:
    """A table for a README, with the stamp below."""
    shown = columns(content)
    lines = [
        "| Rank | Team | " + " | ".join(map(_markdown, shown.symbols)) + " |",
        "|---:|:---|" + "---:|" * len(shown.symbols),
    ]
    for row in rows(content):
        rank = "–" if row.rank is None else str(row.rank)
        team = _markdown(row.team) + (" *(baseline)*" if row.kind == "baseline" else "")
        cells = [percent(value) for value in shown.values(row)]
        if row.invalid:
            cells[shown.keys.index(KEY)] = _markdown(row.invalid.text)
        lines.append(f"| {rank} | {team} | {' | '.join(cells)} |")
    return "\n".join(
        [*lines, "", _markdown(stamp(content)), "", f"`{content['signature']}`", f"`{digest}`", ""]
    )


def as_latex(content: Content, digest: str) -> str:
    """A `booktabs` table that fits one column, full values as comments beside what is shown."""
    shown = columns(content)
    lines = [
        "% Needs \\usepackage{booktabs}.",
        f"% Snapshot {digest}",
        "\\begin{table}[t]",
        "\\centering\\small",
        f"\\caption{{{_latex(stamp(content))} Signature: \\texttt{{{_latex(content['signature'])}}}.}}",
        f"\\label{{tab:{content['task']['slug']}-{content['track']['slug']}-{content['phase']['slug']}}}",
        "\\begin{tabular}{rl" + "r" * len(shown.symbols) + "}",
        "\\toprule",
        "Rank & Team & " + " & ".join(map(_latex, shown.symbols)) + " \\\\",
        "\\midrule",
    ]
    section = "team"
    for row in rows(content):
        if row.kind != section:
            lines.append("\\midrule")
            section = row.kind
        rank = "--" if row.rank is None else str(row.rank)
        team = f"\\emph{{{_latex(row.team)}}}" if row.kind == "baseline" else _latex(row.team)
        values = shown.values(row)
        cells = " & ".join("--" if value is None else percent(value) for value in values)
        full = " ".join("-" if value is None else repr(value) for value in values)
        if reasons := row.invalid.reasons if row.invalid else {}:
            full += "; invalid: " + _one_line(" ".join(f"{name} {part!r}" for name, part in reasons.items()))
        lines.append(f"{rank} & {team} & {cells} \\\\ % {full}")
    return "\n".join([*lines, "\\bottomrule", "\\end{tabular}", "\\end{table}", ""])


def stamp(content: Content) -> str:
    """Which board this is, and how its numbers read."""
    invalid = " Invalid answers count as wrong." if columns(content).reasons else ""
    return (
        f"{content['task']['name']}, {content['track']['name']}, {content['phase']['name']}: board version "
        f"{content['version']}, frozen {content['frozen_at'][:16].replace('T', ' ')} UTC, "
        f"{content['gold']['n_scored']} items. Scores in percent.{invalid}"
    )


_MARKDOWN_SIGNS = re.compile(r"([\\`*_{}\[\]()#+\-!|<>~&])")


def _markdown(text: str) -> str:
    return _MARKDOWN_SIGNS.sub(r"\\\1", _one_line(text))


_LATEX = {
    "\\": "\\textbackslash{}",
    "{": "\\{",
    "}": "\\}",
    "$": "\\$",
    "&": "\\&",
    "%": "\\%",
    "#": "\\#",
    "_": "\\_",
    "~": "\\textasciitilde{}",
    "^": "\\textasciicircum{}",
    "|": "\\textbar{}",
    "<": "\\textless{}",
    ">": "\\textgreater{}",
}


def _latex(text: str) -> str:
    return "".join(_LATEX.get(character, character) for character in _one_line(text))


def _one_line(text: str) -> str:
    return " ".join(text.split())


FORMATS = {
    "json": ("application/json", as_json),
    "csv": ("text/csv; charset=utf-8", as_csv),
    "md": ("text/markdown; charset=utf-8", as_markdown),
    "tex": ("application/x-tex; charset=utf-8", as_latex),
}
"""Ending of the address → media type and writer (content, digest) → text."""
