"""Every kind from upload to frozen board through the same doors, and a kind nobody has heard of too."""

from __future__ import annotations

import json
import re
from datetime import timedelta
from random import Random
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from competition.domain.baselines import send_baselines
from competition.domain.freezing import publish_leaderboard, request_freeze
from competition.domain.gold import add_gold, add_items
from competition.domain.verification import verify_leaderboard
from competition.enums import FileStatus, WorkStatus
from competition.exports import FORMATS
from competition.models import (
    Evaluation,
    FrozenLeaderboard,
    GoldVersion,
    Phase,
    RefusedUpload,
    Submission,
    Team,
    Track,
)
from scoring.options import read_options
from scoring.records import Items
from scoring.tracks import get_kind, kind_names
from scoring.tracks.base import Kind
from tests.competition.stage import work_until_idle
from tests.support.builders import as_lines, make_phase, make_task, make_team, make_track
from tests.support.clock import frozen_at
from tests.support.kinds import read_items
from tests.support.toy_kind import registered

pytestmark = pytest.mark.django_db(transaction=True)


class Walk:
    """One track of a kind, with the kind's own example as its files, and two teams."""

    def __init__(self, kind: Kind) -> None:
        self.kind = kind
        self.task = make_task(f"walk-{kind.name.replace('_', '-')}")
        self.track: Track = make_track(self.task, "track", kind=kind.name)
        self.phase: Phase = make_phase(self.task, "dev")
        self.teams = [make_team(self.task, "First Walkers"), make_team(self.task, "Second Walkers")]
        common: dict[str, Any] = {
            "phase": self.phase,
            "track": self.track,
            "uploaded_by": None,
            "reason": "first",
        }
        add_items(content=as_lines(*kind.example["items"]), **common)
        add_gold(content=as_lines(*kind.example["gold"]), **common)
        work_until_idle()

    @property
    def address(self) -> str:
        return f"/tasks/{self.task.slug}/track/"

    def page(self, address: str, team: Team | None = None) -> str:
        client = Client()
        if team is not None and team.captain is not None:
            client.force_login(team.captain)
        answer = client.get(address)
        assert answer.status_code == 200, (address, answer.status_code)
        return " ".join(answer.content.decode().split())

    def upload(self, team: Team, content: bytes) -> str:
        client = Client()
        assert team.captain is not None
        client.force_login(team.captain)
        file = SimpleUploadedFile("run.jsonl", content)
        answer = client.post(f"{self.address}submit/?phase=dev", {"file": file})
        assert answer.status_code == 302, answer.content.decode()[:3_000]
        return answer["Location"]

    def freeze(self) -> FrozenLeaderboard:
        closing = self.phase.closes_at + timedelta(seconds=self.phase.grace_seconds + 1)
        with frozen_at(closing):
            request_freeze(phase=self.phase, track=self.track, requested_by=None, reason="The walk ends.")
            work_until_idle()
            board = FrozenLeaderboard.objects.get(track=self.track)
            publish_leaderboard(board=board, published_by=None)
        return board


def perfect_run(kind: Kind) -> bytes:
    return as_lines(*kind.example["run"])


def spoiled_run(kind: Kind) -> bytes:
    """The example's run with a line that lacks its answer."""
    first, *others = kind.example["run"]
    return as_lines({kind.id_field: first[kind.id_field]}, *others)


