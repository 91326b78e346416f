"""Sending a run through the form: what is taken, what is refused, and that nothing is lost on the way."""

from __future__ import annotations

import json
from datetime import timedelta
from urllib.parse import quote

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.http import HttpResponse

from competition import clock
from competition.models import RefusedUpload, Submission
from tests.support.builders import ITEMS, RUN, as_lines, make_items, make_phase, make_team
from tests.support.clock import frozen_at
from tests.support.pages import Scene, make_scene

pytestmark = [pytest.mark.django_db, pytest.mark.both]

OTHER = RUN.replace(b"10", b"11")


@pytest.fixture
def scene() -> Scene:
    return make_scene()


def post(
    scene: Scene, content: bytes = RUN, *, who: str = "lead", phase: str = "dev", **fields: str
) -> HttpResponse:
    file = SimpleUploadedFile("my run.jsonl", content)
    return scene.as_(scene.cast[who]).post(f"{scene.address}submit/?phase={phase}", {"file": file, **fields})


def text(answer: HttpResponse) -> str:
    return " ".join(answer.content.decode().split())


def test_a_valid_run_gets_a_receipt(scene: Scene) -> None:
    answer = post(scene, run_name="first", method="by hand", external_data="none")
    run = Submission.objects.get()
    assert answer["Location"] == run.get_absolute_url()
    page = text(scene.as_(scene.teammate).get(run.get_absolute_url()))
    for word in (
        run.digest,
        "first",
        "by hand",
        "my run.jsonl",
        "Queued",
        f"{run.received_at:%Y-%m-%d %H:%M:%S}",
    ):
        assert word in page, word
    assert "This run counts. The last valid run of each team counts." in page


def test_the_moment_is_read_once_the_body_has_arrived(scene: Scene) -> None:
    last = scene.dev.closes_at - timedelta(milliseconds=1)
    with frozen_at(last):
        assert post(scene).status_code == 302
    assert Submission.objects.get().received_at == last


def test_at_the_close_nothing_is_taken_and_the_page_says_so(scene: Scene) -> None:
    with frozen_at(scene.dev.closes_at):
        answer = post(scene)
    assert answer.status_code == 409
    assert "Nothing was sent" in text(answer)
    assert f"Development closed on {scene.dev.closes_at:%Y-%m-%d at %H:%M:%S} UTC" in text(answer)
    assert f"; your file had arrived on {scene.dev.closes_at:%Y-%m-%d at %H:%M:%S}." in text(answer)
    with frozen_at(scene.dev.closes_at):
        look = text(scene.as_(scene.lead).get(f"{scene.address}submit/?phase=dev"))
    assert "Development closed on" in look
    assert "your file" not in look, "nobody sent one"
    assert not Submission.objects.exists()


def test_a_run_name_hides_and_turns_nothing(scene: Scene) -> None:
    answer = post(scene, run_name="\u202eevil")
    assert answer.status_code == 422
    assert "(U+202E). Please leave it out." in text(answer)
    assert not Submission.objects.exists()
    assert post(scene, run_name="  first \t try ").status_code == 302
    assert Submission.objects.get().run_name == "first try"


def test_a_faulty_file_leads_to_its_report_and_costs_nothing(scene: Scene) -> None:
    faulty = as_lines({"task_id": "q\u200b1", "answer": "x"}, {"task_id": "q2", "answer": ""})
    answer = post(scene, faulty)
    refused = RefusedUpload.objects.get()
    assert answer["Location"] == refused.get_absolute_url()
    page = text(scene.as_(scene.lead).get(refused.get_absolute_url()))
    assert "nothing counted" in page
    assert '<span class="unseen">U+200B</span>' in page
    assert "\u200b" not in page
    for code in ("E204", "E303"):
        assert f'id="{code}"' in page
    assert page.index("E303") < page.index("The file")
    assert "20 of 20 left" not in page
    form = text(scene.as_(scene.lead).get(f"{scene.address}submit/?phase=dev"))
    assert "Counts as 1 of 20 today." in form


