"""Shared tasks, tracks, phases and announcements on the desk."""

from __future__ import annotations

from typing import Any

from django import forms
from django.contrib import admin, messages
from django.core.exceptions import ValidationError
from django.db.models import Count, Model, QuerySet, Value
from django.forms import BaseModelFormSet, ModelForm
from django.http import HttpRequest, HttpResponse
from django.template.response import TemplateResponse
from django.urls import reverse
from django.utils.html import format_html_join

from competition import clock, rules
from competition.admin.scope import Own, ScopedAdmin
from competition.admin.site import desk
from competition.admin.zoned import ZonedField, two_zones
from competition.domain import audit, giveaway
from competition.domain.accounts import make_organizer
from competition.domain.phases import move_phase
from competition.enums import PhasePurpose
from competition.models import Announcement, OrganizerRole, Phase, SharedTask, Track
from competition.models.tasks import PHASE_DEFAULTS
from scoring.options import BadOption, read_options
from scoring.tracks import get_kind, kind_names


class OrganizerInline(admin.TabularInline):
    """Who looks after the task: superusers say."""

    model = OrganizerRole
    extra = 0
    raw_id_fields = ["user"]
    readonly_fields = ["created_at"]
    verbose_name = "organizer"

    def has_view_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return True

    def has_add_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return rules.is_superuser(request.user)

    def has_change_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return rules.is_superuser(request.user)


@admin.register(SharedTask, site=desk)
class SharedTaskAdmin(ScopedAdmin):
    task_path = ""
    list_display = ["name", "published", "n_tracks", "n_phases", "n_teams"]
    prepopulated_fields = {"slug": ["name"]}
    inlines = [OrganizerInline]

    def get_queryset(self, request: HttpRequest) -> QuerySet[SharedTask]:
        counts = {name: Count(name, distinct=True) for name in ("tracks", "phases", "teams")}
        return (
            super().get_queryset(request).annotate(**{f"n_{name}": count for name, count in counts.items()})
        )

    def has_add_permission(self, request: HttpRequest) -> bool:
        return rules.is_superuser(request.user)

    @admin.display(description="tracks", ordering="n_tracks")
    def n_tracks(self, task: Any) -> int:
        return task.n_tracks

    @admin.display(description="phases", ordering="n_phases")
    def n_phases(self, task: Any) -> int:
        return task.n_phases

    @admin.display(description="teams", ordering="n_teams")
    def n_teams(self, task: Any) -> int:
        return task.n_teams

    def save_formset(
        self, request: HttpRequest, form: Any, formset: BaseModelFormSet[Any, Any], change: bool
    ) -> None:
        for role in formset.save(commit=False):
            make_organizer(user=role.user, task=role.task, by=request.user)  # type: ignore[arg-type]
        for role in formset.deleted_objects:
            audit.record(actor=request.user, action="organizer removed", target=role.user, task=role.task)  # type: ignore[arg-type]
            role.delete()


class TrackForm(forms.ModelForm):
    kind = forms.ChoiceField(choices=[(name, name) for name in kind_names()])

    def clean(self) -> dict[str, Any] | None:
        cleaned = super().clean() or self.cleaned_data
        kind, options = cleaned.get("kind"), cleaned.get("options")
        if kind and options is not None:
            if not isinstance(options, dict) or not all(isinstance(value, str) for value in options.values()):
                raise ValidationError({"options": 'Options are names and texts: {"tokenizer": "multi.1"}.'})
            try:
                read_options(get_kind(kind), options)
            except BadOption as error:
                raise ValidationError({"options": str(error)}) from error
        return cleaned


@admin.register(Track, site=desk)
class TrackAdmin(ScopedAdmin):
    form = TrackForm
    list_display = ["name", "task", "kind", "settings", "order"]
    list_filter = [("task", Own)]
    list_select_related = ["task"]
    prepopulated_fields = {"slug": ["name"]}

    @admin.display(description="options")
    def settings(self, track: Track) -> str:
        """Short options as they are; of a whole table only how long it is."""
        lines = {name: value.count("\n") for name, value in track.options.items()}
        shown = [f"{name}: {f'{n} lines' if n else track.options[name]}" for name, n in lines.items()]
        return ", ".join(shown) or "–"

    def get_readonly_fields(self, request: HttpRequest, obj: Any = None) -> list[str]:
        """Once runs have come in, another kind or task would make their scores mean something else."""
        return ["task", "kind"] if obj is not None and obj.submissions.exists() else []


class PhaseForm(forms.ModelForm):
    opens_at = ZonedField(help_text="A date alone is its first moment.")
    closes_at = ZonedField(
        whole_day="end", help_text="The first moment that is too late. A date alone means the whole day."
    )
    reason = forms.CharField(
        max_length=500,
        required=False,
        help_text="Needed when the dates of an existing phase change; participants will read it.",
    )

    class Meta:
        help_texts = giveaway.BESIDE

    def clean(self) -> dict[str, Any] | None:
        cleaned = super().clean() or self.cleaned_data
        moved = {"opens_at", "closes_at"} & set(self.changed_data)
        if self.instance.pk and moved and not (cleaned.get("reason") or "").strip():
            raise ValidationError({"reason": "Say why the dates change: participants will read it."})
        return cleaned


