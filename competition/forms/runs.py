"""The forms a file is checked or sent with."""

from __future__ import annotations

import secrets
from hashlib import sha256
from typing import Any

from django import forms
from django.core.files.uploadedfile import UploadedFile

from competition.models import Submission
from competition.names import unseen_in
from scoring.records import MIB, Limits


def _longest(field: str) -> int | None:
    return getattr(Submission._meta.get_field(field), "max_length", None)


class CheckForm(forms.Form):
    """A file to check. Only what a browser can get wrong is judged here; the file itself is judged by
    `scoring.checks`.
    """

    file = forms.FileField(
        label="Your run",
        allow_empty_file=True,
        max_length=None,
        error_messages={"required": "Choose the file."},
        widget=forms.FileInput(attrs={"accept": ".jsonl,.json,.txt,.ndjson,application/jsonl,text/plain"}),
    )

    beyond = 20
    """Files of so many times the limit go on to the checks, whose report says more; larger ones stop here."""

    def __init__(self, *args: Any, limits: Limits, check_url: str = "", **kwargs: Any) -> None:
        """`check_url` is where a script checks the file as soon as it is chosen."""
        super().__init__(*args, **kwargs)
        self.limits = limits
        if check_url:
            at_once = {"post": check_url, "trigger": "change", "target": "#outcome"}
            attributes = {f"hx-{name}": value for name, value in at_once.items()}
            self.fields["file"].widget.attrs |= {**attributes, "hx-encoding": "multipart/form-data"}

    def clean_file(self) -> UploadedFile:
        file = self.cleaned_data["file"]
        largest = self.limits.file_bytes
        if file.size > self.beyond * largest:
            raise forms.ValidationError(
                f"The file has {file.size / MIB:.1f} MiB; a run may have {largest / MIB:.1f} MiB at most."
            )
        return file


class RunUploadForm(CheckForm):
    """What comes with a run that is sent. Its bytes are held in memory, so the bound is tighter."""

    beyond = 2

    run_name = forms.CharField(
        label="Run name",
        max_length=_longest("run_name"),
        required=False,
        help_text="So that your team can tell its runs apart. Shown on the board beside the team.",
    )
    method = forms.CharField(
        label="Method",
        max_length=_longest("method"),
        required=False,
        widget=forms.Textarea(attrs={"rows": 3}),
        help_text="A sentence or two, for the organizers' overview.",
    )
    code_url = forms.URLField(
        label="Code or paper", max_length=_longest("code_url"), required=False, assume_scheme="https"
    )
    external_data = forms.CharField(
        label="External data",
        max_length=_longest("external_data"),
        required=False,
        help_text="Name the data beyond what the task released, if you used any.",
    )
    idempotency_key = forms.CharField(max_length=64, required=False, widget=forms.HiddenInput)

    def clean_run_name(self) -> str:
        """Boards show it, so nothing in it may hide or turn what stands beside it."""
        name = " ".join(self.cleaned_data["run_name"].split())
        if fault := unseen_in(name):
            raise forms.ValidationError(f"The run name has {fault}. Please leave it out.")
        return name

    def sent(self) -> dict[str, Any]:
        """What `receive_submission` takes, the bytes included."""
        values = dict(self.cleaned_data)
        file = values.pop("file")
        return {**values, "content": file.read(), "file_name": file.name or ""}

    def pressed(self) -> dict[str, Any]:
        """The same from a page, whose key stands for one press: a browser that goes back shows the page with
        its old key, and another file sent from there is another run.
        """
        values = self.sent()
        if key := values["idempotency_key"]:
            values["idempotency_key"] = sha256(key.encode() + values["content"]).hexdigest()
        return values


def new_key() -> str:
    """A key that makes a second press of the button the same request."""
    return secrets.token_urlsafe(16)
