"""The desk: each organizer's own shared tasks, nothing of others', and the system's rows only to look at."""

from __future__ import annotations

from typing import Any

import pytest
from django.contrib.auth.models import AnonymousUser
from django.test import Client, RequestFactory
from django.urls import reverse

from competition import clock, middleware
from competition.admin import desk
from competition.admin.scope import ReadOnlyAdmin
from competition.enums import WorkStatus
from competition.models import AuditEntry, ExtraAttempts, OrganizerRole, SharedTask, Team, Track, WorkerBeat
from competition.queries.desk import attention
from tests.support import builders
from tests.support.clock import move_to
from tests.support.questions import questions

pytestmark = pytest.mark.django_db

SYSTEM_ROWS = {
    "Submission",
    "RefusedUpload",
    "Evaluation",
    "FrozenLeaderboard",
    "AuditEntry",
}


def signed_in(user: Any) -> Client:
    client = Client()
    client.force_login(user, backend="competition.authentication.Backend")
    return client


def furnish(task: SharedTask, mark: str) -> list[Any]:
    """One row of everything the desk shows, each carrying `mark` where it has a text."""
    team = builders.make_team(task, f"Team {mark}")
    phase = builders.make_phase(task, f"phase-{mark}", name=f"Phase {mark}")
    track = builders.make_track(task, f"track-{mark}", name=f"Track {mark}")
    items = builders.make_items(phase, track, reason=mark)
    gold = builders.make_gold(phase, track, reason=mark)
    result = builders.make_scored(builders.make_submission(team, phase, track, run_name=f"Run {mark}"))
    board = builders.make_board(phase, track, reason=mark)
    builders.make_standing(board, team)
    attempts = ExtraAttempts.objects.create(entry=result.evaluation.submission.entry, amount=1, reason=mark)
    entry = AuditEntry.objects.filter(task=task).first()
    run = result.evaluation.submission
    return [task, team, phase, track, items, gold, run, result.evaluation, board, attempts, entry]


@pytest.fixture
def two_tasks() -> dict[str, Any]:
    mine = builders.make_task("mine", name="Task MINE")
    theirs = builders.make_task("theirs", name="Task THEIRS")
    organizer = builders.make_organizer_of(mine, "organizer")
    builders.make_organizer_of(theirs, "another")
    return {
        "organizer": organizer,
        "mine": furnish(mine, "MINE"),
        "theirs": furnish(theirs, "THEIRS"),
        "client": signed_in(organizer),
    }


def lists() -> list[str]:
    return [f"admin:competition_{model._meta.model_name}_changelist" for model in desk._registry]


def test_the_door_opens_for_organizers_and_superusers_only() -> None:
    task = builders.make_task()
    staff = builders.make_user(is_staff=True)
    for user in (builders.make_user(), staff, builders.make_team(task).captain):
        answer = signed_in(user).get("/admin/")
        assert answer.status_code == 302
        assert "/admin/login/" in answer["Location"]
    for user in (builders.make_organizer_of(task), builders.make_superuser()):
        assert signed_in(user).get("/admin/").status_code == 200


def test_every_list_shows_ones_own_rows_and_nothing_of_others(two_tasks: dict[str, Any]) -> None:
    for name in lists():
        answer = two_tasks["client"].get(reverse(name))
        if "user_" in name:
            assert answer.status_code == 403
            continue
        assert answer.status_code == 200, name
        assert b"THEIRS" not in answer.content, name
        assert b"theirs" not in answer.content, name


def test_every_page_of_a_row_opens_for_its_organizer_only(two_tasks: dict[str, Any]) -> None:
    for row in two_tasks["mine"]:
        answer = two_tasks["client"].get(change_page(row))
        assert answer.status_code == 200, row
        assert b"THEIRS" not in answer.content, row
    for row in two_tasks["theirs"]:
        answer = two_tasks["client"].get(change_page(row))
        assert answer.status_code in (302, 403, 404), row
        assert b"THEIRS" not in answer.content, row


def test_forms_offer_ones_own_tasks_only(two_tasks: dict[str, Any]) -> None:
    for name in ("track", "phase", "team", "announcement", "itemset", "goldversion", "extraattempts"):
        answer = two_tasks["client"].get(reverse(f"admin:competition_{name}_add") + "?purpose=test")
        assert answer.status_code == 200, name
        assert b"MINE" in answer.content or b"mine" in answer.content, name
        assert b"THEIRS" not in answer.content, name


def test_a_superuser_sees_everything_and_get_requests_change_nothing(two_tasks: dict[str, Any]) -> None:
    client = signed_in(builders.make_superuser())
    before = AuditEntry.objects.count(), Team.objects.count()
    for name in lists():
        assert client.get(reverse(name)).status_code == 200, name
    for row in two_tasks["theirs"]:
        assert client.get(change_page(row)).status_code == 200, row
    assert (AuditEntry.objects.count(), Team.objects.count()) == before


