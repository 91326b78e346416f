"""The ground the other tests stand on."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import textwrap
import time
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import psycopg
import pytest
from django.db import DatabaseError, connection

from competition import clock
from competition.models import AuditEntry
from tests.support import processes, services, sockets
from tests.support.browser import watch
from tests.support.clock import frozen_at, move_to

NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)


@pytest.mark.both
@pytest.mark.django_db
def test_the_database_is_the_one_that_was_asked_for() -> None:
    assert connection.vendor == os.environ.get("PODIUM_TEST_DATABASE", "postgresql")
    assert "memory" not in str(connection.settings_dict["NAME"])


@pytest.mark.both
@pytest.mark.django_db(transaction=True)
def test_a_command_beside_a_test_sees_the_same_database() -> None:
    with connection.cursor() as cursor:
        cursor.execute("CREATE TABLE seen (n integer)")
        cursor.execute("INSERT INTO seen VALUES (7)")
    try:
        query = "from django.db import connection as c; k = c.cursor(); k.execute('SELECT n FROM seen');"
        command = [sys.executable, "manage.py", "shell", "-v0", "-c", query + "print(k.fetchone()[0])"]
        said = subprocess.run(
            command,
            cwd=processes.ROOT,
            env=processes.environment(),
            capture_output=True,
            text=True,
            check=True,
        )
        assert said.stdout.strip() == "7"
    finally:
        with connection.cursor() as cursor:
            cursor.execute("DROP TABLE seen")


@pytest.mark.both
@pytest.mark.django_db
def test_the_clock_stands_moves_and_goes_on() -> None:
    with frozen_at(NOON):
        assert clock.now() == clock.now() == NOON
        move_to(NOON.replace(hour=13))
        assert clock.now() == NOON.replace(hour=13)
    assert abs(clock.now() - datetime.now(UTC)).total_seconds() < 60


@pytest.mark.django_db
def test_redis_goes_and_comes_back_at_the_same_address(redis_server: services.Redis) -> None:
    redis_server.stop()
    assert not redis_server.answers()
    redis_server.start()
    assert redis_server.answers()


@pytest.mark.parametrize("host", ["192.0.2.1", "2001:db8::1", "example.org"])
def test_nothing_leaves_this_machine(host: str) -> None:
    with pytest.raises(sockets.OutsideWorld):
        socket.create_connection((host, 80), timeout=1)


def test_this_machine_may_be_reached() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        socket.create_connection(server.getsockname(), timeout=1).close()


@pytest.mark.parametrize("end", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_servers_end_with_their_owner(end: signal.Signals) -> None:
    """However the owner dies, PostgreSQL stops and its folder goes."""
    owner = subprocess.Popen(
        [
            sys.executable,
            "-c",
            textwrap.dedent("""
                import time
                from tests.support import services
                services.postgres().start()
                print(services.postgres().folder, flush=True)
                time.sleep(60)
            """),
        ],
        cwd=processes.ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    assert owner.stdout is not None
    folder = Path(owner.stdout.readline().strip())
    psycopg.connect(host=str(folder), user="podium", dbname="postgres").close()
    owner.send_signal(end)
    owner.wait()
    owner.stdout.close()
    patience = time.monotonic() + 60
    while folder.exists() and time.monotonic() < patience:
        time.sleep(0.05)
    assert not folder.exists()


@pytest.mark.both
@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("time", ["first", "second"])
def test_frozen_rows_do_not_outlive_their_test(time: str) -> None:
    """The clean-up after a test passes the triggers that keep audit entries; the test itself does not."""
    assert not AuditEntry.objects.exists()
    AuditEntry.objects.create(at=NOON, actor=None, action="test", target_type="test", target_id=time)
    with pytest.raises(DatabaseError):
        AuditEntry.objects.update(action="rewritten")


@pytest.mark.browser
@pytest.mark.parametrize(
    ("fault", "body"),
    [
        ("a thought aloud", '<script nonce="n">console.error("a thought aloud")</script>'),
        ("nothing_of_this_name", '<script nonce="n">nothing_of_this_name()</script>'),
        ("Content policy", "<p style='color: red'>Loud</p>"),
        ("missing.css: 404", '<link rel="stylesheet" href="/missing.css">'),
        ("broken: 500", '<script nonce="n">fetch("/broken")</script>'),
        ("", "<p>Quiet</p>"),
    ],
)
def test_a_watched_page_tells_its_faults(fault: str, body: str, browser: Any) -> None:
    page = browser.new_context(base_url="http://localhost").new_page()
    faults = watch(page)
    policy = {"Content-Security-Policy": "default-src 'self'; script-src 'nonce-n'"}

    def answer(route: Any) -> None:
        status = {"/missing.css": 404, "/broken": 500}.get(urlsplit(route.request.url).path, 200)
        route.fulfill(status=status, headers=policy, content_type="text/html", body=body)

    page.route("**/*", answer)
    page.goto("/")
    page.wait_for_load_state("networkidle")
    assert bool(faults) == bool(fault)
    assert any(fault in found for found in faults) or not fault
    page.context.close()


@pytest.mark.browser
def test_the_live_site_is_where_pages_start(page: Any, live_server: Any) -> None:
    page.goto("/no-such-page")
    assert page.url == f"{live_server.url}/no-such-page"
