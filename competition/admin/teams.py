"""Teams on the desk: who they are, how many runs they sent, which names need a second look."""

from __future__ import annotations

from typing import Any

from django import forms
from django.contrib import admin
from django.core.exceptions import ValidationError
from django.db.models import Count, Exists, F, Max, Model, OuterRef, Q, QuerySet
from django.forms import ModelForm
from django.http import HttpRequest

from competition import names
from competition.admin.scope import Own, OwnChoice, Placed, ReadOnlyInline, ScopedAdmin, own_choices
from competition.admin.site import desk
from competition.admin.zoned import ZonedField
from competition.domain.intake import grant_attempts
from competition.domain.teams import create_team, is_name_taken, lookalikes, rename_team
from competition.enums import TeamRole
from competition.exceptions import NameRefused
from competition.models import ExtraAttempts, Membership, Phase, Team, TeamNameChange, Track


class MembershipInline(ReadOnlyInline):
    model = Membership
    fk_name = "team"
    fields = ["user", "joined_at", "left_at"]
    show_change_link = False


class NameChangeInline(ReadOnlyInline):
    model = TeamNameChange
    fields = ["before", "after", "changed_by", "at"]
    show_change_link = False


class AlikeFilter(admin.SimpleListFilter):
    title = "name"
    parameter_name = "name"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        return [("alike", "looks like another team's")]

    def queryset(self, request: HttpRequest, queryset: QuerySet[Team]) -> QuerySet[Team]:
        """`alike` is an annotation of the list's queryset."""
        return queryset.filter(Q(("alike", True))) if self.value() == "alike" else queryset


class TeamForm(forms.ModelForm):
    locked_at = ZonedField(required=False, help_text="From then on members no longer change.")
    reason = forms.CharField(
        max_length=500, required=False, help_text="For the record, when the name changes."
    )

    def clean_name(self) -> str:
        try:
            return names.clean_name(self.cleaned_data["name"])
        except NameRefused as refusal:
            raise ValidationError(refusal.message) from refusal

    def clean(self) -> dict[str, Any] | None:
        cleaned = super().clean() or self.cleaned_data
        task, name = cleaned.get("task") or getattr(self.instance, "task", None), cleaned.get("name")
        if task and name and is_name_taken(task, name, self.instance):
            raise ValidationError({"name": "A team of this name is registered already."})
        return cleaned


