"""What the reader makes of bytes: records, problems with lines, limits."""

from __future__ import annotations

import gzip
import io
import json
import tracemalloc
import zipfile
from hashlib import sha256

import pytest

from scoring.readers import BLOCK
from scoring.records import Limits
from tests.scoring.reading import GOOD, Reading, read
from tests.support.shared import shared_path


def test_good_lines_come_with_their_numbers() -> None:
    reading = read(GOOD)
    assert reading.records == [(1, {"id": "q1", "answer": "up"}), (2, {"id": "q2", "answer": "down"})]
    assert reading.problems == []
    assert (reading.reader.lines, reading.reader.records, reading.reader.unreadable) == (2, 2, False)
    assert reading.reader.digest == sha256(GOOD.encode()).hexdigest()
    assert reading.faults.line is None


# Cases of ../shared whose verdict the reader alone decides: case → (code, line).
DECIDED = {
    "utf16le": ("E003", None),
    "latin1-byte": ("E004", 1),
    "json-array": ("E102", 1),
    "pretty-printed": ("E103", 1),
    "single-quotes": ("E105", 1),
    "nan-answer": ("E107", 1),
    "duplicate-key": ("E106", 1),
    "scalar-line": ("E113", 2),
    "markdown-fence": ("E104", 1),
    "empty-file": ("E001", None),
    "zip-renamed": ("E005", None),
    "deep-nesting": ("E110", 1),
    "huge-integer": ("E109", 1),
    "lone-surrogate": ("E111", 1),
    "nul-escape": ("E112", 1),
}
CONVEYED = {
    "utf16le": "not UTF-8: it looks like UTF-16",
    "latin1-byte": "invalid UTF-8",
    "json-array": "One JSON object per line expected, found a JSON array",
    "pretty-printed": "each record must be on one line",
    "single-quotes": "strings must use double quotes",
    "nan-answer": "NaN is not valid JSON",
    "duplicate-key": 'the key "answer" occurs twice',
    "scalar-line": "A JSON object is expected on each line, found a string",
    "markdown-fence": "code-fence line (```)",
    "empty-file": "The file is empty",
    "zip-renamed": "ZIP archive",
    "deep-nesting": "nested more than 32 deep",
    "huge-integer": "too large",
    "lone-surrogate": "lone surrogate",
    "nul-escape": "NUL character",
}
DROPPED_OR_SKIPPED = {"bom-utf8": "I901", "trailing-blank-lines": "I902"}


def test_shared_cases() -> None:
    """Every file case: refused here with its code and line, or read without an error."""
    folder = shared_path("cases")
    cases = json.loads((folder / "cases.json").read_text(encoding="utf-8"))["cases"]
    files = {case["id"]: case for case in cases if case.get("file", "").endswith((".jsonl", ".txt"))}
    assert DECIDED.keys() <= files.keys()
    for name, case in files.items():
        reading = Reading((folder / case["file"]).read_bytes())
        if name in DECIDED:
            problem = reading.only()
            assert (problem.code, problem.line) == DECIDED[name], name
            assert CONVEYED[name] in problem.message, name
            assert problem.line == case["expect"].get("line"), name
            assert case["expect"]["verdict"] == "rejected", name
        else:
            wanted = [DROPPED_OR_SKIPPED[name]] if name in DROPPED_OR_SKIPPED else []
            assert list(reading.totals) == wanted, name
            assert reading.reader.records == case["expect"].get("records", reading.reader.records), name


def packed(text: str) -> bytes:
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w") as archive:
        archive.writestr("run.jsonl", text)
    return target.getvalue()


