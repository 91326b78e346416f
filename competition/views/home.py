"""The front page and the page of a shared task."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.views.decorators.http import require_safe

from competition import clock
from competition.queries.rail import front_page, news, rail_of
from competition.views.markdown import as_html
from competition.views.pages import find_task, show, team_of


@require_safe
def home(request: HttpRequest) -> HttpResponse:
    now = clock.now()
    cards = front_page(request.user, now)
    return show(request, "home.html", now=now, tasks=cards, news=news(card.task for card in cards))


@require_safe
def task(request: HttpRequest, task: str) -> HttpResponse:
    now = clock.now()
    found = find_task(request.user, task)
    return show(
        request,
        "task.html",
        now=now,
        rail=rail_of(found, now),
        task=found,
        team=team_of(request.user, found),
        about=as_html(found.about_markdown),
        news=news([found], most=20),
    )
