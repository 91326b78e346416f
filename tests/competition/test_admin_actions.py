"""What organizers do on the desk: upload, grant, rename, freeze, publish. Each asks and tells."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.management import CommandError, call_command
from django.test import Client
from django.urls import reverse

from competition import clock
from competition.domain.baselines import send_baselines
from competition.domain.teams import lookalikes
from competition.enums import FileStatus, WorkStatus
from competition.models import (
    AuditEntry,
    Evaluation,
    ExtraAttempts,
    FreezeRequest,
    FrozenLeaderboard,
    GoldCheck,
    GoldVersion,
    ItemSet,
    Publication,
    Team,
    User,
)
from competition.queries.desk import attention
from tests.competition.stage import work_until_idle
from tests.support import builders

pytestmark = [pytest.mark.django_db, pytest.mark.both]


class Scene:
    """A shared task with a closed test phase, its organizer at the desk, and somebody else's organizer."""

    def __init__(self) -> None:
        self.task = builders.make_task("demo")
        now = clock.now()
        self.phase = builders.make_phase(
            self.task, "test", "test", opens_at=now - timedelta(days=9), closes_at=now - timedelta(hours=1)
        )
        self.track = builders.make_track(self.task, "qa")
        self.organizer = builders.make_organizer_of(self.task, "organizer")
        self.client = signed_in(self.organizer)
        self.stranger = signed_in(builders.make_organizer_of(builders.make_task("other"), "stranger"))

    def upload(self, kind: str, content: bytes, client: Client | None = None) -> Any:
        form = {"phase": self.phase.pk, "track": self.track.pk, "reason": "first version"}
        form["file"] = SimpleUploadedFile("file.jsonl", content)
        return (client or self.client).post(reverse(f"admin:competition_{kind}_add"), form)

    @property
    def freeze_page(self) -> str:
        return reverse("admin:competition_freeze", args=[self.phase.pk, self.track.pk])


@pytest.fixture
def scene() -> Scene:
    return Scene()


def signed_in(user: Any) -> Client:
    client = Client()
    client.force_login(user, backend="competition.authentication.Backend")
    return client


def test_items_and_gold_are_uploaded_as_json_lines(scene: Scene) -> None:
    assert scene.upload("goldversion", builders.GOLD).status_code == 200  # items come first
    assert not GoldVersion.objects.exists()
    assert scene.upload("itemset", builders.ITEMS).status_code == 302
    items = ItemSet.objects.get()
    assert (items.version, items.status, items.n_items) == (1, FileStatus.READY, 2)
    assert items.uploaded_by == scene.organizer
    assert scene.upload("goldversion", builders.GOLD).status_code == 302
    assert GoldVersion.objects.get().status == FileStatus.RECEIVED
    assert GoldCheck.objects.get().status == WorkStatus.QUEUED


def test_a_faulty_file_changes_nothing_and_shows_each_problem_escaped(scene: Scene) -> None:
    faulty = b'{"task_id": "<script>alert(1)</script>", "tier": "easy"}\n{"task_id": 7}\nnot json\n'
    answer = scene.upload("itemset", faulty)
    page = answer.content.decode()
    assert answer.status_code == 200
    assert not ItemSet.objects.exists()
    assert "Nothing was changed" in page
    assert "<script>alert" not in page
    assert page.count("<tr>") >= 4


def test_each_problem_of_a_file_says_what_to_do_about_it(scene: Scene) -> None:
    line = b'{"task_id": "q1", "tier": "easy", "question": "How much?"}\n'
    page = scene.upload("itemset", line + line).content.decode()
    assert "The items have 1 problem. Nothing was changed." in page
    assert "Expected: each id once." in page
    page = scene.upload("itemset", line.replace(b"task_id", b"id")).content.decode()
    assert "Expected: &quot;task_id&quot; with an item id." in page


