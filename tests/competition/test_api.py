"""The API: a team's program does what its people do in the form, with the same codes, words and limits."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from competition import clock
from competition.domain.tokens import create_token
from competition.enums import WorkStatus
from competition.models import RefusedUpload, Submission, User
from tests.competition.stage import work_until_idle
from tests.support.builders import (
    RUN,
    as_lines,
    make_evaluation,
    make_organizer_of,
    make_scored,
    make_submission,
    make_task,
    make_user,
)
from tests.support.clock import move_to
from tests.support.pages import Scene, make_scene
from tests.support.questions import questions

pytestmark = [pytest.mark.django_db, pytest.mark.both]

PLACE = "/api/v1/tasks/ebisu/answers"
FAULTY = as_lines({"task_id": "q1", "answer": ""}, {"task_id": "q9", "answer": "x"})


@pytest.fixture
def scene() -> Scene:
    return make_scene()


class Program:
    """A script of this person, with a token that may submit."""

    def __init__(self, user: User, scope: str = "submit") -> None:
        self.headers = {
            "Authorization": f"Bearer {create_token(user=user, name='script', scope=scope).secret}"
        }

    def get(self, address: str) -> Any:
        return Client().get(address, headers=self.headers)

    def send(self, content: bytes, phase: str = "dev", key: str = "", **fields: str) -> Any:
        file = SimpleUploadedFile("run.jsonl", content)
        headers = {**self.headers, **({"Idempotency-Key": key} if key else {})}
        client = Client(enforce_csrf_checks=True)
        return client.post(f"{PLACE}/{phase}/submissions/", {"file": file, **fields}, headers=headers)


def test_a_program_finds_its_way(scene: Scene) -> None:
    make_task("hidden", published=False)
    lead = Program(scene.lead, "read")
    (task,) = lead.get("/api/v1/tasks/").json()["tasks"]
    assert task["slug"] == "ebisu"
    found = lead.get(task["url"]).json()
    assert found["team"] == {"id": scene.team.public_id, "name": "Aegean"}
    assert [one["slug"] for one in found["tracks"]] == ["answers"]
    assert {one["slug"]: one["status"] for one in found["phases"]} == {"dev": "open", "test": "open"}
    assert lead.get("/api/v1/tasks/hidden/").status_code == 404
    assert Program(make_user("alone")).get(task["url"]).json()["team"] is None


def test_a_run_is_sent_scored_and_read(scene: Scene) -> None:
    lead = Program(scene.lead)
    sent = lead.send(RUN, run_name="one", method="By hand.")
    assert sent.status_code == 201
    receipt = sent.json()
    assert sent["Location"] == receipt["url"]
    run = Submission.objects.get()
    assert (run.submitted_by, run.team, run.run_name, run.method) == (
        scene.lead,
        scene.team,
        "one",
        "By hand.",
    )
    assert (receipt["number"], receipt["sha256"], receipt["state"]) == (1, run.digest, "queued")
    assert receipt["scores"] is None
    work_until_idle()
    seen = Program(scene.teammate, "read").get(receipt["url"]).json()
    assert (seen["state"], seen["final"]) == ("scored", True)
    assert seen["scores"] == run.latest_evaluation.result.scores  # type: ignore[union-attr]
    assert "gold:v1" in seen["signature"]
    listed = lead.get(f"{PLACE}/dev/submissions/").json()["submissions"]
    assert listed == [seen | {"sentence": listed[0]["sentence"]}]


def test_many_runs_are_listed_with_as_many_queries_as_few(scene: Scene) -> None:
    lead = Program(scene.lead)

    def queries() -> int:
        with questions() as captured:
            assert lead.get(f"{PLACE}/dev/submissions/").status_code == 200
        return len(captured)

    def score(runs: int) -> None:
        for _ in range(runs):
            make_scored(make_submission(scene.team, scene.dev, scene.track))

    score(1)
    lead.get(f"{PLACE}/dev/submissions/")
    few = queries()
    score(4)
    assert queries() == few
    assert len(lead.get(f"{PLACE}/dev/submissions/").json()["submissions"]) == 5


def test_the_newest_scored_evaluation_speaks_for_a_run(scene: Scene) -> None:
    lead = Program(scene.lead)
    run = make_submission(scene.team, scene.dev, scene.track)
    states = []
    for more in (
        lambda: make_evaluation(run, status=WorkStatus.QUEUED, scorer_version="short_answer.0"),
        lambda: make_scored(run, primary=0.25),
        lambda: make_scored(run, primary=0.5),
        lambda: make_evaluation(run, status=WorkStatus.QUEUED),
    ):
        more()
        (said,) = lead.get(f"{PLACE}/dev/submissions/").json()["submissions"]
        assert said == lead.get(said["url"]).json() | {"sentence": said["sentence"]}
        states.append((said["state"], said["scores"] and said["scores"]["rouge1_f1"]))
    assert states == [("queued", None), ("scored", 0.25), ("scored", 0.5), ("scored", 0.5)]


def test_problems_are_the_objects_the_page_gives(scene: Scene) -> None:
    program, page = Program(scene.lead), scene.as_(scene.lead)
    refused = program.send(FAULTY)
    assert refused.status_code == 422
    said = refused.json()
    kept = RefusedUpload.objects.get()
    on_page = page.get(f"/refused/{kept.public_id}/problems.json").json()
    assert said["report"] == on_page
    assert {one["code"] for one in said["report"]["problems"]} == {"E207", "E209", "E303"}
    assert program.get(said["url"]).json() == said
    checked = page.post(
        f"{scene.address}check/?phase=dev&as=json", {"file": SimpleUploadedFile("run.jsonl", FAULTY)}
    ).json()
    assert said["report"]["problems"] == checked["problems"]
    run = program.send(RUN).json()
    assert program.get(run["problems"]).json() == page.get(f"/submissions/{run['id']}/problems.json").json()


def test_scores_hidden_on_the_page_are_hidden_here(scene: Scene) -> None:
    lead = Program(scene.lead)
    receipt = lead.send(RUN, "test").json()
    work_until_idle()
    seen = lead.get(receipt["url"]).json()
    assert (seen["state"], seen["scores"], seen["signature"]) == ("scored", None, None)
    assert "have published the leaderboard" in seen["sentence"]


def test_one_key_is_one_run(scene: Scene) -> None:
    lead = Program(scene.lead)
    first = lead.send(RUN, key="night-1")
    other = RUN.replace(b"3 million", b"4 million")
    again = lead.send(RUN, key="night-1")
    assert (first.status_code, again.status_code) == (201, 200)
    assert first.json()["id"] == again.json()["id"]
    mixed_up = lead.send(other, key="night-1")
    assert (mixed_up.status_code, mixed_up.json()["error"]["code"]) == (409, "cannot_submit")
    assert "another file already, run 1. Send this one under a new key" in mixed_up.json()["error"]["message"]
    assert lead.send(other, key="night-2").json()["number"] == 2
    assert lead.send(other).status_code == 200, "the same bytes again are the same run"
    assert lead.send(RUN, key="k" * 65).json()["error"]["fields"].keys() == {"idempotency_key"}


def test_quota_and_window_are_those_of_the_form(scene: Scene) -> None:
    move_to(clock.now())
    scene.dev.daily_quota = 1
    scene.dev.save()
    lead = Program(scene.lead)
    quota = lead.get(f"{PLACE}/dev/quota/").json()
    assert (quota["left"], quota["used_today"], quota["accepts_runs"]) == (1, 0, True)
    lead.send(RUN)
    assert lead.get(f"{PLACE}/dev/quota/").json()["left"] == 0
    spent = lead.send(RUN.replace(b"3", b"4"))
    assert (spent.status_code, spent.json()["error"]["code"]) == (409, "quota_used_up")
    assert "1 of 1 runs sent today" in spent.json()["error"]["message"]
    move_to(scene.test.closes_at + timedelta(hours=1))
    late = Program(scene.lead).send(RUN, "test")
    assert (late.status_code, late.json()["error"]["code"]) == (409, "cannot_submit")
    assert "closed on" in late.json()["error"]["message"]


def test_a_rival_and_an_organizer_see_no_run_of_others(scene: Scene) -> None:
    run = Program(scene.lead).send(RUN).json()
    refused = Program(scene.lead).send(FAULTY).json()
    for stranger in (
        scene.rival,
        scene.organizer,
        make_user("alone"),
        make_organizer_of(scene.task, "second"),
    ):
        program = Program(stranger)
        for address in (run["url"], run["problems"], refused["url"]):
            assert program.get(address).status_code == 404, (stranger, address)
    assert Program(scene.rival).get(f"{PLACE}/dev/submissions/").json() == {"submissions": []}


def test_who_left_sees_nothing_more(scene: Scene) -> None:
    program = Program(scene.teammate)
    run = program.send(RUN).json()
    assert program.get(run["url"]).status_code == 200
    scene.team.memberships.filter(user=scene.teammate).update(left_at=clock.now())
    assert program.get(run["url"]).status_code == 404
    assert program.send(RUN).json()["error"]["code"] == "not_allowed"


@pytest.mark.parametrize(
    "address",
    [
        "nothing/answers/dev/quota/",
        "ebisu/nothing/dev/quota/",
        "ebisu/answers/nothing/submissions/",
        "ebisu/",
    ],
)
def test_what_is_not_there_is_not_found(scene: Scene, address: str) -> None:
    wanted = 200 if address == "ebisu/" else 404
    assert Program(scene.lead).get(f"/api/v1/tasks/{address}").status_code == wanted


def test_a_request_without_a_file_or_without_form_is_answered_in_json(scene: Scene) -> None:
    lead = Program(scene.lead)
    where = f"{PLACE}/dev/submissions/"
    assert Client().post(where, {}, headers=lead.headers).json()["error"]["fields"] == {
        "file": ["Choose the file."]
    }
    raw = Client().post(
        where, b"no form", content_type="multipart/form-data; boundary=x", headers=lead.headers
    )
    assert raw.status_code in (400, 422)
    assert "error" in raw.json()


def test_what_announces_too_much_is_refused_unread(scene: Scene) -> None:
    class Unread:
        def read(self, size: int = -1) -> bytes:
            raise AssertionError("the body was read")

        readline = read

        def close(self) -> None:
            pass

    where, lead = f"{PLACE}/dev/submissions/", Program(scene.lead)
    for address, bytes_announced in (
        (where, 60 * 2**20),
        (f"{scene.address}submit/", 60 * 2**20),
        (f"{scene.address}check/", 60 * 2**20),
        ("/accounts/login/", 2 * 2**20),
        ("/nothing", 2 * 2**20),
    ):
        answer = Client().generic(
            "POST",
            address,
            content_type="multipart/form-data; boundary=x",
            headers=lead.headers,
            **{"wsgi.input": Unread(), "CONTENT_LENGTH": str(bytes_announced)},
        )
        assert answer.status_code == 413, address
    assert Client().get(where, headers={**lead.headers, "Content-Length": "12x"}).status_code == 413
