"""Pages for what went wrong: they say what to do, and need no database."""

from __future__ import annotations

import pytest
from django.test import Client, RequestFactory

from competition.queries.machinery import Queue
from competition.views import errors, status
from tests.support.pages import make_scene


def test_an_error_page_needs_no_database() -> None:
    # No mark: pytest-django refuses every query here.
    request = RequestFactory().get("/")
    request.request_id = "f00d"  # type: ignore[attr-defined]
    for answer, code, words in (
        (errors.server_error(request), 500, "f00d"),
        (errors.not_found(request), 404, "nothing at this address"),
        (errors.forbidden(request), 403, "not for this account"),
        (errors.bad_request(request), 400, "could not be read"),
        (errors.csrf_failure(request), 403, "open for too long"),
    ):
        assert answer.status_code == code
        assert words in answer.content.decode()
        assert 'href="/' in answer.content.decode()


def test_inside_a_page_an_error_is_no_second_page() -> None:
    """A page that looks again by itself goes on through an outage, and shows as a whole that it is gone."""
    look = RequestFactory().get("/submissions/x/", headers={"HX-Request": "true"})
    for answer, header in (
        (errors.unavailable(look), {"HX-Reswap": "none"}),
        (errors.server_error(look), {"HX-Reswap": "none"}),
        (errors.too_many(look), {"HX-Reswap": "none"}),
        (errors.not_found(look), {"HX-Refresh": "true"}),
    ):
        assert {name: value for name, value in answer.items() if name.startswith("HX-")} == header
        assert "<html" not in answer.content.decode()
    check = RequestFactory().post("/tasks/a/b/check/", headers={"HX-Request": "true"})
    part = errors.too_large(check, 51 * 1024 * 1024)
    assert "larger than 51 MiB" in part.content.decode()
    assert "<html" not in part.content.decode()
    assert not [name for name in part.headers if name.startswith("HX-")]


@pytest.mark.django_db
def test_a_form_without_its_token_changes_nothing_and_says_why() -> None:
    scene = make_scene()
    client = Client(enforce_csrf_checks=True)
    client.force_login(scene.lead)
    answer = client.post(f"{scene.team.get_absolute_url()}leave/")
    assert answer.status_code == 403
    assert "open for too long" in answer.content.decode()
    assert scene.team.memberships.filter(user=scene.lead, left_at=None).exists()


@pytest.mark.django_db
def test_a_form_opened_as_a_page_leads_back_to_it() -> None:
    """Where somebody was logged out in the middle, the log-in leads to the address of the form."""
    scene = make_scene()
    answer = scene.as_(scene.lead).get(f"{scene.team.get_absolute_url()}rename/")
    assert (answer.status_code, answer["Allow"]) == (405, "POST")
    assert f'href="{scene.team.get_absolute_url()}"' in answer.content.decode()
    revoke = scene.as_(scene.lead).get("/accounts/tokens/x/revoke/")
    assert 'href="/accounts/tokens/"' in revoke.content.decode()
    program = scene.as_(scene.lead).delete("/api/v1/tasks/")
    assert program.status_code == 405
    assert program.json()["error"]["message"]


@pytest.mark.django_db
def test_a_page_that_breaks_gives_a_number_to_quote(monkeypatch: pytest.MonkeyPatch) -> None:
    def break_down(*_: object) -> None:
        raise RuntimeError("secret detail")

    monkeypatch.setattr("competition.views.home.front_page", break_down)
    answer = Client(raise_request_exception=False).get("/")
    assert answer.status_code == 500
    assert answer.headers["X-Request-ID"] in answer.content.decode()
    assert "secret detail" not in answer.content.decode()


@pytest.mark.parametrize(
    ("waiting", "running", "workers", "said"),
    [
        (0, 0, 1, "All runs are scored"),
        (3, 1, 0, "No worker is alive: runs wait"),
        (0, 0, 0, "No worker is alive, and nothing waits"),
        (1, 1, 2, "Runs are scored as they come"),
        (9, 1, 1, "9 runs wait for 1 worker"),
    ],
)
def test_the_status_page_speaks_plainly(waiting: int, running: int, workers: int, said: str) -> None:
    assert status.headline(Queue(waiting, running, 0, None, None), workers) == said


@pytest.mark.django_db
def test_every_page_carries_its_policies() -> None:
    scene = make_scene()
    for address in ("/", scene.address, f"{scene.address}submit/", "/accounts/login/", "/nothing"):
        answer = Client().get(address)
        policy = answer.headers["Content-Security-Policy"]
        assert "default-src 'none'" in policy
        assert "unsafe" not in policy
        page = answer.content.decode()
        assert " style=" not in page
        assert "<style" not in page
        assert "onclick" not in page
        assert "<script>" not in page
