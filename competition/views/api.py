"""`/api/v1/`: what a team's program needs. The same checks, codes, words and limits as the pages.

A token sees the runs of its owner's own teams, never what its owner may see as an organizer.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict
from datetime import datetime
from math import isfinite
from typing import Any

from django.http import Http404, HttpRequest, HttpResponse

from competition import clock
from competition.domain import visibility
from competition.domain.intake import can_submit, receive_submission, submissions_left
from competition.exceptions import NotAllowed
from competition.forms.runs import RunUploadForm
from competition.models import Phase, RefusedUpload, Result, SharedTask, Submission, Team, Track, User
from competition.queries.rail import rail_of
from competition.views.api_access import answer, api, error, gives, here, submits
from competition.views.pages import find_track, team_of
from competition.views.run_page import RunState, state_of
from competition.views.run_report import speaking_evaluations

MOST_LISTED = 200


@gives(ok="Tasks")
def list_tasks(request: HttpRequest, user: User) -> HttpResponse:
    """The published shared tasks."""
    tasks = SharedTask.objects.filter(published=True).order_by("slug")
    return answer({"tasks": [_task_line(request, one) for one in tasks]})


@gives(ok="Task")
def show_task(request: HttpRequest, user: User, task: str) -> HttpResponse:
    """One shared task: its tracks, its phases now, and the caller's team in it."""
    now = clock.now()
    found = SharedTask.objects.filter(published=True, slug=task).first()
    if found is None:
        raise Http404
    rail = rail_of(found, now)
    team = team_of(user, found)
    return answer(
        {
            **_task_line(request, found),
            "now": now.isoformat(),
            "tracks": [_track_line(one) for one in rail.tracks],
            "phases": [_phase_line(one, now) for one in rail.phases],
            "team": {"id": team.public_id, "name": team.name} if team else None,
        }
    )


@gives(ok="Quota")
def show_quota(request: HttpRequest, user: User, task: str, track: str, phase: str) -> HttpResponse:
    """How many runs may still be sent, and whether one would be taken now."""
    now = clock.now()
    team, of_track, of_phase = _place(user, task, track, phase, now)
    quota = submissions_left(team=team, phase=of_phase, track=of_track, moment=now)
    allowed = can_submit(team=team, phase=of_phase, track=of_track, moment=now)
    derived = {
        "left": quota.left,
        "left_today": quota.left_today,
        "left_in_all": quota.left_in_all,
        "next_attempt_at": _iso(quota.next_attempt_at),
    }
    counted = {**asdict(quota), "day_ends_at": _iso(quota.day_ends_at)}
    taken = bool(allowed) and not quota.is_spent
    return answer({**counted, **derived, "accepts_runs": taken, "reason": allowed.reason})


@gives(ok="Runs")
def list_runs(request: HttpRequest, user: User, task: str, track: str, phase: str) -> HttpResponse:
    """The team's runs in one phase and track, the latest first."""
    now = clock.now()
    team, of_track, of_phase = _place(user, task, track, phase, now)
    found = _runs_of(user).filter(team=team, phase=of_phase, track=of_track)[:MOST_LISTED]
    return answer({"submissions": _lines(request, list(found), of_phase, of_track, now)})


@submits
@gives(made="Run", ok="Run", faulty="NotTaken")
def send_run(request: HttpRequest, user: User, task: str, track: str, phase: str) -> HttpResponse:
    """Take a run, as the form does: 201 with the receipt, 200 with that of before, 422 with every problem."""
    sent = {"idempotency_key": request.headers.get("Idempotency-Key", ""), **request.POST.dict()}
    now = clock.now()  # the body has arrived: reading its fields waited for all of it
    team, of_track, of_phase = _place(user, task, track, phase, now)
    form = RunUploadForm(sent, request.FILES, limits=of_track.run_limits)
    if not form.is_valid():
        fields = {name: [str(one) for one in errors] for name, errors in form.errors.items()}
        return error(422, "form", "The request needs a correction.", fields=fields)
    taken = receive_submission(
        team=team, phase=of_phase, track=of_track, submitted_by=user, received_at=now, **form.sent()
    )
    if isinstance(taken, RefusedUpload):
        return answer(_refusal(request, taken), status=422)
    made = answer(_line(request, taken, now), status=201 if taken.received_at == now else 200)
    made["Location"] = here(request, "api_run", taken.public_id)
    return made


@gives(ok="Run")
def show_run(request: HttpRequest, user: User, public_id: str) -> HttpResponse:
    """One run: its state, and its scores when the phase shows them."""
    return answer(_line(request, _own_run(user, public_id), clock.now()))


@gives(ok="Report")
def show_problems(request: HttpRequest, user: User, public_id: str) -> HttpResponse:
    """The report of the check, as the validator prints it with `--json`."""
    run = _own_run(user, public_id)
    return answer({**run.warnings, "diagnostics": run.observed})


@gives(ok="Refused")
def show_refusal(request: HttpRequest, user: User, public_id: str) -> HttpResponse:
    """The report of a refused file."""
    found = RefusedUpload.objects.filter(team__in=Team.objects.of(user), public_id=public_id).first()
    if found is None:
        raise Http404
    return answer(_refusal(request, found))


