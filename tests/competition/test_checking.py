"""Checking without sending: the report, nothing stored, bounds on time, memory and patience."""

from __future__ import annotations

import base64
import csv
import json
import re
import tempfile
import time
from contextlib import ExitStack
from datetime import timedelta
from hashlib import sha256
from io import BytesIO, StringIO
from pathlib import Path
from typing import Any

import pytest
from django.apps import apps
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from competition import clock
from competition.domain import checking, intake
from competition.domain.checking import judge
from competition.domain.intake import forget_refused_uploads, submissions_left
from competition.exceptions import NotChecked
from competition.models import ItemSet, RefusedUpload
from competition.views import checking as page
from scoring.records import MIB
from tests.support.builders import RUN, as_lines, make_items, make_submission
from tests.support.clock import frozen_at, move_to
from tests.support.pages import Scene, make_scene
from tests.support.questions import questions
from tests.support.runs_sent import check, send

pytestmark = [pytest.mark.django_db, pytest.mark.both]

FAULTY = as_lines({"task_id": "q\u200b1", "answer": "x"}, {"task_id": "q2", "answer": ""})


@pytest.fixture
def scene() -> Scene:
    return make_scene()


def text(answer: Any) -> str:
    return " ".join(answer.content.decode().split())


def rows() -> dict[str, int]:
    """How many rows every table has; signing in, which the cast does for each request, aside."""
    ours = [model for model in apps.get_models() if model._meta.managed]
    models = [model for model in ours if model.__name__ not in ("Session", "AccessLog")]
    return {model.__name__: model._default_manager.count() for model in models}


@pytest.mark.parametrize("who", ["visitor", "lead", "organizer"])
def test_a_check_says_what_sending_would_and_keeps_nothing(scene: Scene, who: str) -> None:
    quota = {"team": scene.team, "phase": scene.dev, "track": scene.track, "moment": clock.now()}
    check(scene, RUN, who=who)
    before, left = rows(), submissions_left(**quota)
    refused, valid = text(check(scene, FAULTY, who=who)), text(check(scene, RUN, who=who))
    assert "It would be refused: 2 problems" in refused
    assert '<span class="unseen">U+200B</span>' in refused
    assert "\u200b" not in refused
    assert "Valid: 2 lines for 2 items" in valid
    assert rows() == before
    assert submissions_left(**quota) == left


def test_your_line_stands_beside_a_valid_one(scene: Scene) -> None:
    answer = text(check(scene, FAULTY))
    mark = '<mark>q<span class="unseen">U+200B</span>1</mark>'
    begin = '<figcaption>Your line</figcaption><pre class="excerpt" dir="auto"><code>'
    assert f"{begin}{{&quot;task_id&quot;: &quot;{mark}" in answer
    assert "A valid line</figcaption>" in answer
    assert "{&quot;task_id&quot;: &quot;q2&quot;, &quot;answer&quot;: &quot;None&quot;}" in answer


def test_the_faulty_column_is_marked_also_far_to_the_right(scene: Scene) -> None:
    line = '{"task_id": "q1", "answer": "' + "a" * 900 + '", NaN}\n'
    item_set = ItemSet.objects.current_for(scene.dev, scene.track)
    [before, fault, after] = judge(item_set, line.encode()).excerpts["0"]
    assert before.startswith("…a")
    assert (fault, after) == ("N", "aN}")


def test_three_groups_are_told_apart(scene: Scene) -> None:
    content = b"\xef\xbb\xbf" + as_lines({"task_id": "q1", "answer": "x", "extra": 1})
    page = text(check(scene, content))
    places = [
        page.index(f"<h2>{title}</h2>") for title in ("Must be fixed", "Please look", "For information")
    ]
    assert places == sorted(places)


def test_the_report_can_be_taken_home_from_the_page_itself(scene: Scene) -> None:
    content = as_lines({"task_id": "=cmd()", "answer": "x"})
    answer = check(scene, content)
    links = dict(re.findall(r'href="data:([^;"]+);[^"]*base64,([^"]+)"', answer.content.decode()))
    found = json.loads(base64.b64decode(links["application/json"]))
    assert found == json.loads(check(scene, content, **{"as": "json"}).content)
    table = base64.b64decode(links["text/csv"]).decode("utf-8-sig")
    cells = [cell for row in csv.reader(StringIO(table)) for cell in row]
    assert "'=cmd()" in cells
    assert not [cell for cell in cells if cell.startswith(("=", "+", "-", "@", "\t", "\r"))]


