"""Many teams at once over real HTTP: each signed in as itself, each answer timed, each retry with its key."""

from __future__ import annotations

import asyncio
import contextlib
import secrets
import time
from collections.abc import Iterable
from dataclasses import dataclass, field

from django.conf import settings
from django.test import Client

from competition.models import Submission, Team

HOST = "127.0.0.1"
CSRF = "c" * 32
PATIENCE = 120.0
"""Seconds a team waits for one answer, and goes on asking a site that is away."""

AWAY = 0
"""The status of a request that got no answer: the connection was refused or broke."""


@dataclass(frozen=True)
class Answer:
    status: int
    seconds: float
    location: str = ""
    retry_after: str = ""


@dataclass
class Post:
    """One run a team sends: `at` seconds after the start; with `hasty` it hangs up after so many seconds and
    sends the same request again. `answers` fills while it is sent.
    """

    team: Team
    cookie: str
    path: str
    content: bytes
    at: float = 0.0
    hasty: float | None = None
    key: str = field(default_factory=lambda: secrets.token_urlsafe(16))
    answers: list[Answer] = field(default_factory=list)

    @property
    def status(self) -> int:
        """Of the answer the team went away with."""
        return self.answers[-1].status if self.answers else AWAY

    @property
    def receipt(self) -> str:
        """The public id of the run the site says it took, or ""."""
        found = self.answers[-1].location if self.status == 302 else ""
        return found.strip("/").rpartition("/")[2] if found.startswith("/submissions/") else ""

    @property
    def kept(self) -> Submission | None:
        """The run this receipt names, as the database has it."""
        return Submission.objects.filter(public_id=self.receipt).first() if self.receipt else None


def sign_in(team: Team) -> str:
    """The session cookie of the team's captain."""
    assert team.captain is not None
    client = Client()
    client.force_login(team.captain)
    return f"{settings.SESSION_COOKIE_NAME}={client.cookies[settings.SESSION_COOKIE_NAME].value}"


def send_all(port: int, posts: Iterable[Post]) -> None:
    """Send each at its time and wait for every answer."""

    async def at_their_times() -> None:
        start = time.monotonic()
        async with asyncio.TaskGroup() as together:
            for post in posts:
                together.create_task(_send(port, post, start))

    asyncio.run(at_their_times())


def get(port: int, path: str) -> Answer:
    """One page, as a visitor."""
    return asyncio.run(_exchange(port, f"GET {path}", {}, b""))


async def _send(port: int, post: Post, start: float) -> None:
    await asyncio.sleep(max(0.0, start + post.at - time.monotonic()))
    line, headers, body = _request(post)
    if post.hasty is not None:
        with contextlib.suppress(TimeoutError):  # hung up: whatever was answered, nobody read it
            await asyncio.wait_for(_exchange(port, line, headers, body), post.hasty)
    end = time.monotonic() + PATIENCE
    while True:
        answer = await _exchange(port, line, headers, body)
        post.answers.append(answer)
        if answer.status not in (AWAY, 503) or time.monotonic() > end:
            return
        await asyncio.sleep(min(float(answer.retry_after or 1), 5.0))


def _request(post: Post) -> tuple[str, dict[str, str], bytes]:
    boundary = secrets.token_hex(16)
    start = f"--{boundary}\r\nContent-Disposition: form-data; name="
    key = f'{start}"idempotency_key"\r\n\r\n{post.key}\r\n'
    file = f'{start}"file"; filename="run.jsonl"\r\nContent-Type: application/jsonl\r\n\r\n'
    body = (key + file).encode() + post.content + f"\r\n--{boundary}--\r\n".encode()
    headers = {
        "Cookie": f"{post.cookie}; {settings.CSRF_COOKIE_NAME}={CSRF}",
        "X-CSRFToken": CSRF,
        "Content-Type": f"multipart/form-data; boundary={boundary}",
    }
    return f"POST {post.path}", headers, body


async def _exchange(port: int, line: str, headers: dict[str, str], body: bytes) -> Answer:
    started = time.monotonic()
    try:
        async with asyncio.timeout(PATIENCE):
            status, answered = await _ask(port, line, headers, body)
    except (OSError, EOFError, ValueError):
        return Answer(AWAY, time.monotonic() - started)
    return Answer(
        status,
        time.monotonic() - started,
        location=answered.get("location", ""),
        retry_after=answered.get("retry-after", ""),
    )


async def _ask(port: int, line: str, headers: dict[str, str], body: bytes) -> tuple[int, dict[str, str]]:
    reader, writer = await asyncio.open_connection(HOST, port)
    try:
        all_headers = {"Host": HOST, "Connection": "close", "Content-Length": str(len(body)), **headers}
        lines = [f"{line} HTTP/1.1", *(f"{name}: {value}" for name, value in all_headers.items()), "", ""]
        writer.write("\r\n".join(lines).encode() + body)
        await writer.drain()
        head = (await reader.readuntil(b"\r\n\r\n")).decode("latin1").split("\r\n")
        await reader.read()
    finally:
        writer.close()
    answered = (one.partition(":") for one in head[1:] if one)
    return int(head[0].split()[1]), {name.strip().lower(): value.strip() for name, _, value in answered}
