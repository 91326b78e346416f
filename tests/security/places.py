"""A row for every address of the site's own pages and accounts: what each of the cast is answered, and who
changes anything there. `desk.py` has those of the organizers' desk.

An address without a row fails `test_access.py`: a new one says who it is for before it is served.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from django.core.files.uploadedfile import SimpleUploadedFile

from tests.support.roles import EVERYONE, ORGANIZERS, RUN, SIGNED_IN, TEAM, VISITOR, Everyone, run_lines

INSIDE = TEAM | ORGANIZERS
DRAFTERS = {"other organizer", "superuser"}
TEAMLESS = SIGNED_IN - TEAM - {"rival"}
PLAYERS = TEAM | {"rival"}
Answers = dict[int, set[str]]

OPEN: Answers = {200: EVERYONE}
SIGNED: Answers = {302: {VISITOR}, 200: SIGNED_IN}
AWAY: Answers = {302: EVERYONE}
ONLY_POST: Answers = {405: EVERYONE}


def seen_by(roles: set[str]) -> Answers:
    """A page for these; to everybody else it does not exist."""
    return {200: roles, 404: EVERYONE - roles}


@dataclass(frozen=True)
class Place:
    """An address filled in with an object in some state. `sends` is what a POST carries, and `changes` are
    those whose POST moves a row; nobody else's may.
    """

    state: str
    address: str
    answers: Answers
    changes: set[str] = field(default_factory=set)
    sends: dict[str, Any] = field(default_factory=dict)
    by_token: bool = False

    def answer_to(self, role: str) -> int:
        return next(status for status, roles in self.answers.items() if role in roles)


def upload(word: str) -> SimpleUploadedFile:
    return SimpleUploadedFile("run.jsonl", run_lines(word))


Row = Callable[[Everyone], list[Place]]
SITE: dict[str, Row] = {}


def row(*routes: str) -> Callable[[Row], Row]:
    def keep(made: Row) -> Row:
        SITE.update(dict.fromkeys(routes, made))
        return made

    return keep


def plain(route: str, answers: Answers, **more: Any) -> None:
    """A row of an address that stands for itself."""
    SITE[route] = lambda everyone: [Place("", f"/{route}", answers, **more)]


# The site and its shared tasks

for route in ("", "status", "healthz", "readyz", "codes/"):
    plain(route, OPEN)
SITE["codes/<str:code>/"] = lambda everyone: [
    Place("known", "/codes/E104/", OPEN),
    Place("unknown", "/codes/E000/", seen_by(set())),
]


def of_tasks(route: str) -> None:
    """A page of a shared task: everybody's when it is published, its organizers' while it is a draft."""
    SITE[f"tasks/<slug:task>/{route}"] = lambda everyone: [
        Place("published", f"/tasks/{everyone.task.slug}/{route}", OPEN),
        Place("draft", f"/tasks/{everyone.draft.slug}/{route}", seen_by(DRAFTERS)),
    ]


def of_tracks(route: str, ending: str, **more: Any) -> None:
    SITE[f"tasks/<slug:task>/<slug:track>/{route}"] = lambda everyone: [
        Place("published", f"{everyone.address}{ending}", OPEN, **more),
        Place(
            "draft",
            f"/tasks/{everyone.draft.slug}/{everyone.draft_track.slug}/{ending.replace('dev', 'soon')}",
            seen_by(DRAFTERS),
        ),
    ]


for route in ("", "validators.pyz", "tracks/together/"):
    of_tasks(route)
for route in ("", "data/", "evaluation/", "leaderboard/"):
    of_tracks(route, route)
for name in ("SHA256SUMS", "items.jsonl", "sample.jsonl"):
    of_tracks(f"data/<slug:phase>/{name}", f"data/dev/{name}")
of_tracks("check/", "check/", sends={"file": upload(RUN)})
of_tracks("submit/", "submit/?phase=dev", sends={"file": upload(f"{RUN}again")}, changes=PLAYERS)


@row("tasks/<slug:task>/<slug:track>/data/<slug:phase>/<str:name>")
def validator(everyone: Everyone) -> list[Place]:
    draft = f"/tasks/draft/secret/data/soon/validate_{everyone.draft_track.slug}.py"
    return [
        Place("published", f"{everyone.address}data/dev/validate_{everyone.track.slug}.py", OPEN),
        Place("draft", draft, seen_by(DRAFTERS)),
        Place("another name", f"{everyone.address}data/dev/gold.jsonl", seen_by(set())),
    ]


# Teams


@row("tasks/<slug:task>/teams/new/")
def create_team(everyone: Everyone) -> list[Place]:
    sends = {"name": "Newcomers", "terms": "on"}
    answers = {200: TEAMLESS, 302: PLAYERS | {VISITOR}}
    draft = {200: DRAFTERS, 302: {VISITOR}, 404: SIGNED_IN - DRAFTERS}
    return [
        Place("published", "/tasks/ebisu/teams/new/", answers, changes=TEAMLESS, sends=sends),
        Place("draft", "/tasks/draft/teams/new/", draft, changes=DRAFTERS, sends=sends),
    ]


@row("invitations/<str:token>/")
def invitation(everyone: Everyone) -> list[Place]:
    gone = {302: {VISITOR}, 410: SIGNED_IN}
    return [
        Place(
            "open", f"/invitations/{everyone.invitation}/", SIGNED, changes=TEAMLESS, sends={"terms": "on"}
        ),
        Place("unknown", "/invitations/nothing/", gone),
    ]


@row("teams/<slug:public_id>/")
def team(everyone: Everyone) -> list[Place]:
    return [
        Place("own", f"/teams/{everyone.team.public_id}/", OPEN),
        Place("draft", f"/teams/{everyone.draft_team.public_id}/", seen_by(DRAFTERS)),
    ]


def of_teams(
    action: str, changes: set[str], sends: Callable[[Everyone], dict[str, Any]] | None = None
) -> None:
    SITE[f"teams/<slug:public_id>/{action}/"] = lambda everyone: [
        Place(
            "own",
            f"/teams/{everyone.team.public_id}/{action}/",
            ONLY_POST,
            changes=changes,
            sends=sends(everyone) if sends else {},
        ),
        Place(
            "draft",
            f"/teams/{everyone.draft_team.public_id}/{action}/",
            ONLY_POST,
            changes=DRAFTERS if action in ("invite", "rename") else set(),
            sends=sends(everyone) if sends else {},
        ),
    ]


of_teams("invite", {"member"} | ORGANIZERS)
of_teams("rename", {"member"} | ORGANIZERS, lambda everyone: {"name": "Another name"})
of_teams(
    "captain",
    {"member"} | ORGANIZERS,
    lambda everyone: {"member": everyone.people["teammate"].public_id},  # type: ignore[union-attr]
)
of_teams("leave", {"teammate"})


# Runs and boards


def of_runs(route: str, answers: dict[str, Answers], **changes: set[str]) -> None:
    """Runs of one's own team and of the rivals, with scores open, hidden and frozen."""

    def places(everyone: Everyone) -> list[Place]:
        ending = route.replace("<str:form>", "json")
        found = []
        for state, run in everyone.runs.items():
            side, _, phase = state.partition(", ")
            address = f"/submissions/{run.public_id}/{ending}"
            changers = changes.get(f"{side}_{phase}", set())
            found.append(Place(state, address, answers[side], changers, {"reason": "Asked for by the team."}))
        return found

    SITE[f"submissions/<slug:public_id>/{route}"] = places


