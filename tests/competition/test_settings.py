"""An unsafe start is refused in a sentence that names the variable; a safe one answers with its headers."""

from __future__ import annotations

import os
import secrets
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings
from django.test import Client, override_settings

ROOT = Path(settings.BASE_DIR)
SAFE = {"SECRET_KEY": secrets.token_urlsafe(48), "ALLOWED_HOSTS": "podium.example.org"}


def start(folder: Path, **environment: str) -> subprocess.CompletedProcess[str]:
    """Load the settings in an interpreter of their own, with nothing of ours in its environment."""
    lines = "from django.conf import settings as s; s.DEBUG; print(s.SECURE_HSTS_SECONDS, s.SECRET_KEY)"
    return subprocess.run(
        [sys.executable, "-c", lines],
        cwd=ROOT,
        env={
            "PATH": os.environ["PATH"],
            "DJANGO_SETTINGS_MODULE": "competition.settings",
            "PODIUM_DATA_DIR": str(folder / "data"),
            **environment,
        },
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"SECRET_KEY": ""}, "SECRET_KEY is not set"),
        ({"SECRET_KEY": "short"}, "SECRET_KEY is too short"),
        ({"SECRET_KEY": "ab" * 40}, "SECRET_KEY is too short or too plain"),
        (
            {"SECRET_KEY": "django-insecure-" + "q8w7e6r5t4y3u2i1o" * 3},
            "looks like a placeholder",
        ),
        ({"DEBUG": "1"}, "DEBUG is on"),
        ({"ALLOWED_HOSTS": ""}, "ALLOWED_HOSTS is not set"),
        ({"ALLOWED_HOSTS": "*"}, "ALLOWED_HOSTS has a wildcard"),
        ({"ALLOWED_HOSTS": "a.org,.b.org"}, "ALLOWED_HOSTS has a wildcard"),
    ],
)
def test_an_unsafe_start_is_refused(tmp_path: Path, changed: dict[str, str], said: str) -> None:
    done = start(tmp_path, **{**SAFE, **changed})
    assert done.returncode != 0
    assert said in done.stderr.splitlines()[-1]


def test_a_safe_start_is_for_https(tmp_path: Path) -> None:
    done = start(tmp_path, **SAFE)
    assert done.returncode == 0, done.stderr
    assert done.stdout.split() == ["31536000", SAFE["SECRET_KEY"]]


def test_the_demo_makes_a_key_of_its_own_and_keeps_it(tmp_path: Path) -> None:
    first, second = start(tmp_path, PODIUM_DEMO="1"), start(tmp_path, PODIUM_DEMO="1")
    assert first.returncode == 0, first.stderr
    assert first.stdout == second.stdout
    assert len(first.stdout.split()[1]) >= 50
    assert (tmp_path / "data" / "secret_key").stat().st_mode & 0o077 == 0
    elsewhere = start(tmp_path / "other", PODIUM_DEMO="1")
    assert elsewhere.stdout != first.stdout


def test_deploy_checks_find_nothing(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "manage.py", "check", "--deploy", "--fail-level", "WARNING"],
        cwd=ROOT,
        env={"PATH": os.environ["PATH"], "PODIUM_DATA_DIR": str(tmp_path), **SAFE},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr


@pytest.mark.django_db
def test_every_answer_carries_its_headers(client: Client) -> None:
    answers = [client.get(address) for address in ("/admin/login/", "/accounts/login/", "/no/such/page")]
    for answer in answers:
        policy = answer.headers["Content-Security-Policy"]
        assert "default-src 'none'" in policy
        assert "unsafe" not in policy
        assert answer.headers["X-Content-Type-Options"] == "nosniff"
        assert answer.headers["Referrer-Policy"] == "same-origin"
        assert answer.headers["X-Frame-Options"] == "DENY"
        assert answer.headers["Cross-Origin-Opener-Policy"] == "same-origin"
        assert "camera=()" in answer.headers["Permissions-Policy"]
    assert len({answer.headers["X-Request-ID"] for answer in answers}) == len(answers)


@pytest.mark.django_db
@override_settings(SECURE_HSTS_SECONDS=31_536_000, SECURE_SSL_REDIRECT=True)
def test_over_https_the_browser_is_told_to_stay_there(client: Client) -> None:
    assert client.get("/admin/login/").status_code == 301
    answer: Any = client.get("/admin/login/", secure=True)
    assert answer.headers["Strict-Transport-Security"].startswith("max-age=31536000")


@pytest.mark.django_db
def test_a_request_id_from_outside_is_not_believed(client: Client) -> None:
    answer = client.get("/admin/login/", headers={"X-Request-ID": "mine"})
    assert answer.headers["X-Request-ID"] != "mine"
