"""Every public case of a file: each way gives the same verdict, codes and lines, and the right verdict."""

from __future__ import annotations

import json
from collections.abc import Callable
from contextlib import ExitStack
from typing import Any

import pytest

from tests.parity.ways import Elsewhere, Place, Report, oldest_and_newest, without_environment
from tests.support.kinds import as_lines
from tests.support.shared import shared_path

pytestmark = [pytest.mark.django_db, pytest.mark.both]

KINDS = {
    "qa": "short_answer",
    "label": "classification",
    "rank": "ranked_list",
    "facts": "numeric_identification",
}
FIELDS = {"classification": "label", "ranked_list": "ranking", "numeric_identification": "facts"}


def cases(task: str) -> list[dict[str, Any]]:
    entries = json.loads(shared_path("cases/cases.json").read_text(encoding="utf-8"))["cases"]
    return [entry for entry in entries if entry["task"] == task and "file" in entry]


def gold_of(entry: dict[str, Any]) -> dict[str, Any]:
    if isinstance(entry["gold"], dict):
        return entry["gold"]
    lines = shared_path(f"cases/{entry['gold']}").read_text(encoding="utf-8").splitlines()
    return {record["id"]: record["reference"] for record in map(json.loads, lines)}


def items_for(entry: dict[str, Any], kind: str) -> list[dict[str, Any]]:
    gold = gold_of(entry)
    ids = {"short_answer": "task_id"}.get(kind, "id")
    labels = entry["expect"].get("labels") or sorted({str(value) for value in gold.values()} | {"other"})
    more: dict[str, dict[str, Any]] = {
        "short_answer": {"tier": "easy", "question": "?"},
        "classification": {"labels": labels},
        "numeric_identification": {"context": "?", "structure": "text"},
    }
    return [{ids: item_id, **more.get(kind, {})} for item_id in gold]


def content_of(entry: dict[str, Any], kind: str) -> bytes:
    """The file as it is, with the fields of the kind for "id" and "answer"."""
    content = shared_path(f"cases/{entry['file']}").read_bytes()
    if kind == "short_answer":
        content = content.replace(b'"id"', b'"task_id"').replace(b"'id'", b"'task_id'")
    return content.replace(b'"answer"', json.dumps(FIELDS.get(kind, "answer")).encode())


def places(report: Report) -> list[tuple[str, int | None]]:
    return [(problem["code"], problem["line"]) for problem in report["problems"]]


@pytest.mark.parametrize("task", list(KINDS))
def test_every_way_says_the_same_of_every_case(task: str, make_place: Callable[..., Place]) -> None:
    kind = KINDS[task]
    found = cases(task)
    assert found
    places_by_items: dict[bytes, tuple[Place, list[Elsewhere]]] = {}
    with ExitStack() as stack:
        for entry in found:
            items = as_lines(items_for(entry, kind))
            if items not in places_by_items:
                place = make_place(kind, items)
                others = [stack.enter_context(Elsewhere(python, [place])) for python in oldest_and_newest()]
                places_by_items[items] = place, others
            compare(entry, *places_by_items[items])


def compare(entry: dict[str, Any], place: Place, others: list[Elsewhere]) -> None:
    """One case in every way."""
    content = content_of(entry, place.kind.name)
    expected = without_environment(place.by_library(content))
    reports = [place.by_command_line(content), place.by_check_page(content), place.by_upload_form(content)]
    for report in [*reports, *(other.judge(place, content) for other in others)]:
        assert places(report) == places(expected), entry["id"]
        assert without_environment(report) == expected, entry["id"]
    verdict = entry["expect"].get("verdict")
    # Where a case leaves a choice open, the tests of the kind hold what we chose.
    if entry["task"] == "qa" and verdict in ("accepted", "rejected") and "open_choice" not in entry:
        assert expected["ok"] is (verdict == "accepted"), (entry["id"], places(expected))
        line = entry["expect"].get("line")
        assert line is None or line in [number for _, number in places(expected)], entry["id"]
