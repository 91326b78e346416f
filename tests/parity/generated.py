"""Runs of every sort for one kind: valid ones, valid ones with faults put in, and files out of a grammar."""

from __future__ import annotations

import gzip
import json
import unicodedata
from collections.abc import Callable
from typing import Any

from hypothesis import strategies as st

from scoring.tracks.base import Kind, Record

INVISIBLE = [
    "\u200b",
    "\u00ad",
    "\ufeff",
    "\u202e",
    "\u2028",
    "\u0085",
    "\u3164",
    "\x00",
    "\x1f",
    "\U000e0041",
]
ODD = [
    "ﷺ",
    "ﬀ",
    "Å",
    "e\u0301",
    "が",
    "か\u3099",
    "ς",
    "İ",
    "ı",
    "一",
    "々",
    "\u0301" * 40,
    "😀",
    "−",
    "１",
    "٣",
    "ẞ",
]
PIECES = [
    "a",
    "Q1",
    " ",
    "\t",
    "\n",
    '"',
    "\\",
    "'",
    "None",
    "<b>",
    "{}",
    "[",
    "12,5 %",
    "us-gaap:",
    "B-",
    *INVISIBLE,
    *ODD,
]
NUMBERS = [
    "0",
    "-0",
    "1",
    "01",
    "1.0",
    "-1",
    "1.",
    ".5",
    "1e5",
    "1e999",
    "-1e999",
    "9007199254740993",
    "9" * 30,
    "9" * 4400,
    "0x1",
]
WORDS = ["true", "false", "null", "NaN", "Infinity", "-Infinity", "None", "True", "undefined", "'x'"]
ESCAPES = [
    r"\u0000",
    r"\ud83d",
    r"\ud83d\ude80",
    r"\udc00\ud800",
    r"\x41",
    r"\u12",
    r"\/",
    r"\"",
    r"\\",
    r"\n",
]

texts = st.lists(st.sampled_from(PIECES), max_size=6).map("".join)


def values(known: list[Any]) -> st.SearchStrategy[Any]:
    """JSON values, many of which the kind itself could have written."""
    plain = st.one_of(
        st.sampled_from(known),
        texts,
        st.none(),
        st.booleans(),
        st.integers(-3, 12),
        st.sampled_from([2**53, 2**53 + 1, 10**400, 1.5, -0.0, 1e300, float("inf"), float("nan")]),
    )
    return st.recursive(
        plain,
        lambda inner: st.one_of(
            st.lists(inner, max_size=4),
            st.dictionaries(st.one_of(st.sampled_from(["id", "result"]), texts), inner, max_size=3),
        ),
        max_leaves=6,
    )


def parts_of(value: Any) -> list[Any]:
    """The value and everything inside it."""
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else []
    return [value, *(part for one in inner for part in parts_of(one))]


# Faults of a record


def _changed_id(draw: Callable[..., Any], record: Record, kind: Kind, others: list[Record]) -> Record:
    own = str(record.get(kind.id_field, ""))
    near = [own + " ", " " + own, own.upper(), own.swapcase(), "\u200b" + own, own + "\u0301"]
    near += [own[:1] + "\u00ad" + own[1:], unicodedata.normalize("NFKD", own), own.replace("1", "１")]
    far = ["nobody", "", 7, 1.5, None, True, [own], *(other.get(kind.id_field) for other in others)]
    return {**record, kind.id_field: draw(st.sampled_from(near + far))}


def _changed_value(draw: Callable[..., Any], record: Record, kind: Kind, others: list[Record]) -> Record:
    name = draw(st.sampled_from(sorted(map(str, record)) or ["id"]))
    known = [part for other in others for part in parts_of(other)]
    return {**record, name: draw(values(known))}


