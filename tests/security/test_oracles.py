"""What scores give away of hidden references, measured with attackers that keep to the rules, and printed.

`docs/visibility.md` states these figures for organizers who choose a policy; the last test holds it to them.
"""

from __future__ import annotations

import re
from datetime import timedelta
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.management import call_command

from competition import clock
from competition.domain import giveaway, visibility
from competition.enums import PhasePurpose, ScoresVisible
from competition.models import Submission
from competition.models.tasks import PHASE_DEFAULTS
from tests.security import attackers
from tests.security.attackers import (
    MAJORITY,
    Probe,
    answer_gold,
    answer_oracle,
    commitment_gold,
    commitment_oracle,
    probe_labels,
    read_labels,
    read_words,
)
from tests.support.builders import as_lines, make_gold
from tests.support.clock import frozen_at
from tests.support.crawler import body_of, undone
from tests.support.roles import Everyone, gather, run_lines

SEEDS = range(5)
TEST, POST = PHASE_DEFAULTS[PhasePurpose.TEST], PHASE_DEFAULTS[PhasePurpose.POST]
MANY = 50
UPLOADS = {"accuracy": (5, 20, MANY), "scores": (5, 20, MANY), "confusion": (1, 5, 10)}
"""What is shown → after how many uploads the attacker says what it believes."""
NAMES = {"accuracy": "accuracy", "scores": "accuracy and macro-F1", "confusion": "confusion"}


@cache
def probes(table: bool, seed: int) -> list[Probe]:
    """As many uploads as any question needs; fewer are the first of them."""
    most = UPLOADS["confusion"][-1] if table else MANY
    return probe_labels(commitment_oracle(commitment_gold(seed)), most, table=table, seed=seed + 100)


@cache
def labels_right(uploads: int, shown: str) -> float:
    """Labels of 94 that an attacker names rightly after so many uploads; the mean of five golds."""
    right = []
    for seed in SEEDS:
        said = read_labels(probes(shown == "confusion", seed)[:uploads], shown)
        right.append(sum(a == b for a, b in zip(said, commitment_gold(seed), strict=True)))
    return sum(right) / len(right)


@cache
def words_read(by_group: bool) -> tuple[int, int]:
    """(rightly read, asked) memberships of one upload."""
    references = answer_gold(3)
    return read_words(answer_oracle(references), references, by_group=by_group)


def measured() -> dict[tuple[str, str], float]:
    """(what is shown, uploads) → how much is read rightly, as the policy page lists them."""
    labels = {
        (NAMES[shown], str(uploads)): labels_right(uploads, shown)
        for shown, asked in UPLOADS.items()
        for uploads in asked
    }
    return {
        **labels,
        ("precision", "1"): words_read(False)[0],
        ("precision by group", "1"): words_read(True)[0],
    }


def test_visible_scores_do_give_labels_away() -> None:
    """The attackers work: where scores show, they learn. A policy that hides nothing would be found out."""
    for (shown, uploads), right in measured().items():
        print(f"{shown}, {uploads} uploads: {right:g}")
    assert labels_right(20, "accuracy") > MAJORITY + 5
    assert labels_right(10, "confusion") > 90
    read, asked = words_read(True)
    assert read == asked > 200
    read, asked = words_read(False)
    assert read == asked
    gain = (labels_right(20, "accuracy") - MAJORITY) / 20
    print(f"labels gained per visible accuracy: {gain:.2f} of at most {2.83:.2f}")
    assert 0 < gain < 2.83, "6.6 bits of an exact count of 94 over 2.3 bits of a label"


def test_what_a_phase_after_the_evaluation_starts_from_keeps_most_of_the_gold() -> None:
    """All attempts of a team, with all that shows: a few labels more than naming the most frequent one."""
    assert (POST["diagnostics_level"], POST["published_level"]) == (0, 0)
    assert (POST["daily_quota"], POST["total_quota"]) == (5, 20)
    total = POST["total_quota"]
    assert labels_right(total, "scores") < MAJORITY + 15
    assert labels_right(MANY, "scores") > 1.5 * labels_right(total, "scores"), "more attempts would not"


def test_organizers_are_told_these_figures_where_they_choose() -> None:
    told = f"20 uploads read {labels_right(20, 'scores'):.0f} and 50 uploads {labels_right(50, 'scores'):.0f}"
    assert told in giveaway.ATTEMPTS
    assert f"right {MAJORITY} times" in giveaway.ATTEMPTS
    assert labels_right(10, "confusion") == 94
    assert "10 uploads read all of them" in giveaway.TABLES


def test_test_phases_show_nothing_before_publication_by_default() -> None:
    assert TEST["scores_visible"] == ScoresVisible.AFTER_PUBLICATION
    assert TEST["diagnostics_level"] == 0
    assert TEST["total_quota"] == 5


