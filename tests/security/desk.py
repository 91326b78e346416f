"""A row for every address of the organizers' desk, made from what is registered there: one line a model."""

from __future__ import annotations

from dataclasses import dataclass, field

from django.contrib.contenttypes.models import ContentType
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db.models import Model

from tests.security.places import Answers, Place, Row
from tests.support.roles import EVERYONE, ORGANIZERS, STAFF, Everyone, gold_lines, item_lines

STRANGERS = EVERYONE - STAFF
OTHERS = STAFF - ORGANIZERS
DESK: dict[str, Row] = {}


def to_staff(status: int) -> Answers:
    """Others are asked to log in, whatever is there."""
    return {302: STRANGERS, status: STAFF}


OWN_ROWS: Answers = {200: ORGANIZERS, 302: STRANGERS | OTHERS}
"""A page of one row: whoever organizes something else is led back to the list."""
OWN_PAGES: Answers = {200: ORGANIZERS, 302: STRANGERS, 404: OTHERS}


@dataclass(frozen=True)
class Desk:
    """What differs from model to model."""

    add: Answers = field(default_factory=lambda: to_staff(403))
    lists: Answers = field(default_factory=lambda: to_staff(200))
    one: Answers = field(default_factory=lambda: OWN_ROWS)
    history: Answers | None = None
    changes: set[str] = field(default_factory=set)


TAMPERED = {"display_name": "Mallory", "name": "Mallory", "text": "Mallory", "post": "yes"}
"""Not enough for most forms, and enough for some: what is sent to pages of one row."""


ADDED = Desk(add=to_staff(200))
ROOT_ONLY: Answers = {200: {"superuser"}, 302: STRANGERS, 403: STAFF - {"superuser"}}
MODELS = {
    **dict.fromkeys(("freezerequest", "frozenleaderboard", "auditentry", "submission"), Desk()),
    **dict.fromkeys(("refusedupload", "evaluation"), Desk()),
    **dict.fromkeys(("track", "phase", "team", "announcement", "extraattempts", "itemset"), ADDED),
    "goldversion": ADDED,
    "sharedtask": Desk(add=ROOT_ONLY),
    "workerbeat": Desk(one=to_staff(200)),
    "user": Desk(
        lists=ROOT_ONLY,
        one=ROOT_ONLY,
        history={200: {"superuser"}, 302: EVERYONE - {"superuser"}},
        changes={"superuser"},
    ),
}


def desk_rows(model: str, desk: Desk) -> dict[str, Row]:
    base = f"admin/competition/{model}/"

    def one(ending: str, answers: Answers, changes: set[str] = frozenset()) -> Row:  # type: ignore[assignment]
        return lambda everyone: [
            Place("own", f"/{base}{everyone.rows[model].pk}/{ending}", answers, set(changes), TAMPERED)
        ]

    return {
        base: lambda everyone: [Place("", f"/{base}", desk.lists)],
        f"{base}add/": lambda everyone: [_adding(everyone, model, desk)],
        f"{base}<path:object_id>/history/": one("history/", desk.history or desk.one),
        f"{base}<path:object_id>/delete/": one("delete/", to_staff(403)),
        f"{base}<path:object_id>/change/": one("change/", desk.one, desk.changes),
        f"{base}<path:object_id>/": one("", {302: EVERYONE}),
    }


def _adding(everyone: Everyone, model: str, desk: Desk) -> Place:
    """Files for a phase and track of the shared task: only who organizes it adds them."""
    address = f"/admin/competition/{model}/add/"
    content = {"itemset": item_lines(), "goldversion": gold_lines()}.get(model)
    if content is None:
        return Place("", address, desk.add)
    phase = everyone.test
    sends = {
        "phase": phase.pk,
        "track": everyone.track.pk,
        "reason": "A better one.",
        "file": SimpleUploadedFile("file.jsonl", content),
    }
    return Place("files", address, desk.add, changes=ORGANIZERS, sends=sends)


for model, desk in MODELS.items():
    DESK.update(desk_rows(model, desk))

for route, status in (("", 200), ("password_change/", 200), ("password_change/done/", 200), ("jsi18n/", 200)):
    DESK[f"admin/{route}"] = lambda everyone, route=route, status=status: [  # type: ignore[misc]
        Place("", f"/admin/{route}", to_staff(status))
    ]
DESK["admin/logout/"] = lambda everyone: [Place("", "/admin/logout/", to_staff(405))]
DESK["admin/autocomplete/"] = lambda everyone: [Place("", "/admin/autocomplete/", to_staff(403))]
DESK["admin/login/"] = lambda everyone: [Place("", "/admin/login/", {200: STRANGERS, 302: STAFF})]
DESK["admin/r/<path:content_type_id>/<path:object_id>/"] = lambda everyone: [
    Place("unknown", "/admin/r/0/0/", to_staff(404)),
    Place("no number", "/admin/r/x/y/", to_staff(404)),
    Place("on no desk", _on_site(everyone.tokens["member"].token), to_staff(404)),
    *(
        Place(f"own {name}", _on_site(everyone.rows[name]), {302: STRANGERS | ORGANIZERS, 404: OTHERS})
        for name in ("submission", "refusedupload", "frozenleaderboard", "team", "sharedtask", "track")
    ),
    Place("draft", _on_site(everyone.draft), {302: EVERYONE - {"organizer"}, 404: {"organizer"}}),
]


def _on_site(row: Model) -> str:
    return f"/admin/r/{ContentType.objects.get_for_model(row).pk}/{row.pk}/"


DESK["admin/^(?P<app_label>competition)/$"] = lambda everyone: [
    Place("", "/admin/competition/", to_staff(200))
]
DESK["admin/(?P<url>.*)$"] = lambda everyone: [Place("nothing", "/admin/nothing/", to_staff(404))]
DESK["admin/competition/freezerequest/<int:phase>/<int:track>/"] = lambda everyone: [
    Place(
        "own",
        f"/admin/competition/freezerequest/{everyone.over.pk}/{everyone.track.pk}/",
        OWN_PAGES,
        changes=ORGANIZERS,
        sends={"reason": "Once more.", "typed": "over/answers"},
    )
]
DESK["admin/competition/frozenleaderboard/<int:board>/publish/"] = lambda everyone: [
    Place(
        "unpublished",
        f"/admin/competition/frozenleaderboard/{everyone.boards['unpublished'].pk}/publish/",
        OWN_PAGES,
        changes=ORGANIZERS,
        sends={"typed": "over/answers"},
    )
]