def _changed_inside(draw: Callable[..., Any], record: Record, kind: Kind, others: list[Record]) -> Record:
    """One value, however deep, replaced by something else."""
    known = [part for other in others for part in parts_of(other)]
    new = draw(values(known))
    copy = json.loads(json.dumps(record))
    holders = [part for part in parts_of(copy) if isinstance(part, (dict, list)) and part]
    if not holders:
        return record
    holder = draw(st.sampled_from(holders))
    key = draw(st.sampled_from(list(holder) if isinstance(holder, dict) else list(range(len(holder)))))
    holder[key] = new
    return copy


def _renamed(draw: Callable[..., Any], record: Record, kind: Kind, others: list[Record]) -> Record:
    if not record:
        return record
    name = draw(st.sampled_from(list(record)))
    return {
        draw(st.sampled_from([name.upper(), name + " ", "answer", "x"])) if key == name else key: value
        for key, value in record.items()
    }


def _invalid(draw: Callable[..., Any], record: Record, kind: Kind, others: list[Record]) -> Record:
    reason = draw(st.sampled_from(["refused", "format", "timeout", "", None, 3]))
    kept = record if draw(st.booleans()) else {kind.id_field: record.get(kind.id_field)}
    return {**kept, "invalid": reason}


def _extra(draw: Callable[..., Any], record: Record, kind: Kind, others: list[Record]) -> Record:
    return {**record, draw(texts): draw(texts)}


def _less(draw: Callable[..., Any], record: Record, kind: Kind, others: list[Record]) -> Record:
    gone = draw(st.sampled_from(list(record) or [""]))
    return {name: value for name, value in record.items() if name != gone}


RECORD_FAULTS = [
    _changed_id,
    _changed_value,
    _changed_value,
    _changed_inside,
    _changed_inside,
    _renamed,
    _invalid,
    _extra,
    _less,
]

# Faults of a line, and of the file as bytes


def _written_oddly(line: bytes) -> list[bytes]:
    text = line.decode("utf-8", "replace")
    as_text = [
        text.replace('"', "'"),
        text.replace('"', "“"),
        text.replace(":", "=", 1),
        text.replace(": ", ": NaN, ", 1),
        text.replace("{", '{"id": "a", "id": "b", ', 1),
        json.dumps(text),
    ]
    around = [b"[" + line + b",", line + b",", line + line, line[:-1], line[1:], line[:-1] + b",}"]
    around += [b"\xef\xbb\xbf" + line, line + b"\r", line.replace(b'"', b'\\"')]
    alone = [b"", b"  ", b"```json", b"```", b"[", b"]", b"// a remark", b'"text"', b"7"]
    deep = [b"[" * 100_000, *(b'{"id": "q", "answer": ' + b"[" * n + b"]" * n + b"}" for n in (31, 32, 40))]
    return [*map(str.encode, as_text), *around, *alone, *deep]


def _bytes_changed(draw: Callable[..., Any], content: bytes) -> bytes:
    at = draw(st.integers(0, len(content)))
    until = min(len(content), at + draw(st.integers(0, 3)))
    new = draw(st.one_of(
        st.binary(max_size=3),
        st.sampled_from(PIECES + NUMBERS + WORDS + ESCAPES).map(str.encode),
        st.sampled_from([b"\xff", b"\xed\xa0\x80", b"\xf0\x9f", b"\r", b"\n", b"\r\n", b"\x0b", b"\xc0\x80"]),
    ))  # fmt: skip
    return content[:at] + new + content[until:]


