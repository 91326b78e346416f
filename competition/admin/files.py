"""Items and gold on the desk: what is there, what was wrong with it, and uploading another version."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from django import forms
from django.contrib import admin, messages
from django.db.models import Model
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.template.response import TemplateResponse
from django.urls import reverse
from django.utils.decorators import method_decorator
from django.utils.html import format_html, format_html_join

from competition.admin.scope import Own, OwnChoice, Placed, ReadOnlyAdmin, own_choices
from competition.admin.site import confirm_first, desk
from competition.domain.gold import add_gold, add_items
from competition.domain.replaced import what_new_items_change
from competition.exceptions import FileRefused
from competition.models import GoldVersion, ItemSet, Phase, Track

LARGEST_FILE = 50 * 1024 * 1024
PROBLEMS_SHOWN = 100


class UploadForm(forms.Form):
    phase = OwnChoice(Phase.objects.none())
    track = OwnChoice(Track.objects.none())
    file = forms.FileField(
        label="JSON Lines file", help_text="UTF-8, one JSON object a line; at most 50 MiB."
    )
    reason = forms.CharField(max_length=500, help_text="Why this version: it stays on record.")

    def __init__(self, request: HttpRequest) -> None:
        super().__init__(request.POST or None, request.FILES or None, initial=request.GET.dict())
        self.fields["phase"].queryset = own_choices(Phase, request)  # type: ignore[attr-defined]
        self.fields["track"].queryset = own_choices(Track, request)  # type: ignore[attr-defined]

    def clean_file(self) -> Any:
        file = self.cleaned_data["file"]
        if file.size > LARGEST_FILE:
            raise forms.ValidationError("The file is larger than 50 MiB.")
        return file

    def clean(self) -> dict[str, Any]:
        phase, track = self.cleaned_data.get("phase"), self.cleaned_data.get("track")
        if phase and track and phase.task_id != track.task_id:
            raise forms.ValidationError("Phase and track are of two shared tasks.")
        return self.cleaned_data


class FileAdmin(Placed, ReadOnlyAdmin):
    """Versions are added by upload and never changed."""

    task_path = "phase__task"
    list_filter = [("phase", Own), ("track", Own), "status"]
    ordering = ["-pk"]
    list_select_related = ["phase", "track", "phase__task"]
    add: Callable[..., Any]
    upload_help = ""
    next = ""

    def has_add_permission(self, request: HttpRequest) -> bool:
        return self.may(request, None)

    @method_decorator(confirm_first)
    def add_view(
        self, request: HttpRequest, form_url: str = "", extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        """Take one file, hand it to the domain, and show every problem it found."""
        if not self.has_add_permission(request):
            return self._redirect_to_list()
        form = UploadForm(request)
        problems: list[dict[str, Any]] = []
        if request.method == "POST" and form.is_valid():
            given = form.cleaned_data
            try:
                made = type(self).add(
                    phase=given["phase"],
                    track=given["track"],
                    content=given["file"].read(),
                    uploaded_by=request.user,
                    reason=given["reason"],
                )
            except FileRefused as refusal:
                form.add_error("file", refusal.message)
                problems = refusal.problems
            else:
                messages.success(
                    request, f"Version {made.version} is {made.get_status_display()}.{self.next}"
                )
                for said in self.beside(made):
                    messages.warning(request, said)
                page = reverse(f"admin:competition_{self.opts.model_name}_change", args=[made.pk])
                return HttpResponseRedirect(page)
        context = {
            **self.admin_site.each_context(request),
            "opts": self.opts,
            "title": f"Upload {self.opts.verbose_name}",
            "form": form,
            "help": self.upload_help,
            "problems": problems_table(problems),
            **(extra_context or {}),
        }
        return TemplateResponse(request, "admin/competition/upload.html", context)

    def beside(self, made: Any) -> list[str]:
        """What else changes with this version, in sentences."""
        return []

    def _redirect_to_list(self) -> HttpResponseRedirect:
        return HttpResponseRedirect(reverse(f"admin:competition_{self.opts.model_name}_changelist"))

    @admin.display(description="problems")
    def n_problems(self, row: Any) -> int:
        return len(row.problems)

    @admin.display(description="problems")
    def listed_problems(self, row: Any) -> str:
        return problems_table(row.problems)


def problems_table(problems: list[dict[str, Any]]) -> str:
    """The first problems as a table; everything in it is escaped."""
    if not problems:
        return ""
    rows = format_html_join(
        "",
        '<tr><td>{}</td><td>{}</td><td dir="auto">{}</td><td dir="auto">{}</td><td dir="auto">{}</td></tr>',
        (
            [*(_cell(problem, name) for name in ("code", "line", "item_id", "message")), _fix(problem)]
            for problem in problems[:PROBLEMS_SHOWN]
        ),
    )
    heads = format_html_join(
        "", '<th scope="col">{}</th>', ([h] for h in ("Code", "Line", "Id", "Problem", "Fix"))
    )
    caption = f"{len(problems):,} {'problem' if len(problems) == 1 else 'problems'}" + (
        f", the first {PROBLEMS_SHOWN} here" if len(problems) > PROBLEMS_SHOWN else ""
    )
    return format_html(
        "<table><caption>{}</caption><thead><tr>{}</tr></thead><tbody>{}</tbody></table>",
        caption,
        heads,
        rows,
    )


def _cell(problem: dict[str, Any], name: str) -> Any:
    value = problem.get(name)
    return "" if value is None else value


def _fix(problem: dict[str, Any]) -> str:
    """What to do, or else what should stand there."""
    expected = problem.get("expected")
    return problem.get("hint") or (f"Expected: {expected}." if expected else "")


@admin.register(ItemSet, site=desk)
class ItemSetAdmin(FileAdmin):
    add = staticmethod(add_items)
    upload_help = "Items are public: what teams answer. They are checked at once and kept when they pass."
    list_display = ["__str__", "place", "status", "n_items", "n_problems", "created_at", "reason"]
    fields = [
        *("phase", "track", "version", "status", "n_items", "digest", "uploaded_by", "reason", "created_at"),
        "listed_problems",
    ]
    readonly_fields = ["digest", "listed_problems", "created_at"]

    def beside(self, made: Any) -> list[str]:
        return what_new_items_change(made)

    @admin.display(description="SHA-256")
    def digest(self, items: ItemSet) -> str:
        return items.blob_id


@admin.register(GoldVersion, site=desk)
class GoldVersionAdmin(FileAdmin):
    """The bytes and their digest stay away from the web: what can be shown is the commitment."""

    add = staticmethod(add_gold)
    next = " A worker checks it now: load this page again to see what came of it."
    upload_help = (
        "Gold is hidden. It is stored unread and checked by a worker; until then the version before stays. "
        "Runs scored against an older version are stale afterwards."
    )
    list_display = [
        *("__str__", "place", "status", "n_scored", "n_problems", "created_at"),
        *("reason", "short_commitment"),
    ]
    fields = [
        *(
            "phase",
            "track",
            "version",
            "status",
            "item_set",
            "n_scored",
            "commitment",
            "uploaded_by",
            "reason",
        ),
        *("created_at", "listed_problems"),
    ]
    readonly_fields = ["listed_problems", "created_at"]

    @admin.display(description="commitment")
    def short_commitment(self, gold: GoldVersion) -> str:
        return gold.commitment[:8]

    def has_change_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return False
