"""Checking a file without sending it: no account, nothing stored, no attempt used."""

from __future__ import annotations

import json
from base64 import b64encode
from dataclasses import dataclass
from datetime import datetime
from math import ceil
from typing import Any
from urllib.parse import urlencode

from allauth.account.adapter import get_adapter
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import render
from django.urls import reverse
from django.views.decorators.cache import never_cache
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_http_methods

from competition import clock
from competition.domain.checking import Judged, judge
from competition.domain.intake import can_submit, submissions_left
from competition.domain.throttle import wait_until
from competition.domain.validators import rules_for, sample_lines
from competition.exceptions import NotChecked
from competition.forms.runs import CheckForm
from competition.models import ItemSet, Track
from competition.queries.files import released_items
from competition.queries.rail import Rail
from competition.views import track_facts as facts
from competition.views.pages import TABS, check_url, find_track, organizes, show, team_of
from competition.views.problem_groups import ShownReport, problems_csv, shown_report

CHECKS = 60
WINDOW = 300
"""So many checks a person may ask for in so many seconds."""


@dataclass
class Outcome:
    """What a check came to: a report, or a sentence that says why there is none."""

    status: int = 200
    sentence: str = ""
    wait: int = 0
    judged: Judged | None = None
    report: ShownReport | None = None

    @property
    def json_link(self) -> str:
        """The report as an address that holds it, since the site keeps nothing it could be fetched from."""
        assert self.judged is not None
        return _link(json.dumps(self.judged.report, ensure_ascii=False), "application/json")

    @property
    def csv_link(self) -> str:
        assert self.judged is not None
        return _link(problems_csv(self.judged.report), "text/csv;charset=utf-8")


@csrf_exempt  # it changes nothing, and so answers scripts as well as browsers
@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def check(request: HttpRequest, task: str, track: str) -> HttpResponse:
    """The form, and the report of the file it was sent with: a page, part of one, or JSON with `as=json`."""
    now = clock.now()
    rail, found = find_track(request.user, task, track, now)
    sets = list(released_items(found, now, unopened=organizes(request.user, rail)))
    item_set = chosen_items(rail, sets, request.GET.get("phase"))
    if item_set is None and request.GET.get("phase"):
        raise Http404
    form = outcome = None
    if item_set is not None:
        given = (request.POST, request.FILES) if request.method == "POST" else ()
        form = CheckForm(*given, limits=found.run_limits, check_url=check_url(found, item_set.phase))
        outcome = _outcome(request, item_set, form, now) if given else None
    response = _answer(request, rail, found, item_set, sets, form, outcome)
    if outcome and outcome.wait:
        response["Retry-After"] = str(outcome.wait)
    return response


def chosen_items(rail: Rail, sets: list[ItemSet], slug: str | None) -> ItemSet | None:
    """The items of the phase named; else of the open phase that closes first; else the latest ones."""
    by_phase = {item_set.phase_id: item_set for item_set in sets}
    if slug:
        phase = rail.phase_called(slug)
        return by_phase.get(phase.pk) if phase else None
    open_now = (by_phase[phase.pk] for phase in rail.open if phase.pk in by_phase)
    return next(open_now, sets[0] if sets else None)


def _outcome(request: HttpRequest, item_set: ItemSet, form: CheckForm, now: datetime) -> Outcome:
    again = wait_until(f"check {_who(request)}", most=CHECKS, seconds=WINDOW, moment=now)
    if again is not None:
        sentence = (
            f"{CHECKS} files in {WINDOW // 60} minutes are as many as one may check here. "
            f"Go on from {again:%H:%M:%S} UTC, or use the validator, which knows no such limit."
        )
        return Outcome(429, sentence, wait=max(1, ceil((again - now).total_seconds())))
    if not form.is_valid():
        return Outcome(422, " ".join(str(error) for errors in form.errors.values() for error in errors))
    try:
        judged = judge(item_set, form.cleaned_data["file"].file)
    except NotChecked as fault:
        return Outcome(503, fault.message, wait=60)
    samples = sample_lines(rules_for(item_set))
    return Outcome(judged=judged, report=shown_report(judged.report, judged.excerpts, samples))


def _who(request: HttpRequest) -> str:
    if request.user.is_authenticated:
        return f"user {request.user.pk}"
    return f"address {get_adapter().get_client_ip(request)}"


def _answer(
    request: HttpRequest,
    rail: Rail,
    track: Track,
    item_set: ItemSet | None,
    sets: list[ItemSet],
    form: CheckForm | None,
    outcome: Outcome | None,
) -> HttpResponse:
    status = outcome.status if outcome else 200
    if outcome and "json" in (request.POST.get("as"), request.GET.get("as")):
        said = outcome.judged.report if outcome.judged else {"error": outcome.sentence}
        return JsonResponse(said, status=status, json_dumps_params={"ensure_ascii": False})
    context: dict[str, Any] = {
        "track": track,
        "outcome": outcome,
        "item_set": item_set,
        **sending(request, rail, track, item_set),
    }
    if outcome and request.htmx:  # type: ignore[attr-defined]
        return render(request, "checking/outcome.html", {"now": rail.moment, **context}, status=status)
    return show(
        request,
        "checking/page.html",
        now=rail.moment,
        rail=rail,
        status=status,
        task=rail.task,
        kind=facts.kind_of(track),
        tabs=TABS,
        tab="check/",
        form=form,
        limits=track.run_limits,
        phases=[one.phase for one in reversed(sets)],
        **context,
    )


def sending(request: HttpRequest, rail: Rail, track: Track, item_set: ItemSet | None) -> dict[str, Any]:
    """How a checked file goes on from here: where it is sent to, whether this person may send it now, and
    whether it was checked at the very form that sends it: a way there would lose the file chosen in it.
    """
    if item_set is None or not item_set.phase.is_open_at(rail.moment):
        return {"send_url": "", "may_send": False}
    phase = item_set.phase
    address = reverse("submit", args=[rail.task.slug, track.slug])
    asked_from, _, _ = request.headers.get("HX-Current-URL", "").partition("?")
    found: dict[str, Any] = {
        "send_url": f"{address}?{urlencode({'phase': phase.slug})}",
        "at_form": asked_from.endswith(address),
    }
    team = team_of(request.user, rail.task)
    if team is None or not can_submit(team=team, phase=phase, track=track, moment=rail.moment):
        return {**found, "may_send": False}
    quota = submissions_left(team=team, phase=phase, track=track, moment=rail.moment)
    return {**found, "may_send": not quota.is_spent}


def _link(text: str, content_type: str) -> str:
    return f"data:{content_type};base64,{b64encode(text.encode()).decode()}"
