"""The organizers' commands, worked out by hand and at the prompt."""

from __future__ import annotations

import itertools
import json
import subprocess
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoring.corpus import concepts_of, cover, describe, hold_out, sample, screen
from scoring.tracks import get_kind

ROOT = Path(__file__).resolve().parents[2]


def entity(tag: str, type_: str = "monetaryItemType") -> dict[str, str]:
    return {"Fact": "1", "Type": type_, "Tag": tag}


def instance(
    name: str, tags: str, text: str = "Revenue was 12 million dollars.", **more: Any
) -> dict[str, Any]:
    """`tags`: one letter per entity."""
    return {"id": name, "company": "C", "text": text, "entities": [entity(tag) for tag in tags], **more}


def names(records: Any) -> list[str]:
    return [record["id"] for record in records]


def test_overlap_holds_out_like_the_papers_table() -> None:
    """FinMMEval 2026, table 1 in small: per tier 51 groups of four, of which 19 are in the release."""
    candidates = [
        {
            "tier": tier,
            "group": f"g{group}",
            "source_id": f"{tier}{group}-{n}",
            "query": f"q {tier}{group}-{n}",
        }
        for tier, group, n in itertools.product(("easy", "expert"), range(51), range(4))
    ]
    released = [{"source_id": one["source_id"]} for one in candidates if int(one["group"][1:]) < 10]
    released += [{"query": one["query"]} for one in candidates if 10 <= int(one["group"][1:]) < 19]
    found = hold_out(candidates, released)
    row = {"candidates": 204, "overlap": 76, "held_out": 128, "groups": 32, "items_per_group": 4.0}
    assert found.report[:2] == [{"tier": "easy", **row}, {"tier": "expert", **row}]
    assert found.report[2] == {
        "tier": "all",
        "candidates": 408,
        "overlap": 152,
        "held_out": 256,
        "groups": 32,
        "items_per_group": 8.0,
    }
    assert len(found.kept) == 256


def test_overlap_needs_the_full_query_and_ignores_absent_fields() -> None:
    candidates = [
        {"query": "What was revenue?"},
        {"query": "What was revenue? In 2024."},
        {"source_id": None},
    ]
    found = hold_out(candidates, [{"query": "What was revenue?"}, {"text": "no id, no query"}])
    assert found.kept == candidates[1:]


def test_screening_marks_new_concepts_old_ones_and_none() -> None:
    found = screen(
        [
            instance("new", "AB"),
            instance("old", "BA"),
            instance("one new", "AC"),
            instance("none", ""),
            {**instance("wrong type", ""), "entities": [entity("D", "dateItemType")]},
            instance("short", "Z", text="Revenue was 12 m usd"),
            instance("no number", "Z", text="Revenue rose in the year that ended."),
            instance("table", "A", text="<tr><td>12</td></tr>", structure="table"),
            instance(
                "head", "Y", text="<tr><th>In millions, 2024</th></tr>".replace("2024", ""), structure="table"
            ),
        ]
    )
    assert [(one["id"], one["screen"]) for one in found.kept] == [
        ("new", "POS_SELECT"),
        ("old", "POS_CANDIDATE"),
        ("one new", "POS_SELECT"),
        ("none", "NEG"),
        ("wrong type", "NEG"),
        ("table", "POS_SELECT"),
    ]
    assert found.report == [
        {"structure": "text", "POS_SELECT": 2, "POS_CANDIDATE": 1, "NEG": 2, "excluded": 2, "concepts": 3},
        {"structure": "table", "POS_SELECT": 1, "POS_CANDIDATE": 0, "NEG": 0, "excluded": 1, "concepts": 1},
    ]


def test_the_cover_takes_the_largest_gain_and_breaks_ties_as_printed() -> None:
    found = cover(
        [
            instance("seed", "A"),
            instance("two", "BC"),
            instance("three", "BCD"),
            instance("long", "E", text="Revenue was 12 million dollars in the year."),
            instance("short", "E"),
            instance("more entities", "FF"),
            instance("fewer entities", "F"),
            instance("earlier", "G"),
            instance("later", "G"),
            instance("nothing new", "A"),
        ],
        most=1,
    )
    assert names(found.final) == ["seed", "three", "short", "fewer entities", "earlier"]
    assert [one["cover"] for one in found.final] == ["seed", *["added"] * 4]
    assert names(found.left) == ["two", "long", "more entities", "later", "nothing new"]
    assert found.report == [{"structure": "text", "seed": 1, "added": 4, "left": 5, "concepts": 7}]


