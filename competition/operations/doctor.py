"""What `manage.py doctor` looks at: one finding per line, and what to do about it."""

from __future__ import annotations

import os
import shutil
import smtplib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

from django.conf import settings
from django.contrib.staticfiles.storage import staticfiles_storage
from django.core.mail import get_connection
from django.db import DatabaseError, connection
from redis import Redis, RedisError

from competition import clock, outages, triggers
from competition.operations.readiness import unready
from competition.queries import machinery

GOOD, LOOK, BAD = "ok", "look", "bad"

MOST_SKEW = timedelta(seconds=2)
LEAST_FREE = 1024**3
MOST_BELLS = 10_000


@dataclass(frozen=True)
class Finding:
    """`state` is "ok", "look" (works, but see to it) or "bad"; `fix` says what to do."""

    name: str
    state: str
    said: str
    fix: str = ""


def examine() -> Iterator[Finding]:
    """Every check in turn. Without a database the checks that ask it are left out."""
    database = check_database()
    yield database
    for name, check, asks_database in CHECKS:
        if asks_database and database.state == BAD:
            continue
        try:
            yield check()
        except (DatabaseError, OSError) as fault:
            yield Finding(
                name, BAD, f"could not be checked: {type(fault).__name__}", "See the lines above first."
            )


def check_database() -> Finding:
    try:
        clock.now()
        problems = list(unready())
    except (DatabaseError, OSError) as fault:
        said = f"does not answer: {str(fault).splitlines()[0] if str(fault) else type(fault).__name__}"
        return Finding("database", BAD, said, "Start it, and check DATABASE_URL.")
    if problems:
        fix = "Run `manage.py migrate`." if "migrations" in problems[0] else "Check disk space and rights."
        return Finding("database", BAD, "; ".join(problems), fix)
    return Finding("database", GOOD, f"{connection.vendor} answers, takes writes, all migrations applied")


def check_guards() -> Finding:
    awake = triggers.awake(connection)
    wanted = {name for model in triggers.frozen_models() for name in triggers.names(connection, model)}
    if wanted - awake:
        said = f"{len(wanted - awake)} of {len(wanted)} are gone: frozen boards could be changed"
        return Finding(
            "guards", BAD, said, "Run `manage.py migrate`, then `manage.py verify_leaderboard --all`."
        )
    return Finding("guards", GOOD, f"all {len(wanted)} triggers of frozen tables are in place")


def check_redis() -> Finding:
    if not settings.REDIS_URL:
        return Finding("redis", GOOD, "not used: workers look into the database by themselves")
    try:
        client = Redis.from_url(settings.REDIS_URL, **outages.BOUNDED)
        client.ping()
        bells = int(client.llen("rq:queue:default"))
    except (RedisError, OSError) as fault:
        fix = "Start it, and check REDIS_URL. Nothing is lost meanwhile; scoring starts a second later."
        return Finding("redis", BAD, f"does not answer: {type(fault).__name__}", fix)
    if bells > MOST_BELLS:
        return Finding("redis", LOOK, f"{bells:,} bells are unheard", "Start workers.")
    return Finding("redis", GOOD, f"answers, {bells} bells unheard")


def check_workers() -> Finding:
    workers = machinery.workers_alive(clock.now()).count()
    if not workers:
        return Finding("workers", BAD, "none is alive: runs are kept and wait", "Start `manage.py worker`.")
    return Finding("workers", GOOD, f"{workers} alive")


def check_sweeper() -> Finding:
    seen = machinery.sweeper_seen_at(clock.now())
    if seen is not None:
        return Finding("sweeper", GOOD, "alive")
    if settings.REDIS_URL:
        return Finding(
            "sweeper", LOOK, "none is alive: receipts are not mailed", "Start `manage.py sweeper`."
        )
    return Finding("sweeper", GOOD, "not needed: the worker sweeps")


def check_clock() -> Finding:
    """The database's clock judges deadlines; a machine that is off shows wrong ages in its log."""
    before = datetime.now(UTC)
    theirs = clock.now()
    middle = before + (datetime.now(UTC) - before) / 2
    skew = abs(theirs - middle)
    said = f"this machine and the database are {skew.total_seconds():.2f} s apart"
    if skew > MOST_SKEW:
        return Finding("clock", LOOK, said, "Deadlines go by the database. Let NTP set this machine's clock.")
    return Finding("clock", GOOD, said)


