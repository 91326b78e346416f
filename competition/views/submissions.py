"""Sending a run, its receipt and its report, and the report of a refused file."""

from __future__ import annotations

import json
from math import ceil
from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from competition import clock, rules
from competition.domain import visibility
from competition.domain.intake import (
    can_submit,
    choose_submission,
    receive_submission,
    submissions_left,
    withdraw_submission,
)
from competition.domain.invalid import invalid_in
from competition.domain.quota import Quota, spent_sentence
from competition.domain.validators import rules_for, sample_lines
from competition.enums import Counts
from competition.exceptions import CannotSubmit, NotAllowed, TooOften
from competition.forms.runs import RunUploadForm, new_key
from competition.models import ItemSet, Phase, Submission, Team, Track
from competition.queries.files import sending_phase
from competition.queries.rail import Rail, rail_of
from competition.views import track_facts as facts
from competition.views.explaining import explain, explain_breakdowns
from competition.views.item_scores import item_table
from competition.views.pages import TABS, check_url, find_refusal, find_run, find_track, show, team_of
from competition.views.problem_groups import problems_csv, shown_report
from competition.views.run_page import shown_scores, state_of
from competition.views.run_report import speaking_evaluation, why_it_counts


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def submit(request: HttpRequest, task: str, track: str) -> HttpResponse:
    """The form; and when it is sent, the one moment at which the whole of it has arrived."""
    # The body is here in full: the CSRF check reads it before any view runs.
    now = clock.now()
    rail, found = find_track(request.user, task, track, now)
    team = team_of(request.user, rail.task)
    asked = request.GET.get("phase")
    phase = rail.phase_called(asked) if asked else sending_phase(rail.open, found)
    if asked and phase is None:
        raise Http404
    if request.method != "POST":
        blank = {"idempotency_key": new_key()}
        form = RunUploadForm(initial=blank, **form_settings(found, phase)) if phase and team else None
        return _submit_page(request, rail, found, team, phase, form)
    if not request.user.is_authenticated or team is None or phase is None:
        return _submit_page(request, rail, found, team, phase, None, status=403)
    form = RunUploadForm(request.POST, request.FILES, **form_settings(found, phase))
    if not form.is_valid():
        return _submit_page(request, rail, found, team, phase, form, status=422)
    try:
        sent = receive_submission(
            team=team, phase=phase, track=found, submitted_by=request.user, received_at=now, **form.pressed()
        )
    except TooOften as refusal:
        page = _submit_page(request, rail, found, team, phase, form, refusal=refusal.message, status=429)
        page["Retry-After"] = str(ceil((refusal.again_at - now).total_seconds()))
        return page
    except (CannotSubmit, NotAllowed) as refusal:
        return _submit_page(request, rail, found, team, phase, form, refusal=refusal.message, status=409)
    if isinstance(sent, Submission) and sent.received_at != now:
        messages.info(request, f"This very file is run {sent.number} already. No further attempt was used.")
    return redirect(sent)


@never_cache
@require_safe
def submission(request: HttpRequest, public_id: str) -> HttpResponse:
    """The page of a run; to htmx, the part of it that changes."""
    now = clock.now()
    found = find_run(request.user, public_id)
    context = _run_context(request, found, now)
    if request.htmx:  # type: ignore[attr-defined]
        return render(request, "submissions/run.html", {"now": now, **context})
    member = rules.is_member(request.user, found.team)
    in_time, organizer = found.phase.accepts_at(now), rules.organizes(request.user, found.phase.task)
    stands = not found.is_withdrawn
    return show(
        request,
        "submissions/detail.html",
        now=now,
        rail=rail_of(found.phase.task, now),
        report=shown_report(found.warnings),
        counts=why_it_counts(request.user, found, now),
        can_withdraw=stands and (organizer or (in_time and rules.can_withdraw(request.user, found))),
        needs_reason=not member,
        can_choose=stands and in_time and member and found.phase.counts == Counts.CHOSEN,
        **context,
    )


@require_POST
@login_required
def withdraw(request: HttpRequest, public_id: str) -> HttpResponse:
    return _change(request, public_id, "withdrawn")


@require_POST
@login_required
def choose(request: HttpRequest, public_id: str) -> HttpResponse:
    return _change(request, public_id, "chosen")


@never_cache
@require_safe
def refused_upload(request: HttpRequest, public_id: str) -> HttpResponse:
    """Every problem of a refused file."""
    now = clock.now()
    found = find_refusal(request.user, public_id)
    item_set = ItemSet.objects.current_for(found.phase, found.track)
    return show(
        request,
        "submissions/refused.html",
        now=now,
        rail=rail_of(found.phase.task, now),
        refused=found,
        track=found.track,
        phase=found.phase,
        report=shown_report(
            found.problems,
            found.problems.get("excerpts"),
            sample_lines(rules_for(item_set)) if item_set else None,
        ),
    )