WHOLE: list[Callable[[bytes], bytes]] = [
    lambda content: content.replace(b"\n", b"\r\n"),
    lambda content: content.replace(b"\n", b"\r"),
    lambda content: content.replace(b"\n", b"\n\n"),
    lambda content: b"\xef\xbb\xbf" + content,
    lambda content: content.rstrip(b"\n"),
    lambda content: content + b"\n\n  \n",
    lambda content: content.decode("utf-8", "replace").encode("utf-16"),
    lambda content: content.decode("utf-8", "replace").encode("utf-16-le"),
    lambda content: content.decode("utf-8", "replace").encode("latin-1", "replace"),
    lambda content: gzip.compress(content, mtime=0),
    lambda content: b"PK\x03\x04" + content,
    lambda content: b"%PDF-1.7\n" + content,
    lambda content: b"[" + content.replace(b"\n", b",\n") + b"]",
    lambda content: content * 3,
    lambda content: content[: len(content) // 2],
    lambda content: b"",
]


@st.composite
def mutated(draw: Callable[..., Any], kind: Kind) -> bytes:
    """A valid run of the kind with up to four faults, so that every kind of fault meets every other."""
    others = [dict(record) for record in kind.example["run"]]
    records = [dict(record) for record in others]
    for _ in range(draw(st.integers(0, 3))):
        at = draw(st.integers(0, len(records) - 1))
        what = draw(st.sampled_from([*RECORD_FAULTS, "twice", "gone", "moved"]))
        if what == "twice":
            records.append(dict(records[at]))
        elif what == "gone" and len(records) > 1:
            del records[at]
        elif what == "moved":
            records.insert(0, records.pop(at))
        elif callable(what):
            records[at] = what(draw, records[at], kind, others)
    escaped = draw(st.booleans())
    lines = [json.dumps(record, ensure_ascii=escaped).encode("utf-8", "surrogatepass") for record in records]
    if draw(st.booleans()):
        at = draw(st.integers(0, len(lines) - 1))
        lines[at] = draw(st.sampled_from(_written_oddly(lines[at])))
    content = b"".join(line + b"\n" for line in lines)
    for _ in range(draw(st.sampled_from([0, 0, 1, 2]))):
        content = _bytes_changed(draw, content)
    return draw(st.sampled_from(WHOLE))(content) if draw(st.integers(0, 4)) == 0 else content


def _grammar(kind: Kind) -> st.SearchStrategy[str]:
    """Lines that look like JSON and mostly are."""
    names = [kind.id_field, *(field.name for field in kind.run_fields), "invalid"]
    known = [part for record in kind.example["run"] for part in parts_of(record) if isinstance(part, str)]
    inside = st.lists(st.sampled_from([*PIECES, *ESCAPES]), max_size=4).map("".join)
    strings = st.one_of(st.sampled_from(known).map(json.dumps), inside.map(lambda text: f'"{text}"'))
    scalars = st.one_of(strings, st.sampled_from(NUMBERS), st.sampled_from(WORDS))
    commas = st.sampled_from([",", ", ", ",", ", ", ",,", ""])
    colons = st.sampled_from([": ", ":", ": ", ":", "=", "::", ""])

    def deeper(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
        pair = st.tuples(st.one_of(st.sampled_from(names).map(json.dumps), scalars), colons, inner).map(
            "".join
        )
        closing = st.sampled_from(["}", "}", "}", "]", ""])
        objects = st.tuples(commas, st.lists(pair, max_size=4), closing).map(
            lambda it: "{" + it[0].join(it[1]) + it[2]
        )
        lists = st.tuples(commas, st.lists(inner, max_size=4)).map(lambda it: "[" + it[0].join(it[1]) + "]")
        return st.one_of(objects, objects, lists)

    return st.recursive(scalars, deeper, max_leaves=12)


def grown(kind: Kind) -> st.SearchStrategy[bytes]:
    """Files of such lines, ended in every way lines can end."""
    ends = st.sampled_from(["\n", "\n", "\n", "\r\n", "\r", "\n\n", "\u2028", ""])
    lines = st.lists(st.tuples(_grammar(kind), ends).map("".join), max_size=5)
    return lines.map(lambda found: "".join(found).encode("utf-8", "surrogatepass"))


def runs(kind: Kind) -> st.SearchStrategy[bytes]:
    return st.one_of(mutated(kind), mutated(kind), mutated(kind), grown(kind))
