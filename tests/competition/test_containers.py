"""What Dockerfile and compose.yaml say, carried out without Docker: files copied as they would be, then every
command of the image run from that copy, on PostgreSQL and Redis."""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
import yaml
from django.db import connection

from tests.support import services
from tests.support.databases import new_postgres
from tests.support.ports import free_port
from tests.support.processes import ROOT

COMPOSE: dict[str, Any] = yaml.safe_load((ROOT / "compose.yaml").read_text())
SERVICES: dict[str, Any] = COMPOSE["services"]
OURS = ("web", "worker", "sweeper", "migrate", "secrets")


def instructions() -> list[tuple[str, str]]:
    text = (ROOT / "Dockerfile").read_text().replace("\\\n", " ")
    lines = (line for line in text.splitlines() if line.strip() and not line.startswith("#"))
    return [(line.split(" ", 1)[0], line.split(" ", 1)[1]) for line in lines]


def default_command() -> list[str]:
    return json.loads(next(text for word, text in instructions() if word == "CMD"))


def command_of(service: str) -> list[str]:
    return SERVICES[service].get("command") or default_command()


# What stands there


def test_the_image_is_built_in_stages_and_runs_as_nobody() -> None:
    words = [word for word, _ in instructions()]
    assert words.count("FROM") == 2
    last = instructions()[len(words) - 1 - words[::-1].index("FROM") :]
    assert ("USER", "podium") in last
    assert not [text for word, text in last if word == "RUN" and "pip" in text], "built in the first stage"
    assert "--require-hashes" in (ROOT / "Dockerfile").read_text()


def test_what_is_copied_exists_and_is_let_through() -> None:
    allowed = {line[1:] for line in (ROOT / ".dockerignore").read_text().splitlines() if line.startswith("!")}
    for word, text in instructions():
        if word == "COPY" and "--from" not in text:
            source = text.split()[0]
            assert (ROOT / source).exists()
            assert source in allowed


def test_no_secret_stands_in_the_files() -> None:
    text = (ROOT / "compose.yaml").read_text() + (ROOT / "Dockerfile").read_text()
    assert not re.search(r"(?i)password\W+\w{6,}(?<!_file)$", text, re.MULTILINE)
    for name in OURS[:4]:
        environment = SERVICES[name]["environment"]
        assert {"SECRET_KEY_FILE", "DATABASE_URL_FILE", "REDIS_URL_FILE"} <= environment.keys()
        assert "SECRET_KEY" not in environment


def test_every_part_is_there_watched_and_started_in_order() -> None:
    assert set(SERVICES) == {*OURS, "postgres", "redis"}
    for name in ("web", "worker", "sweeper", "postgres", "redis"):
        assert SERVICES[name]["healthcheck"]["test"]
    for name in ("web", "worker", "sweeper"):
        assert SERVICES[name]["depends_on"]["migrate"]["condition"] == "service_completed_successfully"
        assert SERVICES[name]["read_only"]
        assert SERVICES[name]["cap_drop"] == ["ALL"]
    assert SERVICES["worker"]["deploy"]["replicas"] >= 2
    assert SERVICES["web"]["ports"][0].startswith("127.0.0.1:")


def test_our_services_share_one_image() -> None:
    assert {SERVICES[name]["image"] for name in OURS} == {"podium"}


# What happens


class Image:
    """The image's files in a folder, and its commands run from there."""

    def __init__(self, folder: Path) -> None:
        self.root = folder / "srv"
        self.app = self.root / "podium"
        self.secrets = self.root / "secrets"
        for made in (self.app, self.secrets):
            made.mkdir(parents=True)
        self.environment = {
            "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}",
            "PYTHONDONTWRITEBYTECODE": "1",
            "STATIC_ROOT": str(self.app / "staticfiles"),
        }

    def build(self) -> None:
        for word, text in instructions():
            if word == "COPY" and "--from" not in text and "requirements" not in text:
                source, target = text.split()
                into = self.app / target
                if (ROOT / source).is_dir():
                    shutil.copytree(
                        ROOT / source, into, ignore=shutil.ignore_patterns("__pycache__", ".*_cache")
                    )
                else:
                    shutil.copy(ROOT / source, into)
            elif word == "RUN" and "collectstatic" in text:
                self.run(["sh", "-c", text.replace("/srv/venv/bin/", "")])

    def here(self, words: list[str]) -> list[str]:
        return [word.replace("/srv/", f"{self.root}/") for word in words]

    def run(self, words: list[str], **more: str) -> str:
        done = subprocess.run(
            self.here(words),
            cwd=self.app,
            env={**self.environment, **more},
            capture_output=True,
            text=True,
            check=False,
            timeout=120,
        )
        assert done.returncode == 0, f"{shlex.join(words)}\n{done.stdout}{done.stderr}"
        return done.stdout

    @contextmanager
    def running(self, words: list[str]) -> Iterator[subprocess.Popen[bytes]]:
        process = subprocess.Popen(
            self.here(words), cwd=self.app, env=self.environment, stderr=subprocess.DEVNULL
        )
        try:
            yield process
            process.send_signal(signal.SIGTERM)
            assert process.wait(timeout=30) == 0
        finally:
            process.kill()
            process.wait()


