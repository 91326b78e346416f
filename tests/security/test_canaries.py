"""Words planted in gold, rivals' answers, addresses and hidden scores: who may not meet them does not,
wherever a crawl leads, whatever is uploaded, in any header, mail or log.
"""

from __future__ import annotations

import logging
from random import Random
from typing import Any

import pytest
from django.core import mail
from django.core.cache import cache
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.management import call_command

from competition.domain.intake import forget_refused_uploads
from competition.models import RefusedUpload, Submission
from tests.security.desk import DESK
from tests.security.places import SITE
from tests.support.aloud import say
from tests.support.crawler import Rows, body_of, crawl, spoken
from tests.support.fuzz import mutants
from tests.support.roles import (
    DRAFT,
    GOLD,
    HIDDEN,
    MAIL,
    ORGANIZERS,
    RIVAL_RUN,
    ROLES,
    RUN,
    TEAM,
    Everyone,
    gather,
    run_lines,
)

pytestmark = pytest.mark.django_db

UPLOADS = 300
HIDDEN_SHOWN = (f"{HIDDEN:.7f}"[2:], f"{HIDDEN:.4f}", f"{100 * HIDDEN:.2f}")

MAY_MEET: dict[str, tuple[tuple[str, ...], set[str]]] = {
    "gold": ((GOLD,), set()),
    "a run": ((RUN,), {*TEAM, *ORGANIZERS}),
    "a rival's run": ((RIVAL_RUN,), {"rival", *ORGANIZERS}),
    "a draft": ((DRAFT,), {"other organizer", "superuser"}),
    "a hidden score": (HIDDEN_SHOWN, ORGANIZERS),
    "somebody's address": ((MAIL,), {"superuser"}),
}
"""What is planted → how it reads, and who may meet it. Of addresses everybody meets their own, and organizers
the contacts their teams gave them."""


@pytest.fixture
def everyone() -> Everyone:
    return gather()


def met(role: str, text: str, everyone: Everyone) -> set[str]:
    """The canaries in a text that this role may not meet."""
    person = everyone.people[role]
    if person is not None:
        text = text.replace(person.email, "")
    if role == "organizer":
        text = text.replace(everyone.team.contact, "")
    return {
        name
        for name, (words, allowed) in MAY_MEET.items()
        if role not in allowed and any(word in text for word in words)
    }


def test_each_canary_would_be_heard(everyone: Everyone) -> None:
    """What can never be met proves nothing: the owners do meet theirs."""
    heard = {
        "a draft": everyone.as_("other organizer").get("/tasks/draft/"),
        "a rival's run": everyone.as_("rival").get(everyone.rival_refused.get_absolute_url()),
        "a hidden score": everyone.as_("organizer").get(f"{everyone.address}leaderboard/?phase=test"),
        "somebody's address": everyone.as_("superuser").get("/admin/competition/user/"),
    }
    for name, response in heard.items():
        assert name in met("visitor", spoken(response, body_of(response)), everyone), name


@pytest.mark.parametrize("role", ROLES)
def test_nobody_meets_a_canary_wherever_links_lead(
    everyone: Everyone, role: str, caplog: pytest.LogCaptureFixture
) -> None:
    known = {place.address for row in (SITE | DESK).values() for place in row(everyone)}
    starts = ["/", *sorted(address for address in known if not address.startswith("/accounts/2fa"))]
    found: list[str] = []
    seen = 0
    with caplog.at_level(logging.DEBUG):
        client = everyone.as_(role)
        rows = Rows()
        for address, response, text in crawl(client, starts):
            seen += 1
            assert response.status_code < 500, address
            found += [f"{address}: {name}" for name in met(role, text, everyone)]
        moved = rows.changed()
    logged = met("visitor", caplog.text.replace(MAIL, ""), everyone)
    print(f"{role}: {seen} pages")
    assert not found, "\n".join(found)
    assert not logged
    assert not moved, "Looking changed rows."


def test_uploads_of_any_sort_bring_nothing_back(everyone: Everyone, caplog: pytest.LogCaptureFixture) -> None:
    fuzz_uploads(everyone, UPLOADS, caplog)


def fuzz_uploads(everyone: Everyone, count: int, caplog: pytest.LogCaptureFixture) -> None:
    """Check or send `count` mutated files, read all that comes back, and score what passed."""
    client = everyone.as_("rival")
    everyone.dev.daily_quota = None
    everyone.dev.save()
    outcomes: dict[int, int] = {}
    found: list[str] = []
    files = mutants(run_lines(RIVAL_RUN), Random(6), count)
    with caplog.at_level(logging.DEBUG):
        for number, content in enumerate(files):
            door = "submit" if number % 2 else "check"
            file = SimpleUploadedFile("run.jsonl", content)
            answer: Any = client.post(f"{everyone.address}{door}/?phase=dev", {"file": file})
            outcomes[answer.status_code] = outcomes.get(answer.status_code, 0) + 1
            texts = [spoken(answer, body_of(answer))]
            if answer.status_code == 302:
                texts += [
                    spoken(page, body_of(page))
                    for ending in ("", "problems.json", "problems.csv")
                    for page in [client.get(answer["Location"] + ending)]
                ]
            found += [f"{number}: {name}" for text in texts for name in met("rival", text, everyone)]
            forget_refused_uploads(everyone.dev.closes_at.replace(year=2999))
            cache.clear()
        call_command("worker", until_idle=True, name="w")
    for run in Submission.objects.filter(team=everyone.rivals, phase=everyone.dev):
        page = client.get(run.get_absolute_url())
        found += [f"run {run.number}: {name}" for name in met("rival", spoken(page, page.content), everyone)]
    heard = caplog.text + "".join(f"{letter.subject} {letter.body}" for letter in mail.outbox)
    say(f"{count} uploads: {outcomes}")
    assert not found, "\n".join(found)
    assert not any(word in heard for word in (GOLD, RIVAL_RUN, RUN))
    assert max(outcomes) < 500
    assert RefusedUpload.objects.filter(team=everyone.rivals).count() == 0
