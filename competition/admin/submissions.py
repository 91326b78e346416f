"""Submissions, evaluations, refused files and workers on the desk: what is where, since when, and why."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from django.contrib import admin, messages
from django.db.models import Model, OuterRef, QuerySet, Subquery, Value
from django.http import HttpRequest
from django.utils.decorators import method_decorator
from django.utils.html import format_html

from competition import clock, rules
from competition.admin.files import problems_table
from competition.admin.scope import Own, Placed, ReadOnlyAdmin
from competition.admin.site import confirm_first, desk
from competition.domain.queueing import evaluate_again
from competition.enums import WorkStatus
from competition.models import Evaluation, Phase, RefusedUpload, Result, Submission, Track, WorkerBeat
from competition.models.work import are_items_gone

STATES = [*WorkStatus.choices, ("stored", "waits for gold"), ("withdrawn", "withdrawn")]


def age(since: datetime | None, moment: datetime) -> str:
    """How long ago, in the largest unit that fits: 40 s, 12 min, 3 h, 5 d."""
    if since is None:
        return ""
    seconds = max(0, int((moment - since).total_seconds()))
    for unit, length in (("d", 86_400), ("h", 3_600), ("min", 60)):
        if seconds >= 2 * length:
            return f"{seconds // length} {unit}"
    return f"{seconds} s"


class StateFilter(admin.SimpleListFilter):
    title = "status"
    parameter_name = "state"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        return [(str(value), str(label)) for value, label in STATES]

    def queryset(self, request: HttpRequest, queryset: QuerySet[Any]) -> QuerySet[Any]:
        value = self.value()
        if value == "withdrawn":
            return queryset.exclude(withdrawn_at=None)
        if value == "stored":
            return queryset.filter(work_status=None, withdrawn_at=None)
        return queryset.filter(work_status=value, withdrawn_at=None) if value else queryset


@admin.register(Submission, site=desk)
class SubmissionAdmin(Placed, ReadOnlyAdmin):
    task_path = "phase__task"
    list_display = [
        "run",
        "place",
        "state",
        "primary",
        "received_at",
        "submitted_by",
        "run_name",
        "page",
    ]
    list_filter = [StateFilter, ("phase", Own), ("track", Own)]
    list_select_related = ["team", "track", "phase__task", "submitted_by"]
    search_fields = ["team__name", "run_name", "digest", "public_id"]
    date_hierarchy = "received_at"
    actions = ["evaluate_again"]
    fields = [
        *(
            "team",
            "number",
            "phase",
            "track",
            "state",
            "received_at",
            "submitted_by",
            "file_name",
            "size",
            "digest",
        ),
        *("n_lines", "run_name", "method", "code_url", "external_data", "withdrawn_at", "withdrawn_by"),
        *("failure_reference", "public_id", "page"),
    ]

    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        newest = Result.objects.filter(evaluation__submission=OuterRef("pk")).order_by("-evaluation__pk")
        rows: Any = super().get_queryset(request)
        return rows.with_status().annotate(
            primary=Subquery(newest.values("primary")[:1]), moment=Value(clock.now())
        )

    @admin.display(description="run", ordering="team__name")
    def run(self, run: Any) -> str:
        """The number outside the name, which may run from right to left."""
        return format_html("<bdi>{}</bdi> #{}", run.team.name, run.number)

    @admin.display(description="status", ordering="work_status")
    def state(self, run: Any) -> str:
        if run.withdrawn_at is not None:
            return f"withdrawn {age(run.withdrawn_at, run.moment)} ago"
        if run.work_status is None:
            return f"waits for gold since {age(run.received_at, run.moment)}"
        if run.work_status == WorkStatus.DONE:
            return f"scored {age(run.finished_at, run.moment)} ago"
        if self._items_are_gone(run):
            return "not scored: its items were replaced"
        if run.work_status == WorkStatus.FAILED:
            return f"failed, reference {run.failure_reference}"
        return f"{run.work_status} {age(run.received_at, run.moment)}"

    @admin.display(description="primary score", ordering="primary")
    def primary(self, run: Any) -> str:
        return "–" if run.primary is None or self._items_are_gone(run) else f"{run.primary:.4f}"

    def _items_are_gone(self, run: Any) -> bool:
        return are_items_gone(run.work_status, run.failure_kind)

    @admin.display(description="its page")
    def page(self, run: Any) -> str:
        """What its team sees, and where an organizer withdraws it."""
        words = "see it" if run.withdrawn_at is not None else "see it, withdraw it…"
        return format_html('<a href="{}">{}</a>', run.get_absolute_url(), words)

    @admin.display(description="failure reference")
    def failure_reference(self, run: Any) -> str:
        return run.failure_reference or "–"

    def has_evaluate_permission(self, request: HttpRequest) -> bool:
        return self.may(request, None)

    @admin.action(
        description="Evaluate again what has no current score, in the phases and tracks of these runs",
        permissions=["evaluate"],
    )
    @method_decorator(confirm_first)
    def evaluate_again(self, request: HttpRequest, queryset: QuerySet[Any]) -> None:
        """Failed and stale runs of the selected runs' boards; scores made with the current gold stay."""
        user: Any = request.user
        pairs = set(queryset.order_by().values_list("phase", "track"))
        queued = 0
        for phase_id, track_id in sorted(pairs):
            phase = Phase.objects.select_related("task").get(pk=phase_id)
            if rules.can_look_after(user, phase.task):
                track = Track.objects.get(pk=track_id)
                queued += evaluate_again(
                    phase=phase, track=track, requested_by=user, reason="asked for on the desk"
                )
        messages.success(request, f"Queued: {queued:,} {'run' if queued == 1 else 'runs'}.")