def test_a_whole_data_set_is_not_taken_for_its_items(scene: Scene) -> None:
    """It would be public with its references: the slip of whoever has questions and answers in one file."""
    line = b'{"task_id": "q1", "tier": "easy", "question": "How much?", "answer": "CANARY"}\n'
    said = str(scene.upload("itemset", line).context["form"].errors["file"])
    assert "1 of them has" in said
    assert "Take the field out of every line" in said
    assert "CANARY" not in said
    assert not ItemSet.objects.exists()
    assert scene.upload("itemset", line.replace(b'"CANARY"', b"null")).status_code == 302


def test_others_organizers_upload_nothing_here(scene: Scene) -> None:
    answer = scene.upload("itemset", builders.ITEMS, scene.stranger)
    assert "valid choice" in str(answer.context["form"].errors["phase"])
    assert not ItemSet.objects.exists()


def test_phase_and_track_of_two_tasks_do_not_mix(scene: Scene) -> None:
    other = builders.make_task()
    client = signed_in(builders.make_superuser())
    form = {
        "phase": builders.make_phase(other).pk,
        "track": scene.track.pk,
        "reason": "x",
        "file": SimpleUploadedFile("items.jsonl", builders.ITEMS),
    }
    answer = client.post(reverse("admin:competition_itemset_add"), form)
    assert "two shared tasks" in answer.content.decode()


def test_a_team_is_granted_attempts_with_a_reason(scene: Scene) -> None:
    team = builders.make_team(scene.task, "Lead")
    form = {"team": team.pk, "phase": scene.phase.pk, "track": scene.track.pk, "amount": "2", "reason": ""}
    add = reverse("admin:competition_extraattempts_add")
    assert scene.client.post(add, form).status_code == 200
    assert not ExtraAttempts.objects.exists()
    assert scene.client.post(add, {**form, "reason": "Our disk was full."}).status_code == 302
    granted = ExtraAttempts.objects.get()
    assert (granted.entry.team, granted.amount, granted.granted_by) == (team, 2, scene.organizer)
    assert AuditEntry.objects.filter(action="attempts granted", reason="Our disk was full.").exists()
    assert scene.stranger.post(add, {**form, "reason": "mine"}).status_code == 200
    assert ExtraAttempts.objects.count() == 1


def test_a_baseline_is_registered_and_a_team_renamed(scene: Scene) -> None:
    page = reverse("admin:competition_team_add")
    nothing = {
        f"{name}-{total}_FORMS": "0"
        for name in ("memberships", "name_changes")
        for total in ("TOTAL", "INITIAL")
    }
    form = {"task": scene.task.pk, "name": "None baseline", "role": "baseline", **nothing}
    assert scene.client.post(page, form).status_code == 302
    baseline = Team.objects.get()
    assert baseline.is_baseline
    assert baseline.captain is None
    taken = scene.client.post(page, {**form, "name": "NONE  baseline"})
    assert "registered already" in taken.content.decode()
    hidden = scene.client.post(page, {**form, "name": "None\u202ebaseline"})
    assert "direction" in hidden.content.decode()
    change = reverse("admin:competition_team_change", args=[baseline.pk])
    renamed = {"name": "Always None", "reason": "clearer", "affiliation": "Us", **nothing}
    assert scene.client.post(change, renamed).status_code == 302
    baseline.refresh_from_db()
    assert (baseline.name, baseline.affiliation) == ("Always None", "Us")
    assert baseline.name_changes.get().before == "None baseline"
    assert {"team created", "team renamed", "team changed"} <= set(
        AuditEntry.objects.values_list("action", flat=True)
    )


def test_a_look_alike_is_pointed_out(scene: Scene) -> None:
    builders.make_team(scene.task, "Calibrated Signals")
    imitation = builders.make_team(scene.task, "Саlibrated Signals")
    assert lookalikes(imitation)
    page = scene.client.get(reverse("admin:competition_team_changelist") + "?name=alike").content.decode()
    assert page.count("looks like another name") == 2
    assert page.count("mixes scripts in a word") == 1


def test_freezing_lists_what_is_in_the_way(scene: Scene) -> None:
    page = scene.client.get(scene.freeze_page).content.decode()
    assert "cannot be frozen yet" in page
    assert '<input type="submit"' not in page
    answer = scene.client.post(scene.freeze_page, {"reason": "now", "typed": "test/qa"})
    assert answer.status_code == 200
    assert not FreezeRequest.objects.exists()