SEEN_RUN = {"own": seen_by(INSIDE), "rival": seen_by({"rival"} | ORGANIZERS)}
OVER = {"own_over": ORGANIZERS, "rival_over": ORGANIZERS}
RIVALS = {"rival"} | ORGANIZERS
of_runs("", SEEN_RUN)
of_runs("problems.<str:form>", SEEN_RUN)
of_runs("choose/", dict.fromkeys(("own", "rival"), ONLY_POST))
of_runs(
    "withdraw/",
    dict.fromkeys(("own", "rival"), ONLY_POST),
    **{"own_dev": INSIDE, "own_test": INSIDE, "rival_dev": RIVALS, "rival_test": RIVALS, **OVER},
)


@row("submissions/<slug:public_id>/items.<str:form>")
def item_scores(everyone: Everyone) -> list[Place]:
    """The phases here show teams no item scores; the runs of the test phase have none."""
    return [
        Place(
            f"{state}, {form}",
            f"/submissions/{run.public_id}/items.{form}",
            seen_by(set() if state.endswith("test") or form == "json" else ORGANIZERS),
        )
        for state, run in everyone.runs.items()
        for form in ("jsonl", "csv", "json")
    ]


@row("refused/<slug:public_id>/", "refused/<slug:public_id>/problems.<str:form>")
def refused(everyone: Everyone) -> list[Place]:
    return [
        Place(f"{side}{ending}", f"/refused/{upload.public_id}/{ending}", answers)
        for side, upload, answers in (
            ("own", everyone.refused, SEEN_RUN["own"]),
            ("rival", everyone.rival_refused, SEEN_RUN["rival"]),
        )
        for ending in ("", "problems.json", "problems.csv")
    ]


@row("boards/<slug:public_id>/", "boards/<slug:public_id>.<str:ending>")
def board(everyone: Everyone) -> list[Place]:
    return [
        Place(f"{state}{ending}", f"/boards/{found.public_id}{ending}", answers)
        for state, answers in (("published", OPEN), ("unpublished", seen_by(ORGANIZERS)))
        for found in [everyone.boards[state]]
        for ending in ("/", ".json", ".csv", ".md", ".tex")
    ]


# The API, asked with everybody's own token. Organizers' tokens open no more than a participant's.

TOKEN_ONLY: Answers = {401: {VISITOR}, 200: SIGNED_IN}


def with_token(answers: Answers) -> Answers:
    """The same, except that who has no token is told so."""
    return {401: {VISITOR}, **{status: roles - {VISITOR} for status, roles in answers.items()}}