def check_secret() -> Finding:
    if settings.DEMO:
        return Finding(
            "secret", LOOK, "this is a demo: it made its own key", "Unset PODIUM_DEMO on a public site."
        )
    return Finding("secret", GOOD, f"SECRET_KEY has {len(settings.SECRET_KEY)} characters")


def check_hosts() -> Finding:
    hosts = ", ".join(settings.ALLOWED_HOSTS)
    if not settings.HTTPS:
        return Finding("hosts", LOOK, f"{hosts}, without HTTPS", "Set PODIUM_HTTPS=1 behind a TLS proxy.")
    return Finding("hosts", GOOD, f"{hosts}, over HTTPS")


def check_static() -> Finding:
    if not hasattr(staticfiles_storage, "manifest_name"):
        return Finding("static files", GOOD, "served as they lie")
    if not (settings.STATIC_ROOT / "staticfiles.json").exists():
        fix = "Run `manage.py collectstatic --noinput`: pages break without it."
        return Finding("static files", BAD, f"no manifest in {settings.STATIC_ROOT}", fix)
    listed: dict[str, str] = getattr(staticfiles_storage, "hashed_files", {})
    missing = [name for name in ("css/base.css", "js/times.js") if name not in listed]
    if missing:
        fix = "Run `manage.py collectstatic --noinput --clear`."
        return Finding("static files", BAD, f"the manifest lacks {', '.join(missing)}", fix)
    return Finding("static files", GOOD, f"{len(listed)} files in the manifest")


def check_mail() -> Finding:
    if not settings.EMAIL_CONFIGURED:
        return Finding("mail", LOOK, "not configured: no receipts, addresses unverified", "Set EMAIL_URL.")
    try:
        server = get_connection(fail_silently=False)
        server.open()
        server.close()
    except (OSError, smtplib.SMTPException) as fault:
        return Finding("mail", BAD, f"the server refuses: {type(fault).__name__}", "Check EMAIL_URL.")
    return Finding("mail", GOOD, "the server takes our log-in")


def check_disk() -> Finding:
    name = connection.settings_dict["NAME"]
    on_file = connection.vendor == "sqlite" and Path(str(name)).exists()
    place = Path(str(name)).parent if on_file else Path(os.environ.get("TMPDIR", "/tmp"))  # nosec B108
    free = shutil.disk_usage(place).free
    said = f"{free / 1024**3:.1f} GiB free in {place}"
    if free < LEAST_FREE:
        return Finding("disk", BAD, said, "Make room: a full disk refuses runs.")
    return Finding("disk", GOOD, said)


def check_queue() -> Finding:
    moment = clock.now()
    found = machinery.queue()
    if found.oldest is None:
        return Finding("queue", GOOD, "nothing waits")
    waited = int((moment - found.oldest).total_seconds())
    said = f"{found.waiting} wait, the oldest for {waited} s"
    if found.waits_too_long(moment):
        return Finding("queue", BAD, said, "Start more workers; look for errors in the worker's log.")
    return Finding("queue", GOOD, said)


def check_failures() -> Finding:
    failed = machinery.queue().failed
    if failed:
        fix = "Look for their references in the log; evaluate again from the desk once the cause is gone."
        return Finding("failures", LOOK, f"{failed} evaluations failed by our fault", fix)
    return Finding("failures", GOOD, "none")


CHECKS: tuple[tuple[str, Callable[[], Finding], bool], ...] = (
    ("guards", check_guards, True),
    ("redis", check_redis, False),
    ("workers", check_workers, True),
    ("sweeper", check_sweeper, True),
    ("queue", check_queue, True),
    ("failures", check_failures, True),
    ("clock", check_clock, True),
    ("secret", check_secret, False),
    ("hosts", check_hosts, False),
    ("static files", check_static, False),
    ("mail", check_mail, False),
    ("disk", check_disk, False),
)
