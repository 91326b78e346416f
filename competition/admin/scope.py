"""What every page of the desk keeps to: one's own shared tasks, read-only where the system wrote, and an
audit entry for each change."""

from __future__ import annotations

from hashlib import sha256
from typing import Any

from django import forms
from django.contrib import admin, messages
from django.contrib.admin.utils import unquote
from django.db.models import Field, ForeignKey, JSONField, Model, QuerySet
from django.forms import ModelForm
from django.http import HttpRequest, HttpResponseRedirect
from django.utils.html import format_html

from competition import rules
from competition.domain import audit
from competition.models import Phase, SharedTask, Team, Track
from competition.models.base import organized_by

OVERTAKEN = (
    "Somebody changed this while you had it open, so nothing of yours was saved. Here it is as it stands "
    "now; your browser's way back still has what you typed."
)


class Own(admin.RelatedOnlyFieldListFilter):
    """A filter that offers values of one's own rows only: other people's drafts are nobody's business. What
    shared tasks name alike ("Test") stands with its task.
    """

    def field_choices(self, field: Any, request: HttpRequest, model_admin: Any) -> list[Any]:
        rows = own_choices(field.related_model, request)
        choices = super().field_choices(field, request, model_admin)
        if rows is None or field.related_model is SharedTask:
            return choices
        offered = [value for value, _ in choices]
        return [(row.pk, with_task(row)) for row in rows.filter(pk__in=offered)]


class OwnChoice(forms.ModelChoiceField):
    """A choice among phases, tracks or teams, each with its shared task."""

    def label_from_instance(self, obj: Any) -> str:
        return with_task(obj)


class Structured(forms.JSONField):
    """JSON as an organizer types it. Left empty, or null, it is what a new row starts from: no column takes
    null.
    """

    def clean(self, value: Any) -> Any:
        cleaned = super().clean(value)
        starts_from: Any = self.initial
        return starts_from() if cleaned in self.empty_values and callable(starts_from) else cleaned


class ScopedAdmin(admin.ModelAdmin):
    """Rows of the shared tasks one organizes, and no others: lists, pages, choices and filters alike."""

    task_path = "task"
    """The way from a row to its shared task, as a query spells it; "" on the task itself."""

    list_per_page = 50
    show_full_result_count = False
    actions: list[Any] = []
    formfield_overrides = {JSONField: {"form_class": Structured}}

    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        return super().get_queryset(request).filter(organized_by(request.user, self.task_path)).distinct()

    def task_of(self, row: Any) -> SharedTask:
        for name in filter(None, self.task_path.split("__")):
            row = getattr(row, name)
        return row

    def may(self, request: HttpRequest, row: Model | None) -> bool:
        if row is None:
            return self.admin_site.has_permission(request)
        return rules.can_look_after(request.user, self.task_of(row))

    def has_module_permission(self, request: HttpRequest) -> bool:
        return self.admin_site.has_permission(request)

    def has_view_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return self.may(request, obj)

    def has_change_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return self.may(request, obj)

    def has_add_permission(self, request: HttpRequest) -> bool:
        return self.may(request, None)

    def has_delete_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        """History rests on these rows; what has none yet may be deleted where a subclass says so."""
        return False

    def changeform_view(
        self,
        request: HttpRequest,
        object_id: str | None = None,
        form_url: str = "",
        extra_context: dict[str, Any] | None = None,
    ) -> Any:
        """A form that somebody's change has overtaken saves nothing: it would put back what they changed."""
        row = self.get_object(request, unquote(object_id)) if object_id else None
        if row is not None and self.has_change_permission(request, row):
            seen = self._state(request, row)
            if request.method == "POST" and request.POST.get("seen", seen) != seen:
                messages.error(request, OVERTAKEN)
                return HttpResponseRedirect(request.get_full_path())
            extra_context = {**(extra_context or {}), "seen": seen}
        return super().changeform_view(request, object_id, form_url, extra_context)

    def _state(self, request: HttpRequest, row: Model) -> str:
        """A digest of what the form of this row shows."""
        shown = [
            name for name in self.get_form(request, row, change=True).base_fields if _is_plain(row, name)
        ]
        values = [(name, str(row.serializable_value(name))) for name in shown]
        return sha256(repr(values).encode()).hexdigest()

    def formfield_for_foreignkey(self, db_field: ForeignKey[Any], request: HttpRequest, **kwargs: Any) -> Any:
        own = own_choices(db_field.related_model, request)
        if own is not None:
            kwargs["queryset"] = own
        return super().formfield_for_foreignkey(db_field, request, **kwargs)

    def save_model(self, request: HttpRequest, obj: Any, form: ModelForm[Any], change: bool) -> None:
        changed = [name for name in form.changed_data if _is_plain(obj, name)]
        before = {name: _plain(form.initial.get(name)) for name in changed} if change else {}
        super().save_model(request, obj, form, change)
        audit.record(
            actor=request.user,  # type: ignore[arg-type]
            action=f"{obj._meta.verbose_name} {'changed' if change else 'added'}",
            target=obj,
            before=before,
            after={name: _plain(obj.serializable_value(name)) for name in changed},
        )


class Placed:
    """Lists of what belongs to one phase and track: `place` shows both with their shared task, since tasks
    call theirs alike.
    """

    def placed(self, row: Any) -> Any:
        """What has the phase and the track: the row itself, or the one it hangs on."""
        return row

    @admin.display(description="task · track · phase")
    def place(self, row: Any) -> str:
        found = self.placed(row)
        names = (found.phase.task, found.track, found.phase)
        return format_html("<bdi>{}</bdi> · <bdi>{}</bdi> · <bdi>{}</bdi>", *names)


class ReadOnlyAdmin(ScopedAdmin):
    """What the system wrote: to look at."""

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return False


class ReadOnlyInline(admin.TabularInline):
    extra = 0
    can_delete = False
    show_change_link = True

    def has_view_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return True  # the page it stands on was asked already

    def has_add_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return False


def own_choices(model: Any, request: HttpRequest) -> QuerySet[Any] | None:
    """The rows of `model` a form on this desk may offer; None where the model belongs to no shared task."""
    if model is SharedTask:
        return SharedTask.objects.organized_by(request.user)
    if model in (Phase, Track, Team):
        own = model.objects.filter(organized_by(request.user, "task")).select_related("task").distinct()
        return own.order_by("task__name", "task", *(model._meta.ordering or ["name"]))
    return None


def with_task(row: Any) -> str:
    """A phase, a track or a team where several shared tasks stand side by side."""
    return f"{row.task}: {row}"


def _is_plain(obj: Model, name: str) -> bool:
    return any(isinstance(field, Field) and field.name == name for field in obj._meta.get_fields())


def _plain(value: Any) -> Any:
    """A JSON value for the audit."""
    if value is None or isinstance(value, bool | int | float | str | list | dict):
        return value
    return value.isoformat() if hasattr(value, "isoformat") else str(value)