SITE["api/v1/tasks/"] = lambda everyone: [Place("", "/api/v1/tasks/", TOKEN_ONLY, by_token=True)]
SITE["api/v1/tasks/<slug:task>/"] = lambda everyone: [
    Place("published", "/api/v1/tasks/ebisu/", TOKEN_ONLY, by_token=True),
    Place("draft", "/api/v1/tasks/draft/", with_token(seen_by(set())), by_token=True),
]


def of_entries(ending: str, **more: Any) -> None:
    playing = with_token({200: PLAYERS, 403: EVERYONE - PLAYERS})
    no_team = with_token({403: DRAFTERS, 404: EVERYONE - DRAFTERS})
    SITE[f"api/v1/tasks/<slug:task>/<slug:track>/<slug:phase>/{ending}/"] = lambda everyone: [
        Place("published", f"/api/v1{everyone.address}dev/{ending}/", playing, by_token=True, **more),
        Place("draft", f"/api/v1/tasks/draft/secret/soon/{ending}/", no_team, by_token=True),
    ]


SITE["api/v1/tasks/<slug:task>/<slug:track>/<slug:phase>/leaderboard/"] = lambda everyone: [
    Place("published", f"/api/v1{everyone.address}test/leaderboard/", TOKEN_ONLY, by_token=True),
    Place("draft", "/api/v1/tasks/draft/secret/soon/leaderboard/", with_token(seen_by(set())), by_token=True),
]
SITE["api/v1/boards/<slug:public_id>/"] = lambda everyone: [
    Place(state, f"/api/v1/boards/{everyone.boards[state].public_id}/", with_token(answers), by_token=True)
    for state, answers in (("published", seen_by(EVERYONE)), ("unpublished", seen_by(set())))
]
plain("api/v1/openapi.json", OPEN)
of_entries("quota")
of_entries("submissions", sends={"file": upload(f"{RUN}again")}, changes=PLAYERS)


@row("api/v1/submissions/<slug:public_id>/", "api/v1/submissions/<slug:public_id>/problems/")
def api_runs(everyone: Everyone) -> list[Place]:
    return [
        Place(state, f"/api/v1/submissions/{run.public_id}/{ending}", with_token(answers), by_token=True)
        for state, run in everyone.runs.items()
        for answers in [seen_by(TEAM if state.startswith("own") else {"rival"})]
        for ending in ("", "problems/")
    ]


SITE["api/v1/refused/<slug:public_id>/"] = lambda everyone: [
    Place("own", f"/api/v1/refused/{everyone.refused.public_id}/", with_token(seen_by(TEAM)), by_token=True),
    Place(
        "rival",
        f"/api/v1/refused/{everyone.rival_refused.public_id}/",
        with_token(seen_by({"rival"})),
        by_token=True,
    ),
]

# Accounts

SITE["accounts/tokens/<slug:public_id>/revoke/"] = lambda everyone: [
    Place(
        "own",
        f"/accounts/tokens/{everyone.tokens['member'].token.public_id}/revoke/",
        ONLY_POST,
        changes={"member"},
    )
]
plain("accounts/tokens/", SIGNED, sends={"name": "laptop", "scope": "read"}, changes=SIGNED_IN)
FOR_VISITORS: Answers = {200: {VISITOR}, 302: SIGNED_IN}
NOT_SET_UP: Answers = {302: {VISITOR}, 404: SIGNED_IN}
for route in ("signup/", "login/"):
    plain(f"accounts/{route}", FOR_VISITORS)
for route in (
    *("inactive/", "confirm-email/", "password/reset/", "password/reset/done/"),
    "password/reset/key/done/",
):
    plain(f"accounts/{route}", OPEN)
for route in ("logout/", "reauthenticate/", "email/", "delete/", "password/change/", "2fa/", "2fa/webauthn/"):
    plain(f"accounts/{route}", SIGNED)
for route in (
    *("reauthenticate/code/", "reauthenticate/code/confirm/", "password/set/", "login/code/confirm/"),
    *("2fa/authenticate/", "2fa/reauthenticate/", "2fa/totp/activate/", "2fa/recovery-codes/generate/"),
    *("2fa/webauthn/add/", "2fa/webauthn/reauthenticate/"),
):
    plain(f"accounts/{route}", AWAY)
for route in ("totp/deactivate/", "recovery-codes/", "recovery-codes/download/"):
    plain(f"accounts/2fa/{route}", NOT_SET_UP)
for route in ("remove/", "edit/"):
    SITE[f"accounts/2fa/webauthn/keys/<int:pk>/{route}"] = lambda everyone, route=route: [  # type: ignore[misc]
        Place("unknown", f"/accounts/2fa/webauthn/keys/1/{route}", AWAY)
    ]
SITE[r"accounts/^confirm-email/(?P<key>[-:\w]+)/$"] = lambda everyone: [
    Place("unknown", "/accounts/confirm-email/abc/", FOR_VISITORS)
]
SITE[r"accounts/^password/reset/key/(?P<uidb36>[0-9A-Za-z]+)-(?P<key>.+)/$"] = lambda everyone: [
    Place("unknown", "/accounts/password/reset/key/1-abc/", OPEN)
]
