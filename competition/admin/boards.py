"""Freezing and publishing on the desk: each shows what will happen, asks, and calls the domain."""

from __future__ import annotations

from typing import Any

from django import forms
from django.contrib import admin, messages
from django.db.models import QuerySet
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.template.response import TemplateResponse
from django.urls import URLPattern, path, reverse
from django.utils.html import format_html, format_html_join

from competition import rules
from competition.admin.scope import Own, Placed, ReadOnlyAdmin, ReadOnlyInline, own_choices
from competition.admin.site import asked_to_type, confirm_first, desk, require_typed
from competition.domain.freezing import freeze_blockers, freeze_doubt, publish_leaderboard, request_freeze
from competition.domain.ranking import percent
from competition.enums import Section
from competition.exceptions import Refused
from competition.models import FreezeRequest, FrozenLeaderboard, FrozenStanding, Phase, Track


class TypedForm(forms.Form):
    typed = forms.CharField(max_length=200)

    def __init__(self, expected: str, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.expected = expected
        self.fields["typed"].label = asked_to_type(expected)

    def clean_typed(self) -> str:
        require_typed(self.cleaned_data["typed"], self.expected)
        return self.cleaned_data["typed"]


class FreezeForm(TypedForm):
    reason = forms.CharField(
        max_length=500, widget=forms.Textarea({"rows": 3}), help_text="Public: it stands on the frozen board."
    )
    baselines_alone = forms.BooleanField(
        label="Freeze baselines alone",
        error_messages={"required": "Tick this if a board of baselines alone is what you mean."},
    )
    field_order = ["baselines_alone", "reason", "typed"]

    def __init__(self, expected: str, *args: Any, doubted: bool, **kwargs: Any) -> None:
        super().__init__(expected, *args, **kwargs)
        if not doubted:
            del self.fields["baselines_alone"]


@admin.register(FreezeRequest, site=desk)
class FreezeRequestAdmin(Placed, ReadOnlyAdmin):
    task_path = "phase__task"
    list_display = ["place", "status", "outcome", "board", "requested_by", "queued_at", "reason"]
    list_filter = [("phase", Own), "status"]
    list_select_related = ["phase__task", "track", "board__phase", "board__track", "requested_by"]
    fields = [
        "phase",
        "track",
        "status",
        "outcome",
        "listed_blockers",
        "board",
        "requested_by",
        "reason",
        "queued_at",
    ]
    readonly_fields = ["listed_blockers"]

    def get_urls(self) -> list[URLPattern]:
        view = self.admin_site.admin_view(confirm_first(self.freeze_view))
        return [path("<int:phase>/<int:track>/", view, name="competition_freeze"), *super().get_urls()]

    @admin.display(description="blockers")
    def listed_blockers(self, request: FreezeRequest) -> str:
        sentences = ((blocker.get("message", ""), blocker.get("fix", "")) for blocker in request.blockers)
        return format_html("<ul>{}</ul>", format_html_join("", "<li>{} {}</li>", sentences))

    def freeze_view(self, request: HttpRequest, phase: int, track: int) -> HttpResponse:
        """What is in the way, or a form that asks for a reason and the slugs, and of a board without any team
        whether it is meant.
        """
        of_phase, of_track = self._board_of(request, phase, track)
        blockers, doubt = freeze_blockers(of_phase, of_track), freeze_doubt(of_phase, of_track)
        form = FreezeForm(f"{of_phase.slug}/{of_track.slug}", request.POST or None, doubted=doubt is not None)
        if request.method == "POST" and form.is_valid():
            try:
                made = request_freeze(
                    phase=of_phase,
                    track=of_track,
                    requested_by=request.user,  # type: ignore[arg-type]
                    reason=form.cleaned_data["reason"],
                    baselines_alone=form.cleaned_data.get("baselines_alone", False),
                )
            except Refused as refusal:
                form.add_error(None, refusal.message)
            else:
                messages.success(request, "The freeze is queued; this page says when it is done.")
                return HttpResponseRedirect(reverse("admin:competition_freezerequest_change", args=[made.pk]))
        boards = FrozenLeaderboard.objects.filter(phase=of_phase, track=of_track)
        context = {
            **self.admin_site.each_context(request),
            "opts": self.opts,
            "title": f"Freeze {of_track}, {of_phase}",
            "phase": of_phase,
            "track": of_track,
            "blockers": blockers,
            "doubt": doubt,
            "form": form,
            "newest": boards.order_by("-version").first(),
        }
        return TemplateResponse(request, "admin/competition/freeze.html", context)

    def _board_of(self, request: HttpRequest, phase: int, track: int) -> tuple[Phase, Track]:
        phases, tracks = own_choices(Phase, request), own_choices(Track, request)
        of_phase = phases.filter(pk=phase).first() if phases is not None else None
        of_track = tracks.filter(pk=track).first() if tracks is not None else None
        if of_phase is None or of_track is None or of_phase.task_id != of_track.task_id:
            raise Http404
        return of_phase, of_track


class StandingInline(ReadOnlyInline):
    model = FrozenStanding
    fields = ["position", "section", "rank", "team_name", "primary", "signature", "note"]
    show_change_link = False


@admin.register(FrozenLeaderboard, site=desk)
class FrozenLeaderboardAdmin(Placed, ReadOnlyAdmin):
    task_path = "phase__task"
    list_display = [
        "place",
        "version",
        "frozen_at",
        "frozen_by",
        "reason",
        "published",
        "short_digest",
        "publish_link",
    ]
    list_filter = [("phase", Own), ("track", Own)]
    list_select_related = ["phase__task", "track", "frozen_by", "publication"]
    fields = [
        "phase",
        "track",
        "version",
        "frozen_at",
        "frozen_by",
        "reason",
        "published",
        "publish_link",
        "digest",
    ]
    readonly_fields = ["published", "publish_link"]
    inlines = [StandingInline]

    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        return super().get_queryset(request).defer("content")

    def get_urls(self) -> list[URLPattern]:
        view = self.admin_site.admin_view(confirm_first(self.publish_view))
        return [path("<int:board>/publish/", view, name="competition_publish"), *super().get_urls()]

    @admin.display(description="published")
    def published(self, board: FrozenLeaderboard) -> str:
        return f"{board.publication.published_at:%Y-%m-%d %H:%M} UTC" if board.is_published else "no"

    @admin.display(description="digest")
    def short_digest(self, board: FrozenLeaderboard) -> str:
        return board.digest[:8]

    @admin.display(description="next")
    def publish_link(self, board: FrozenLeaderboard) -> str:
        if board.is_published:
            return format_html('<a href="{}">See it</a>', board.get_absolute_url())
        return format_html('<a href="{}">Publish…</a>', reverse("admin:competition_publish", args=[board.pk]))

    def publish_view(self, request: HttpRequest, board: int) -> HttpResponse:
        """The standings as they will be read, and a form that asks for the slugs."""
        frozen = self.get_queryset(request).filter(pk=board).first()
        if frozen is None or not rules.can_look_after(request.user, frozen.phase.task):
            raise Http404
        form = TypedForm(f"{frozen.phase.slug}/{frozen.track.slug}", request.POST or None)
        if request.method == "POST" and form.is_valid():
            try:
                publish_leaderboard(board=frozen, published_by=request.user)  # type: ignore[arg-type]
            except Refused as refusal:
                form.add_error(None, refusal.message)
            else:
                messages.success(request, f"{frozen} is published.")
                return HttpResponseRedirect(reverse("admin:competition_frozenleaderboard_changelist"))
        standings = list(frozen.standings.all())
        context = {
            **self.admin_site.each_context(request),
            "opts": self.opts,
            "title": f"Publish {frozen}",
            "board": frozen,
            "standings": [(line, percent(line.primary)) for line in standings],
            "baselines_alone": bool(standings)
            and all(line.section == Section.BASELINE for line in standings),
            "form": form,
        }
        return TemplateResponse(request, "admin/competition/publish.html", context)