def walk(kind: Kind) -> Walk:
    """Upload, refusal, scoring, pages, board, freeze, exports, verification."""
    one = Walk(kind)
    first, second = one.teams
    gold = GoldVersion.objects.get(track=one.track)
    assert gold.status == FileStatus.READY, gold.problems

    refused = one.upload(first, spoiled_run(kind))
    assert "E301" in one.page(refused, first)
    run_page = one.upload(first, perfect_run(kind))
    one.upload(second, as_lines(*kind.baselines[0].make(*_parts(kind))))
    send_baselines(phase=one.phase, track=one.track, requested_by=None)
    work_until_idle()
    assert set(Evaluation.objects.values_list("status", flat=True)) == {WorkStatus.DONE}
    assert RefusedUpload.objects.count() == 1

    scores = kind.scores_for(read_options(kind, {}))
    evaluation = one.page(f"{one.address}evaluation/")
    board = one.page(f"{one.address}leaderboard/?phase=dev")
    shown = one.page(run_page, first)
    for score in scores:
        assert f'<code class="small">{score.key}</code>' in evaluation
        better = "higher" if score.higher_is_better else "lower"
        assert re.search(rf'title="[^"]*, {better} is better">{re.escape(score.symbol)}', board), score
    assert ("A random valid run expects" in evaluation) == (kind.chance(_parts(kind)[0]) is not None)
    for page in (one.page(one.address), one.page(f"{one.address}data/"), shown):
        assert "Traceback" not in page
    assert f"{kind.name}.{kind.version}|m:{scores[0].key}" in shown
    if kind.takes_invalid:
        assert "Invalid answers:" in shown
        assert "Invalid" in board
    for drawing in re.findall(r"<svg viewBox=\"[^>]*role=\"img\">(.*?)</svg>", shown):
        assert re.match(r"<title>.+?</title><desc>.+?</desc>", drawing), drawing[:200]

    frozen = one.freeze()
    assert verify_leaderboard(frozen) == []
    content = json.loads(frozen.content)
    assert [entry["rank"] for entry in content["entries"]][:1] == [1]
    assert len(content["baselines"]) == sum(not baseline.needs_gold for baseline in kind.baselines)
    printed = one.page(frozen.get_absolute_url())
    assert "First Walkers" in printed
    assert "Frozen, version 1" in printed
    exported = {ending: one.page(f"/boards/{frozen.public_id}.{ending}") for ending in FORMATS}
    assert ("invalid_refused" in exported["csv"]) == kind.takes_invalid
    assert ("Invalid answers count as wrong" in exported["tex"]) == kind.takes_invalid
    return one


def _parts(kind: Kind) -> tuple[Items, None, Random]:
    return read_items(kind.name, kind.example["items"]), None, Random(1)


@pytest.mark.parametrize("name", kind_names())
def test_every_kind_goes_from_upload_to_a_frozen_board(name: str) -> None:
    walk(get_kind(name))


def test_a_kind_from_outside_goes_the_whole_way_with_no_edit_elsewhere() -> None:
    with registered() as kind:
        one = walk(kind)
        page = one.page(Submission.objects.filter(team=one.teams[0]).get().get_absolute_url(), one.teams[0])
        assert "Exactness by size is highest for small" in page, "its own slice"
        assert "Share of items is highest for right (50.00)" in page, "its own chart"
        live = one.page(f"{one.address}leaderboard/?phase=dev")
        assert "Chance: a random valid run expects Exactness 0.10." in live


def test_the_tracks_own_options_judge_a_run_at_intake() -> None:
    """A taxonomy warns of names outside it and refuses names that only lack the prefix."""
    kind = get_kind("concept_linking")
    one = Walk(kind)
    names = sorted({record["concept"] for record in kind.example["gold"]} | {"us-gaap:Liabilities"})
    one.track.options = {"taxonomy": "concept\tlabel\n" + "".join(f"{name}\tlabel\n" for name in names)}
    one.track.save()
    first, second = (record["id"] for record in kind.example["items"])
    outside = as_lines({"id": first, "concept": "us-gaap:Moonlight"}, {"id": second, "concept": names[0]})
    run = one.upload(one.teams[0], outside)
    work_until_idle()
    assert Evaluation.objects.get().status == WorkStatus.DONE
    assert "W506" in one.page(run, one.teams[0])
    bare = as_lines({"id": first, "concept": "Liabilities"}, {"id": second, "concept": names[0]})
    page = one.page(one.upload(one.teams[0], bare), one.teams[0])
    assert "E408" in page
    assert "us-gaap:Liabilities" in page
    evaluation = one.page(f"{one.address}evaluation/")
    assert f"{len(names)} concepts" in evaluation
    assert "concept\tlabel" not in evaluation