def patiently(look: Any, seconds: float = 120.0) -> Any:
    end = time.monotonic() + seconds
    while True:
        try:
            return look()
        except (OSError, AssertionError):
            if time.monotonic() > end:
                raise
            time.sleep(0.2)


def resolved(text: str) -> str:
    """A value of compose.yaml with nothing set around it."""
    return re.sub(r"\$\{\w+:-([^}]*)\}", r"\1", text)


@pytest.mark.django_db(transaction=True)
def test_every_command_of_the_image_does_its_work(tmp_path: Path, redis_server: services.Redis) -> None:
    image = Image(tmp_path)
    image.build()
    assert (image.app / "staticfiles" / "staticfiles.json").exists()
    assert not list(image.app.rglob("tests")), "tests are no part of the image"

    made = image.run(command_of("secrets"))
    assert "secret_key" in made
    kept = {path.name: path.read_text() for path in image.secrets.iterdir()}
    assert "nothing, all is there" in image.run(command_of("secrets"))
    assert kept == {path.name: path.read_text() for path in image.secrets.iterdir()}
    assert kept["postgres_password"] in kept["database_url"]
    assert f"requirepass {kept['redis_password']}" in kept["redis.conf"]
    assert len(kept["secret_key"]) >= 50

    port = free_port()
    given = {key: image.here([resolved(value)])[0] for key, value in SERVICES["web"]["environment"].items()}
    with new_postgres("image") as address:
        # The services stand elsewhere here; their addresses come by file all the same.
        for name, value in (("database_url", address), ("redis_url", redis_server.url)):
            (image.secrets / name).chmod(0o600)
            (image.secrets / name).write_text(value)
        image.environment.update(given)
        image.run(command_of("migrate"))
        web = [word.replace("0.0.0.0:8000", f"127.0.0.1:{port}") for word in command_of("web")]
        health = [word.replace(":8000", f":{port}") for word in SERVICES["web"]["healthcheck"]["test"][1:]]
        with image.running(web), image.running(command_of("worker")), image.running(command_of("sweeper")):
            patiently(lambda: image.run(health))
            with urllib.request.urlopen(f"http://localhost:{port}/", timeout=60) as answer:
                page = answer.read().decode()
            style = re.search(r'href="(/static/css/\w+\.\w{12}\.css)"', page)
            assert style, "styles carry the digest of their content"
            with urllib.request.urlopen(f"http://localhost:{port}{style[1]}", timeout=60) as answer:
                assert "immutable" in answer.headers["Cache-Control"]
            for service in ("worker", "sweeper"):
                assert "is alive" in patiently(
                    lambda service=service: image.run(SERVICES[service]["healthcheck"]["test"][1:])
                )
            with urllib.request.urlopen(f"http://localhost:{port}/status", timeout=60) as answer:
                said = answer.read().decode()
            assert "All runs are scored" in said
            report = image.run(["python", "manage.py", "doctor"])
            assert "Nothing is broken." in report
            assert "guards        all" in report
            made = image.run(["python", "manage.py", "create_organizer", "you@example.org", "--superuser"])
            assert "password" in made
        backup = tmp_path / "podium.zip"
        image.run(["python", "manage.py", "backup", str(backup)])
        assert backup.stat().st_size > 1000


@pytest.mark.django_db
def test_the_health_checks_of_the_services_beside_us(tmp_path: Path) -> None:
    image = Image(tmp_path)
    image.run(command_of("secrets"), PYTHONPATH=str(ROOT))
    port = free_port()
    start = [services.find(SERVICES["redis"]["command"][0]), *SERVICES["redis"]["command"][1:]]
    health = [
        "sh",
        "-c",
        SERVICES["redis"]["healthcheck"]["test"][1].replace("redis-cli", f"redis-cli -p {port}"),
    ]
    with image.running([*start, "--port", str(port), "--dir", str(tmp_path)]):
        patiently(lambda: image.run(health))
        password = (image.secrets / "redis_password").read_text()
        counted = image.run(["redis-cli", "-p", str(port), "-a", password, "--no-auth-warning", "dbsize"])
        assert counted.strip() == "0"
    ready = list(SERVICES["postgres"]["healthcheck"]["test"][1:])
    if connection.vendor == "postgresql":
        image.run([services.postgres().binary(ready[0]), *ready[1:]], PGHOST=connection.settings_dict["HOST"])


def test_secrets_are_made_without_settings(tmp_path: Path) -> None:
    words = [sys.executable, "-m", "competition.operations.secrets", str(tmp_path)]
    bare = {"PATH": os.environ["PATH"]}
    first = subprocess.run(words, cwd=ROOT, env=bare, capture_output=True, text=True, check=True)
    other = tmp_path / "other"
    other.mkdir()
    words[-1] = str(other)
    subprocess.run(words, cwd=ROOT, env=bare, capture_output=True, text=True, check=True)
    assert "redis.conf" in first.stdout
    assert (tmp_path / "secret_key").read_text() != (other / "secret_key").read_text()
