"""One millisecond before, at and after the end of a phase: accepted, refused, refused, by every way in."""

from __future__ import annotations

import re
import time
from collections.abc import Callable
from datetime import timedelta

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.utils import timezone

from competition.domain.tokens import create_token
from competition.models import Phase, Submission
from tests.support.builders import RUN
from tests.support.clock import frozen_at
from tests.support.imports import ROOT
from tests.support.pages import Scene, make_scene

MILLISECONDS = {-1: True, 0: False, 1: False}
Sending = Callable[[], int]


def by_form(scene: Scene, phase: Phase) -> Sending:
    client = scene.as_(scene.lead)
    fields = {"file": SimpleUploadedFile("run.jsonl", RUN)}
    return lambda: client.post(f"{scene.address}submit/?phase={phase.slug}", fields).status_code


def by_api(scene: Scene, phase: Phase) -> Sending:
    token = create_token(user=scene.lead, name="script", scope="submit").secret
    fields = {"file": SimpleUploadedFile("run.jsonl", RUN)}
    headers = {"Authorization": f"Bearer {token}"}
    address = f"/api/v1{scene.address}{phase.slug}/submissions/"
    return lambda: Client().post(address, fields, headers=headers).status_code


WAYS = {"submissions.py": (by_form, 302), "api.py": (by_api, 201)}
"""By the module of views that hands a run to intake: how to send there, and the status that says yes."""


@pytest.mark.both
@pytest.mark.django_db
@pytest.mark.parametrize("skew", [-120, 0, 120])
@pytest.mark.parametrize("after", MILLISECONDS)
@pytest.mark.parametrize("slug", ["dev", "test"])
@pytest.mark.parametrize("way", WAYS)
def test_the_end_to_the_millisecond(
    way: str, slug: str, after: int, skew: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Decided by the database's clock, however wrong that of the machine under the site is."""
    scene = make_scene()
    phase: Phase = getattr(scene, slug)
    make, yes = WAYS[way]
    send = make(scene, phase)
    real_time, real_now = time.time, timezone.now
    monkeypatch.setattr(time, "time", lambda: real_time() + skew)
    monkeypatch.setattr(timezone, "now", lambda: real_now() + timedelta(seconds=skew))
    end = phase.closes_at + timedelta(seconds=phase.grace_seconds)
    with frozen_at(end + timedelta(milliseconds=after)):
        status = send()
    taken = MILLISECONDS[after]
    assert status == (yes if taken else 409)
    assert Submission.objects.count() == taken


def test_no_other_way_leads_in() -> None:
    """A new one belongs in the table above. The desk has none; `seed_demo` sends as its invented teams."""
    rooms = ("views", "admin", "management", "forms")
    calls = re.compile(r"\breceive_submission\(|\bSubmission\.objects\.create\(")
    found = {
        path.name
        for room in rooms
        for path in (ROOT / "competition" / room).rglob("*.py")
        if calls.search(path.read_text())
    }
    assert found == {*WAYS, "seed_demo.py"}
