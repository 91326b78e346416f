"""The web process as a PostgreSQL role of its own: it stores gold, and no query of its shows a byte of it."""

from __future__ import annotations

import hashlib
import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from io import StringIO

import psycopg
import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.management import call_command
from django.core.management.base import CommandError
from django.db import DatabaseError, connection, transaction

from competition.domain.blobs import load, store_gold
from competition.domain.gold import add_gold
from competition.models import AuditEntry, GoldBlob, GoldCheck, GoldVersion
from tests.security.desk import DESK
from tests.security.places import SITE
from tests.support.roles import GOLD, ROLES, Everyone, gather, gold_lines, run_lines

pytestmark = pytest.mark.django_db


@pytest.fixture
def role() -> Iterator[str]:
    if connection.vendor != "postgresql":
        pytest.skip("roles are PostgreSQL's: run without PODIUM_TEST_DATABASE=sqlite")
    name = f"web_{secrets.token_hex(4)}"
    with connection.cursor() as cursor:
        cursor.execute(f"CREATE ROLE {name} LOGIN NOSUPERUSER")
    call_command("gold_role", name, "--apply", stdout=StringIO())
    return name


@pytest.fixture
def everyone() -> Everyone:
    return gather()


@contextmanager
def acting_as(role: str) -> Iterator[None]:
    """This connection with that role's rights and no others."""
    with connection.cursor() as cursor:
        cursor.execute(f"SET LOCAL ROLE {role}")
    try:
        yield
    finally:
        with connection.cursor() as cursor:
            cursor.execute("RESET ROLE")


LOOKS = {
    "the column": "SELECT packed FROM competition_goldblob",
    "every column": "SELECT * FROM competition_goldblob",
    "the salt": "SELECT salt FROM competition_goldblob",
    "a guess": "SELECT 1 FROM competition_goldblob WHERE digest = encode(sha256(salt::bytea || 'x'), 'hex')",
    "a row as text": "SELECT g::text FROM competition_goldblob g",
    "a length": "SELECT length(packed) FROM competition_goldblob",
    "a condition": "SELECT 1 FROM competition_goldblob WHERE packed > 'a'",
    "a join": "SELECT packed FROM competition_goldversion JOIN competition_goldblob ON digest = blob_id",
    "a copy": "CREATE TABLE mine AS SELECT * FROM competition_goldblob",
    "what was inserted": "INSERT INTO competition_goldblob VALUES ('now', %s, 1, 'x', '') RETURNING packed",
    "a change": "UPDATE competition_goldblob SET size = 0",
    "a deletion": "DELETE FROM competition_goldblob",
    "no triggers": "SET session_replication_role = replica",
    "another owner": "ALTER TABLE competition_goldblob OWNER TO CURRENT_USER",
    "a frozen row": "UPDATE competition_frozenleaderboard SET digest = ''",
    "an audit entry": "DELETE FROM competition_auditentry",
}


def test_no_query_of_the_web_role_shows_or_moves_gold(everyone: Everyone, role: str) -> None:
    for way, statement in LOOKS.items():
        asked = statement.replace("%s", f"'{'0' * 64}'")
        refused = pytest.raises(DatabaseError, match="permission denied|must be owner")
        with acting_as(role), refused as found, transaction.atomic(), connection.cursor() as cursor:
            cursor.execute(asked)
        assert found, way


@pytest.mark.django_db(transaction=True)
def test_a_connection_of_its_own_is_refused_too() -> None:
    if connection.vendor != "postgresql":
        pytest.skip("roles are PostgreSQL's: run without PODIUM_TEST_DATABASE=sqlite")
    blob = store_gold(gold_lines())
    name = f"web_{secrets.token_hex(4)}"
    with connection.cursor() as cursor:
        cursor.execute(f"CREATE ROLE {name} LOGIN PASSWORD '{name}'")
    try:
        call_command("gold_role", name, "--apply", stdout=StringIO())
        settings = connection.get_connection_params()
        own = {key: settings[key] for key in ("host", "port", "dbname") if key in settings}
        with psycopg.connect(**own, user=name, password=name, autocommit=True) as web:
            seen = web.execute("SELECT digest, size FROM competition_goldblob").fetchall()
            assert seen == [(blob.digest, len(gold_lines()))]
            with pytest.raises(psycopg.errors.InsufficientPrivilege):
                web.execute("SELECT packed FROM competition_goldblob")
    finally:
        with connection.cursor() as cursor:
            cursor.execute(f"DROP OWNED BY {name}")
            cursor.execute(f"DROP ROLE {name}")