def test_all_problems_can_be_taken_home(scene: Scene) -> None:
    post(scene, as_lines({"task_id": "q1", "answer": "=1+1"}, {"task_id": "q9", "answer": "x"}))
    refused = RefusedUpload.objects.get()
    client = scene.as_(scene.lead)
    found = json.loads(client.get(f"{refused.get_absolute_url()}problems.json").content)
    assert {one["code"] for one in found["problems"]} == {"E207", "E209"}
    table = client.get(f"{refused.get_absolute_url()}problems.csv").content.decode("utf-8-sig")
    assert table.splitlines()[0].startswith("code,severity,line,item_id")
    assert len(table.splitlines()) == 1 + len(found["problems"])


def test_the_same_press_twice_is_one_run(scene: Scene) -> None:
    first = post(scene, idempotency_key="k1")
    post(scene, OTHER)
    again = post(scene, idempotency_key="k1")
    assert first["Location"] == again["Location"]
    assert Submission.objects.count() == 2


def test_another_file_from_a_page_the_browser_kept_is_another_run(scene: Scene) -> None:
    """Going back shows the form with its old key; what is sent from there must not vanish."""
    first = post(scene, idempotency_key="k1")
    second = post(scene, OTHER, idempotency_key="k1")
    faulty = post(scene, as_lines({"task_id": "q1"}), idempotency_key="k1")
    assert first["Location"] != second["Location"]
    assert faulty["Location"] == RefusedUpload.objects.get().get_absolute_url()
    assert [run.number for run in Submission.objects.order_by("number")] == [1, 2]
    form = scene.as_(scene.lead).get(f"{scene.address}submit/?phase=dev")
    assert "no-store" in form["Cache-Control"], "a page shown again would name attempts that are gone"


def test_the_same_file_again_is_said_to_be_no_new_run(scene: Scene) -> None:
    words = "This very file is run 1 already. No further attempt was used."
    lead = scene.as_(scene.lead)
    for said in (False, True):
        form = {"file": SimpleUploadedFile("run.jsonl", RUN)}
        answer = lead.post(f"{scene.address}submit/?phase=dev", form, follow=True)
        assert (words in text(answer)) is said  # type: ignore[arg-type]


def test_the_form_names_what_is_missing_and_keeps_what_was_typed(scene: Scene) -> None:
    answer = scene.as_(scene.lead).post(
        f"{scene.address}submit/?phase=dev", {"run_name": "kept", "code_url": "no address"}
    )
    page = text(answer)
    assert answer.status_code == 422
    assert 'href="#id_file"' in page
    assert 'href="#id_code_url"' in page
    assert 'value="kept"' in page
    assert 'aria-invalid="true"' in page


@pytest.mark.parametrize(
    ("who", "words"),
    [("visitor", "Sign in to send a run"), ("organizer", "You need a team first"), ("lead", "Send the run")],
)
def test_the_page_says_what_one_needs_first(scene: Scene, who: str, words: str) -> None:
    assert words in text(scene.as_(scene.cast[who]).get(f"{scene.address}submit/"))


@pytest.mark.parametrize("who", ["visitor", "organizer"])
def test_who_was_signed_out_or_has_no_team_is_told_that_nothing_was_sent(scene: Scene, who: str) -> None:
    page = text(scene.as_(scene.cast[who]).get(f"{scene.address}submit/?phase=test"))
    assert "Nothing was sent" not in page
    answer = post(scene, who=who, phase="test")
    assert answer.status_code == 403
    assert "Nothing was sent" in text(answer)
    assert quote(f"{scene.address}submit/?phase=test", safe="") in text(answer), "back to the same phase"
    assert not Submission.objects.exists()


