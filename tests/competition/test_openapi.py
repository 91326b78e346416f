"""The description of the API: it has every address, and what the site answers is as it says."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from jsonschema import Draft202012Validator

from competition import clock
from competition.domain.tokens import create_token
from competition.forms.runs import RunUploadForm
from competition.views import api, api_access
from tests.security.places import SITE
from tests.support.api_description import Description
from tests.support.builders import as_lines
from tests.support.clock import move_to
from tests.support.roles import Everyone, gather, run_lines

pytestmark = [pytest.mark.django_db, pytest.mark.both]


def in_routes() -> dict[str, str]:
    """Path as described → route of the site, of every address below /api/v1/."""
    routes = [route for route in SITE if route.startswith("api/v1/")]
    return {re.sub(r"<\w+:(\w+)>", r"{\1}", route.removeprefix("api/v1")): route for route in routes}


def test_every_address_and_method_is_described_and_nothing_else() -> None:
    description = Description()
    assert description.document["paths"].keys() == in_routes().keys()
    for path, methods in description.document["paths"].items():
        address = "/api/v1" + re.sub(r"{\w+}", "x", path)
        allowed = Client().put(address)["Allow"].split(", ")
        assert {name.upper() for name in methods if name != "parameters"} == set(allowed), path
        named = [part["name"] for part in methods.get("parameters", ())]
        assert named == re.findall(r"{(\w+)}", path)


def test_the_description_stands_by_itself() -> None:
    document = Description().document
    assert document["openapi"] == "3.1.0"
    for name, schema in document["components"]["schemas"].items():
        Draft202012Validator.check_schema(schema)
        assert json.dumps(document).count(f'"#/components/schemas/{name}"') > 0, f"{name} is used by nothing"
    pointed_at = set(re.findall(r'"#/components/schemas/(\w+)"', json.dumps(document)))
    assert pointed_at == document["components"]["schemas"].keys()
    operations = Description().operations.values()
    assert len({one["operationId"] for one in operations}) == len(operations)
    assert all(one["summary"] for one in operations)


def test_the_form_is_described_as_it_is() -> None:
    body = Description().operations["/tasks/{task}/{track}/{phase}/submissions/", "POST"]["requestBody"]
    schema = body["content"]["multipart/form-data"]["schema"]
    assert schema["properties"].keys() == RunUploadForm.base_fields.keys()
    assert schema["required"] == ["file"]
    assert schema["properties"]["run_name"]["maxLength"] == 80
    assert schema["properties"]["code_url"]["format"] == "uri"
    assert schema["properties"]["file"]["format"] == "binary"


def test_the_page_of_the_api_names_every_address() -> None:
    page = (Path(settings.BASE_DIR) / "docs" / "api.md").read_text()
    named = set(re.findall(r"^\| `(GET|POST) (\S+)`", page, re.MULTILINE))
    described = {
        (method, re.sub(r"{(\w+)}", lambda part: part[1].removeprefix("public_").upper(), path).lstrip("/"))
        for path, method in Description().operations
    }
    assert named == described


def asked(everyone: Everyone) -> Iterator[Any]:
    """An answer of every kind from every address."""
    member, observer, nobody = (everyone.program_of(role) for role in ("member", "observer", "visitor"))
    place = f"/api/v1{everyone.address}"
    run = everyone.runs["own, dev"].public_id
    board, over = f"/api/v1/boards/{everyone.boards['published'].public_id}/", f"{place}over/leaderboard/"
    known = ["tasks/", "tasks/ebisu/", "openapi.json", f"submissions/{run}/", f"submissions/{run}/problems/"]
    for address in (*known, f"refused/{everyone.refused.public_id}/"):
        yield member.get(f"/api/v1/{address}")
    for address in (board, over, "/api/v1/openapi.json"):
        first = member.get(address)
        yield first
        yield member.get(address, headers={"If-None-Match": first["ETag"]})
    for phase in ("dev", "test", "over"):
        for ending in ("quota", "submissions", "leaderboard"):
            yield member.get(f"{place}{phase}/{ending}/")
    yield observer.get("/api/v1/tasks/ebisu/")
    yield from sent(everyone, f"{place}dev/submissions/")
    for address in (f"/api/v1/submissions/{run}/", f"{place}dev/quota/", board):
        yield nobody.get(address)
    for address in ("submissions/nothing/", "refused/nothing/", "boards/nothing/", "tasks/draft/"):
        yield member.get(f"/api/v1/{address}")
    yield observer.get(f"{place}dev/quota/")


def sent(everyone: Everyone, address: str) -> Iterator[Any]:
    """A run taken, taken before, refused, without a file, too late, and with a token that only reads."""
    member = everyone.program_of("member")
    person = everyone.people["member"]
    assert person is not None
    again = run_lines("another").replace(b"revenue", b"income")

    def send(content: bytes, client: Client = member, to: str = address) -> Any:
        return client.post(to, {"file": SimpleUploadedFile("run.jsonl", content)})

    yield send(again)
    yield send(again)
    yield send(as_lines({"task_id": "q0", "answer": ""}, {"task_id": "x", "extra": 1}))
    yield send(b"")
    yield member.post(address, {})
    yield member.post(address, b"no form", content_type="multipart/form-data; boundary=x")
    yield send(again, to=address.replace("/dev/", "/over/"))
    reads = create_token(user=person, name="reads", scope="read").secret
    yield send(again, Client(headers={"Authorization": f"Bearer {reads}"}))
    yield send(again, everyone.program_of("observer"))


def test_what_is_answered_is_as_described() -> None:
    everyone = gather()
    description = Description()
    for answer in asked(everyone):
        description.hold(answer)
    unseen = {
        (path, method, status)
        for (path, method), said in description.operations.items()
        for status in said["responses"]
        if status in ("200", "201", "304", "409", "422") and (path, method, status) not in description.met
    }
    assert not unseen, "described, and never answered here"
    assert {status for _, _, status in description.met} == {
        *("200", "201", "304", "401", "403", "404", "409", "422")
    }


@pytest.mark.parametrize("line", [{"slug": "x", "name": "x", "url": "x"}, {"slug": 1}, {"more": 1}])
def test_an_answer_unlike_its_description_is_noticed(
    line: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    task_line = api._task_line
    missing = "page" not in line and "url" in line
    monkeypatch.setattr(
        "competition.views.api._task_line", lambda *known: line if missing else {**task_line(*known), **line}
    )
    with pytest.raises(AssertionError, match="/tasks/ 200"):
        Description().hold(gather().program_of("member").get("/api/v1/tasks/"))


def test_too_often_is_answered_as_described(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(api_access, "REQUESTS", 1)
    move_to(clock.now())
    program, description = gather().program_of("member"), Description()
    statuses = [program.get("/api/v1/tasks/") for _ in range(2)]
    assert [one.status_code for one in statuses] == [200, 429]
    assert description.hold(statuses[1])["error"]["code"] == "too_often"


def test_what_is_no_address_is_refused_in_json_too() -> None:
    for address in (
        "/api/v1/",
        "/api/v1/nothing/",
        "/api/v2/tasks/",
        "/api/v1/tasks/a%20b/",
        "/api/v1/boards/%00/",
    ):
        answer = Client().get(address)
        assert (answer.status_code, answer["Content-Type"]) == (404, "application/json"), address
        assert answer.json()["error"]["code"] == "not_found"
    wrong_host = Client().get("/api/v1/tasks/", headers={"Host": "evil.example.net"})
    assert (wrong_host.status_code, wrong_host.json()["error"]["code"]) == (400, "bad_request")


def test_what_breaks_says_so_in_json_and_quotes_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    def break_down(*_: object, **__: object) -> None:
        raise RuntimeError("secret detail")

    program = gather().program_of("member")
    program.raise_request_exception = False
    monkeypatch.setattr("competition.views.api.rail_of", break_down)
    answer = program.get("/api/v1/tasks/ebisu/")
    assert answer.status_code == 500
    said = Description().hold(answer)["error"]
    assert (said["code"], said["request_id"]) == ("server_error", answer["X-Request-ID"])
    assert "secret detail" not in answer.content.decode()
