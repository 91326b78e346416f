"""Every code has its page, made from the catalogue, and every problem leads to it."""

from __future__ import annotations

from html import unescape

import pytest
from django.test import Client

from competition.views.codes import GROUPS
from scoring.catalogue import CODES
from tests.support.pages import make_scene
from tests.support.runs_sent import check

pytestmark = pytest.mark.django_db


def test_every_code_has_a_page_with_its_rule_and_both_lines() -> None:
    client = Client()
    for code, rule in CODES.items():
        answer = client.get(f"/codes/{code}/")
        page = unescape(answer.content.decode())
        assert answer.status_code == 200
        assert all(part in page for part in (rule.title, rule.explanation, rule.wrong, rule.right)), code


def test_the_index_has_every_code_once_in_a_named_group() -> None:
    page = Client().get("/codes/").content.decode()
    assert [page.count(f'href="/codes/{code}/"') for code in CODES] == [1] * len(CODES)
    assert {code[:2] for code in CODES} == set(GROUPS)


@pytest.mark.parametrize("address", ["/codes/E999/", "/codes/<script>/", "/codes/e/"])
def test_there_is_no_page_for_what_is_no_code(address: str) -> None:
    assert Client().get(address).status_code == 404


def test_a_code_may_be_typed_in_small_letters() -> None:
    assert "Markdown fence" in Client().get("/codes/e104/").content.decode()


def test_a_problem_leads_to_the_page_of_its_code() -> None:
    answer = check(make_scene(), b"```json\n")
    assert 'href="/codes/E104/"' in answer.content.decode()
