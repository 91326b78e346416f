"""What every page shares: the rendering, and finding the task, track, team or run an address names."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from django.contrib.auth.models import AnonymousUser
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse

from competition.models import Phase, RefusedUpload, SharedTask, Submission, Team, Track, User
from competition.queries.rail import Rail, rail_of

Viewer = User | AnonymousUser

TABS = (
    ("", "Overview"),
    ("data/", "Data"),
    ("evaluation/", "Evaluation"),
    ("submit/", "Submit"),
    ("leaderboard/", "Leaderboard"),
)


def show(
    request: HttpRequest,
    template: str,
    *,
    now: datetime,
    rail: Rail | None = None,
    status: int = 200,
    **context: Any,
) -> HttpResponse:
    """A page, with the reader's teams in its head and the moment it speaks of."""
    teams = Team.objects.told_apart(request.user)
    return render(request, template, {"now": now, "rail": rail, "my_teams": teams, **context}, status=status)


def find_task(viewer: Viewer, slug: str) -> SharedTask:
    """A shared task this viewer may see, or 404."""
    task = SharedTask.objects.visible_to(viewer).filter(slug=slug).first()
    if task is None:
        raise Http404
    return task


def find_track(viewer: Viewer, task_slug: str, slug: str, now: datetime) -> tuple[Rail, Track]:
    """A track this viewer may see with the rail of its task, or 404."""
    rail = rail_of(find_task(viewer, task_slug), now)
    track = next((one for one in rail.tracks if one.slug == slug), None)
    if track is None:
        raise Http404
    return rail, track


def find_run(viewer: Viewer, public_id: str) -> Submission:
    """A run this viewer may see, or 404: whether a stranger's run exists is nobody's business."""
    return _find_sent(Submission, viewer, public_id)


def find_refusal(viewer: Viewer, public_id: str) -> RefusedUpload:
    """A refused upload this viewer may see, or 404, as with runs."""
    return _find_sent(RefusedUpload, viewer, public_id)


def _find_sent(model: Any, viewer: Viewer, public_id: str) -> Any:
    found = (
        model.objects.visible_to(viewer)
        .filter(public_id=public_id)
        .select_related("team", "phase__task", "track__task", "submitted_by")
        .first()
    )
    if found is None:
        raise Http404
    return found


def check_url(track: Track, phase: Phase) -> str:
    """Where a file for this phase can be checked without sending it."""
    return f"{reverse('check', args=[track.task.slug, track.slug])}?phase={phase.slug}"


def organizes(viewer: Viewer, rail: Rail) -> bool:
    return SharedTask.objects.organized_by(viewer).filter(pk=rail.task.pk).exists()


def team_of(viewer: Viewer, task: SharedTask) -> Team | None:
    """The viewer's team in a shared task."""
    team = Team.objects.of(viewer).filter(task=task).first()
    if team is not None:
        team.task = task
    return team