@require_safe
def refused_problems(request: HttpRequest, public_id: str, form: str) -> HttpResponse:
    report = dict(find_refusal(request.user, public_id).problems)
    report.pop("excerpts", None)
    return _problems(report, form)


@require_safe
def submission_problems(request: HttpRequest, public_id: str, form: str) -> HttpResponse:
    run = find_run(request.user, public_id)
    return _problems({**run.warnings, "diagnostics": run.observed}, form)


def _submit_page(
    request: HttpRequest,
    rail: Rail,
    track: Track,
    team: Team | None,
    phase: Phase | None,
    form: RunUploadForm | None,
    *,
    refusal: str = "",
    status: int = 200,
) -> HttpResponse:
    context: dict[str, Any] = {}
    if team and phase:
        answer = can_submit(team=team, phase=phase, track=track, moment=rail.moment)
        quota = submissions_left(team=team, phase=phase, track=track, moment=rail.moment)
        context = {
            "refusal": refusal or answer.reason,
            "sent_nothing": bool(refusal),
            "form": form if answer else None,
            "quota": quota,
            "promise": promise(quota),
            "items_count": answer.item_set.n_items if answer.item_set else 0,
        }
    return show(
        request,
        "tracks/submit.html",
        now=rail.moment,
        rail=rail,
        status=status,
        task=rail.task,
        track=track,
        kind=facts.kind_of(track),
        tabs=TABS,
        tab="submit/",
        team=team,
        phase=phase,
        phases=rail.open,
        limits=track.run_limits,
        **context,
    )


def form_settings(track: Track, phase: Phase) -> dict[str, Any]:
    """What the upload form needs to know of the track: its limits, and where a file can be checked first."""
    return {"limits": track.run_limits, "check_url": check_url(track, phase)}


def promise(quota: Quota) -> str:
    """What pressing the button will cost, beside the button."""
    if quota.is_spent:
        return spent_sentence(quota)
    if quota.left is None:
        return "Counts as one more run; there is no limit."
    if quota.left_in_all is not None and quota.left == quota.left_in_all:
        allowed = (quota.total or 0) + quota.extra
        return f"Counts as {allowed - quota.left + 1} of {allowed}."
    return f"Counts as {quota.used_today + 1} of {quota.used_today + quota.left} today."


def _run_context(request: HttpRequest, found: Submission, now: Any) -> dict[str, Any]:
    """What a viewer may see of a run now: the state always, scores and diagnostics by the phase's policy."""
    kind = facts.kind_of(found.track)
    scores = kind.scores_for(facts.options_for(found.track, kind))
    evaluation = speaking_evaluation(found)
    result = getattr(evaluation, "result", None)
    context: dict[str, Any] = {
        "submission": found,
        "task": found.phase.task,
        "track": found.track,
        "phase": found.phase,
        "state": state_of(found, evaluation, now),
        "observed": explain(kind, found.observed, levels=[0]),
    }
    if evaluation is None or result is None:
        return context
    if not visibility.scores_visible(request.user, found.phase, found.track, now):
        return {**context, "hidden": f"The score is kept. {visibility.hidden_until(found.phase)}"}
    level = visibility.diagnostics_level(request.user, found.team, found.phase, found.track, now) or 0
    context |= {"scores": shown_scores(scores, result.scores), "signature": result.signature}
    context["invalid"] = invalid_in(found.observed)
    context["items"] = item_table(found, evaluation, result, level)
    if level >= 1:
        report = result.report
        context["breakdowns"] = explain_breakdowns(kind, scores, result.scores, report.get("breakdowns", {}))
        context["explained"] = explain(kind, report.get("diagnostics", {}), levels=range(1, level + 1))
    return context


def _change(request: HttpRequest, public_id: str, what: str) -> HttpResponse:
    found = find_run(request.user, public_id)
    reason = request.POST.get("reason", "").replace("\x00", "").strip()
    try:
        if what == "withdrawn":
            if not reason and not rules.is_member(request.user, found.team):
                messages.error(request, "Say why: the reason stays on record.")
                return redirect(found)
            withdraw_submission(submission=found, withdrawn_by=request.user, reason=reason)  # type: ignore[arg-type]
            messages.success(request, f"Run {found.number} is withdrawn.")
        else:
            choose_submission(submission=found, chosen_by=request.user)  # type: ignore[arg-type]
            messages.success(request, f"Run {found.number} counts now.")
    except NotAllowed as refusal:
        raise PermissionDenied(refusal.message) from refusal
    return redirect(found)


def _problems(report: dict[str, Any], form: str) -> HttpResponse:
    """The whole report as JSON, as `check --json` prints it, or its problems as a table."""
    name = f"problems.{form}"
    if form == "json":
        content, content_type = json.dumps(report, ensure_ascii=False), "application/json"
    elif form == "csv":
        content, content_type = problems_csv(report), "text/csv; charset=utf-8"
    else:
        raise Http404
    headers = {"Content-Disposition": f'attachment; filename="{name}"'}
    return HttpResponse(content, content_type=content_type, headers=headers)
