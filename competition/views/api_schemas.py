"""The shapes of what the API answers, as JSON Schema. Every key that is listed is always there, unless said
otherwise; more keys may come, and programs leave those alone.
"""

from __future__ import annotations

from typing import Any

from competition.enums import Counts, PhasePurpose, PhaseStatus, ScoresVisible
from scoring.problems import SEVERITIES
from scoring.records import Limits

Schema = dict[str, Any]

TEXT: Schema = {"type": "string"}
LINK: Schema = {"type": "string", "format": "uri"}
MOMENT: Schema = {"type": "string", "format": "date-time"}
DIGEST: Schema = {"type": "string", "pattern": "^[0-9a-f]{64}$", "description": "SHA-256, hexadecimal."}
YES_OR_NO: Schema = {"type": "boolean"}
COUNT: Schema = {"type": "integer", "minimum": 0}
ONE_UP: Schema = {"type": "integer", "minimum": 1}
NUMBER: Schema = {"type": "number"}
SHARE: Schema = {"type": "number", "minimum": 0, "maximum": 1}


def record(optional: dict[str, Schema] | None = None, /, **keys: Schema) -> Schema:
    return {"type": "object", "properties": {**keys, **(optional or {})}, "required": list(keys)}


def several(schema: Schema) -> Schema:
    return {"type": "array", "items": schema}


def by_name(schema: Schema) -> Schema:
    return {"type": "object", "additionalProperties": schema}


def one_of(words: list[str]) -> Schema:
    return {"type": "string", "enum": words}


def or_null(schema: Schema, about: str = "") -> Schema:
    found: Schema = {"anyOf": [schema, {"type": "null"}]}
    return {**found, "description": about} if about else found


def like(name: str) -> Schema:
    return {"$ref": f"#/components/schemas/{name}"}


ERROR = record({"fields": by_name(several(TEXT)), "request_id": TEXT}, code=TEXT, message=TEXT)

TASK_LINE = {"slug": TEXT, "name": TEXT, "url": LINK, "page": LINK}

TRACK = record(
    slug=TEXT,
    name=TEXT,
    kind=TEXT,
    options={"type": "object"},
    languages=several(TEXT),
    limits=record(**dict.fromkeys(Limits._fields, ONE_UP)),
)

PHASE = record(
    slug=TEXT,
    name=TEXT,
    purpose=one_of(PhasePurpose.values),
    status=one_of(PhaseStatus.values),
    opens_at=MOMENT,
    closes_at=MOMENT,
    grace_seconds=COUNT,
    daily_quota=or_null(COUNT, "null: no such limit."),
    total_quota=or_null(COUNT, "null: no such limit."),
    counts=one_of(Counts.values),
    scores_visible=one_of(ScoresVisible.values),
)

QUOTA = record(
    daily=or_null(COUNT),
    total=or_null(COUNT),
    used_today=COUNT,
    used=COUNT,
    extra=COUNT,
    extra_spent=COUNT,
    day_ends_at=MOMENT,
    left=or_null(COUNT, "null: without limit."),
    left_today=or_null(COUNT),
    left_in_all=or_null(COUNT),
    next_attempt_at=or_null(MOMENT),
    accepts_runs=YES_OR_NO,
    reason={**TEXT, "description": "Why no run would be taken; empty where the quota alone decides."},
)

SCORES = by_name(NUMBER)

RUN = record(
    id=TEXT,
    number=ONE_UP,
    task=TEXT,
    track=TEXT,
    phase=TEXT,
    team=TEXT,
    received_at=MOMENT,
    sha256=DIGEST,
    lines=COUNT,
    run_name=TEXT,
    file_name=TEXT,
    withdrawn=YES_OR_NO,
    state=one_of(["received", "queued", "scoring", "scored", "failed", "withdrawn"]),
    final={**YES_OR_NO, "description": "Nothing will change by itself any more."},
    sentence=TEXT,
    scores=or_null(SCORES, "Fractions; null while there are none, or the phase hides them."),
    signature=or_null(TEXT),
    url=LINK,
    problems=LINK,
    page=LINK,
)