def ready_to_freeze(scene: Scene) -> None:
    builders.make_gold(scene.phase, scene.track)
    team = builders.make_team(scene.task, "Lead")
    builders.make_scored(builders.make_submission(team, scene.phase, scene.track))


def test_freezing_asks_for_a_reason_and_the_slugs(scene: Scene) -> None:
    ready_to_freeze(scene)
    page = scene.client.get(scene.freeze_page).content.decode()
    assert "Nothing is in the way" in page
    assert "Type test/qa to go on" in page
    for form in ({"reason": "closed"}, {"typed": "test/qa"}, {"reason": "closed", "typed": "yes"}):
        assert scene.client.post(scene.freeze_page, form).status_code == 200
    assert not FreezeRequest.objects.exists()
    answer = scene.client.post(scene.freeze_page, {"reason": "The phase has closed.", "typed": "test/qa"})
    made = FreezeRequest.objects.get()
    assert answer["Location"] == reverse("admin:competition_freezerequest_change", args=[made.pk])
    assert (made.requested_by, made.reason, made.status) == (
        scene.organizer,
        "The phase has closed.",
        "queued",
    )
    assert scene.client.get(answer["Location"]).status_code == 200
    again = scene.client.post(scene.freeze_page, {"reason": "again", "typed": "test/qa"})
    assert "under way" in again.content.decode()


def test_a_board_without_a_team_is_frozen_by_ticking_that_it_is_meant(scene: Scene) -> None:
    builders.make_gold(scene.phase, scene.track)
    send_baselines(phase=scene.phase, track=scene.track, requested_by=None)
    work_until_idle()
    page = scene.client.get(scene.freeze_page).content.decode()
    assert "No team has a run that stands: the board would show 3 baselines and rank nobody." in page
    assert "Nothing is in the way." not in page
    form = {"reason": "Figures to compare with.", "typed": "test/qa"}
    answer = scene.client.post(scene.freeze_page, form)
    assert "Tick this if a board of baselines alone is what you mean." in answer.content.decode()
    assert not FreezeRequest.objects.exists()
    assert scene.client.post(scene.freeze_page, {**form, "baselines_alone": "on"}).status_code == 302
    work_until_idle()
    publish = reverse("admin:competition_publish", args=[FrozenLeaderboard.objects.get().pk])
    page = scene.client.get(publish).content.decode()
    assert "No team stands on this board: everybody will read baselines alone." in page


def test_nobody_freezes_or_publishes_what_is_not_theirs(scene: Scene) -> None:
    ready_to_freeze(scene)
    board = builders.make_board(scene.phase, scene.track)
    publish = reverse("admin:competition_publish", args=[board.pk])
    for page in (scene.freeze_page, publish):
        assert scene.stranger.get(page).status_code == 404
        assert scene.stranger.post(page, {"reason": "x", "typed": "test/qa"}).status_code == 404
        assert signed_in(builders.make_user()).get(page).status_code == 302
        assert Client().get(page).status_code == 302
    assert not FreezeRequest.objects.exists()
    assert not Publication.objects.exists()
    other = builders.make_track(builders.make_task())
    mixed = reverse("admin:competition_freeze", args=[scene.phase.pk, other.pk])
    assert signed_in(builders.make_superuser()).get(mixed).status_code == 404


def test_publishing_shows_the_standings_and_asks(scene: Scene) -> None:
    board = builders.make_board(scene.phase, scene.track)
    builders.make_standing(board, builders.make_team(scene.task, "Lead <b>"), primary=0.72956)
    page = reverse("admin:competition_publish", args=[board.pk])
    shown = scene.client.get(page).content.decode()
    assert "Lead &lt;b&gt;" in shown
    assert "<td>72.96</td>" in shown
    assert scene.client.post(page, {"typed": "qa"}).status_code == 200
    assert not Publication.objects.exists()
    assert scene.client.post(page, {"typed": "test/qa"}).status_code == 302
    assert Publication.objects.get().published_by == scene.organizer
    assert FrozenLeaderboard.objects.published().get() == board
    assert "This board is published" in scene.client.get(page).content.decode()


