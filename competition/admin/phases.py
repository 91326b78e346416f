"""Phases on the desk: what they start from, moving their dates, sending baselines."""

from __future__ import annotations

from typing import Any

from django import forms
from django.contrib import admin, messages
from django.core.exceptions import ValidationError
from django.db.models import Count, QuerySet, Value
from django.forms import ModelForm
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.template.response import TemplateResponse
from django.urls import reverse
from django.utils.decorators import method_decorator
from django.utils.html import format_html_join

from competition import clock, rules
from competition.admin.scope import Own, ScopedAdmin
from competition.admin.site import asked_to_type, confirm_first, desk, require_typed
from competition.admin.zoned import ZonedField, two_zones
from competition.domain import giveaway
from competition.domain.baselines import send_baselines
from competition.domain.phases import move_phase, runs_left_outside
from competition.enums import PhasePurpose
from competition.exceptions import CannotSubmit, Refused
from competition.models import Phase
from competition.models.tasks import PHASE_DEFAULTS
from competition.templatetags.podium import quota_rule

DATES = ("opens_at", "closes_at", "grace_seconds")
"""What decides which runs are in time. The domain moves them, announces it and keeps both on record."""


class PhaseForm(forms.ModelForm):
    opens_at = ZonedField(help_text="A date alone is its first moment.")
    closes_at = ZonedField(
        whole_day="end", help_text="The first moment that is too late. A date alone means the whole day."
    )
    reason = forms.CharField(
        max_length=500,
        required=False,
        help_text="Needed when dates or grace of an existing phase change; participants will read it.",
    )
    typed = forms.CharField(max_length=200, required=False, widget=forms.HiddenInput)
    outside = 0
    """Received runs that would lie outside the new dates, as far as was confirmed."""

    class Meta:
        help_texts = giveaway.BESIDE

    def clean(self) -> dict[str, Any] | None:
        cleaned = super().clean() or self.cleaned_data
        if self.instance.pk and set(DATES) & set(self.changed_data):
            if not (cleaned.get("reason") or "").strip():
                self.add_error("reason", "Say why the dates change: participants will read it.")
            dates = {name: cleaned.get(name) for name in DATES}
            if None not in dates.values():
                self._confirm(dates)
        return cleaned

    def _confirm(self, dates: dict[str, Any]) -> None:
        """Say which received runs would lie outside, and take the dates only when their number is typed."""
        outside = runs_left_outside(self.instance, **dates)
        if not outside.runs:
            return
        expected = f"{self.instance.slug}/{outside.runs}"
        self.fields["typed"].widget = forms.TextInput()
        self["typed"].label = asked_to_type(expected)
        try:
            require_typed(self.cleaned_data.get("typed", ""), expected)
        except ValidationError as error:
            self.add_error(None, outside.sentence)
            self.add_error("typed", error)
        else:
            self.outside = outside.runs


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
    actions = ["send_baselines"]

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

    def changeform_view(self, request: HttpRequest, *shown: Any, **more: Any) -> Any:
        """What the domain refuses after all, for a run that came in meanwhile, leaves all as it was."""
        try:
            return super().changeform_view(request, *shown, **more)
        except Refused as refusal:
            messages.error(request, f"Nothing was changed. {refusal.message}")
            return HttpResponseRedirect(request.get_full_path())

    def get_readonly_fields(self, request: HttpRequest, obj: Any = None) -> list[str]:
        """What the settings cost, for as long as they cost something."""
        return ["gives_away"] if obj is not None and giveaway.cost_of(obj) else []

    def get_fields(self, request: HttpRequest, obj: Any = None) -> list[Any]:
        """What the settings cost in front; behind the dates what is asked when they change."""
        first, asked = self.get_readonly_fields(request, obj), ["reason", "typed"]
        others = [name for name in super().get_fields(request, obj) if name not in (*first, *asked)]
        if obj is None:
            return others
        behind = others.index(DATES[-1]) + 1
        return [*first, *others[:behind], *asked, *others[behind:]]

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
        return quota_rule(phase)

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
        if set(DATES) & set(form.changed_data):
            move_phase(
                phase=Phase.objects.get(pk=obj.pk),
                moved_by=request.user,  # type: ignore[arg-type]
                reason=form.cleaned_data["reason"],
                known_outside=form.outside,  # type: ignore[attr-defined]
                **{name: getattr(obj, name) for name in DATES},
            )
            messages.info(request, "The new dates are announced on the task's page.")
        form.changed_data = [name for name in form.changed_data if name not in {*DATES, "reason", "typed"}]
        if form.changed_data:
            super().save_model(request, obj, form, change)

    def has_baselines_permission(self, request: HttpRequest) -> bool:
        return self.may(request, None)

    @admin.action(
        description="Send the baselines of every track with items, as pinned rows",
        permissions=["baselines"],
    )
    @method_decorator(confirm_first)
    def send_baselines(self, request: HttpRequest, queryset: QuerySet[Any]) -> None:
        """Each is made from public items, checked and scored like a run, and never ranked."""
        user: Any = request.user
        before, sent = clock.now(), 0
        for phase in queryset:
            if not rules.can_look_after(user, phase.task):
                continue
            for track in phase.task.tracks.all():
                try:
                    runs = send_baselines(phase=phase, track=track, requested_by=user)
                except CannotSubmit as refusal:
                    messages.warning(request, f"{phase.task}, {track}, {phase}: {refusal.message}")
                else:
                    sent += sum(run.received_at >= before for run in runs)
        runs_sent = f"{sent:,} {'baseline' if sent == 1 else 'baselines'}"
        messages.success(request, f"Sent: {runs_sent}. What was sent before is as it was.")
