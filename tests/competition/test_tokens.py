"""Tokens for programs: shown once, kept as a digest, limited to a scope, revoked for good."""

from __future__ import annotations

import json
import re
from datetime import timedelta
from typing import Any

import pytest
from django.core import serializers
from django.test import Client

from competition import clock
from competition.domain.tokens import MOST_TOKENS, create_token, find_token, revoke_token, write_down_uses
from competition.exceptions import NotAllowed, Refused
from competition.models import ApiToken, AuditEntry, User
from tests.support.builders import make_user
from tests.support.clock import move_to
from tests.support.pages import Scene, make_scene

pytestmark = [pytest.mark.django_db, pytest.mark.both]


@pytest.fixture
def ada() -> User:
    return make_user("ada")


def browser(user: User) -> Client:
    client = Client()
    client.force_login(user)
    return client


def test_a_token_is_shown_once_and_kept_nowhere(ada: User) -> None:
    client = browser(ada)
    assert client.post("/accounts/tokens/", {"name": "cluster", "scope": "submit"}).status_code == 302
    page = client.get("/accounts/tokens/").content.decode()
    secret = re.search(r'value="(podium_[\w-]{43})"', page)
    assert secret is not None
    again = client.get("/accounts/tokens/").content.decode()
    assert secret.group(1) not in again
    assert "cluster" in again
    assert "never" in again
    kept = serializers.serialize("json", [*ApiToken.objects.all(), *AuditEntry.objects.all()])
    assert secret.group(1) not in kept
    assert secret.group(1) not in json.dumps(dict(client.session))
    found = find_token(secret.group(1), moment=clock.now())
    assert found is not None
    assert found.user == ada


def test_the_page_of_tokens_leads_to_the_description_of_the_api(ada: User) -> None:
    client = browser(ada)
    assert 'href="/api/v1/openapi.json"' in client.get("/accounts/tokens/").content.decode()
    assert client.get("/api/v1/openapi.json").json()["openapi"] == "3.1.0"


def test_what_is_wrong_is_said_at_the_field(ada: User) -> None:
    answer = browser(ada).post("/accounts/tokens/", {"name": "", "scope": "everything"})
    assert answer.status_code == 422
    assert not ApiToken.objects.exists()


def test_one_sees_and_revokes_only_ones_own(ada: User) -> None:
    token = create_token(user=ada, name="hers", scope="read").token
    stranger = make_user("stranger")
    assert "hers" not in browser(stranger).get("/accounts/tokens/").content.decode()
    assert browser(stranger).post(f"/accounts/tokens/{token.public_id}/revoke/").status_code == 404
    with pytest.raises(NotAllowed):
        revoke_token(token=token, revoked_by=stranger)
    assert browser(ada).get(f"/accounts/tokens/{token.public_id}/revoke/").status_code == 405
    browser(ada).post(f"/accounts/tokens/{token.public_id}/revoke/")
    token.refresh_from_db()
    assert token.revoked_at is not None
    assert list(AuditEntry.objects.values_list("action", flat=True)) == ["token revoked", "token made"]


def test_a_revoked_token_and_that_of_a_closed_account_open_nothing(ada: User) -> None:
    first, second = (create_token(user=ada, name=name, scope="read") for name in "ab")
    revoke_token(token=first.token, revoked_by=ada)
    assert find_token(first.secret, moment=clock.now()) is None
    assert find_token(second.secret, moment=clock.now()) is not None
    ada.is_active = False
    ada.save()
    assert find_token(second.secret, moment=clock.now()) is None
    assert find_token("", moment=clock.now()) is None
    assert find_token(second.token.token_digest, moment=clock.now()) is None


def test_its_last_use_is_noted_to_the_minute(ada: User) -> None:
    made, now = create_token(user=ada, name="a", scope="read"), clock.now()
    for seconds, noted in ((0, 0), (30, 0), (90, 90)):
        find_token(made.secret, moment=now + timedelta(seconds=seconds))
        write_down_uses()
        made.token.refresh_from_db()
        assert made.token.last_used_at == now + timedelta(seconds=noted)


def test_a_use_changes_no_row_until_the_sweep_writes_it_down(ada: User) -> None:
    made, now = create_token(user=ada, name="a", scope="read"), clock.now()
    unused = create_token(user=ada, name="b", scope="read")
    for seconds in (0, 5):
        find_token(made.secret, moment=now + timedelta(seconds=seconds))
    made.token.refresh_from_db()
    assert made.token.last_used_at is None
    assert (write_down_uses(), write_down_uses()) == (1, 0)
    for token in (made.token, unused.token):
        token.refresh_from_db()
    assert (made.token.last_used_at, unused.token.last_used_at) == (now, None)


def test_twenty_are_enough(ada: User) -> None:
    for number in range(MOST_TOKENS):
        create_token(user=ada, name=str(number), scope="read")
    with pytest.raises(Refused, match="Revoke one"):
        create_token(user=ada, name="one more", scope="read")
    revoke_token(token=ApiToken.objects.first(), revoked_by=ada)  # type: ignore[arg-type]
    create_token(user=ada, name="one more", scope="read")


# At the API's door


@pytest.fixture
def scene() -> Scene:
    return make_scene()


def ask(secret: str | None, address: str = "/api/v1/tasks/", method: str = "get", **more: Any) -> Any:
    headers = {"Authorization": f"Bearer {secret}"} if secret is not None else {}
    return getattr(Client(enforce_csrf_checks=True), method)(address, headers=headers, **more)


def test_without_a_live_token_nothing_answers(scene: Scene) -> None:
    made = create_token(user=scene.lead, name="a", scope="read")
    assert ask(made.secret).status_code == 200
    for secret in (None, "", "nonsense", made.secret[:-1], made.secret + "x"):
        answer = ask(secret)
        assert answer.status_code == 401
        assert answer["WWW-Authenticate"].startswith("Bearer")
        assert answer.json()["error"]["code"] == "token_needed"
    revoke_token(token=made.token, revoked_by=scene.lead)
    assert ask(made.secret).status_code == 401


def test_a_cookie_opens_nothing(scene: Scene) -> None:
    assert scene.as_(scene.lead).get("/api/v1/tasks/").status_code == 401


def test_a_token_that_reads_does_not_submit(scene: Scene) -> None:
    made = create_token(user=scene.lead, name="a", scope="read")
    answer = ask(made.secret, "/api/v1/tasks/ebisu/answers/dev/submissions/", "post")
    assert (answer.status_code, answer.json()["error"]["code"]) == (403, "scope_needed")


def test_other_methods_are_refused(scene: Scene) -> None:
    made = create_token(user=scene.lead, name="a", scope="submit")
    for method in ("post", "put", "delete", "patch"):
        answer = ask(made.secret, method=method)
        assert answer.status_code == 405
        assert answer["Allow"] == "GET"


def test_many_requests_wait(scene: Scene, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("competition.views.api_access.REQUESTS", 3)
    move_to(clock.now())
    made = create_token(user=scene.lead, name="a", scope="read")
    assert [ask(made.secret).status_code for _ in range(4)] == [200, 200, 200, 429]
    assert 1 <= int(ask(made.secret)["Retry-After"]) <= 60
    rival = create_token(user=scene.rival, name="b", scope="read")
    assert ask(rival.secret).status_code == 200
