"""No test and no process a test starts reaches past this machine, and nothing in the code would want to."""

from __future__ import annotations

import ast
import subprocess
import sys

import pytest

from tests.support.imports import ROOT, imports_of, sources, tree_of
from tests.support.sockets import OutsideWorld

CLIENTS = {"requests", "httpx", "aiohttp", "urllib3", "ftplib", "telnetlib", "xmlrpc", "http.client"}
FETCHING = ("urllib.request", *CLIENTS)
OUTSIDE = "192.0.2.1"


def test_a_connection_and_a_look_up_are_refused() -> None:
    import socket

    with pytest.raises(OutsideWorld):
        socket.create_connection((OUTSIDE, 80), timeout=1)
    with pytest.raises(OutsideWorld):
        socket.getaddrinfo("evil.example.net", 80)
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as datagrams, pytest.raises(OutsideWorld):
        datagrams.connect((OUTSIDE, 53))


def test_site_and_scoring_import_nothing_that_fetches() -> None:
    """Children that tests start carry no guard of ours, so what they run must have nothing to guard. The
    program participants download does send: to the site its owner names.
    """
    found = [
        f"{path}:{one.line} imports {one.module}"
        for path in sources("competition", "scoring")
        for one in imports_of(tree_of(path), path)
        if one.module.startswith(FETCHING)
    ]
    assert not found, "\n".join(found)


def test_such_an_import_would_be_found() -> None:
    tree = ast.parse("import urllib.request\nfrom http.client import HTTPConnection\n")
    [path, *_] = sources("scoring")
    assert [one.module.startswith(FETCHING) for one in imports_of(tree, path)][:1] == [True]


def test_a_worker_loads_no_client_of_any_protocol_it_does_not_speak() -> None:
    ask = (
        "import django, sys; django.setup(); import competition.management.commands.worker; "
        f"print(*sorted({ {'requests', 'httpx', 'aiohttp'}!r} & set(sys.modules)))"
    )
    said = subprocess.run([sys.executable, "-c", ask], cwd=ROOT, capture_output=True, text=True, check=True)
    assert said.stdout.split() == []
