"""A backup is whole, of one moment and checked; it restores into either database, and nothing is lost."""

from __future__ import annotations

import json
import subprocess
import sys
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.db import connection

from competition.domain.freezing import freeze_leaderboard
from competition.models import Blob, FrozenLeaderboard, Result, Submission
from competition.operations import archive, rows
from tests.competition.stage import run, set_stage, work_until_idle
from tests.support.databases import new_postgres
from tests.support.processes import ROOT, environment, manage_to_end

pytestmark = pytest.mark.django_db(transaction=True)


def build_site() -> FrozenLeaderboard:
    stage = set_stage()
    team = stage.team("Ωmega ✓")
    for right in (3, 5):
        stage.send(team, run(right), method="Zeile\n二行")
    stage.send(stage.team(), run(8))
    work_until_idle()
    stage.close()
    return freeze_leaderboard(phase=stage.phase, track=stage.track, frozen_by=None, reason="It closed.")


def sqlite_site(folder: Path, backup: Path) -> str:
    """A site on a SQLite file, restored from the backup."""
    address = f"sqlite:///{folder}/site.sqlite3"
    assert manage_to_end("migrate", "--verbosity=0", database=address).returncode == 0
    restored = manage_to_end("restore", str(backup), database=address)
    assert restored.returncode == 0, restored.stdout + restored.stderr
    assert "invariants hold." in restored.stdout
    assert "1 boards verified." in restored.stdout
    return address


@pytest.fixture
def empty_postgres() -> Iterator[str]:
    with new_postgres("moved") as address:
        yield address


@pytest.fixture
def backup(tmp_path: Path) -> Path:
    build_site()
    file = tmp_path / "podium.zip"
    call_command("backup", file)
    return file


@pytest.mark.both
def test_what_was_kept_comes_back_in_the_other_database(backup: Path, tmp_path: Path) -> None:
    assert backup.stat().st_mode & 0o077 == 0
    address = sqlite_site(tmp_path, backup)
    again = tmp_path / "again.zip"
    assert manage_to_end("backup", str(again), database=address).returncode == 0
    first, second = (archive.verify(file)[0]["tables"] for file in (backup, again))
    assert first == second
    assert first["competition.Submission"]["rows"] == Submission.objects.count() == 3
    assert first["competition.FrozenLeaderboard"]["rows"] == 1


def test_from_sqlite_to_postgres_and_on(backup: Path, tmp_path: Path, empty_postgres: str) -> None:
    small = sqlite_site(tmp_path, backup)
    moved = manage_to_end("move_to_postgres", empty_postgres, database=small)
    assert moved.returncode == 0, moved.stderr
    assert "moved and compared, row by row" in moved.stdout
    held = manage_to_end("audit_invariants", database=empty_postgres)
    assert held.returncode == 0, held.stdout
    after = tmp_path / "after.zip"
    assert manage_to_end("backup", str(after), database=empty_postgres).returncode == 0
    assert archive.verify(after)[0]["tables"] == archive.verify(backup)[0]["tables"]
    # Numbers go on after the highest: a new row collides with none.
    made = manage_to_end("create_organizer", "new@example.org", "--superuser", database=empty_postgres)
    assert made.returncode == 0, made.stderr
    second = manage_to_end("move_to_postgres", empty_postgres, database=small)
    assert second.returncode != 0
    assert "holds rows" in second.stderr


@pytest.mark.parametrize(
    ("address", "said"),
    [("mysql://a@b/c", "not one of PostgreSQL"), ("sqlite:///x", "not one of PostgreSQL")],
)
def test_a_move_elsewhere_is_refused(tmp_path: Path, address: str, said: str) -> None:
    small = f"sqlite:///{tmp_path}/site.sqlite3"
    manage_to_end("migrate", "--verbosity=0", database=small)
    done = manage_to_end("move_to_postgres", address, database=small)
    assert done.returncode == 1
    assert said in done.stderr
    assert "Traceback" not in done.stderr


def test_a_site_on_postgres_is_not_moved() -> None:
    if connection.vendor != "postgresql":
        pytest.skip("Runs on PostgreSQL: leave PODIUM_TEST_DATABASE unset.")
    with pytest.raises(CommandError, match="on PostgreSQL already"):
        call_command("move_to_postgres", "postgres://a@b/c")


