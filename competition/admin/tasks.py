"""Shared tasks, tracks and announcements on the desk."""

from __future__ import annotations

from typing import Any

from django import forms
from django.contrib import admin
from django.core.exceptions import ValidationError
from django.db.models import Count, Model, QuerySet
from django.forms import BaseModelFormSet, ModelForm
from django.http import HttpRequest

from competition import clock, rules
from competition.admin.scope import Own, ScopedAdmin
from competition.admin.site import desk
from competition.domain import audit
from competition.domain.accounts import make_organizer
from competition.models import Announcement, OrganizerRole, SharedTask, Track
from scoring.options import BadOption, read_options
from scoring.tracks import get_kind, kind_names
from scoring.tracks.base import Kind


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
        kind, options = cleaned.get("kind") or self.instance.kind, cleaned.get("options")
        if kind and options is not None:
            if not isinstance(options, dict) or not all(isinstance(value, str) for value in options.values()):
                raise ValidationError({"options": 'Options are names and texts: {"tokenizer": "multi.1"}.'})
            try:
                chosen = read_options(get_kind(kind), options)
            except BadOption as error:
                raise ValidationError({"options": str(error)}) from error
            if self.instance.pk and self.instance.submissions.exists():
                self._keep_what_scores_mean(get_kind(kind), chosen)
        return cleaned

    def _keep_what_scores_mean(self, kind: Kind, chosen: dict[str, Any]) -> None:
        """Once runs have come in, what a signature names stays: scores of two definitions would share a
        board.
        """
        try:
            before = read_options(kind, self.instance.options)
        except BadOption:
            return
        moved = [one.name for one in kind.options if one.signed and before[one.name] != chosen[one.name]]
        if moved:
            raise ValidationError(
                {
                    "options": f"Runs have come in, and with another {' or '.join(moved)} their scores would "
                    "mean something else. Leave it as it was, or make another track."
                }
            )


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


@admin.register(Announcement, site=desk)
class AnnouncementAdmin(ScopedAdmin):
    list_display = ["at", "task", "text", "author"]
    list_filter = [("task", Own)]
    list_select_related = ["task", "author"]
    fieldsets = [
        (
            None,
            {
                "fields": ["task", "text"],
                "description": "Plain text, shown as it is typed. It stays for good.",
            },
        )
    ]

    def has_change_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        """What was announced stays; say more in another one."""
        return False

    def save_model(self, request: HttpRequest, obj: Any, form: ModelForm[Any], change: bool) -> None:
        obj.at, obj.author = clock.now(), request.user
        super().save_model(request, obj, form, change)
