"""Goes wherever a page leads, and tells whether the database is as it was."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator
from contextlib import contextmanager
from typing import Any
from urllib.parse import urljoin, urlsplit

from django.db import connection, transaction
from django.http import HttpResponse
from django.test import Client
from django.urls import URLPattern, URLResolver, get_resolver

LINK = re.compile(r"""(?:href|src|action|hx-get)=["']([^"'#]+)""")
UNWATCHED = {"django_session", "shared_cache"}
"""Who is signed in since when, and counters: a request that changes something may well move these too."""


def addresses(resolver: URLResolver | None = None, before: str = "") -> Iterator[tuple[str, URLPattern]]:
    """Every address the site answers, as its route reads, namespaces included."""
    for pattern in (resolver or get_resolver()).url_patterns:
        route = before + str(pattern.pattern)
        if isinstance(pattern, URLResolver):
            yield from addresses(pattern, route)
        else:
            yield route, pattern


class Rows:
    """The rows of every table as they are now; `changed()` names the tables that differ later.

    Within one transaction, whose counts of written rows spare most comparisons.
    """

    def __init__(self, unwatched: Collection[str] = UNWATCHED) -> None:
        self._unwatched = list(unwatched)
        self._written, self._digests = self._count(), self.digests()

    def digests(self) -> dict[str, str]:
        """Table → a digest of its rows."""
        tables = [name for name in connection.introspection.table_names() if name not in self._unwatched]
        digest = "md5(coalesce(string_agg(row::text, '' ORDER BY row::text), ''))"
        asked = (
            f"SELECT '{name}', {digest} FROM {connection.ops.quote_name(name)} AS row" for name in tables
        )
        with connection.cursor() as cursor:
            cursor.execute(" UNION ALL ".join(asked))
            return dict(cursor.fetchall())

    def changed(self) -> set[str]:
        """The tables whose rows are not what they were."""
        written = self._count()
        if written == self._written:
            return set()
        self._written, now = written, self.digests()
        return {name for name in now if now[name] != self._digests.get(name)}

    def _count(self) -> dict[str, int]:
        """Table → how many rows this transaction has written so far, those taken back included."""
        assert connection.in_atomic_block, "counts are of one transaction"
        written = "n_tup_ins + n_tup_upd + n_tup_del"
        with connection.cursor() as cursor:
            cursor.execute(
                f"SELECT relname, {written} FROM pg_stat_xact_user_tables WHERE relname <> ALL(%s)",
                [self._unwatched],
            )
            return dict(cursor.fetchall())


@contextmanager
def undone() -> Iterator[None]:
    """Whatever happens inside did not happen."""
    with transaction.atomic():
        yield
        transaction.set_rollback(True)


def body_of(response: Any) -> bytes:
    """All that was answered, whether it came at once or in pieces."""
    return b"".join(response.streaming_content) if response.streaming else response.content


def spoken(response: HttpResponse, body: bytes) -> str:
    """Everything a visitor could read in an answer: status line, headers, cookies and body."""
    heads = [f"{name}: {value}" for name, value in response.items()]
    cookies = [morsel.OutputString() for morsel in response.cookies.values()]
    return "\n".join([str(response.status_code), *heads, *cookies, body.decode("utf-8", "replace")])


def crawl(client: Client, starts: Iterable[str], most: int = 400) -> Iterator[tuple[str, HttpResponse, str]]:
    """Each page reached from `starts` by links and redirects within the site, once: address, answer, text."""
    waiting, seen = list(starts), set[str]()
    while waiting and len(seen) < most:
        address = waiting.pop(0)
        if address in seen:
            continue
        seen.add(address)
        response: Any = client.get(address)
        text = spoken(response, body_of(response))
        yield address, response, text
        found = [response.headers["Location"]] if "Location" in response.headers else []
        if "html" in response.headers.get("Content-Type", ""):
            found += LINK.findall(text)
        waiting += [link for one in found if (link := _inside(address, one.replace("&amp;", "&")))]


def _inside(address: str, link: str) -> str:
    """A link as a path of this site, or "" when it leads to nothing new there."""
    parts = urlsplit(urljoin(f"http://testserver{address}", link))
    led_back = "next=" in parts.query  # the same log-in once more
    if parts.netloc != "testserver" or parts.path.startswith("/static/") or led_back:
        return ""
    return parts.path + (f"?{parts.query}" if parts.query else "")
