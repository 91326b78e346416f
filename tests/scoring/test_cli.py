"""The command line as a public contract: forms, exit codes, JSON keys, and what it must not load."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from scoring.tracks import all_kinds, kind_names

ROOT = Path(__file__).resolve().parents[2]

REPORT_KEYS = [
    "ok",
    "kind",
    "scores",
    "breakdowns",
    "diagnostics",
    "signature",
    "environment",
    "problems",
    "counts",
    "digests",
]
PROBLEM_KEYS = ["code", "severity", "line", "item_id", "field", "found", "expected", "message", "hint"]

ITEMS = [
    {
        "task_id": "easy_0001",
        "tier": "easy",
        "question": "Did sales rise?",
        "group": "g1",
        "languages": ["en", "ja"],
    },
    {
        "task_id": "expert_0001",
        "tier": "expert",
        "question": "Αυξήθηκαν;",
        "group": "g1",
        "languages": ["el"],
    },
]
GOLD = [
    {"task_id": "easy_0001", "answer": "売上高は12%増"},
    {"task_id": "expert_0001", "answer": "Οι πωλήσεις αυξήθηκαν"},
]


def write(path: Path, records: list[dict[str, Any]]) -> Path:
    path.write_text("".join(json.dumps(one, ensure_ascii=False) + "\n" for one in records), encoding="utf-8")
    return path


@pytest.fixture
def track(tmp_path: Path) -> dict[str, Path]:
    return {
        "items": write(tmp_path / "items.jsonl", ITEMS),
        "gold": write(tmp_path / "gold.jsonl", GOLD),
        "run": write(tmp_path / "run.jsonl", GOLD),
        "bad": write(tmp_path / "bad.jsonl", [{"task_id": "easy_0001", "answer": 12}]),
    }


def scoring(*arguments: str | Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "scoring", *map(str, arguments)]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, encoding="utf-8", check=False)


def score(track: dict[str, Path], run: str, *more: str | Path) -> subprocess.CompletedProcess[str]:
    files = ("--items", track["items"], "--gold", track["gold"], track[run])
    return scoring("score", "short_answer", *files, *more)


def test_kinds_are_listed_one_a_line() -> None:
    shown = scoring("kinds")
    assert shown.returncode == 0
    assert shown.stdout.splitlines() == list(kind_names())
    assert len(kind_names()) == 14


def test_a_perfect_run_scores_one_and_stdout_is_one_report(track: dict[str, Path], tmp_path: Path) -> None:
    per_item = tmp_path / "per_item.jsonl"
    done = score(track, "run", "--json", "--per-item", per_item)
    report = json.loads(done.stdout)
    assert done.returncode == 0
    assert done.stderr == ""
    assert list(report) == REPORT_KEYS
    assert report["scores"]["rouge1_f1"] == 1.0
    assert report["breakdowns"]["language"]["el"]["n"] == 1
    assert set(report["environment"]) == {"unicode", "python", "scoring"}
    assert report["signature"] == "short_answer.1|m:rouge1_f1|text:multi.1|agg:item-mean|gold:local|n:2"
    rows = [json.loads(line) for line in per_item.read_text(encoding="utf-8").splitlines()]
    assert [row["item_id"] for row in rows] == ["easy_0001", "expert_0001"]
    assert list(rows[0]) == ["item_id", *report["scores"]]


def test_a_refused_run_exits_1_with_every_key(track: dict[str, Path]) -> None:
    done = score(track, "bad", "--json")
    report = json.loads(done.stdout)
    assert done.returncode == 1
    assert list(report) == REPORT_KEYS
    assert (report["ok"], report["scores"], report["signature"]) == (False, {}, "")
    assert [problem["code"] for problem in report["problems"]] == ["E302", "E209"]
    assert all(list(problem) == PROBLEM_KEYS for problem in report["problems"])
    assert report["problems"][1]["line"] is None
    assert report["counts"] == {
        "lines": 1,
        "items": 2,
        "scored": 0,
        "errors": 2,
        "warnings": 0,
        "codes": {"E209": 1, "E302": 1},
    }


def test_check_needs_no_gold(track: dict[str, Path]) -> None:
    done = scoring("check", "short_answer", "--items", track["items"], track["run"], "--json")
    report = json.loads(done.stdout)
    assert (done.returncode, report["ok"], report["scores"]) == (0, True, {})
    assert report["digests"]["gold"] == ""


def test_words_name_the_verdict_the_fault_and_the_fix(track: dict[str, Path]) -> None:
    done = score(track, "bad")
    assert done.stdout.startswith("REFUSED")
    assert 'fix: Write it in double quotes: "12".' in done.stdout


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("gold", [{"task_id": "easy_0001", "answer": "x"}], "gold.jsonl"),
        ("items", [{"task_id": "easy_0001"}], "items.jsonl"),
    ],
)
def test_bad_items_or_gold_exit_2_and_the_problem_names_the_file(
    track: dict[str, Path], name: str, content: list[dict[str, Any]], said: str
) -> None:
    write(track[name], content)
    done = score(track, "run", "--json")
    report = json.loads(done.stdout)
    assert done.returncode == 2
    assert list(report) == REPORT_KEYS
    assert report["problems"]
    assert all(problem["message"].startswith(said) for problem in report["problems"])


def test_usage_faults_exit_2(track: dict[str, Path], tmp_path: Path) -> None:
    assert score(track, "run", "--k", "1,5").returncode == 2  # an option of another kind
    assert score(track, "run", "--tokenizer", "other").returncode == 2
    assert scoring("score", "no_such_kind", "--items", "a", "--gold", "b", "c").returncode == 2
    assert scoring("score", "short_answer").returncode == 2
    assert scoring().returncode == 2
    missing = scoring(
        "check", "short_answer", "--items", track["items"], tmp_path / "nowhere.jsonl", "--json"
    )
    assert missing.returncode == 2
    assert json.loads(missing.stdout)["problems"][0]["code"] == "E605"


def test_the_other_tokenizer_is_named_in_the_signature(track: dict[str, Path]) -> None:
    report = json.loads(score(track, "run", "--tokenizer", "ascii.1", "--json").stdout)
    assert "|text:ascii.1|" in report["signature"]
    assert report["scores"]["rouge1_f1"] == 0.5  # Greek has no a to z, the Japanese answer has the token 12


def test_compare_reads_two_runs(track: dict[str, Path], tmp_path: Path) -> None:
    worse = write(tmp_path / "worse.jsonl", [GOLD[0], {"task_id": "expert_0001", "answer": "None"}])
    files = ("--items", track["items"], "--gold", track["gold"], worse, track["run"])
    done = scoring("compare", "short_answer", *files, "--json")
    comparison = json.loads(done.stdout)
    assert done.returncode == 0
    assert (comparison["difference"], comparison["wins"], comparison["losses"]) == (0.5, 1, 0)
    assert scoring("compare", "short_answer", *files[:-1], track["bad"]).returncode == 1


def test_a_legacy_console_shows_every_report(track: dict[str, Path]) -> None:
    """A Windows console in code page 1252 cannot print Greek; it must still print the report."""
    command = [sys.executable, "-m", "scoring", "check", "short_answer", "--items", str(track["items"]), "-"]
    write(track["bad"], [{"task_id": "Αύξηση", "answer": "x"}, {"task_id": "easy_0001", "answer": "x"}])
    command[-1] = str(track["bad"])
    done = subprocess.run(
        command,
        cwd=ROOT,
        capture_output=True,
        env={"PYTHONIOENCODING": "cp1252", "PYTHONUTF8": "0"},
        check=False,
    )
    assert done.returncode == 1
    assert b"E207" in done.stdout
    assert b"UnicodeEncodeError" not in done.stderr


def test_checking_loads_no_heavy_library(track: dict[str, Path]) -> None:
    program = (
        "import sys; from scoring.cli import main; code = main(sys.argv[1:]); "
        "print({name.split('.')[0] for name in sys.modules} & "
        "{'django', 'numpy', 'pandas', 'rouge_score', 'regex'}, file=sys.stderr); sys.exit(code)"
    )
    files = ["--items", str(track["items"]), str(track["run"])]
    command = [sys.executable, "-c", program, "check", "short_answer", *files]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr.strip()) == (0, "set()")


def test_every_kinds_example_is_scored_from_files(tmp_path: Path) -> None:
    """Examples stand in documents and on pages, so they must hold for every kind."""
    for kind in all_kinds():
        files = {
            name: write(tmp_path / f"{kind.name}.{name}", list(kind.example[name])) for name in kind.example
        }
        done = scoring(
            "score", kind.name, "--items", files["items"], "--gold", files["gold"], files["run"], "--json"
        )
        report = json.loads(done.stdout)
        assert done.returncode == 0, (kind.name, report["problems"])
        assert list(report["scores"]) == [score.key for score in kind.scores]


def test_one_is_spoken_of_as_one(tmp_path: Path) -> None:
    items, run = tmp_path / "items.jsonl", tmp_path / "run.jsonl"
    items.write_text(json.dumps({"task_id": "a", "tier": "easy", "question": "?"}) + "\n", encoding="utf-8")
    run.write_text(json.dumps({"task_id": "a", "answer": " "}) + "\n", encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "-m", "scoring", "check", "short_answer", "--items", str(items), str(run)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stdout.splitlines()[0] == "REFUSED: 1 line for 1 item, 1 error, 0 warnings"