def test_failed_runs_are_evaluated_again_from_the_list(scene: Scene) -> None:
    builders.make_gold(scene.phase, scene.track)
    submission = builders.make_submission(builders.make_team(scene.task), scene.phase, scene.track)
    builders.make_evaluation(submission, status=WorkStatus.FAILED)
    page = reverse("admin:competition_submission_changelist")
    assert "failed, reference" in scene.client.get(page + "?state=failed").content.decode()
    form = {"action": "evaluate_again", "_selected_action": [submission.pk]}
    answer = scene.client.post(page, form, follow=True)
    assert "Queued: 1 run." in answer.content.decode()
    assert Evaluation.objects.filter(submission=submission, status=WorkStatus.QUEUED).count() == 1
    scene.stranger.post(page, form)
    assert Evaluation.objects.filter(submission=submission).count() == 2


def test_the_first_organizer_is_made_at_a_prompt(scene: Scene, capsys: pytest.CaptureFixture[str]) -> None:
    call_command("create_organizer", "new@example.org", task=["demo"], name="New")
    said = capsys.readouterr().out
    user = User.objects.get(email="new@example.org")
    password = said.split("password ")[1].split(" ")[0]
    assert user.check_password(password)
    assert signed_in(user).get("/admin/").status_code == 200
    assert not user.is_superuser
    call_command("create_organizer", "NEW@example.org", task=["other"])
    assert user.organizer_roles.count() == 2
    assert "password" not in capsys.readouterr().out
    for wrong in (["x"], ["a@example.org"]):
        with pytest.raises(CommandError):
            call_command("create_organizer", *wrong)
    with pytest.raises(CommandError, match="no shared task"):
        call_command("create_organizer", "b@example.org", task=["nowhere"])
    assert not User.objects.filter(email__in=["a@example.org", "b@example.org"]).exists()


def test_a_new_test_phase_starts_from_what_suits_a_test_phase(scene: Scene) -> None:
    """On one form for all purposes, "test" once kept the defaults of development: scores at once."""
    add = reverse("admin:competition_phase_add")
    purposes = scene.client.get(add).content.decode()
    assert "5 in all" in purposes
    assert '<form method="post" id="phase_form"' not in purposes
    for purpose, shown in (("test", "after_publication"), ("development", "at_once"), ("post", "at_once")):
        assert f'href="?purpose={purpose}"' in purposes
        form = scene.client.get(f"{add}?purpose={purpose}").context["adminform"].form
        assert (form["purpose"].value(), form["scores_visible"].value()) == (purpose, shown)


def test_scores_of_a_test_phase_that_show_at_once_are_pointed_out(scene: Scene) -> None:
    form = {
        "task": scene.task.pk,
        "slug": "final",
        "name": "Final",
        "purpose": "test",
        "counts": "last",
        "opens_at_text": "2031-05-01",
        "opens_at_zone": "UTC",
        "closes_at_text": "2031-05-02",
        "closes_at_zone": "UTC",
        "grace_seconds": "0",
        "scores_visible": "at_once",
        "total_quota": "5",
        "diagnostics_level": "0",
        "published_level": "1",
    }
    add = reverse("admin:competition_phase_add")
    assert b"show as soon as a run is scored" in scene.client.post(add, form, follow=True).content
    quiet = {**form, "slug": "quiet", "scores_visible": "after_publication"}
    assert b"show as soon as a run" not in scene.client.post(add, quiet, follow=True).content