@admin.register(RefusedUpload, site=desk)
class RefusedUploadAdmin(Placed, ReadOnlyAdmin):
    task_path = "phase__task"
    list_display = ["file_name", "team", "place", "received_at", "size"]
    list_filter = [("phase", Own), ("track", Own)]
    list_select_related = ["team", "track", "phase__task"]
    fields = [
        "team",
        "phase",
        "track",
        "submitted_by",
        "received_at",
        "file_name",
        "size",
        "digest",
        "listed_problems",
    ]
    readonly_fields = ["listed_problems"]

    @admin.display(description="problems")
    def listed_problems(self, upload: RefusedUpload) -> str:
        return problems_table(upload.problems.get("problems", []))


@admin.register(Evaluation, site=desk)
class EvaluationAdmin(Placed, ReadOnlyAdmin):
    task_path = "submission__phase__task"
    list_display = [
        "submission",
        "place",
        "status",
        "since",
        "attempts",
        "worker",
        "gold_version",
        "failure_kind",
    ]
    list_filter = ["status"]
    list_select_related = [
        *("submission__team", "submission__track", "submission__phase__task"),
        "gold_version",
    ]

    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        return super().get_queryset(request).annotate(moment=Value(clock.now()))

    def placed(self, row: Any) -> Submission:
        return row.submission

    @admin.display(description="since")
    def since(self, evaluation: Any) -> str:
        begun = evaluation.finished_at or evaluation.started_at or evaluation.queued_at
        return age(begun, evaluation.moment)


@admin.register(WorkerBeat, site=desk)
class WorkerBeatAdmin(ReadOnlyAdmin):
    """Workers serve all shared tasks, so every organizer may see that they are alive; `current` is an id."""

    list_display = ["name", "seen", "current", "started_at"]
    fields = ["name", "started_at", "seen_at", "current"]

    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        return WorkerBeat.objects.annotate(moment=Value(clock.now())).order_by("-seen_at")

    def may(self, request: HttpRequest, row: Model | None) -> bool:
        return self.admin_site.has_permission(request)

    @admin.display(description="seen", ordering="seen_at")
    def seen(self, beat: Any) -> str:
        return f"{age(beat.seen_at, beat.moment)} ago"
