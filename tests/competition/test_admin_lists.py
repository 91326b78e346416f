"""Lists of the desk: rows stand with their task, and baselines are sent from the list of phases."""

from __future__ import annotations

import pytest
from django.urls import reverse

from competition import clock
from competition.domain.baselines import send_baselines
from competition.exceptions import NotAllowed
from competition.models import AuditEntry, ExtraAttempts, FreezeRequest, RefusedUpload, Submission
from tests.competition.test_admin_actions import Scene
from tests.support import builders

pytestmark = [pytest.mark.django_db, pytest.mark.both]


@pytest.fixture
def scene() -> Scene:
    return Scene()


def test_baselines_are_sent_from_the_list_of_phases(scene: Scene) -> None:
    lists = reverse("admin:competition_phase_changelist")
    action = {"action": "send_baselines", "_selected_action": [scene.phase.pk]}
    builders.make_track(scene.task, "later", name="Later")
    builders.make_gold(scene.phase, scene.track)
    assert "Send the baselines" in scene.client.get(lists).content.decode()
    scene.stranger.post(lists, action)
    assert not Submission.objects.exists()
    page = scene.client.post(lists, action, follow=True).content.decode()
    names = {one.baseline_name for one in Submission.objects.all()}
    assert names == {"none", "question", "context_head"}
    assert f"Sent: {len(names)} baselines." in page
    assert "Demo, Later, Test: Upload the items first" in page
    entry = AuditEntry.objects.get(action="baselines sent")
    assert (entry.actor, set(entry.after["baselines"])) == (scene.organizer, names)
    assert "Sent: 0 baselines." in scene.client.post(lists, action, follow=True).content.decode()
    assert Submission.objects.count() == len(names)
    assert AuditEntry.objects.filter(action="baselines sent").count() == 1


def test_nobody_sends_baselines_for_a_task_of_others(scene: Scene) -> None:
    builders.make_items(scene.phase, scene.track)
    stranger = builders.make_organizer_of(builders.make_task())
    with pytest.raises(NotAllowed):
        send_baselines(phase=scene.phase, track=scene.track, requested_by=stranger)


@pytest.mark.parametrize(
    "model",
    [
        *("submission", "refusedupload", "evaluation", "itemset", "goldversion"),
        *("freezerequest", "frozenleaderboard", "extraattempts"),
    ],
)
def test_lists_show_phase_and_track_with_their_task(scene: Scene, model: str) -> None:
    team = builders.make_team(scene.task, "Lead")
    run = builders.make_submission(team, scene.phase, scene.track)
    evaluation, board = builders.make_evaluation(run), builders.make_board(scene.phase, scene.track)
    here = {"phase": scene.phase, "track": scene.track}
    moment = clock.now()
    FreezeRequest.objects.create(**here, reason="It is over.", queued_at=moment)
    RefusedUpload.objects.create(**here, team=team, received_at=moment, digest=run.digest, size=1)
    ExtraAttempts.objects.create(entry=run.entry, amount=1, reason="A power cut.")
    assert evaluation.gold_version.phase == board.phase
    page = scene.client.get(reverse(f"admin:competition_{model}_changelist")).content.decode()
    assert "<bdi>Demo</bdi> · <bdi>Qa</bdi> · <bdi>Test</bdi>" in page