def test_a_script_gets_the_part_that_changes(scene: Scene) -> None:
    part = check(scene, RUN, who="lead", headers={"HX-Request": "true"}).content.decode()
    assert "<html" not in part
    assert f'formaction="{scene.address}submit/?phase=dev"' in part


@pytest.mark.parametrize(("who", "words"), [
    ("visitor", "Go on to sending it"), ("organizer", "Go on to sending it"), ("lead", "Send this run"),
])  # fmt: skip
def test_from_the_report_one_goes_on_to_sending(scene: Scene, who: str, words: str) -> None:
    assert words in text(check(scene, RUN, who=who))
    assert words not in text(check(scene, FAULTY, who=who))


def test_at_the_form_itself_the_report_leads_nowhere_else(scene: Scene) -> None:
    """A link to the form one is at would lose the file that is chosen in it."""
    move_to(clock.now())
    at_form = {"HX-Request": "true", "HX-Current-URL": f"http://testserver{scene.address}submit/?phase=dev"}
    part = text(check(scene, RUN, who="lead", headers=at_form))
    assert "Send this run" in part
    assert f"{scene.address}submit/" not in part
    scene.dev.daily_quota = 1
    scene.dev.save()
    make_submission(team=scene.team, phase=scene.dev, track=scene.track)
    spent = text(check(scene, RUN, who="lead", headers=at_form))
    assert "Valid: 2 lines" in spent
    assert "Send this run" not in spent
    assert f"{scene.address}submit/" not in spent


def test_a_closed_phase_can_still_be_checked_but_not_sent_to(scene: Scene) -> None:
    move_to(scene.test.closes_at + timedelta(days=1))
    answer = text(check(scene, RUN, who="lead"))
    assert "Valid: 2 lines" in answer
    assert "Send this run" not in answer


def test_a_phase_that_has_not_opened_gives_nothing_away(scene: Scene) -> None:
    with frozen_at(scene.dev.opens_at - timedelta(days=1)):
        assert check(scene, RUN).status_code == 404
        assert "nothing to check a file against" in text(Client().get(f"{scene.address}check/"))
        assert check(scene, RUN, who="organizer").status_code == 200


def test_without_a_file_the_page_says_so(scene: Scene) -> None:
    answer = Client().post(f"{scene.address}check/?phase=dev", {})
    assert answer.status_code == 422
    assert "Choose the file." in text(answer)


def test_too_many_checks_wait_and_are_told_until_when(scene: Scene, monkeypatch: Any) -> None:
    monkeypatch.setattr(page, "CHECKS", 2)
    start = clock.now().replace(minute=0, second=1, microsecond=0)
    with frozen_at(start):
        assert [check(scene, RUN).status_code for _ in range(3)] == [200, 200, 429]
        late = check(scene, RUN)
        assert late["Retry-After"] == "299"
        assert f"{start + timedelta(seconds=299):%H:%M:%S} UTC" in text(late)
        assert json.loads(check(scene, RUN, **{"as": "json"}).content)["error"].startswith("2 files")
        assert check(scene, RUN, who="lead").status_code == 200, "each person has a measure of their own"
    with frozen_at(start + timedelta(minutes=5)):
        assert check(scene, RUN).status_code == 200


def test_an_ordinary_file_is_judged_within_a_second(scene: Scene) -> None:
    records = [{"task_id": f"q{place}", "tier": "easy", "question": "?"} for place in range(1_000)]
    make_items(scene.dev, scene.track, as_lines(*records))
    content = as_lines(*({"task_id": one["task_id"], "answer": "word " * 60} for one in records))
    check(scene, content)
    started = time.process_time()
    assert "Valid: 1,000 lines" in text(check(scene, content))
    assert time.process_time() - started < 1


# Large files


@pytest.fixture
def many_items(scene: Scene) -> ItemSet:
    records = [{"task_id": f"q{place}", "tier": "easy", "question": "?"} for place in range(4_000)]
    return make_items(scene.dev, scene.track, as_lines(*records))


def large_run(faulty: bool = False) -> bytes:
    answers = ({"task_id": f"q{place}", "answer": "word " * 80} for place in range(4_000))
    return as_lines(*answers) + (b'{"task_id": "q1", "answer": "again"}\n' if faulty else b"")


