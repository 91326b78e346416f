"""The scores of a run's items: the lowest as a table on its page, all of them as a file."""

from __future__ import annotations

import json
from dataclasses import dataclass
from io import StringIO
from typing import Any

from defusedcsv import csv
from django.http import Http404, HttpRequest, HttpResponse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from competition import clock
from competition.domain import visibility
from competition.domain.item_scores import ItemScore, ItemScores, answers_to, item_scores
from competition.domain.ranking import percent
from competition.domain.samples import items_of
from competition.models import Evaluation, Result, Submission
from competition.templatetags.podium import language
from competition.views.pages import find_run
from competition.views.run_report import speaking_evaluation
from scoring.problems import visible
from scoring.tracks import get_kind
from scoring.tracks.base import Kind

SHOWN = 20
CHARACTERS = 160
MOST_SLICES = 3


@dataclass(frozen=True)
class ItemRow:
    place: int
    item_id: str
    slices: list[str]
    answer: str
    shown: list[str]


@dataclass(frozen=True)
class ItemTable:
    """What the page of a run says of its items; `names` head the columns of what is known of each."""

    slices: list[str]
    scores: list[str]
    rows: list[ItemRow]
    total: int
    exact: bool
    has_answers: bool


def item_table(
    submission: Submission, evaluation: Evaluation, result: Result, level: int
) -> ItemTable | None:
    """The items with the lowest scores, with what is public of them and what the run answered."""
    found = item_scores(result, submission.track, level)
    if found is None:
        return None
    kind = get_kind(submission.track.kind)
    lowest = found.lowest(SHOWN)
    records = items_of(evaluation.item_set).records
    answers = answers_to(submission, {one.item_id for one in lowest})
    cuts = [cut for cut in kind.slices if cut.values is None]
    told = [cut for cut in cuts if any(cut.values_of(records[one.item_id], None) for one in lowest)][
        :MOST_SLICES
    ]

    def row(one: ItemScore) -> ItemRow:
        item = records[one.item_id]
        of_slices = [
            ", ".join(map(language if cut.name == "language" else str, cut.values_of(item, None)))
            for cut in told
        ]
        answer = in_words(kind, answers.get(one.item_id, {}))
        return ItemRow(one.place, one.item_id, of_slices, answer, _shown(found, one))

    return ItemTable(
        slices=[cut.title for cut in told],
        scores=[score.symbol for score in found.scores],
        rows=[row(one) for one in lowest],
        total=len(found.items),
        exact=found.exact,
        has_answers=bool(answers),
    )


def _shown(found: ItemScores, one: ItemScore) -> list[str]:
    values = (one.values[score.key] for score in found.scores)
    return [percent(value) if found.exact else f"{100 * value:.0f}" for value in values]


def in_words(kind: Kind, answer: dict[str, Any]) -> str:
    """What a run answered, short: the text of a single field as it is, anything else as JSON."""
    if "invalid" in answer:
        return f"invalid: {answer['invalid']}"
    only = next(iter(answer.values())) if len(answer) == 1 else answer
    text = only if isinstance(only, str) else json.dumps(only, ensure_ascii=False)
    return visible(text, CHARACTERS) if answer else ""


@never_cache
@require_safe
def download(request: HttpRequest, public_id: str, form: str) -> HttpResponse:
    """The scores of all items as JSON Lines or CSV; 404 to whom diagnostics do not go so far."""
    found = find_run(request.user, public_id)
    result = getattr(speaking_evaluation(found), "result", None)
    if result is None:
        raise Http404
    level = visibility.diagnostics_level(request.user, found.team, found.phase, found.track, clock.now())
    scores = item_scores(result, found.track, level or 0)
    writers = {"jsonl": (_as_json_lines, "application/jsonl"), "csv": (_as_csv, "text/csv; charset=utf-8")}
    if scores is None or form not in writers:
        raise Http404
    write, content_type = writers[form]
    headers = {"Content-Disposition": f'attachment; filename="items.{form}"'}
    return HttpResponse(write(scores), content_type=content_type, headers=headers)


def _as_json_lines(scores: ItemScores) -> str:
    return "".join(f"{json.dumps(line, ensure_ascii=False)}\n" for line in scores.lines())


def _as_csv(scores: ItemScores) -> str:
    """A table in which no spreadsheet finds a formula."""
    table = StringIO()
    writer = csv.writer(table)
    columns = ["item_id", *(score.key for score in scores.scores)]
    writer.writerow(columns)
    for line in scores.lines():
        writer.writerow([line[name] for name in columns])
    return "\ufeff" + table.getvalue()
