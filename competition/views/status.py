"""The queue and the workers in plain words, and one word for machines."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from competition import clock
from competition.operations.readiness import unready
from competition.queries.machinery import Queue, queue, sweeper_seen_at, workers_alive
from competition.views.pages import show
from scoring.signature import environment


@require_safe
@never_cache
def status(request: HttpRequest) -> HttpResponse:
    now = clock.now()
    found, workers = queue(), list(workers_alive(now))
    return show(
        request,
        "status.html",
        now=now,
        queue=found,
        workers=workers,
        sweeper=sweeper_seen_at(now),
        late=found.waits_too_long(now),
        versions=environment(),
        headline=headline(found, len(workers), late=found.waits_too_long(now)),
    )


@require_safe
@never_cache
def healthz(request: HttpRequest) -> HttpResponse:
    """Whether this process can reach its database: "ok", or 503."""
    clock.now()
    return HttpResponse("ok\n", content_type="text/plain")


@require_safe
@never_cache
def readyz(request: HttpRequest) -> HttpResponse:
    """Whether requests may be sent here: the database answers, takes writes and has the tables of this
    version. "ready", or 503 and why. Redis is not asked: the site works without.
    """
    faults = list(unready())
    said = "\n".join(faults) or "ready"
    return HttpResponse(f"{said}\n", content_type="text/plain", status=503 if faults else 200)


def headline(found: Queue, workers: int, *, late: bool = False) -> str:
    """The state of things in one sentence."""
    if not workers:
        return "No worker is alive: runs wait" if found.waiting else "No worker is alive, and nothing waits"
    if late:
        return "Runs wait longer than they should"
    if not found.waiting and not found.running:
        return "All runs are scored"
    if found.waiting <= workers:
        return "Runs are scored as they come"
    return f"{found.waiting} runs wait for {workers} worker{'' if workers == 1 else 's'}"
