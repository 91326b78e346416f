"""What every test stands on: services of its own, a still network, the clock put back, a watched browser."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import HealthCheck, settings

from tests.support import aloud, services, sockets

if TYPE_CHECKING:
    from playwright.sync_api import Browser, BrowserContext, Page

# Before pytest-django loads the settings, so here and not in a fixture.
services.choose_environment()
sockets.stay_inside()

# A busy machine is no finding; and what CI judges must not depend on a draw.
settings.register_profile(
    "podium",
    deadline=None,
    derandomize=bool(os.environ.get("CI")),
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile("podium")


def pytest_configure(config: pytest.Config) -> None:
    import django

    django.setup()
    if getattr(config.option, "numprocesses", None) and not hasattr(config, "workerinput"):
        # A worker that inherits this name loads the settings before it has chosen a database of its own.
        del os.environ["DJANGO_SETTINGS_MODULE"]
    from tests.support.flush import let_tests_empty_tables

    let_tests_empty_tables()
    aloud.capture = config.pluginmanager.get_plugin("capturemanager")


@pytest.hookimpl(trylast=True)
def pytest_sessionfinish(session: pytest.Session) -> None:
    """Where nothing may be missing (PODIUM_NO_SKIPS), a skipped test fails the run."""
    reporter = session.config.pluginmanager.get_plugin("terminalreporter")
    if os.environ.get("PODIUM_NO_SKIPS") and reporter and reporter.stats.get("skipped"):
        session.exitstatus = pytest.ExitCode.TESTS_FAILED


@pytest.fixture(scope="session")
def django_db_modify_db_settings(django_db_modify_db_settings_parallel_suffix: None) -> None:
    """Start the database. On SQLite name a file: Django would take one in memory, which lies about locks."""
    from django.db import connections

    services.start_database()
    if services.on_sqlite():
        connections["default"].settings_dict["TEST"]["NAME"] = str(services.folder() / "test.sqlite3")


@pytest.fixture(scope="session")
def redis_server() -> services.Redis:
    """The throwaway Redis, running. A test that stops it starts it again."""
    services.start(services.redis_server)
    return services.redis_server()


@pytest.fixture(autouse=True)
def _as_it_was(request: pytest.FixtureRequest) -> Iterator[None]:
    """Put the clock back, and empty the Redis that rate limits and the doorbell live in."""
    yield
    if clock := sys.modules.get("competition.clock"):
        clock.override = None
    if not services.on_sqlite() and "_django_db_helper" in request.fixturenames:
        from django.core.cache import cache

        from competition import outages

        outages.breaker.close()  # tripped, it would keep the next test's limits from counting for seconds
        cache.clear()


@pytest.fixture(scope="session")
def browser_type_launch_args() -> dict[str, Any]:
    from tests.support.browser import LAUNCH

    try:
        return {"executable_path": services.chromium(), "args": LAUNCH}
    except services.Missing as missing:
        pytest.skip(str(missing))


@pytest.fixture(scope="session")
def browser_context_args(live_server: Any) -> dict[str, Any]:
    """Addresses are relative to the live site; times are shown as in a zone that is not the site's."""
    return {"base_url": live_server.url, "timezone_id": "Asia/Kolkata", "locale": "en-GB"}


@pytest.fixture
def open_page(browser: Browser, browser_context_args: dict[str, Any]) -> Iterator[Callable[..., Page]]:
    """`open_page(java_script_enabled=False, …)` opens a watched page of its own, as another person's."""
    from tests.support.browser import watch

    contexts: list[BrowserContext] = []
    watched: list[list[str]] = []

    def open_one(**options: Any) -> Page:
        contexts.append(browser.new_context(**{**browser_context_args, **options}))
        page = contexts[-1].new_page()
        watched.append(watch(page))
        return page

    yield open_one
    for context in contexts:
        context.close()
    faults = [fault for faults in watched for fault in faults]
    assert not faults, "The browser met faults:\n" + "\n".join(faults)


@pytest.fixture
def page(open_page: Callable[..., Page]) -> Page:
    """A page that fails its test on a script error, a policy violation, a 5xx answer or a missing file."""
    return open_page()