def test_a_large_file_is_judged_apart_and_told_the_same(many_items: ItemSet, monkeypatch: Any) -> None:
    for content in (large_run(), large_run(faulty=True)):
        assert MIB < len(content) < 5 * MIB
        apart = judge(many_items, content)
        with monkeypatch.context() as here:
            here.setattr(checking, "SMALL", 50 * MIB)
            assert judge(many_items, BytesIO(content)) == apart
    assert set(apart.report["counts"]["codes"]) == {"E208"}


def test_a_large_file_waits_for_a_place_and_then_gives_up(
    many_items: ItemSet, monkeypatch: Any, tmp_path: Path
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))  # places that no other test takes meanwhile
    monkeypatch.setattr(checking, "PATIENCE", 0.1)
    with ExitStack() as taken:
        for _ in range(checking.AT_ONCE):
            taken.enter_context(checking._turn())
        with pytest.raises(NotChecked, match="Several large files"):
            judge(many_items, large_run())
    assert judge(many_items, large_run()).ok


@pytest.mark.parametrize(("limit", "value", "words"), [
    ("SECONDS", 0.01, "was stopped"), ("MEMORY", 24 * MIB, "more time or memory"),
])  # fmt: skip
def test_time_and_memory_are_bounded(
    many_items: ItemSet, monkeypatch: Any, limit: str, value: float, words: str
) -> None:
    monkeypatch.setattr(checking, limit, value)
    with pytest.raises(NotChecked, match=words):
        judge(many_items, large_run())


def test_a_file_far_beyond_the_limit_gets_its_report(scene: Scene) -> None:
    content = b"x" * (45 * MIB)
    report = json.loads(check(scene, content, **{"as": "json"}).content)
    assert report["counts"]["codes"] == {"E002": 1}
    assert report["digests"]["run"] == sha256(content).hexdigest()


def test_a_body_beyond_any_limit_is_not_read(scene: Scene) -> None:
    assert check(scene, b"x" * (60 * MIB)).status_code == 413


def test_a_track_has_limits_of_its_own(scene: Scene) -> None:
    scene.track.limits = {"answer_characters": 5}
    scene.track.save()
    report = json.loads(check(scene, RUN, **{"as": "json"}).content)
    assert report["counts"]["codes"] == {"E403": 2}
    assert isinstance(send(scene, RUN), RefusedUpload)


def test_no_table_of_runs_is_read_by_a_check(scene: Scene) -> None:
    check(scene, RUN)
    with questions() as queries:
        check(scene, RUN)
    assert not [sql for sql in queries if re.search("goldblob|goldversion|submission|refusedupload", sql)]


# Refused uploads


@pytest.fixture
def refused(scene: Scene) -> RefusedUpload:
    found = send(scene, FAULTY)
    assert isinstance(found, RefusedUpload)
    return found


def test_a_refusal_is_the_report_of_the_check(scene: Scene, refused: RefusedUpload) -> None:
    client = scene.as_(scene.lead)
    taken_home = json.loads(client.get(f"{refused.get_absolute_url()}problems.json").content)
    assert taken_home == json.loads(check(scene, FAULTY, **{"as": "json"}).content)


def test_a_refusal_is_kept_for_thirty_days(refused: RefusedUpload) -> None:
    kept = timedelta(days=30)
    assert forget_refused_uploads(refused.received_at + kept) == 0
    assert forget_refused_uploads(refused.received_at + kept + timedelta(seconds=1)) == 1
    assert not RefusedUpload.objects.exists()


def test_refused_too_often_answers_429(scene: Scene, refused: RefusedUpload, monkeypatch: Any) -> None:

    monkeypatch.setattr(intake, "REFUSALS_AN_HOUR", 1)
    answer = scene.as_(scene.lead).post(
        f"{scene.address}submit/?phase=dev", {"file": SimpleUploadedFile("r", FAULTY)}
    )
    assert answer.status_code == 429
    assert 3_500 < int(answer["Retry-After"]) <= 3_600


def test_phases_stand_in_the_order_of_their_dates(scene: Scene) -> None:
    make_items(scene.test, scene.track)
    move_to(max(scene.dev.opens_at, scene.test.opens_at) + timedelta(seconds=1))
    told = text(Client().get(f"{scene.address}check/"))
    names = re.findall(r'href="\?phase=([a-z]+)"', told)
    first, second = sorted((scene.dev, scene.test), key=lambda phase: phase.opens_at)
    assert names == [first.slug, second.slug]