def test_what_the_system_wrote_is_read_only(two_tasks: dict[str, Any]) -> None:
    request = RequestFactory().get("/admin/")
    for user in (two_tasks["organizer"], builders.make_superuser()):
        request.user = user
        for model, page in desk._registry.items():
            assert not page.has_delete_permission(request), model
            if model.__name__ in SYSTEM_ROWS:
                assert isinstance(page, ReadOnlyAdmin)
                assert not page.has_add_permission(request), model
                assert not page.has_change_permission(request), model
    for row in two_tasks["mine"]:
        if type(row).__name__ in SYSTEM_ROWS:
            assert two_tasks["client"].post(change_page(row), {"reason": "edited"}).status_code == 403


def test_lists_take_as_many_queries_for_three_rows_as_for_one(
    two_tasks: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        middleware, "NOTE_EVERY", 3_600
    )  # a sign of life, once a minute, is a query of its own

    def counts() -> dict[str, int]:
        found = {}
        for name in lists():
            with questions() as captured:
                two_tasks["client"].get(reverse(name))
            found[name] = len(captured)
        return found

    one = counts()
    task = two_tasks["mine"][0]
    for mark in ("MINE 2", "MINE 3"):
        furnish(task, mark.replace(" ", "-"))
    three = counts()
    assert three == one


def test_lists_never_carry_stored_bytes(two_tasks: dict[str, Any]) -> None:
    with questions() as captured:
        for name in lists():
            two_tasks["client"].get(reverse(name))
        for row in two_tasks["mine"]:
            two_tasks["client"].get(change_page(row))
    said = " ".join(captured)
    assert "packed" not in said
    assert "competition_goldblob" not in said


def test_wrong_passwords_lock_one_person_from_one_address(client: Client) -> None:
    organizer = builders.make_organizer_of(builders.make_task(), "lead")
    wrong = {"username": organizer.email, "password": "wrong"}
    right = {"username": organizer.email, "password": builders.PASSWORD}
    answers = [client.post("/admin/login/", wrong).status_code for _ in range(6)]
    assert answers[0] == 200
    assert answers[-1] == 429
    assert client.post("/admin/login/", right).status_code == 429
    spoofed = client.post("/admin/login/", right, headers={"X-Forwarded-For": "10.0.0.9"})
    assert spoofed.status_code == 429
    elsewhere = Client(REMOTE_ADDR="10.0.0.7").post("/admin/login/?next=/admin/", right)
    assert elsewhere.status_code == 302


def test_changes_leave_an_entry_with_before_and_after(two_tasks: dict[str, Any]) -> None:
    task, track = two_tasks["mine"][0], two_tasks["mine"][3]
    form = {
        "slug": track.slug,
        "name": "Renamed",
        "sentence": "",
        "options": '{"slices": "region"}',
        "languages": "[]",
        "order": "1",
    }
    answer = two_tasks["client"].post(change_page(track), form)
    assert answer.status_code == 302, answer.content.decode()
    entry = AuditEntry.objects.get(action="track changed")
    assert (entry.task, entry.actor) == (task, two_tasks["organizer"])
    assert entry.before["name"] == "Track MINE"
    assert entry.after["name"] == "Renamed"
    assert entry.after["options"] == {"slices": "region"}
    assert entry.request_id


@pytest.mark.parametrize(
    "options", ['{"nonsense": "1"}', '{"tokenizer": "klingon.1"}', '{"tokenizer": 1}', "[1]"]
)
def test_options_the_kind_does_not_take_are_refused(two_tasks: dict[str, Any], options: str) -> None:
    task = two_tasks["mine"][0]
    form = {
        "task": task.pk,
        "slug": "new",
        "name": "New",
        "kind": "short_answer",
        "options": options,
        "order": "1",
    }
    answer = two_tasks["client"].post(reverse("admin:competition_track_add"), {**form, "languages": "[]"})
    assert answer.status_code == 200
    assert answer.context["adminform"].form.errors["options"]
    assert not Track.objects.filter(slug="new").exists()


def track_form(task: SharedTask, **changes: str) -> dict[str, Any]:
    form = {"task": task.pk, "slug": "new", "name": "New", "kind": "short_answer", "order": "1"}
    return {**form, "options": "{}", "languages": "[]", "limits": "{}", **changes}


@pytest.mark.parametrize(
    "languages", ['"en"', "5", '{"a": 1}', "[1]", "[null]", '["English please"]', '[""]']
)
def test_languages_are_tags_or_refused(two_tasks: dict[str, Any], languages: str) -> None:
    """The home page goes through them: a number there was its end, for every task and every visitor."""
    form = track_form(two_tasks["mine"][0], languages=languages)
    answer = two_tasks["client"].post(reverse("admin:competition_track_add"), form)
    assert answer.status_code == 200
    assert "BCP 47 tags" in str(answer.context["adminform"].form.errors["languages"])
    assert not Track.objects.filter(slug="new").exists()


