"""Teams: create one, look at it, invite, join, leave."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.db import transaction
from django.http import Http404, HttpRequest, HttpResponse, QueryDict
from django.shortcuts import get_object_or_404, redirect
from django.urls import reverse
from django.utils.http import url_has_allowed_host_and_scheme
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from competition import clock, rules
from competition.domain import visibility
from competition.domain.accounts import accept_terms, has_accepted_terms
from competition.domain.teams import (
    accept_invitation,
    create_team,
    find_invitation,
    hand_over,
    invite,
    leave_team,
    rename_team,
)
from competition.exceptions import InvitationRefused, NameRefused, Refused
from competition.forms.teams import NameForm, TeamForm, TermsForm
from competition.models import SharedTask, Team
from competition.queries.rail import rail_of
from competition.views.pages import find_task, show, team_of
from competition.views.team_history import history, refusals

SHOWN_ONCE = "invitation shown once"


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def new_team(request: HttpRequest, task: str) -> HttpResponse:
    now = clock.now()
    found = find_task(request.user, task)
    mine = team_of(request.user, found)
    if mine is not None and request.method != "POST":
        return redirect(mine)
    form = TeamForm(_sent(request), ask_terms=_asks_terms(request, found))
    if form.is_valid():
        try:
            team = _create(request, found, form)
        except NameRefused as refusal:
            form.add_error("name", refusal.message)
        except Refused as refusal:
            form.add_error(None, refusal.message)
        else:
            messages.success(request, f"The team {team.name} is registered. You can send runs now.")
            return redirect(_next(request) or team.get_absolute_url())
    return show(
        request,
        "teams/create.html",
        now=now,
        rail=rail_of(found, now),
        status=422 if form.errors else 200,
        task=found,
        form=form,
        next=_next(request),
    )


@never_cache
@require_safe
def team(request: HttpRequest, public_id: str) -> HttpResponse:
    """A team: to its members and the organizers everything, to others its name once names may show."""
    return _team_page(request, _find(request, public_id))


def _team_page(request: HttpRequest, found: Team, rename: NameForm | None = None) -> HttpResponse:
    now = clock.now()
    insider = rules.can_see_runs_of(request.user, found)
    context: dict[str, Any] = _inside(request, found, now) if insider else {}
    return show(
        request,
        "teams/detail.html",
        now=now,
        rail=rail_of(found.task, now),
        task=found.task,
        team=found,
        insider=insider,
        rename=rename or NameForm(initial={"name": found.name}),
        status=422 if rename else 200,
        **context,
    )


@require_POST
@login_required
def make_invitation(request: HttpRequest, public_id: str) -> HttpResponse:
    found = _find(request, public_id)
    try:
        made = invite(team=found, invited_by=request.user)  # type: ignore[arg-type]
    except Refused as refusal:
        messages.error(request, refusal.message)
    else:
        link = request.build_absolute_uri(reverse("invitation", args=[made.token]))
        request.session[SHOWN_ONCE] = {"link": link, "expires": made.invitation.expires_at.isoformat()}
    return redirect(found)


@require_POST
@login_required
def rename(request: HttpRequest, public_id: str) -> HttpResponse:
    found = _find(request, public_id)
    form = NameForm(request.POST)
    if form.is_valid():
        try:
            rename_team(team=found, name=form.cleaned_data["name"], renamed_by=request.user)  # type: ignore[arg-type]
            return redirect(found)
        except Refused as refusal:
            form.add_error("name", refusal.message)
    return _team_page(request, _find(request, public_id), form)


@require_POST
@login_required
def make_captain(request: HttpRequest, public_id: str) -> HttpResponse:
    found = _find(request, public_id)
    members = found.memberships.filter(left_at=None).select_related("user")
    member = next((one.user for one in members if one.user.public_id == request.POST.get("member")), None)
    if member is None:
        raise Http404
    try:
        hand_over(team=found, captain=member, handed_by=request.user)  # type: ignore[arg-type]
    except Refused as refusal:
        messages.error(request, refusal.message)
    else:
        messages.success(request, f"{member} is the captain now.")
    return redirect(found)


@require_POST
@login_required
def leave(request: HttpRequest, public_id: str) -> HttpResponse:
    found = _find(request, public_id)
    try:
        leave_team(team=found, user=request.user)  # type: ignore[arg-type]
    except Refused as refusal:
        messages.error(request, refusal.message)
        return redirect(found)
    messages.success(request, f"You have left {found.name}.")
    return redirect(found.task)


@never_cache
@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def invitation(request: HttpRequest, token: str) -> HttpResponse:
    """The page an invitation link opens. Looking at it changes nothing."""
    now = clock.now()
    try:
        found = find_invitation(token, at=now)
    except InvitationRefused:
        return show(request, "teams/invitation.html", now=now, status=410)
    task = found.team.task
    form = TermsForm(_sent(request), ask_terms=_asks_terms(request, task))
    if form.is_valid():
        try:
            _join(request, task, token)
        except Refused as refusal:
            messages.error(request, refusal.message)
        else:
            messages.success(request, f"You are in {found.team.name} now.")
            return redirect(found.team)
    return show(
        request,
        "teams/invitation.html",
        now=now,
        rail=rail_of(task, now),
        status=422 if form.errors else 200,
        invitation=found,
        team=found.team,
        task=task,
        form=form,
    )


def _inside(request: HttpRequest, team: Team, now: datetime) -> dict[str, Any]:
    shown = request.session.pop(SHOWN_ONCE, None)
    return {
        "entries": history(request.user, team, now),
        "refusals": refusals(team),
        "members": team.memberships.filter(left_at=None).select_related("user"),
        "member": rules.is_member(request.user, team),
        "may_invite": rules.can_manage_team(request.user, team),
        "locked": team.is_locked_at(now),
        "invitation_link": shown["link"] if shown else "",
        "invitation_expires": datetime.fromisoformat(shown["expires"]) if shown else None,
    }


@transaction.atomic
def _create(request: HttpRequest, task: SharedTask, form: TeamForm) -> Team:
    if "terms" in form.fields:
        accept_terms(user=request.user, task=task)  # type: ignore[arg-type]
    return create_team(task=task, captain=request.user, **form.details())  # type: ignore[arg-type]


@transaction.atomic
def _join(request: HttpRequest, task: SharedTask, token: str) -> None:
    if task.terms.strip():
        accept_terms(user=request.user, task=task)  # type: ignore[arg-type]
    accept_invitation(token=token, user=request.user)  # type: ignore[arg-type]


def _sent(request: HttpRequest) -> QueryDict | None:
    """What a form was sent with, an empty form included."""
    return request.POST if request.method == "POST" else None


def _asks_terms(request: HttpRequest, task: SharedTask) -> bool:
    return not has_accepted_terms(user=request.user, task=task)  # type: ignore[arg-type]


def _find(request: HttpRequest, public_id: str) -> Team:
    teams = Team.objects.visible_to(request.user).select_related("task", "captain")
    found = get_object_or_404(teams, public_id=public_id)
    if not visibility.team_visible(request.user, found):
        raise Http404
    return found


def _next(request: HttpRequest) -> str:
    """Where the visitor came from, if that is a page of ours."""
    address = request.POST.get("next") or request.GET.get("next") or ""
    ours = url_has_allowed_host_and_scheme(
        address, allowed_hosts={request.get_host()}, require_https=request.is_secure()
    )
    return address if ours else ""