def test_the_cap_is_per_company_and_structure() -> None:
    found = cover(
        [
            instance("a1", "A"),
            instance("a2", "A"),
            instance("b1", "A", company="B"),
            instance("t1", "A", structure="table"),
            instance("skipped", "Z", screen="POS_CANDIDATE"),
        ],
        most=1,
    )
    assert names(found.final) == ["a1", "b1", "t1"]
    assert names(found.left) == ["a2"]


@given(st.lists(st.text("ABCDEFG", max_size=4), max_size=12), st.integers(0, 3))
def test_a_cover_reaches_every_concept_and_matches_the_slow_greedy(tags: list[str], most: int) -> None:
    pool = [instance(str(n), one) for n, one in enumerate(tags)]
    found = cover(pool, most)
    everything = {concept for one in pool for concept in concepts_of(one)}
    assert {concept for one in found.final for concept in concepts_of(one)} == everything
    reached = {concept for one in pool[:most] for concept in concepts_of(one)}
    slow, rest = [], pool[most:]
    while any(concepts_of(one) - reached for one in rest):
        best = min(
            rest, key=lambda one: (-len(concepts_of(one) - reached), len(one["entities"]), int(one["id"]))
        )
        slow.append(best["id"])
        rest.remove(best)
        reached |= concepts_of(best)
    assert [one["id"] for one in found.final if one["cover"] == "added"] == slow


RECORDS = [{"id": str(n), "tier": "easy" if n < 30 else "hard", "concept": f"c{n % 7}"} for n in range(40)]


def test_a_sample_keeps_proportions_order_and_its_seed() -> None:
    chosen = sample(RECORDS, 8, by=["tier"], seed=3)
    assert Counter(one["tier"] for one in chosen) == {"easy": 6, "hard": 2}
    assert names(chosen) == sorted(names(chosen), key=int)
    assert chosen == sample(RECORDS, 8, by=["tier"], seed=3)
    assert chosen != sample(RECORDS, 8, by=["tier"], seed=4)


def test_a_sample_takes_each_concept_once_if_asked() -> None:
    chosen = sample(RECORDS, 20, distinct="concept")
    assert len(chosen) == 7
    assert len({one["concept"] for one in chosen}) == 7


@given(st.integers(0, 60), st.integers(0, 5))
def test_a_sample_has_as_many_as_asked_where_there_are_so_many(n: int, seed: int) -> None:
    assert len(sample(RECORDS, n, by=["tier", "concept"], seed=seed)) == min(n, len(RECORDS))


def test_statistics_of_three_instances() -> None:
    rows = describe(
        [
            instance("a", "AB", text="12 345"),
            instance("b", "A", text="revenue 12"),
            instance("c", "", text="減損 12", structure="table"),
        ],
        by="structure",
    )
    assert [row["part"] for row in rows] == ["", "table", "all"]
    whole = rows[2]
    assert (whole["items"], whole["positive"], whole["negative"]) == (3, 2, 1)
    assert (whole["entities_total"], whole["concepts"], whole["types"]) == (3, 2, 1)
    assert whole["entities_mean"] == 1.0
    assert whole["entities_sd"] == 1.0
    assert (whole["tokens_mean"], whole["tokens_max"]) == (pytest.approx(7 / 3), 3)
    assert describe([])[0]["characters_mean"] is None


# At the prompt


def run(*arguments: str, folder: Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "scoring", *arguments]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, env={"PYTHONPATH": str(ROOT)})


def write(path: Path, records: Any) -> str:
    path.write_text("".join(json.dumps(one, ensure_ascii=False) + "\n" for one in records), encoding="utf-8")
    return str(path)