@pytest.mark.parametrize("nothing", ["", "null", "[]", "{}", '""'])
def test_json_left_empty_is_what_a_new_row_starts_from(two_tasks: dict[str, Any], nothing: str) -> None:
    task = two_tasks["mine"][0]
    form = track_form(task, options=nothing, languages=nothing, limits=nothing)
    answer = two_tasks["client"].post(reverse("admin:competition_track_add"), form)
    assert answer.status_code == 302, answer.content.decode()
    track = Track.objects.get(slug="new")
    assert (track.options, track.languages, track.limits) == ({}, [], {})
    assert track.run_limits.file_bytes
    whole = {"slug": task.slug, "name": task.name, "columns": nothing}
    whole |= {"organizer_roles-TOTAL_FORMS": "0", "organizer_roles-INITIAL_FORMS": "0"}
    answer = two_tasks["client"].post(change_page(task), whole)
    assert answer.status_code == 302, answer.content.decode()
    task.refresh_from_db()
    assert task.columns == []


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ('{"tokenizer": "ascii.1"}', "Runs have come in, and with another tokenizer"),
        ('{"nonsense": "1"}', "has no option"),
    ],
)
def test_once_runs_have_come_in_options_keep_what_scores_mean(
    two_tasks: dict[str, Any], options: str, said: str
) -> None:
    track = two_tasks["mine"][3]
    form = track_form(track.task, slug=track.slug, options=options)
    answer = two_tasks["client"].post(change_page(track), form)
    assert answer.status_code == 200
    assert said in str(answer.context["adminform"].form.errors["options"])
    track.refresh_from_db()
    assert track.options == {}


def test_a_form_that_was_overtaken_puts_nothing_back(two_tasks: dict[str, Any]) -> None:
    """Two organizers have one track open: what the first saved is not undone by what the second was shown."""
    track = two_tasks["mine"][3]
    seen = two_tasks["client"].get(change_page(track)).context["seen"]
    assert f'name="seen" value="{seen}"' in two_tasks["client"].get(change_page(track)).content.decode()
    form = track_form(track.task, slug=track.slug, name=track.name, seen=seen)
    first = {**form, "sentence": "From the first."}
    assert two_tasks["client"].post(change_page(track), {**first, "languages": "5"}).context["seen"] == seen
    assert two_tasks["client"].post(change_page(track), first).status_code == 302
    answer = two_tasks["client"].post(change_page(track), {**form, "order": "7"}, follow=True)
    assert "nothing of yours was saved" in answer.content.decode()
    track.refresh_from_db()
    assert (track.sentence, track.order) == ("From the first.", 1)
    again = {**first, "order": "7", "seen": answer.context["seen"]}
    assert two_tasks["client"].post(change_page(track), again).status_code == 302
    track.refresh_from_db()
    assert (track.sentence, track.order) == ("From the first.", 7)


def test_a_superuser_appoints_organizers_and_organizers_do_not(two_tasks: dict[str, Any]) -> None:
    task, newcomer = two_tasks["mine"][0], builders.make_user("newcomer")
    form = {
        "slug": task.slug,
        "name": task.name,
        "organizer_roles-TOTAL_FORMS": "1",
        "organizer_roles-INITIAL_FORMS": "0",
        "organizer_roles-0-user": newcomer.pk,
    }
    two_tasks["client"].post(change_page(task), form)
    assert not OrganizerRole.objects.filter(user=newcomer).exists()
    answer = signed_in(builders.make_superuser()).post(change_page(task), form)
    assert answer.status_code == 302, answer.content.decode()
    assert OrganizerRole.objects.filter(user=newcomer, task=task).exists()
    newcomer.refresh_from_db()
    assert newcomer.is_staff
    assert AuditEntry.objects.filter(action="organizer added", task=task).count() == 2


def test_the_front_page_says_what_needs_somebody(two_tasks: dict[str, Any]) -> None:
    task = two_tasks["mine"][0]
    submission = builders.make_submission(team=builders.make_team(task, "Tеam MINE"))  # a Cyrillic letter
    builders.make_evaluation(submission, status=WorkStatus.FAILED)
    said = [notice.message for notice in attention(two_tasks["organizer"], clock.now())]
    assert said[0] == "1 run failed by our fault."
    assert any("is frozen and not published" in message for message in said)
    assert said[-1] == "Some team names look alike."
    page = two_tasks["client"].get("/admin/")
    assert "1 run failed by our fault." in page.content.decode()
    other = builders.make_organizer_of(builders.make_task())
    assert attention(other, clock.now()) == []
    assert attention(AnonymousUser(), clock.now()) == []


def test_workers_are_for_all_organizers_to_see(two_tasks: dict[str, Any]) -> None:
    move_to(clock.now())
    WorkerBeat.objects.create(name="one", started_at=clock.now(), seen_at=clock.now())
    answer = two_tasks["client"].get(reverse("admin:competition_workerbeat_changelist"))
    assert b"0 s ago" in answer.content


def change_page(row: Any) -> str:
    return reverse(f"admin:competition_{row._meta.model_name}_change", args=[row.pk])
