"""The tabs of a track: overview, data and evaluation; `submissions.py` and `boards.py` have the others, and
`validators.py` the files themselves.
"""

from __future__ import annotations

from typing import Any

from django.http import HttpRequest, HttpResponse
from django.views.decorators.http import require_safe

from competition import clock
from competition.domain.ranking import percent
from competition.domain.samples import chance_level
from competition.forms.runs import CheckForm
from competition.models import Track
from competition.queries.files import released_items, replaced_items
from competition.queries.rail import Rail
from competition.views import track_facts as facts
from competition.views.checking import chosen_items, sending
from competition.views.pages import TABS, check_url, find_track, organizes, show


@require_safe
def overview(request: HttpRequest, task: str, track: str) -> HttpResponse:
    now = clock.now()
    rail, found = find_track(request.user, task, track, now)
    kind = facts.kind_of(found)
    sets = list(released_items(found, now))
    item_set = chosen_items(rail, sets, None)
    url = check_url(found, item_set.phase) if item_set else ""
    return _tab(
        request,
        rail,
        found,
        "",
        item_set=item_set,
        form=CheckForm(limits=found.run_limits, check_url=url) if item_set else None,
        limits=found.run_limits,
        **sending(request, rail, found, item_set),
        specimen=facts.specimen(found, kind, item_set),
        worked=facts.worked(found, kind),
    )


@require_safe
def data(request: HttpRequest, task: str, track: str) -> HttpResponse:
    now = clock.now()
    rail, found = find_track(request.user, task, track, now)
    kind = facts.kind_of(found)
    unopened = organizes(request.user, rail)
    sets = released_items(found, now, unopened=unopened)
    return _tab(
        request,
        rail,
        found,
        "data/",
        releases=[(item_set.phase, facts.files_of(item_set)) for item_set in sets],
        archive=facts.archive_of(rail),
        older=replaced_items(found, now, unopened=unopened),
        item_fields=facts.declared(kind),
        run_fields=facts.run_fields(kind),
        example_run=facts.example_lines(kind),
    )


@require_safe
def evaluation(request: HttpRequest, task: str, track: str) -> HttpResponse:
    now = clock.now()
    rail, found = find_track(request.user, task, track, now)
    kind = facts.kind_of(found)
    chance = chance_level(released_items(found, now).first())
    return _tab(
        request,
        rail,
        found,
        "evaluation/",
        chance="" if chance is None else percent(chance),
        scores=kind.scores_for(facts.options_for(found, kind)),
        options=facts.settings_of(found, kind),
        signature=facts.example_signature(found, kind),
        interval_rule=facts.interval_rule(kind),
        limits=found.run_limits,
    )


def _tab(request: HttpRequest, rail: Rail, track: Track, tab: str, **context: Any) -> HttpResponse:
    kind = facts.kind_of(track)
    template = f"tracks/{tab.rstrip('/') or 'overview'}.html"
    return show(
        request,
        template,
        now=rail.moment,
        rail=rail,
        task=rail.task,
        track=track,
        kind=kind,
        primary=kind.primary_for(facts.options_for(track, kind)),
        tabs=TABS,
        tab=tab,
        **context,
    )
