"""What holds for the reader whatever the bytes: no exception, bounded cost, one answer on every Python."""

from __future__ import annotations

import io
import json
import shutil
import subprocess
import sys
import time
import tracemalloc
from hashlib import sha256
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoring.readers import BLOCK
from scoring.records import Limits
from tests.scoring.reading import GOOD, Reading, Trickle, read
from tests.scoring.test_readers import FILES
from tests.scoring.test_syntax import CLASSICS, PIECES, accepts
from tests.support.shared import ROOT

MEGABYTE = 2**20 - 40
HOSTILE_FILES = {
    "tokens": b"[" + b"1," * (MEGABYTE // 2) + b"x",
    "carriage returns": b"\r" * MEGABYTE + b"x",
    "spaces": b" " * MEGABYTE + b"\\",
    "escapes": b'{"id": "' + b"\\u0041" * (MEGABYTE // 6),
    "half characters": b'{"id": "' + b"\\ud800" * (MEGABYTE // 6) + b'"}',
    "quotes": b'"' * MEGABYTE,
    "backslashes": b'{"id": "' + b"\\" * MEGABYTE,
    "ids": b"'id':\"" * (MEGABYTE // 6),
    "id and spaces": b'"id"' + b" " * MEGABYTE,
    "brackets": b"[" * MEGABYTE,
    "brackets and strings": b'["]",' * (MEGABYTE // 5),
    "objects": b'{"a":' * (MEGABYTE // 5),
    "pairs of brackets": b"[" + b"[]," * (MEGABYTE // 3) + b"]",
    "digits": b'{"a": ' + b"9" * MEGABYTE,
    "duplicate keys": b"{" + b'"a":1,' * (MEGABYTE // 6) + b"}",
    "bytes": b"\xff" * MEGABYTE,
}


@pytest.mark.parametrize("name", HOSTILE_FILES)
def test_hostile_lines_cost_no_more_than_their_length(name: str) -> None:
    """A line as long as allowed is judged within a second or so, whatever it holds."""
    start = time.process_time()
    reading = Reading(HOSTILE_FILES[name])
    assert time.process_time() - start < 2
    assert reading.totals
    assert reading.reader.records == 0


@pytest.mark.parametrize("name", ["half characters", "bytes"])
def test_hostile_lines_are_held_a_few_times_at_most(name: str) -> None:
    tracemalloc.start()
    Reading(b"\n".join([HOSTILE_FILES[name][: MEGABYTE // 16]] * 32))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 5 * 2**20


@pytest.mark.parametrize("line", ["x", "{'a':1}", '{"id":1,}', '"a"', "{", "\xff", "```", ""])
def test_many_faulty_lines_cost_little(line: str) -> None:
    start = time.process_time()
    Reading(f"{line}\n".encode("latin-1") * 50_000)
    assert time.process_time() - start < 4


LINES = st.sampled_from(
    [
        b'{"id": "q1", "answer": "up"}',
        '{"id": "q2", "answer": "純利益 [{\u2028"}'.encode(),
        b'{"id": "q3", "facts": [{"a": 1}, {"a": 2.5}]}',
        b'{"id": "q4", "answer": "\\ud83d\\ude00 \\u0000"}',
        b"{'id': 'q5'}",
        b'{"id": "q6"',
        b'"answer": 1}',
        b"[",
        b"```",
        b"",
        b"  ",
        b'{"id": "q7", "answer": NaN, "id": 1e999}',
        b'{"id": "\xe9"}',
        b"\xef\xbb\xbf{}",
        b"\r",
        b"x" * 70,
        b"[" * 40,
    ]
)
HOSTILE = st.one_of(
    st.lists(LINES, max_size=12).map(b"\n".join),
    st.lists(st.tuples(LINES, st.sampled_from([b"\n", b"\r\n", b"\r", b"", b"\x00"]))).map(
        lambda pairs: b"".join(line + end for line, end in pairs)
    ),
    st.binary(max_size=200),
)
SMALL = st.sampled_from(
    [Limits(), Limits(line_bytes=60), Limits(file_bytes=150), Limits(lines=3), Limits(depth=2)]
)


@given(HOSTILE, SMALL)
def test_any_bytes_give_records_and_problems_and_no_exception(data: bytes, limits: Limits) -> None:
    reading = Reading(data, limits)
    assert reading.reader.digest == sha256(data).hexdigest()
    assert reading.numbers == sorted(set(reading.numbers))
    assert reading.reader.records == len(reading.records) <= reading.reader.lines <= data.count(b"\n") + 1
    lines = [problem.line for problem in reading.problems]
    assert [line for line in lines if line] == sorted(line for line in lines if line)
    assert reading.reader.records or reading.problems
    json.dumps([problem.to_json() for problem in reading.problems]).encode()
    if not any(code.startswith("E") for code in reading.totals):
        text = data.decode("utf-8-sig")
        assert [record for _, record in reading.records] == [
            json.loads(line) for line in text.split("\n") if line.strip(" \t\r")
        ]


@given(st.lists(PIECES, max_size=30).map("".join), st.booleans())
def test_the_reader_takes_exactly_what_a_strict_decoder_takes(inner: str, wrapped: bool) -> None:
    line = f'{{"x": {inner}}}' if wrapped else inner
    good = accepts(line) and isinstance(json.loads(line), dict)
    reading = read(line)
    assert reading.records == ([(1, json.loads(line))] if good else [])
    assert bool(reading.problems) != good


@given(HOSTILE, SMALL, st.lists(st.integers(1, 40), min_size=1, max_size=5))
def test_bytes_and_streams_read_alike(data: bytes, limits: Limits, sizes: list[int]) -> None:
    whole = Reading(data, limits).outcome
    assert Reading(io.BytesIO(data), limits).outcome == whole
    assert Reading(Trickle(data, sizes), limits).outcome == whole


def test_lines_across_blocks_read_alike() -> None:
    """Lines that end, begin and span just where blocks of bytes meet."""
    for shift in range(-3, 4):
        filler = '{"id": "' + "x" * (BLOCK - 13 + shift) + '"}'
        text = f'{filler}\r\n{{"id": "q", "answer": "é字"}}\r\n{filler}\n{{"id": NaN}}'
        data = text.encode()
        reading = Reading(data)
        assert (reading.codes, reading.numbers) == ([("E107", 4)], [1, 2, 3])
        assert Reading(Trickle(data, [1000, 7, 4096])).outcome == reading.outcome


def test_a_broken_line_does_not_depend_on_its_neighbours() -> None:
    """Checks of whole blocks never change what one line is told."""
    for _, data, codes, _ in FILES:
        if codes in ([("E110", 1)], [("E111", 1)], [("E008", 1)]) and data.count(b"\r") < 2:
            first = data.split(b"\n")[0] + b"\n"
            padded = b'5\n"x"\n' * 50 + first + b'{"a": [{}, {}]}\n' * 50
            assert (codes[0][0], 101) in Reading(padded).codes


def other_pythons() -> list[str]:
    """This interpreter and every other that the floor of `scoring` promises, where one can be run."""
    found = [sys.executable]
    names = [f"python3.{minor}" for minor in range(9, 15)]
    rooms = [Path(path) for path in (Path.home() / ".pyenv" / "versions").glob("3.*/bin")]
    for name in names:
        for path in [*(str(room / name) for room in rooms), shutil.which(name)]:
            if path and Path(path).exists():
                answer = subprocess.run([path, "-c", "pass"], capture_output=True)
                if answer.returncode == 0:
                    found.append(path)
                    break
    return found


SCRIPT = """
import json, sys
from scoring.problems import Faults, Problems
from scoring.readers import Reader
told = []
for data in json.load(open(sys.argv[1])):
    problems = Problems()
    reader = Reader(data.encode("latin-1"), Faults(problems))
    records = list(reader)
    told.append([records, [one.to_json() for one in problems], problems.totals, reader.lines, reader.digest,
                 reader.unreadable, sorted(reader.salvaged)])
print(sys.version_info[:2], file=sys.stderr)
print(json.dumps(told))
"""


def test_every_python_says_the_same(tmp_path: Path) -> None:
    corpus = [data for _, data, _, _ in FILES if len(data) < 10_000]
    corpus += [line.encode("utf-8") + b"\n" + GOOD.encode() for line, *_ in CLASSICS if len(line) < 10_000]
    path = tmp_path / "corpus.json"
    path.write_text(json.dumps([data.decode("latin-1") for data in corpus]))
    answers = {}
    for python in other_pythons():
        run = subprocess.run(
            [python, "-c", SCRIPT, str(path)], cwd=ROOT, capture_output=True, text=True, timeout=60
        )
        assert run.returncode == 0, run.stderr
        answers[run.stderr.strip()] = json.loads(run.stdout)
    first, *others = answers.values()
    assert len(first) == len(corpus) > 100
    assert all(answer == first for answer in others), list(answers)