def test_a_run_for_a_phase_that_is_not_there_goes_to_no_other(scene: Scene) -> None:
    """Its address may be older than its name, or mistyped."""
    assert post(scene, phase="devel").status_code == 404
    assert scene.as_(scene.lead).get(f"{scene.address}submit/?phase=devel").status_code == 404
    assert not Submission.objects.exists()


def test_the_page_opens_with_a_phase_that_takes_runs(scene: Scene) -> None:
    """Not with the one that closes first, while that has no items."""
    soon = make_phase(scene.task, "soon", name="Warm-up", closes_at=clock.now() + timedelta(hours=1))
    page = text(scene.as_(scene.lead).get(f"{scene.address}submit/"))
    assert "Your run for Development" in page
    assert "Warm-up" in page
    asked_for = text(scene.as_(scene.lead).get(f"{scene.address}submit/?phase=soon"))
    assert "The items of this phase are not released yet." in asked_for
    make_items(soon, scene.track)
    assert "Your run for Warm-up" in text(scene.as_(scene.lead).get(f"{scene.address}submit/"))


@pytest.mark.parametrize("who", ["visitor", "organizer"])
def test_a_run_from_nobody_is_not_taken(scene: Scene, who: str) -> None:
    assert post(scene, who=who).status_code == 403
    assert not Submission.objects.exists()
    assert not RefusedUpload.objects.exists()


def test_the_last_attempt_is_announced_and_then_refused(scene: Scene) -> None:
    scene.test.total_quota = 1
    scene.test.save()
    assert "Counts as 1 of 1." in text(scene.as_(scene.lead).get(f"{scene.address}submit/?phase=test"))
    assert post(scene, phase="test").status_code == 302
    page = text(scene.as_(scene.lead).get(f"{scene.address}submit/?phase=test"))
    assert "All 1 runs of this phase have been sent." in page
    assert "disabled" in page
    assert post(scene, RUN.replace(b"10", b"12"), phase="test").status_code == 409


def test_between_phases_the_next_one_is_named(scene: Scene) -> None:
    with frozen_at(scene.dev.opens_at - timedelta(days=3)):
        page = text(scene.as_(scene.lead).get(f"{scene.address}submit/"))
    assert "Nothing is open now" in page
    assert "Development opens" in page
    with frozen_at(scene.test.closes_at + timedelta(days=1)):
        page = text(scene.as_(scene.lead).get(f"{scene.address}submit/"))
    assert "All phases have closed" in page


def test_the_sample_run_can_be_sent_as_it_is(scene: Scene) -> None:
    sample = scene.as_(None).get(f"{scene.address}data/dev/sample.jsonl").content
    assert sample.count(b"\n") == ITEMS.count(b"\n")
    assert post(scene, sample).status_code == 302
    assert Submission.objects.get().digest


def test_a_team_of_another_task_cannot_send_here(scene: Scene) -> None:
    stranger = make_team(name="Strangers").captain
    assert stranger is not None
    answer = scene.as_(stranger).post(
        f"{scene.address}submit/?phase=dev", {"file": SimpleUploadedFile("r.jsonl", RUN)}
    )
    assert answer.status_code == 403
    assert not Submission.objects.exists()


def test_a_team_says_which_run_counts_where_the_phase_lets_it(scene: Scene) -> None:
    scene.dev.counts, scene.dev.announcement = "chosen", "Choose **well**."
    scene.dev.save()
    post(scene)
    first = Submission.objects.get()
    post(scene, RUN.replace(b"10", b"12"))
    client = scene.as_(scene.teammate)
    assert "Not this run but run 2" in text(client.get(first.get_absolute_url()))
    client.post(f"{first.get_absolute_url()}choose/")
    assert "This run counts." in text(client.get(first.get_absolute_url()))
    assert "Choose <strong>well</strong>." in text(client.get(f"{scene.address}submit/?phase=dev"))
    scene.dev.counts = "last"
    scene.dev.save()
    assert client.post(f"{first.get_absolute_url()}choose/").status_code == 403