tasks = api(GET=list_tasks)
task = api(GET=show_task)
quota = api(GET=show_quota)
runs = api(GET=list_runs, POST=send_run)
run = api(GET=show_run)
problems = api(GET=show_problems)
refusal = api(GET=show_refusal)


def _place(user: User, task: str, track: str, phase: str, now: datetime) -> tuple[Team, Track, Phase]:
    """The caller's team, and the track and phase that the address names. NotAllowed without a team."""
    rail, of_track = find_track(user, task, track, now)
    of_phase = rail.phase_called(phase)
    if of_phase is None:
        raise Http404
    team = team_of(user, rail.task)
    if team is None:
        raise NotAllowed("You are in no team of this shared task. Register one on the site first.")
    return team, of_track, of_phase


def _runs_of(user: User) -> Any:
    runs = Submission.objects.filter(team__in=Team.objects.of(user))
    return runs.select_related("team", "phase__task", "track__task", "submitted_by").order_by(
        "-received_at", "-pk"
    )


def _own_run(user: User, public_id: str) -> Submission:
    found: Submission | None = _runs_of(user).filter(public_id=public_id).first()
    if found is None:
        raise Http404
    return found


def _task_line(request: HttpRequest, task: SharedTask) -> dict[str, Any]:
    page = request.build_absolute_uri(task.get_absolute_url())
    return {
        "slug": task.slug,
        "name": task.name,
        "url": here(request, "api_task", task.slug),
        "page": page,
    }


def _track_line(track: Track) -> dict[str, Any]:
    return {
        "slug": track.slug,
        "name": track.name,
        "kind": track.kind,
        "options": track.options,
        "languages": track.languages,
        "limits": track.run_limits._asdict(),
    }


def _phase_line(phase: Phase, now: datetime) -> dict[str, Any]:
    return {
        "slug": phase.slug,
        "name": phase.name,
        "purpose": phase.purpose,
        "status": str(phase.status_at(now)),
        "opens_at": phase.opens_at.isoformat(),
        "closes_at": phase.closes_at.isoformat(),
        "grace_seconds": phase.grace_seconds,
        "daily_quota": phase.daily_quota,
        "total_quota": phase.total_quota,
        "counts": phase.counts,
        "scores_visible": phase.scores_visible,
    }


def _line(request: HttpRequest, run: Submission, now: datetime) -> dict[str, Any]:
    (line,) = _lines(request, [run], run.phase, run.track, now)
    return line


def _lines(
    request: HttpRequest, runs: list[Submission], phase: Phase, track: Track, now: datetime
) -> list[dict[str, Any]]:
    """Runs of one phase and track, with what may be seen of their scores now."""
    evaluations = speaking_evaluations(runs)
    shown = _shown(phase, track, now)
    lines = []
    for run in runs:
        evaluation = evaluations.get(run.pk)
        result = getattr(evaluation, "result", None)
        state = state_of(run, evaluation, now)
        lines.append(_run(request, run, state) | (shown(result) if result else {}))
    return lines


def _shown(phase: Phase, track: Track, now: datetime) -> Callable[[Result], dict[str, Any]]:
    """What a result adds to the line of its run."""
    if not visibility.scores_public(phase, track, now):
        return lambda result: {"sentence": f"The score is kept. {visibility.hidden_until(phase)}"}
    fine = visibility.fineness(phase, track, now)
    return lambda result: {
        "scores": {key: fine(value) for key, value in result.scores.items() if isfinite(value)},
        "signature": result.signature,
    }


def _run(request: HttpRequest, run: Submission, state: RunState) -> dict[str, Any]:
    return {
        "id": run.public_id,
        "number": run.number,
        "task": run.phase.task.slug,
        "track": run.track.slug,
        "phase": run.phase.slug,
        "team": run.team.name,
        "received_at": run.received_at.isoformat(),
        "sha256": run.digest,
        "lines": run.n_lines,
        "run_name": run.run_name,
        "file_name": run.file_name,
        "withdrawn": run.is_withdrawn,
        "state": state.word.lower(),
        "final": state.final,
        "sentence": state.sentence,
        "scores": None,
        "signature": None,
        "url": here(request, "api_run", run.public_id),
        "problems": here(request, "api_problems", run.public_id),
        "page": request.build_absolute_uri(run.get_absolute_url()),
    }


def _refusal(request: HttpRequest, refused: RefusedUpload) -> dict[str, Any]:
    report = {key: value for key, value in refused.problems.items() if key != "excerpts"}
    return {
        "error": {
            "code": "refused",
            "message": "The file has errors. It used no attempt; nothing of it is counted.",
        },
        "id": refused.public_id,
        "received_at": refused.received_at.isoformat(),
        "report": report,
        "url": here(request, "api_refusal", refused.public_id),
        "page": request.build_absolute_uri(refused.get_absolute_url()),
    }


def _iso(moment: datetime | None) -> str | None:
    return moment.isoformat() if moment else None