def test_choices_of_several_tasks_stand_with_their_task(scene: Scene) -> None:
    other = builders.make_task("twin", name="Twin task")
    twins = builders.make_phase(other, "test", "test"), builders.make_track(other, "qa")
    client = signed_in(builders.make_superuser())
    for name in ("itemset", "goldversion", "extraattempts"):
        page = client.get(reverse(f"admin:competition_{name}_add")).content.decode()
        for row in (*twins, scene.phase, scene.track):
            assert f'<option value="{row.pk}">{row.task}: {row}</option>' in page, name
    builders.make_gold(scene.phase, scene.track)
    builders.make_gold(*twins)
    filtered = client.get(reverse("admin:competition_goldversion_changelist")).content.decode()
    assert f"{scene.phase.task}: {scene.phase}" in filtered
    assert f"Twin task: {twins[0]}" in filtered


def test_an_upload_leads_to_its_own_page_and_the_newest_stands_first(scene: Scene) -> None:
    builders.make_gold(scene.phase, scene.track)
    answer = scene.upload("goldversion", b"not json")
    made = GoldVersion.objects.get(version=2)
    assert answer["Location"] == reverse("admin:competition_goldversion_change", args=[made.pk])
    assert "A worker checks it now" in scene.client.get(answer["Location"]).content.decode()
    rows = scene.client.get(reverse("admin:competition_goldversion_changelist")).context["cl"].result_list
    assert [row.version for row in rows] == [2, 1]


def test_after_the_close_an_organizer_withdraws_a_run_and_says_why(scene: Scene) -> None:
    """What a blocker of a freeze advises must be possible."""
    run = builders.make_submission(builders.make_team(scene.task, "Lead"), scene.phase, scene.track)
    desk = scene.client.get(reverse("admin:competition_submission_changelist")).content.decode()
    assert f'href="{run.get_absolute_url()}"' in desk
    page = scene.client.get(run.get_absolute_url()).content.decode()
    assert 'name="reason" required' in page
    withdraw = reverse("withdraw", args=[run.public_id])
    scene.client.post(withdraw, {"reason": " "})
    run.refresh_from_db()
    assert not run.is_withdrawn
    scene.client.post(withdraw, {"reason": "The team asked by mail."})
    run.refresh_from_db()
    assert (run.is_withdrawn, run.withdrawn_by) == (True, scene.organizer)
    assert AuditEntry.objects.get(action="submission withdrawn").reason == "The team asked by mail."
    page = scene.client.get(run.get_absolute_url()).content.decode()
    assert "Withdrawn by the organizers" in page
    assert "Withdraw run" not in page
    assert scene.stranger.post(withdraw, {"reason": "mine"}).status_code == 404


def test_the_front_page_names_boards_that_wait_and_scores_by_older_gold(scene: Scene) -> None:
    second = builders.make_track(scene.task, "terms")
    builders.make_gold(scene.phase, scene.track)
    run = builders.make_submission(builders.make_team(scene.task, "Lead"), scene.phase, scene.track)
    builders.make_scored(run)

    def said() -> dict[str, str]:
        return {notice.message: notice.url for notice in attention(scene.organizer, clock.now())}

    board = f"{scene.task}: {scene.track}, {scene.phase}"
    other = f"{scene.task}: {second}, {scene.phase} has closed and is not frozen."
    assert said()[f"{board} has closed and is not frozen."] == scene.freeze_page
    frozen = builders.make_board(scene.phase, scene.track)
    assert said().keys() == {other, f"{board}, version 1, is frozen and not published."}
    builders.publish(frozen)
    assert said().keys() == {other}, "a frozen board of one track speaks for that track only"
    builders.make_gold(scene.phase, scene.track)
    stale = f"{board}: 1 run scored by older gold."
    assert said().keys() == {other, stale}
    assert len(scene.client.get(said()[stale]).context["cl"].result_list) == 1


def test_the_desk_asks_for_an_e_mail_address(scene: Scene) -> None:
    page = Client().get(reverse("admin:login")).content.decode()
    assert "Username" not in page
    assert "E-mail" in page
    credentials = {"username": "organizer@example.org", "password": "wrong"}
    refused = Client().post(reverse("admin:login"), credentials).content.decode()
    assert "E-mail address and password do not fit" in refused
    entered = Client().post(reverse("admin:login"), {**credentials, "password": "correct horse battery"})
    assert entered.status_code == 302
