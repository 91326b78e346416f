"""The tabs of a track: overview, data and evaluation; `submissions.py` and `boards.py` have the others."""

from __future__ import annotations

from hashlib import sha256
from typing import Any

from django.http import Http404, HttpRequest, HttpResponse
from django.views.decorators.http import require_safe

from competition import clock
from competition.domain.blobs import load
from competition.domain.samples import sample_run
from competition.models import ItemSet, SharedTask, Track
from competition.queries.files import released_items, replaced_items
from competition.queries.rail import Rail
from competition.views import track_facts as facts
from competition.views.pages import TABS, Viewer, find_track, show
from scoring.records import Limits


@require_safe
def overview(request: HttpRequest, task: str, track: str) -> HttpResponse:
    now = clock.now()
    rail, found = find_track(request.user, task, track, now)
    kind = facts.kind_of(found)
    item_set = released_items(found, now).first()
    return _tab(
        request,
        rail,
        found,
        "",
        specimen=facts.specimen(found, kind, item_set),
        worked=facts.worked(found, kind),
    )


@require_safe
def data(request: HttpRequest, task: str, track: str) -> HttpResponse:
    now = clock.now()
    rail, found = find_track(request.user, task, track, now)
    kind = facts.kind_of(found)
    unopened = _organizes(request.user, rail)
    return _tab(
        request,
        rail,
        found,
        "data/",
        files=facts.files_of(released_items(found, now, unopened=unopened)),
        older=replaced_items(found, now, unopened=unopened),
        item_fields=facts.declared(kind),
        run_fields=facts.run_fields(kind),
        example_run=facts.example_lines(kind),
    )


@require_safe
def evaluation(request: HttpRequest, task: str, track: str) -> HttpResponse:
    rail, found = find_track(request.user, task, track, clock.now())
    kind = facts.kind_of(found)
    return _tab(
        request,
        rail,
        found,
        "evaluation/",
        scores=kind.scores_for(facts.options_for(found, kind)),
        options=facts.settings_of(found, kind),
        signature=facts.example_signature(found, kind),
        interval_rule=facts.interval_rule(kind),
        limits=Limits(),
    )


@require_safe
def items_file(request: HttpRequest, task: str, track: str, phase: str) -> HttpResponse:
    item_set = _released(request, task, track, phase)
    return _download(load(item_set.blob), f"{track}-{phase}-items.jsonl", "application/jsonl")


@require_safe
def sample_file(request: HttpRequest, task: str, track: str, phase: str) -> HttpResponse:
    content = sample_run(_released(request, task, track, phase))
    if not content:
        raise Http404
    return _download(content, f"{track}-{phase}-sample.jsonl", "application/jsonl")


@require_safe
def sums_file(request: HttpRequest, task: str, track: str) -> HttpResponse:
    """`sha256sum -c SHA256SUMS` beside the downloaded files says whether they are whole."""
    now = clock.now()
    rail, found = find_track(request.user, task, track, now)
    files = facts.files_of(released_items(found, now, unopened=_organizes(request.user, rail)))
    lines = "".join(f"{file.digest}  {file.name}\n" for file in files)
    return _download(lines.encode(), "SHA256SUMS", "text/plain; charset=utf-8")


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


def _organizes(viewer: Viewer, rail: Rail) -> bool:
    return SharedTask.objects.organized_by(viewer).filter(pk=rail.task.pk).exists()


def _released(request: HttpRequest, task: str, track: str, phase: str) -> ItemSet:
    """The current items of a phase this viewer may download, or 404."""
    now = clock.now()
    rail, found = find_track(request.user, task, track, now)
    sets = released_items(found, now, unopened=_organizes(request.user, rail))
    item_set = sets.filter(phase__slug=phase).first()
    if item_set is None:
        raise Http404
    return item_set


def _download(content: bytes, name: str, content_type: str) -> HttpResponse:
    headers = {
        "Content-Disposition": f'attachment; filename="{name}"',
        "ETag": f'"{sha256(content).hexdigest()}"',
    }
    return HttpResponse(content, content_type=content_type, headers=headers)
