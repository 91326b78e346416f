"""Files through the site's two doors: checked without sending, and sent."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django.core.files.uploadedfile import SimpleUploadedFile
from django.http import HttpResponse

if TYPE_CHECKING:
    from competition.models import RefusedUpload, Submission
    from tests.support.pages import Scene


def check(
    scene: Scene, content: bytes, *, who: str = "visitor", phase: str = "dev", **more: Any
) -> HttpResponse:
    """The answer of the check page; `**{"as": "json"}` asks for the report alone."""
    headers = more.pop("headers", None)
    fields = {"file": SimpleUploadedFile("run.jsonl", content), **more}
    return scene.as_(scene.cast[who]).post(f"{scene.address}check/?phase={phase}", fields, headers=headers)


def send(
    scene: Scene, content: bytes, phase: str = "dev", **fields: str
) -> Submission | RefusedUpload | None:
    """Send a run as the lead; what it became."""
    from competition.models import RefusedUpload, Submission

    client = scene.as_(scene.lead)
    file = SimpleUploadedFile("run.jsonl", content)
    answer = client.post(f"{scene.address}submit/?phase={phase}", {"file": file, **fields})
    if answer.status_code != 302:
        return None
    public_id = answer["Location"].strip("/").rpartition("/")[2]
    found = Submission.objects.filter(public_id=public_id).first()
    return found or RefusedUpload.objects.get(public_id=public_id)
