"""A shared task on a live site, and a worker that scores what was sent."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from playwright.sync_api import expect

# A busy machine is no finding: what is expected comes late at times.
expect.set_options(timeout=30_000)

# Nothing of Django at the top: pytest reads this file before the settings are loaded.
if TYPE_CHECKING:
    from playwright.sync_api import Page

    from competition.models import User
    from tests.support.pages import Scene


@pytest.fixture
def scene(transactional_db: None, live_server: Any) -> Scene:
    from tests.support.pages import make_scene

    return make_scene(terms="For research only.")


@pytest.fixture
def run_file(tmp_path: Path) -> Path:
    """A valid run for the items of the scene."""
    from tests.support.builders import RUN

    path = tmp_path / "my-run.jsonl"
    path.write_bytes(RUN)
    return path


@pytest.fixture
def score_everything() -> Callable[[], None]:
    """Let a worker do all that is queued."""
    from django.core.management import call_command

    return lambda: call_command("worker", until_idle=True, name="test-worker")


@pytest.fixture
def sign_in(live_server: Any) -> Callable[[Page, User], None]:
    """Make a page that of a signed-in person, without the log-in form."""
    from django.contrib.auth import BACKEND_SESSION_KEY, HASH_SESSION_KEY, SESSION_KEY
    from django.contrib.sessions.backends.db import SessionStore

    def sign_in_(page: Page, user: User) -> None:
        session = SessionStore()
        session[SESSION_KEY] = str(user.pk)
        session[BACKEND_SESSION_KEY] = "competition.authentication.Backend"
        session[HASH_SESSION_KEY] = user.get_session_auth_hash()
        session.create()
        cookie = {"name": "sessionid", "value": session.session_key, "url": live_server.url}
        page.context.add_cookies([cookie])  # type: ignore[list-item]

    return sign_in_