FILES = [
    # what it is, bytes, codes with lines, lines with records
    ("empty", b"", [("E001", None)], []),
    ("only blank lines", b"\n \n\t\r\n", [("E001", None)], []),
    ("only a mark", b"\xef\xbb\xbf", [("I901", 1), ("E001", None)], []),
    ("no final line end", GOOD.rstrip("\n").encode(), [], [1, 2]),
    ("mark at the start", b"\xef\xbb\xbf" + GOOD.encode(), [("I901", 1)], [1, 2]),
    ("mark inside", GOOD.encode() + b"\xef\xbb\xbf" + GOOD.encode(), [("E011", 3)], [1, 2, 4]),
    ("CRLF", GOOD.replace("\n", "\r\n").encode(), [], [1, 2]),
    ("mixed line ends", GOOD.replace("\n", "\r\n", 1).encode(), [], [1, 2]),
    ("blank lines", b'\n{"id": "a"}\n\n  \t\n{"id": "b"}\n\n', [("I902", 1)], [2, 5]),
    ("white space around", b' \t{"id": "a"}\t \r\n   {"id": "b"} ', [], [1, 2]),
    ("lone CR", GOOD.replace("\n", "\r").encode(), [("E008", 1)], []),
    ("lone CR after LF", GOOD.encode() + GOOD.replace("\n", "\r").encode(), [("E008", 3)], [1, 2]),
    ("CR inside", b'{"id": "a",\r"answer": "x"}\n{"id": "b"}\n', [("E008", 1)], [2]),
    ("several CRs inside", b'{"id":\r"a",\r"b": 1}\n', [("E008", 1)], []),
    ("CR at the end", b'{"id": "a"}\n{"id": "b"}\r', [("E008", 2)], [1]),
    ("UTF-16 LE", GOOD.encode("utf-16"), [("E003", None)], []),
    ("UTF-16 BE", b"\xfe\xff" + GOOD.encode("utf-16-be"), [("E003", None)], []),
    ("UTF-16 LE without mark", GOOD.encode("utf-16-le"), [("E003", None)], []),
    ("UTF-16 BE without mark", GOOD.encode("utf-16-be"), [("E003", None)], []),
    ("UTF-32", GOOD.encode("utf-32"), [("E003", None)], []),
    ("UTF-32 BE without mark", GOOD.encode("utf-32-be"), [("E003", None)], []),
    ("UTF-32 LE without mark", GOOD.encode("utf-32-le"), [("E003", None)], []),
    ("ZIP", packed(GOOD), [("E005", None)], []),
    ("empty ZIP", b"PK\x05\x06" + bytes(18), [("E005", None)], []),
    ("gzip", gzip.compress(GOOD.encode()), [("E006", None)], []),
    ("PNG", b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR", [("E007", None)], []),
    ("JPEG", b"\xff\xd8\xff\xe0\x00\x10JFIF", [("E007", None)], []),
    ("GIF", b"GIF89a\x01\x00\x01\x00", [("E007", None)], []),
    ("PDF", b"%PDF-1.7\n%\xe2\xe3\xcf\xd3\n", [("E007", None)], []),
    ("Parquet", b"PAR1\x15\x04\x15", [("E007", None)], []),
    ("pickle", b"\x80\x04\x95\x10\x00\x00\x00", [("E007", None)], []),
    ("other binary", bytes(range(256)) * 4, [("E007", None)], []),
    ("Latin-1", '{"id": "a", "answer": "é"}\n{"id": "b"}'.encode("latin-1"), [("E004", 1)], [2]),
    ("Shift JIS", '{"id": "a", "answer": "減損"}\n'.encode("shift_jis"), [("E004", 1)], []),
    ("surrogates as bytes", b'{"id": "\xed\xa0\x80"}\n{"id": "b"}\n', [("E004", 1)], [2]),
    ("overlong form", b'{"id": "\xc0\xaf"}\n', [("E004", 1)], []),
    ("cut in a character", '{"id": "é"}'.encode()[:9], [("E004", 1)], []),
    ("separators in text", '{"id": "a\u2028b\u2029c\x85d"}\n'.encode(), [], [1]),
    ("raw NUL", b'{"id": "a\x00"}\n{"id": "b"}\n', [("E112", 1)], [2]),
    ("array", b'[{"id": "a"}, {"id": "b"}]', [("E102", 1)], []),
    ("array over lines", b'\n[\n{"id": "a"},\n{"id": "b"}\n]\n', [("E102", 2)], []),
    ("indented array", json.dumps([{"id": "a"}, {"id": "b"}], indent=1).encode(), [("E102", 1)], []),
    ("array of other things", b'["a", "b"]\n["c", "d"]\n', [("E113", 1), ("E113", 2)], []),
    ("later array", GOOD.encode() + b'[{"id": "c"}]\n', [("E113", 3)], [1, 2]),
    ("pretty-printed", json.dumps({"id": "a", "b": [{"c": 1}]}, indent=2).encode(), [("E103", 1)], []),
    ("pretty later", GOOD.encode() + b'{"id": "c",\n\n "answer": 1}\n', [("E103", 3)], [1, 2]),
    ("pretty list", b'{"id": "a", "facts": [\n{"Fact": "1"},\n{"Fact": "2"}]}\n', [("E103", 1)], []),
    ("broken text", b'{"id": "a", "answer": "one\ntwo"}\n', [("E116", 1), ("E101", 2)], []),
    ("cut off", GOOD.encode()[:-10], [("E116", 2)], [1]),
    ("cut off then good", b'{"id": "a"\n' + GOOD.encode(), [("E116", 1)], [2, 3]),
    ("fences", b'```json\n{"id": "a"}\n```\n\n~~~\n{"id": "b"}\n~~~', [("E104", 1), ("I902", 4)], [2, 6]),
    ("Python", b"{'id': 'a'}\n" * 3 + b'{"id": "b"}\n', [("E105", 1)], [4]),
    ("Python words", b'{"id": "a", "b": None}\n{"id": "c", "b": True}\n', [("E105", 1)], []),
    ("scalars", b'"a"\n5\nnull\n{}\n', [("E113", 1), ("E113", 2), ("E113", 3)], [4]),
    ("two on a line", b'{"id": "a"}{"id": "b"}\n', [("E115", 1)], []),
    ("commas between lines", b'{"id": "a"},\n{"id": "b"}\n', [("E117", 1)], [2]),
    ("header", b'id,answer\n{"id": "a"}\n', [("E101", 1)], [2]),
    ("several faults", b'{"id": "a", "n": NaN, "n": 1e999}\n', [("E107", 1), ("E106", 1), ("E108", 1)], []),
    ("duplicate deep down", b'{"id": "a", "b": [{"c": 1, "c": 2}]}\n', [("E106", 1)], []),
    ("good escapes", b'{"id": "\\ud83d\\ude00", "b": "\\\\u0000 \\\\ud800"}\n', [], [1]),
    ("bad escape pair", b'{"id": "\\\\ud83d\\ude00"}\n', [("E111", 1)], []),
    ("surrogate in a key", b'{"id": "a", "b": [{"\\udead": 1}]}\n', [("E111", 1)], []),
    ("deepest allowed", b'{"a":' * 31 + b"[]" + b"}" * 31 + b"\n", [], [1]),
    ("one deeper", b'{"a":' * 31 + b"[[]]" + b"}" * 31 + b"\n", [("E110", 1)], []),
    ("very deep", b"[" * 100_000 + b"\n" + GOOD.encode(), [("E110", 1)], [2, 3]),
    ("deep behind strings", b'{"a": ["]", ' + b'["]", ' * 300 + b"]" * 301 + b"}\n", [("E110", 1)], []),
    ("brackets in text", json.dumps({"id": "[{" * 200}).encode(), [], [1]),
    ("many flat brackets", json.dumps({"id": "a", "b": [{}] * 500}).encode(), [], [1]),
    ("4,301 digits", b'{"id": "a", "n": ' + b"7" * 4301 + b"}\n", [("E109", 1)], []),
    ("largest integers", b'{"a": 9007199254740992, "b": -9007199254740992, "c": -0}', [], [1]),
    ("overflow", b'{"id": "a", "n": [1e999]}\n{"n": -1e400}', [("E108", 1), ("E108", 2)], []),
    ("infinity", b'{"id": "a", "n": [-Infinity]}', [("E107", 1)], []),
    ("one too many", b'{"a": 9007199254740993}', [("E109", 1)], []),
    ("one more", b'{"a": -9007199254740993}', [("E109", 1)], []),
    ("numbers that round", b'{"a": 1e-999, "b": 0.1, "c": 12345678901234567890.5}', [], [1]),
]


@pytest.mark.parametrize(
    ("data", "codes", "numbers"), [one[1:] for one in FILES], ids=[one[0] for one in FILES]
)
def test_files(data: bytes, codes: list, numbers: list[int]) -> None:
    reading = Reading(data)
    assert reading.codes == codes
    assert reading.numbers == numbers
    assert reading.reader.records == len(numbers)
    assert reading.reader.digest == sha256(data).hexdigest()
    assert reading.reader.lines == data.count(b"\n") + (not data.endswith(b"\n") and data != b"")
    whole_file = {"E001", "E003", "E005", "E006", "E007", "E102", "E103"}
    refused = any(one.code in whole_file or one.message.startswith("Lines end") for one in reading.problems)
    assert reading.reader.unreadable == refused


def test_a_mark_is_no_part_of_the_first_key() -> None:
    assert read(b'\xef\xbb\xbf{"id": "q1"}').records == [(1, {"id": "q1"})]


def test_values_are_those_of_the_decoder() -> None:
    text = '{"id": "q", "a": [1, -0.5, 1e3, true, null, "é\\n\\u00e9"], "b": {"c": {}}}'
    assert read(text).records == [(1, json.loads(text))]


def test_ids_of_faulty_lines_are_salvaged() -> None:
    lines = [
        '{"task_id": "a", "answer": NaN}',
        "{'task_id': 'b', 'answer': None}",
        "{'task_id': 'c', 'answer': None}",
        '{"task_id" : "d\\u00e9", "answer": "cut',
        '{"task_id": "e"}{"task_id": "f"}',
        '{"task_id": "g", "task_id": "h"}',
        '{"id": "not the field", "answer": NaN}',
        '{"task_id": "good"}',
    ]
    reading = read("\n".join(lines), id_field="task_id")
    assert reading.reader.salvaged == {"a", "b", "c", "dé", "e", "f", "g", "h"}
    assert [problem.item_id for problem in reading.problems] == ["a", "b", "dé", "e", "g", None]
    latin = Reading('{"id": "q1", "answer": "é"}'.encode("latin-1"))
    assert latin.reader.salvaged == {"q1"}


def test_one_message_for_all_python_lines_counts_them() -> None:
    problem = read("{'id': 'a'}\n" * 12).only()
    assert (problem.line, problem.item_id) == (1, "a")
    assert problem.message.endswith("11 more lines are like this.")


def test_limits_are_exact() -> None:
    line = '{"id": "abcdefgh"}'
    text = (line + "\n") * 3
    assert read(text, limits=Limits(file_bytes=len(text))).codes == []
    assert read(text, limits=Limits(file_bytes=len(text) - 1)).codes == [("E002", None)]
    assert read(text, limits=Limits(line_bytes=len(line))).codes == []
    assert read(text.replace("\n", "\r\n"), limits=Limits(line_bytes=len(line))).codes == []
    shorter = Limits(line_bytes=len(line) - 1)
    assert read(text, limits=shorter).codes == [("E009", 1), ("E009", 2), ("E009", 3)]
    assert read(text, limits=shorter).reader.salvaged == {"abcdefgh"}
    assert read(text.rstrip("\n"), limits=Limits(lines=3)).codes == []
    assert read(text, limits=Limits(lines=2)).codes == [("E010", None)]
    assert read(text, limits=Limits(lines=2)).numbers == [1, 2]
    assert read(text, limits=Limits(lines=2)).reader.lines == 3
    assert read(text.rstrip("\n"), limits=Limits(lines=2)).codes == [("E010", None)]
    assert read('{"a": [[[]]]}', limits=Limits(depth=4)).codes == []
    assert read('{"a": [[[]]]}', limits=Limits(depth=3)).codes == [("E110", 1)]


def test_limits_are_told_in_megabytes() -> None:
    large = read('{"id": "q"}\n' * 500_000).problems[-1]
    assert (large.code, large.expected) == ("E010", "one line for each item")
    assert "5 MB" in read(('{"id": "q' + "x" * 1000 + '"}\n') * 6000).only().message
    assert "1 MB" in read('{"id": "q' + "x" * 2**20 + '"}\n').only().message


@pytest.mark.parametrize("start", ['{"id": "q1", "answer": "', "", "["])
def test_an_endless_line_is_refused_without_being_held(start: str) -> None:
    class Endless(io.RawIOBase):
        """60 MB in one line, made as it is read."""

        left = 60_000_000

        def read(self, size: int = -1) -> bytes:
            if self.left == 60_000_000 and start:
                self.left -= len(start)
                return start.encode()
            step = min(size, self.left)
            self.left -= step
            return b"x" * step

    tracemalloc.start()
    reading = Reading(Endless())
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert reading.codes == [("E002", None)]
    assert reading.reader.digest == sha256(start.encode() + b"x" * (60_000_000 - len(start))).hexdigest()
    assert peak < 6_000_000

    tracemalloc.start()
    reading = Reading(Endless(), Limits(file_bytes=100_000_000))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert reading.codes == [("E009", 1)]
    assert peak < 6_000_000


def test_lines_go_on_after_one_that_is_too_long() -> None:
    text = '{"id": "a"}\n{"id": "b' + "x" * (2**20 + 3 * BLOCK) + '"}\n{"id": "c"}\n'
    reading = read(text)
    assert (reading.codes, reading.numbers) == ([("E009", 2)], [1, 3])


def test_faults_beyond_all_measure_are_no_longer_explained() -> None:
    reading = read('{"id": "q",}\n' * 20_000)
    assert reading.totals.keys() == {"E117", "E101"}
    assert sum(reading.totals.values()) == 20_000
    assert reading.totals["E117"] > 10_000


def test_messages_never_grow_with_the_file() -> None:
    hostile = ['{"' + "k" * 5000 + '": 1, "' + "k" * 5000 + '": 2}', '{"id": "' + "i" * 5000 + '", "a": NaN}']
    hostile += [
        "{" + "w" * 5000,
        '{"a": ' + "w" * 5000 + "}",
        '{"a": 0' + "7" * 5000 + "}",
        '"' + "s" * 5000 + '"',
    ]
    for problem in read("\n".join(hostile)).problems:
        assert all(len(str(part)) <= 200 for part in problem.to_json().values()), problem