@admin.register(Team, site=desk)
class TeamAdmin(ScopedAdmin):
    form = TeamForm
    list_display = ["name", "task", "role", "captain", "n_members", "n_runs", "last_run", "flag"]
    list_filter = [("task", Own), "role", AlikeFilter]
    list_select_related = ["task", "captain"]
    search_fields = ["name", "affiliation"]
    fields = [
        "task",
        "name",
        "reason",
        "role",
        "affiliation",
        "country",
        "contact",
        "locked_at",
        "captain",
        "looks",
    ]
    readonly_fields = ["captain", "looks"]
    inlines = [MembershipInline, NameChangeInline]

    def get_queryset(self, request: HttpRequest) -> QuerySet[Team]:
        twin = Team.objects.filter(task=OuterRef("task"), lookalike_key=OuterRef("lookalike_key"))
        return (
            super()
            .get_queryset(request)
            .annotate(
                n_members=Count("memberships", filter=Q(memberships__left_at=None), distinct=True),
                n_runs=Count("submissions", distinct=True),
                last_run=Max("submissions__received_at"),
                alike=Exists(twin.exclude(pk=OuterRef("pk"))),
            )
        )

    def get_readonly_fields(self, request: HttpRequest, obj: Any = None) -> list[str]:
        return [*self.readonly_fields, *(["task", "role"] if obj else [])]

    @admin.display(description="members", ordering="n_members")
    def n_members(self, team: Any) -> int:
        return team.n_members

    @admin.display(description="runs", ordering="n_runs")
    def n_runs(self, team: Any) -> int:
        return team.n_runs

    @admin.display(description="last run", ordering=F("last_run").desc(nulls_last=True))
    def last_run(self, team: Any) -> Any:
        return team.last_run

    @admin.display(description="look at")
    def flag(self, team: Any) -> str:
        flags = ["looks like another name"] if team.alike else []
        return ", ".join(flags + (["mixes scripts in a word"] if names.mixes_scripts(team.name) else []))

    @admin.display(description="looks like")
    def looks(self, team: Team) -> str:
        return ", ".join(other.name for other in lookalikes(team)) if team.pk else ""

    def save_model(self, request: HttpRequest, obj: Any, form: ModelForm[Any], change: bool) -> None:
        """A new team on the desk is a baseline or somebody's who cannot register; names are the domain's."""
        user: Any = request.user
        details = {name: form.cleaned_data[name] for name in ("affiliation", "country", "contact")}
        if not change:
            made = create_team(
                task=obj.task, name=obj.name, captain=None, role=obj.role or TeamRole.BASELINE, **details
            )
            obj.pk, obj.name_key, obj.lookalike_key = made.pk, made.name_key, made.lookalike_key
            obj.public_id, obj._state.adding = made.public_id, False
        elif "name" in form.changed_data:
            rename_team(
                team=Team.objects.get(pk=obj.pk),
                name=obj.name,
                renamed_by=user,
                reason=form.cleaned_data["reason"],
            )
            obj.refresh_from_db(fields=["name", "name_key", "lookalike_key"])
        form.changed_data = [name for name in form.changed_data if name not in ("name", "reason")]
        if form.changed_data and change:
            super().save_model(request, obj, form, change)


class GrantForm(forms.ModelForm):
    team = OwnChoice(Team.objects.none())
    phase = OwnChoice(Phase.objects.none())
    track = OwnChoice(Track.objects.none())

    class Meta:
        model = ExtraAttempts
        fields = ["amount", "reason"]

    def clean(self) -> dict[str, Any] | None:
        cleaned = super().clean() or self.cleaned_data
        tasks = {cleaned[name].task_id for name in ("team", "phase", "track") if cleaned.get(name)}
        if len(tasks) > 1:
            raise ValidationError("Team, phase and track are not of one shared task.")
        return cleaned


@admin.register(ExtraAttempts, site=desk)
class ExtraAttemptsAdmin(Placed, ScopedAdmin):
    """Granted attempts stay on record; grant again rather than change."""

    form = GrantForm
    task_path = "entry__team__task"
    list_display = ["of_team", "place", "amount", "reason", "granted_by", "created_at"]
    list_select_related = ["entry__team", "entry__phase__task", "entry__track", "granted_by"]
    fields = ["team", "phase", "track", "amount", "reason"]

    @admin.display(description="team", ordering="entry__team__name")
    def of_team(self, granted: ExtraAttempts) -> Team:
        return granted.entry.team

    def placed(self, row: Any) -> Any:
        return row.entry

    def get_fields(self, request: HttpRequest, obj: Any = None) -> Any:
        return self.fields if obj is None else ["entry", "amount", "reason", "granted_by", "created_at"]

    def get_form(self, request: HttpRequest, obj: Any = None, change: bool = False, **kwargs: Any) -> Any:
        form = super().get_form(request, obj, change, **kwargs)
        for name, model in (("team", Team), ("phase", Phase), ("track", Track)):
            if name in form.base_fields:
                form.base_fields[name].queryset = own_choices(model, request)  # type: ignore[attr-defined]
        return form

    def has_change_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return False

    def save_model(self, request: HttpRequest, obj: Any, form: ModelForm[Any], change: bool) -> None:
        given = form.cleaned_data
        user: Any = request.user
        made = grant_attempts(
            team=given["team"],
            phase=given["phase"],
            track=given["track"],
            amount=given["amount"],
            reason=given["reason"],
            granted_by=user,
        )
        obj.pk, obj.entry, obj._state.adding = made.pk, made.entry, False