def test_storing_a_guess_does_not_say_whether_it_is_right(everyone: Everyone, role: str) -> None:
    """Under a bare digest the key would: a second row of the same file is refused."""
    gold = GoldVersion.objects.get(phase=everyone.dev)
    assert load(gold.blob) == gold_lines()
    with acting_as(role):
        guess = store_gold(gold_lines())
        seen = set(GoldBlob.objects.values_list("digest", flat=True))
    assert guess.digest in seen
    assert hashlib.sha256(gold_lines()).hexdigest() not in seen
    assert len(seen) == len(set(GoldVersion.objects.values_list("commitment", flat=True))) + 1


def test_the_owner_reads_what_the_web_role_stored(everyone: Everyone, role: str) -> None:
    content = gold_lines() + b"\n"
    with acting_as(role):
        made = add_gold(
            phase=everyone.dev,
            track=everyone.track,
            content=content,
            uploaded_by=everyone.people["organizer"],
            reason="Better.",
        )
        shown = GoldVersion.objects.values("id", "version", "commitment").get(pk=made.pk)
        assert shown["version"] == 2
        assert AuditEntry.objects.filter(action="gold added").exists()
        with pytest.raises(DatabaseError), transaction.atomic():
            list(GoldBlob.objects.values_list("packed"))
    assert load(made.blob) == content
    assert GoldCheck.objects.filter(gold_version=made).count() == 1


def test_pages_uploads_and_the_desk_work_as_the_web_role(everyone: Everyone, role: str) -> None:
    """Every page a lead and an organizer opens, a run, and gold through the desk's own form."""
    clients = {name: everyone.as_(name) for name in ROLES}
    with acting_as(role):
        wrong = [
            f"{place.address}, {name}: {status}"
            for row in {id(row): row for row in (SITE | DESK).values()}.values()
            for place in row(everyone)
            if not place.by_token
            for name in ("member", "superuser")
            if (status := clients[name].get(place.address).status_code) != place.answer_to(name)
            and status != 429
        ]
        assert not wrong, "\n".join(wrong)
        sent = clients["member"].post(
            f"{everyone.address}submit/?phase=dev",
            {"file": SimpleUploadedFile("run.jsonl", run_lines("again"))},
        )
        assert sent.status_code == 302
        assert "/submissions/" in sent["Location"]
        uploaded = clients["organizer"].post(
            "/admin/competition/goldversion/add/",
            {
                "phase": everyone.test.pk,
                "track": everyone.track.pk,
                "reason": "Better.",
                "file": SimpleUploadedFile("gold.jsonl", gold_lines() + b"\n"),
            },
        )
        assert uploaded.status_code == 302
    assert GoldVersion.objects.filter(phase=everyone.test).count() == 2
    assert GOLD.encode() not in uploaded.content


def test_the_command_prints_before_it_does(role: str) -> None:
    said = StringIO()
    call_command("gold_role", role, stdout=said)
    assert (
        f'GRANT INSERT, SELECT ("digest", "size", "created_at") ON "competition_goldblob" TO "{role}";'
        in (said.getvalue().splitlines())
    )


def test_a_role_that_would_not_be_bound_is_refused(role: str) -> None:
    with pytest.raises(CommandError, match="no role"):
        call_command("gold_role", "nobody_of_this_name", "--apply")
    with connection.cursor() as cursor:
        cursor.execute("SELECT current_user")
        owner = cursor.fetchone()[0]
    with pytest.raises(CommandError, match="superuser"):
        call_command("gold_role", owner, "--apply")