PROBLEM = record(
    code={"type": "string", "pattern": "^[EWI][0-9]{3}$"},
    severity=one_of(list(SEVERITIES.values())),
    line=or_null(ONE_UP),
    item_id=or_null(TEXT),
    field=or_null(TEXT),
    found=or_null(TEXT),
    expected=or_null(TEXT),
    message=TEXT,
    hint=or_null(TEXT),
)

REPORT = record(
    ok=YES_OR_NO,
    kind=TEXT,
    scores=SCORES,
    breakdowns={"type": "object"},
    diagnostics={"type": "object", "description": "What can be said without gold, by the track's kind."},
    signature=TEXT,
    environment=by_name(TEXT),
    problems=several(like("Problem")),
    counts=record(
        lines=COUNT, items=COUNT, scored=COUNT, errors=COUNT, warnings=COUNT, codes=by_name(ONE_UP)
    ),
    digests=by_name(TEXT),
)

REFUSED = record(error=ERROR, id=TEXT, received_at=MOMENT, report=like("Report"), url=LINK, page=LINK)

COLUMN = record(key=TEXT, title=TEXT, symbol=TEXT, higher_is_better=YES_OR_NO)


def pair_of(schema: Schema) -> Schema:
    return {"type": "array", "items": schema, "minItems": 2, "maxItems": 2}


LINE = record(
    rank=or_null(ONE_UP, "null outside `entries`."),
    tied={**YES_OR_NO, "description": "Others share the rank."},
    team=TEXT,
    team_id=or_null(TEXT, "null for baselines, and where teams are anonymous."),
    yours=YES_OR_NO,
    run_name=TEXT,
    received_at=MOMENT,
    scores=by_name(or_null(NUMBER, "A fraction; null where there is none.")),
    invalid=or_null(
        record(rate=SHARE, reasons=by_name(SHARE)),
        "Fractions of all answers that were sent as invalid; null where the kind takes none.",
    ),
    interval=or_null(pair_of(NUMBER), "95 % interval of the first score, on frozen boards."),
    rank_interval=or_null(pair_of(ONE_UP)),
    groups={**TEXT, "description": "Teams that share a letter cannot be told apart."},
    older_scoring={**YES_OR_NO, "description": "Scored by older gold or an older scorer than the current."},
)

OFFICIAL = record(
    id=TEXT,
    version=ONE_UP,
    digest=DIGEST,
    previous_digest={"type": "string", "pattern": "^([0-9a-f]{64})?$"},
    frozen_at=MOMENT,
    published_at=MOMENT,
    reason=TEXT,
    url=LINK,
    page=LINK,
    exports=by_name(LINK),
)

BOARD = record(
    task=TEXT,
    track=TEXT,
    phase=TEXT,
    state=one_of(["live", "frozen"]),
    hidden=or_null(TEXT, "Until when scores are hidden; there are no lines then."),
    rule={**TEXT, "description": "Which of a team's runs counts."},
    n_teams=COUNT,
    columns=several(like("Column")),
    entries=several(like("Line")),
    baselines=several(like("Line")),
    unranked={**several(like("Line")), "description": "Without a finite score, so without a rank."},
    median=or_null(NUMBER, "Of the first score, on a live board of at least five teams."),
    signature=TEXT,
    official=or_null(like("Official"), "The frozen board itself; beside a live one, the newest published."),
    later=or_null(LINK, "The newest published version, where this frozen one is an older."),
    url=LINK,
    page=LINK,
)

SCHEMAS: dict[str, Schema] = {
    "Board": BOARD,
    "Column": COLUMN,
    "Error": record(error=ERROR),
    "Line": LINE,
    "NotTaken": {"anyOf": [like("Refused"), like("Error")]},
    "Official": OFFICIAL,
    "OpenAPI": {"type": "object"},
    "Phase": PHASE,
    "Problem": PROBLEM,
    "Quota": QUOTA,
    "Refused": REFUSED,
    "Report": REPORT,
    "Run": RUN,
    "Runs": record(submissions=several(like("Run"))),
    "Task": record(
        **TASK_LINE,
        now=MOMENT,
        tracks=several(like("Track")),
        phases=several(like("Phase")),
        team=or_null(record(id=TEXT, name=TEXT), "Yours, if you are in one."),
    ),
    "Tasks": record(tasks=several(record(**TASK_LINE))),
    "Track": TRACK,
}
"""Name → schema, as the document lists them and endpoints name them."""