@admin.register(Phase, site=desk)
class PhaseAdmin(ScopedAdmin):
    form = PhaseForm
    list_display = [
        "name",
        "task",
        "purpose",
        "status",
        "opens",
        "closes",
        "quota",
        "counts",
        "runs",
        "boards",
    ]
    list_filter = [("task", Own), "purpose"]
    list_select_related = ["task"]
    prepopulated_fields = {"slug": ["name"]}

    def get_queryset(self, request: HttpRequest) -> QuerySet[Phase]:
        rows = super().get_queryset(request).prefetch_related("task__tracks")
        return rows.annotate(n_runs=Count("submissions", distinct=True), moment=Value(clock.now()))

    def get_changeform_initial_data(self, request: HttpRequest) -> dict[str, Any]:
        purpose = request.GET.get("purpose", PhasePurpose.DEVELOPMENT)
        return {
            "purpose": purpose,
            **PHASE_DEFAULTS.get(purpose, {}),
            **super().get_changeform_initial_data(request),
        }

    def add_view(
        self, request: HttpRequest, form_url: str = "", extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        """First which purpose: what a test phase shows starts from a test phase's defaults."""
        if request.method != "POST" and request.GET.get("purpose") not in PhasePurpose.values:
            context = {
                **self.admin_site.each_context(request),
                "opts": self.opts,
                "title": "Add phase",
                "purposes": [Phase(purpose=name, **PHASE_DEFAULTS[name]) for name in PhasePurpose.values],
            }
            return TemplateResponse(request, "admin/competition/purposes.html", context)
        return super().add_view(request, form_url, extra_context)

    def get_readonly_fields(self, request: HttpRequest, obj: Any = None) -> list[str]:
        """What the settings cost, for as long as they cost something."""
        return ["gives_away"] if obj is not None and giveaway.cost_of(obj) else []

    def get_fields(self, request: HttpRequest, obj: Any = None) -> list[Any]:
        first = self.get_readonly_fields(request, obj)
        return [*first, *(name for name in super().get_fields(request, obj) if name not in first)]

    @admin.display(description="what this gives away")
    def gives_away(self, phase: Phase) -> str:
        return giveaway.cost_of(phase)

    @admin.display(description="now")
    def status(self, phase: Any) -> str:
        return str(phase.status_at(phase.moment).label)

    @admin.display(description="opens", ordering="opens_at")
    def opens(self, phase: Phase) -> str:
        return two_zones(phase.opens_at)

    @admin.display(description="closes", ordering="closes_at")
    def closes(self, phase: Phase) -> str:
        return two_zones(phase.closes_at)

    @admin.display(description="quota")
    def quota(self, phase: Phase) -> str:
        parts = [f"{phase.daily_quota} a day" if phase.daily_quota else "", f"{phase.total_quota} in all"]
        return ", ".join(filter(None, [parts[0], parts[1] if phase.total_quota else ""])) or "no limit"

    @admin.display(description="runs", ordering="n_runs")
    def runs(self, phase: Any) -> int:
        return phase.n_runs

    @admin.display(description="leaderboards")
    def boards(self, phase: Phase) -> str:
        links = (
            (reverse("admin:competition_freeze", args=[phase.pk, track.pk]), track.name)
            for track in phase.task.tracks.all()
        )
        return format_html_join(", ", '<a href="{}">Freeze {}…</a>', links) or "–"

    def save_model(self, request: HttpRequest, obj: Any, form: ModelForm[Any], change: bool) -> None:
        """Dates of an existing phase are moved by the domain, which announces it; the rest is saved."""
        if cost := giveaway.cost_of(obj):
            messages.warning(request, f"{obj}: {cost}")
        if not change:
            super().save_model(request, obj, form, change)
            return
        dates = {"opens_at": obj.opens_at, "closes_at": obj.closes_at}
        if set(dates) & set(form.changed_data):
            stored = Phase.objects.get(pk=obj.pk)
            move_phase(
                phase=stored,
                moved_by=request.user,  # type: ignore[arg-type]
                reason=form.cleaned_data["reason"],
                **dates,
            )
            messages.info(request, "The new dates are announced on the task's page.")
        form.changed_data = [name for name in form.changed_data if name not in {*dates, "reason"}]
        if form.changed_data:
            super().save_model(request, obj, form, change)


@admin.register(Announcement, site=desk)
class AnnouncementAdmin(ScopedAdmin):
    list_display = ["at", "task", "text", "author"]
    list_filter = [("task", Own)]
    list_select_related = ["task", "author"]
    fields = ["task", "text"]

    def has_change_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        """What was announced stays; say more in another one."""
        return False

    def save_model(self, request: HttpRequest, obj: Any, form: ModelForm[Any], change: bool) -> None:
        obj.at, obj.author = clock.now(), request.user
        super().save_model(request, obj, form, change)
