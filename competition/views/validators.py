"""The files of a track, to take home: items, a sample run, the validator, and their digests. No account."""

from __future__ import annotations

from hashlib import sha256

from django.http import Http404, HttpRequest, HttpResponse
from django.views.decorators.http import require_safe

from competition import clock
from competition.domain.blobs import load
from competition.domain.samples import sample_run
from competition.domain.validators import ARCHIVE, archive, validator, validator_name
from competition.models import ItemSet
from competition.queries.files import open_items, released_items
from competition.views import track_facts as facts
from competition.views.pages import find_task, find_track, organizes


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
def validator_file(request: HttpRequest, task: str, track: str, phase: str, name: str) -> HttpResponse:
    item_set = _released(request, task, track, phase)
    if name != validator_name(item_set):
        raise Http404
    return _download(validator(item_set).read(), name, "text/x-python; charset=utf-8")


@require_safe
def archive_file(request: HttpRequest, task: str) -> HttpResponse:
    """The validators of all tracks with something open, in one file."""
    now = clock.now()
    built = archive(open_items(find_task(request.user, task), now))
    if built is None:
        raise Http404
    return _download(built.read(), ARCHIVE, "application/zip")


@require_safe
def sums_file(request: HttpRequest, task: str, track: str, phase: str) -> HttpResponse:
    """`sha256sum -c SHA256SUMS` beside the downloaded files says whether they are whole."""
    files = facts.files_of(_released(request, task, track, phase))
    lines = "".join(f"{file.digest}  {file.name}\n" for file in files)
    return _download(lines.encode(), "SHA256SUMS", "text/plain; charset=utf-8")


def _released(request: HttpRequest, task: str, track: str, phase: str) -> ItemSet:
    """The current items of a phase this viewer may download, or 404."""
    now = clock.now()
    rail, found = find_track(request.user, task, track, now)
    sets = released_items(found, now, unopened=organizes(request.user, rail))
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