def test_each_command_writes_its_file_and_prints_its_report(tmp_path: Path) -> None:
    records = write(tmp_path / "in.jsonl", [instance("a", "AB"), instance("b", "A"), instance("c", "")])
    out = str(tmp_path / "out.jsonl")
    screened = run("screen", records, "-o", out, "--json", folder=tmp_path)
    assert screened.returncode == 0, screened.stderr
    assert json.loads(screened.stdout)[0]["POS_SELECT"] == 1
    covered = run("cover", out, "-o", str(tmp_path / "final.jsonl"), folder=tmp_path)
    assert covered.stdout.split()[:5] == ["structure", "seed", "added", "left", "concepts"]
    assert len((tmp_path / "final.jsonl").read_text().splitlines()) == 1
    sampled = run("sample", records, "-n", "2", "-o", out, folder=tmp_path)
    assert sampled.returncode == 0
    assert len(Path(out).read_text().splitlines()) == 2
    released = write(tmp_path / "released.jsonl", [{"query": "x"}])
    assert run("overlap", records, "--released", released, "-o", out, folder=tmp_path).returncode == 0
    assert "concepts" in run("describe", records, folder=tmp_path).stdout


def test_statistics_join_items_with_their_gold(tmp_path: Path) -> None:
    example = get_kind("concept_linking").example
    items, gold = (write(tmp_path / f"{part}.jsonl", example[part]) for part in ("items", "gold"))
    done = run("describe", items, "--gold", gold, "--by", "structure", "--json", folder=tmp_path)
    assert [(row["part"], row["concepts"]) for row in json.loads(done.stdout)] == [
        ("table", 1),
        ("text", 1),
        ("all", 2),
    ]


def test_a_faulty_file_ends_with_two_and_its_line(tmp_path: Path) -> None:
    (tmp_path / "bad.jsonl").write_text('{"id": 1}\n{"id": \n')
    done = run("describe", "bad.jsonl", folder=tmp_path)
    assert done.returncode == 2
    assert "bad.jsonl, line 2" in done.stderr
    assert run("describe", "nowhere.jsonl", folder=tmp_path).returncode == 2


def test_agreement_of_labels_with_a_missing_one(tmp_path: Path) -> None:
    """Three items both labelled, two alike; the third annotator skipped one."""
    items = write(
        tmp_path / "items.jsonl", [{"id": str(n), "question": "?", "answer": "!"} for n in range(4)]
    )
    one = write(
        tmp_path / "one.jsonl", [{"id": str(n), "label": label} for n, label in enumerate((2, 1, 0, 0))]
    )
    two = write(
        tmp_path / "two.jsonl", [{"id": str(n), "label": label} for n, label in enumerate((2, 1, -1))]
    )
    done = run("agreement", "commitment", one, two, "--items", items, "--json", folder=tmp_path)
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert found["units"] == 3
    assert found["pairs"][0]["raw"] == pytest.approx(2 / 3)
    assert found["pairs"][0]["kappa"] == pytest.approx(4 / 7)
    assert found["pairs"][0]["macro_f1"] == pytest.approx(0.5)


@pytest.mark.parametrize(
    ("kind", "units"),
    [
        ("numeric_identification", 2),
        ("bio_tagging", 9),
        ("fact_identification", 2),
        ("term_extraction", 3),
        ("ranked_list", 3),
        ("concept_discrimination", 1),
    ],
)
def test_agreement_with_oneself_is_whole_for_every_shape(kind: str, units: int, tmp_path: Path) -> None:
    example = get_kind(kind).example
    items, mine = (write(tmp_path / f"{part}.jsonl", example[part]) for part in ("items", "run"))
    same = write(tmp_path / "same.jsonl", example["run"])
    done = run("agreement", kind, mine, same, "--items", items, "--json", folder=tmp_path)
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert found["units"] == units
    assert found["pairs"][0]["raw"] == 1.0


def test_free_text_has_no_agreement(tmp_path: Path) -> None:
    example = get_kind("short_answer").example
    items, mine = (write(tmp_path / f"{part}.jsonl", example[part]) for part in ("items", "run"))
    done = run("agreement", "short_answer", mine, mine, "--items", items, folder=tmp_path)
    assert done.returncode == 2
    assert "free text" in done.stderr
