"""Gold of before is filed under its commitment, and neither its bytes nor what was promised of it change."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.databases import new_postgres
from tests.support.processes import manage_to_end

pytestmark = pytest.mark.django_db(transaction=True)

BEFORE = "0009_an_address_proves_nothing"
FILL = f"""
import hashlib, zlib
from datetime import datetime, timezone
from django.db import connection
from django.db.migrations.loader import MigrationLoader
models = MigrationLoader(connection).project_state(("competition", "{BEFORE}")).apps
get = lambda name: models.get_model("competition", name)
then = datetime(2026, 1, 2, tzinfo=timezone.utc)
task = get("SharedTask").objects.create(slug="t", name="T")
track = get("Track").objects.create(task=task, slug="a", name="A", kind="short_answer")
later = then.replace(day=3)
phase = get("Phase").objects.create(task=task, slug="p", name="P", opens_at=then, closes_at=later)
for version, (content, salt) in enumerate([(b"one", "s1"), (b"two", "s2"), (b"one", "s3")], 1):
    blob, _ = get("GoldBlob").objects.get_or_create(
        digest=hashlib.sha256(content).hexdigest(),
        defaults=dict(size=len(content), packed=zlib.compress(content)),
    )
    get("GoldBlob").objects.update(created_at=then)
    get("GoldVersion").objects.create(
        phase=phase, track=track, version=version, blob=blob, salt=salt,
        commitment=hashlib.sha256(salt.encode() + content).hexdigest(),
    )
"""
TELL = """
import json
from competition.domain.blobs import load
from competition.models import GoldBlob, GoldVersion
from competition.operations.invariants import CHECKS
rows = [
    [gold.version, load(gold.blob).decode(), gold.blob.salt, gold.blob_id == gold.commitment]
    for gold in GoldVersion.objects.order_by("version")
]
broken = [*CHECKS["stored_bytes_have_their_digest"](), *CHECKS["gold_keeps_its_commitment"]()]
years = sorted({blob.created_at.year for blob in GoldBlob.objects.all()})
print(json.dumps([rows, GoldBlob.objects.count(), broken, years]))
"""


@pytest.fixture(params=["sqlite", "postgres"])
def database(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[str]:
    if request.param == "sqlite":
        yield f"sqlite:///{tmp_path}/site.sqlite3"
        return
    with new_postgres("gold") as address:
        yield address


def done(*arguments: str, database: str) -> str:
    """What a command that succeeds prints."""
    ended = manage_to_end(*arguments, database=database)
    assert ended.returncode == 0, ended.stderr[-2_000:]
    return ended.stdout


def test_each_version_of_before_has_its_own_salted_file(database: str) -> None:
    done("migrate", "competition", BEFORE, "--verbosity=0", database=database)
    done("shell", "--no-imports", "-c", FILL, database=database)
    done("migrate", "--verbosity=0", database=database)
    told = json.loads(done("shell", "--no-imports", "-c", TELL, database=database).splitlines()[-1])
    rows = [[1, "one", "s1", True], [2, "two", "s2", True], [3, "one", "s3", True]]
    assert told == [rows, 3, [], [2026]]
