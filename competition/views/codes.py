"""What each code of a problem means, from the catalogue the checks themselves use."""

from __future__ import annotations

from django.http import Http404, HttpRequest, HttpResponse
from django.views.decorators.http import require_safe

from competition import clock
from competition.views.pages import show
from scoring.catalogue import CODES, Rule
from scoring.problems import SEVERITIES

GROUPS = {
    "E0": "The file as bytes",
    "E1": "The syntax of a line",
    "E2": "Ids",
    "E3": "Fields and types",
    "E4": "Values",
    "E6": "Organizers' files",
    "W5": "Warnings: a run with them is valid",
    "I9": "Information",
}
MEANING = {
    "error": "An error: the file is refused, nothing is counted.",
    "warning": "A warning: the file is valid, and this is worth a look.",
    "info": "For information: nothing is wrong.",
}


@require_safe
def index(request: HttpRequest) -> HttpResponse:
    """Every code, by group."""
    groups = [(title, _of(group)) for group, title in GROUPS.items()]
    return show(request, "codes/index.html", now=clock.now(), groups=groups)


@require_safe
def code(request: HttpRequest, code: str) -> HttpResponse:
    """One code: the rule, a wrong line and a right one."""
    rule = CODES.get(code.upper())
    if rule is None:
        raise Http404
    group = rule.code[:2]
    return show(
        request,
        "codes/code.html",
        now=clock.now(),
        rule=rule,
        meaning=MEANING[SEVERITIES[rule.code[0]]],
        group=GROUPS[group],
        others=[other for other in _of(group) if other is not rule],
    )


def _of(group: str) -> list[Rule]:
    return [rule for name, rule in CODES.items() if name.startswith(group)]