@pytest.mark.both
def test_a_database_that_holds_rows_is_left_alone(backup: Path) -> None:
    before = Result.objects.count()
    with pytest.raises(CommandError, match="holds rows"):
        call_command("restore", backup)
    assert Result.objects.count() == before == 3


@pytest.mark.both
def test_a_damaged_backup_is_refused_and_said(backup: Path, tmp_path: Path) -> None:
    damaged = tmp_path / "damaged.zip"
    with zipfile.ZipFile(backup) as whole, zipfile.ZipFile(damaged, "w") as copy:
        for name in whole.namelist():
            content = whole.read(name)
            if name == "tables/competition.Submission.jsonl":
                content = content.replace(b"Zeile", b"Zeyle", 1)
            copy.writestr(name, content)
    with pytest.raises(CommandError, match=r"(?s)damaged.*competition.Submission is not what the manifest"):
        call_command("restore", damaged)
    with pytest.raises(CommandError, match="1 faults"):
        call_command("backup", damaged, verify_only=True)
    cut = tmp_path / "cut.zip"
    cut.write_bytes(backup.read_bytes()[:2000])
    with pytest.raises(CommandError, match="cannot be read as a backup"):
        call_command("restore", cut)


@pytest.mark.both
def test_a_backup_of_another_version_says_what_to_do(backup: Path, tmp_path: Path) -> None:
    other = tmp_path / "other.zip"
    with zipfile.ZipFile(backup) as whole, zipfile.ZipFile(other, "w") as copy:
        for name in whole.namelist():
            content = whole.read(name)
            if name == archive.MANIFEST:
                manifest = json.loads(content)
                manifest["migrations"].append("competition.9999_later")
                content = json.dumps(manifest).encode()
            copy.writestr(name, content)
    with pytest.raises(CommandError, match=r"9999_later.*Restore with the version that made it"):
        call_command("restore", other)


@pytest.mark.both
def test_damaged_bytes_are_named_when_the_backup_is_made(tmp_path: Path, capsys: Any) -> None:
    build_site()
    blob = Blob.objects.order_by("pk").first()
    Blob.objects.filter(pk=blob.pk).update(packed=b"rubbish")
    with pytest.raises(CommandError, match="1 faults"):
        call_command("backup", tmp_path / "podium.zip")
    assert blob.pk in capsys.readouterr().err


@pytest.mark.both
def test_a_backup_never_overwrites_nor_leaves_half_a_file(tmp_path: Path, monkeypatch: Any) -> None:
    file = tmp_path / "podium.zip"
    file.write_text("precious")
    with pytest.raises(CommandError, match="exists"):
        call_command("backup", file)
    assert file.read_text() == "precious"
    monkeypatch.setattr(rows, "lines_of", lambda *_: (_ for _ in ()).throw(OSError(28, "No space left")))
    with pytest.raises(CommandError, match="No space left"):
        call_command("backup", tmp_path / "other.zip")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["podium.zip"]


@pytest.mark.both
def test_a_backup_shows_one_moment_while_runs_come_in(tmp_path: Path) -> None:
    """What is sent while the backup reads is not in it, and does not wait for it."""
    stage = set_stage()
    stage.send(stage.team(), run(1))
    with rows.still(connection):
        before = list(rows.lines_of(Submission, connection))
        sender = "from tests.competition.stage import *; from competition.models import *; "
        sender += "e = Entry.objects.get(); p = Phase.objects.get(); import competition.domain.intake as i; "
        sender += "i.receive_submission(team=e.team, phase=p, track=e.track, submitted_by=e.team.captain, "
        sender += "received_at=clock.now(), content=run(4)); print(Submission.objects.count())"
        done = subprocess.run(
            [sys.executable, "-c", f"import django; django.setup(); {sender}"],
            cwd=ROOT,
            env=environment(),
            capture_output=True,
            text=True,
            check=False,
            timeout=60,
        )
        assert done.stdout.strip() == "2", done.stderr
        assert list(rows.lines_of(Submission, connection)) == before
    assert Submission.objects.count() == 2