ANSWERS = {
    "true": lambda n: f"kanarigoldword{n} revenue",
    "none right": lambda n: "entirely other words",
    "one word": lambda n: "revenue",
}


@pytest.mark.django_db
def test_before_publication_the_site_looks_the_same_whatever_the_gold_is() -> None:
    """No attacker, however clever, reads a label from pages that do not depend on it: the same five runs are
    sent and scored under three different golds, and every page, report and answer of the API is compared.
    """
    everyone = gather()
    seen: dict[str, dict[str, str]] = {}
    with frozen_at(everyone.test.opens_at + timedelta(hours=1)):
        for name, answer in ANSWERS.items():
            gold = as_lines(*({"task_id": f"q{n}", "answer": answer(n)} for n in range(4)))
            with undone():
                make_gold(everyone.test, everyone.track, gold)
                seen[name] = probe(everyone)
                runs = Submission.objects.filter(phase=everyone.test, submitted_by__isnull=False)
                primaries = {run.latest_evaluation.result.primary for run in runs}  # type: ignore[union-attr]
            assert len(primaries) > 1, "The probes do score differently."
    first, *others = seen.values()
    assert len(first) > 30
    for other in others:
        differing = [address for address in first if first[address] != other.get(address)]
        assert not differing
    print(
        f"{len(first)} answers compared under {len(ANSWERS)} golds: equal. Labels recovered: 0 of 5 uploads."
    )


def probe(everyone: Everyone) -> dict[str, str]:
    """Spend the test quota on one-item probes, let them be scored, and read all that a team may read."""
    client, program = everyone.as_("member"), everyone.program_of("member")
    pages = [
        "/",
        "/status",
        everyone.team.get_absolute_url(),
        "/tasks/ebisu/",
        "/tasks/ebisu/tracks/together/",
    ]
    pages += [f"/api/v1{everyone.address}test/leaderboard/"]
    pages += [
        f"{everyone.address}{tab}?phase=test" for tab in ("", "data/", "leaderboard/", "submit/", "check/")
    ]
    seen: dict[str, str] = {}
    for number in range(4):
        lines = run_lines("nothing").splitlines(keepends=True)
        lines[number] = run_lines("kanarigoldword").splitlines(keepends=True)[number]
        file = SimpleUploadedFile("run.jsonl", b"".join(lines))
        sent = client.post(f"{everyone.address}submit/?phase=test", {"file": file})
        assert sent.status_code == 302, sent.content[-3_000:]
        run = sent["Location"]
        seen[f"name {number}"] = run.split("/")[2]
        call_command("worker", until_idle=True, name="w")
        pages += [run, f"{run}problems.json", f"{run}problems.csv"]
        pages += [f"/api/v1{run}", f"/api/v1{run}problems/", f"/api/v1{everyone.address}test/quota/"]
    names = {value: key for key, value in seen.items()}
    for page in pages:
        asked = program if page.startswith("/api/") else client
        seen[plain(page, names)] = plain(body_of(asked.get(page)).decode(), names)
    return {key: value for key, value in seen.items() if not key.startswith("name ")}


def plain(text: str, names: dict[str, str]) -> str:
    """Without random names and tokens of forms."""
    for value, key in names.items():
        text = text.replace(value, key)
    text = re.sub(r'(csrfmiddlewaretoken|idempotency_key)" value="[^"]+"', "", text)
    return re.sub(r'(csrfmiddlewaretoken|idempotency_key|name="csrf)[^>]*>', "", text)


@pytest.mark.django_db
def test_programs_see_scores_no_finer_than_pages_until_they_are_official() -> None:
    """Sixteen digits of a mean hold far more than four."""
    everyone = gather()
    run = everyone.runs["own, dev"]
    result: Any = run.latest_evaluation.result  # type: ignore[union-attr]
    scores = dict.fromkeys(result.scores, 1 / 3)
    type(result).objects.filter(pk=result.pk).update(scores=scores)
    shown = everyone.program_of("member").get(f"/api/v1/submissions/{run.public_id}/").json()["scores"]
    assert shown == dict.fromkeys(scores, 0.3333)
    assert visibility.fineness(everyone.over, everyone.track, clock.now())(1 / 3) == 1 / 3, "published"


def test_the_policy_page_states_what_was_measured() -> None:
    page = (Path(settings.BASE_DIR) / "docs" / "visibility.md").read_text()
    rows = re.findall(r"^\| ([^|]+?) \| (\d+) \| ([\d.]+) \|$", page, re.MULTILINE)
    stated = {(shown, uploads): float(right) for shown, uploads, right in rows}
    assert stated == pytest.approx(measured(), abs=0.05)


def test_the_attackers_know_nothing_but_what_shows() -> None:
    """Without a single upload they are as good as the majority, or worse."""
    gold = commitment_gold(1)
    assert sum(label == "+2" for label in gold) == MAJORITY
    assert sum(attackers.COUNTS.values()) == len(gold) == 94
