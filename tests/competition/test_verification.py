"""Verification finds whatever was edited behind a frozen board, and names it."""

from __future__ import annotations

import json
import zlib

import pytest
from django.core.management import CommandError, call_command
from django.db import connection

from competition import triggers
from competition.domain.blobs import store_gold
from competition.domain.snapshots import canonical, digest_of
from competition.domain.verification import verify_leaderboard
from competition.models import Blob, FrozenLeaderboard, FrozenStanding, GoldBlob, GoldVersion, Submission
from tests.competition.stage import fresh, gold, run
from tests.competition.test_freezing import closed_stage, freeze

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def board():
    return freeze(closed_stage())


def edit(row, **changes):
    """What somebody with the database's password could do."""
    with triggers.suspended(connection):
        type(row)._default_manager.filter(pk=row.pk).update(**changes)


def found(board) -> str:
    return "\n".join(map(str, verify_leaderboard(fresh(board))))


@pytest.mark.both
def test_an_untouched_board_verifies(board, capsys):
    assert found(board) == ""
    call_command("verify_leaderboard", board.public_id)
    assert "1 boards verified." in capsys.readouterr().out


@pytest.mark.both
def test_an_edited_row_is_named(board):
    row = board.standings.get(team_name="Dora")
    for changes, word in (
        ({"primary": 0.99}, "primary"),
        ({"team_name": "Doris"}, "team_name"),
        ({"scores": {**row.scores, "exact_match": 0.6}}, "scores"),
        ({"rank": 1}, "rank"),
        ({"group": "z"}, "group"),
        ({"signature": "other"}, "signature"),
        ({"note": "x"}, "note"),
    ):
        before = {name: getattr(row, name) for name in changes}
        edit(row, **changes)
        assert f"row {row.position} (Dora), {word}" in found(board)
        edit(row, **before)
    assert found(board) == ""


@pytest.mark.both
def test_a_missing_and_an_added_row_are_named(board):
    row = board.standings.get(team_name="Dora")
    with triggers.suspended(connection):
        FrozenStanding.objects.filter(pk=row.pk).delete()
    assert "row 4 (Dora): stored missing" in found(board)
    row.pk, row.position = None, 9
    row.save()
    assert "row 9" in found(board)


@pytest.mark.parametrize(
    ("path", "value"),
    [
        (("entries", 0, "scores", "rouge1_f1"), 0.9),
        (("entries", 0, "rank"), 2),
        (("entries", 3, "shown", "rouge1_f1"), "51.00"),
        (("entries", 1, "team"), "Abelard"),
        (("entries", 2, "run_digest"), "0" * 64),
        (("entries", 2, "received_at"), "2026-01-01T00:00:00.000000Z"),
        (("entries", 2, "interval"), [0.1, 0.2]),
        (("entries", 2, "uncertainty", "first"), 0.9),
        (("gold", "commitment"), "0" * 64),
        (("gold", "n_scored"), 7),
        (("items", "digest"), "0" * 64),
        (("version",), 3),
        (("reason",), "Another reason."),
        (("frozen_at",), "2026-01-01T00:00:00.000000Z"),
        (("previous_digest",), "0" * 64),
    ],
)
def test_a_snapshot_rewritten_together_with_its_digest_is_still_found(board, path, value):
    content = json.loads(board.content)
    place = content
    for step in path[:-1]:
        place = place[step]
    assert place[path[-1]] != value
    place[path[-1]] = value
    text = canonical(content)
    edit(board, content=text, digest=digest_of(text))
    differences = verify_leaderboard(fresh(board))
    assert any("audit trail" in one.where for one in differences)
    assert any("audit trail" not in one.where for one in differences), "found by recomputing, too"


def test_a_flipped_bit_anywhere_in_the_text_is_found(board):
    text = board.content
    for place in range(0, len(text), max(1, len(text) // 40)):
        flipped = text[:place] + chr(ord(text[place]) ^ 1) + text[place + 1 :]
        differences = verify_leaderboard(
            FrozenLeaderboard(**{**vars_of(board), "content": flipped}), compute=lambda work: work()
        )
        assert any("digest" in one.where for one in differences), place


def vars_of(board) -> dict:
    return {field.attname: getattr(board, field.attname) for field in board._meta.concrete_fields}


def test_edited_runs_and_gold_are_found(board):
    submission = Submission.objects.get(team__name="Dora")
    blob = Blob.objects.defer(None).get(pk=submission.blob_id)
    edit(blob, packed=zlib.compress(run(5)))
    assert "stored files" in found(board)
    edit(blob, packed=blob.packed)
    assert found(board) == ""
    references = GoldBlob.objects.defer(None).get()
    edit(references, packed=zlib.compress(gold(shift=1)))
    assert "stored files" in found(board)
    edit(references, packed=references.packed)
    edit(references, salt="pepper")
    assert "stored files" in found(board)
    edit(references, salt=references.salt)
    edit(GoldVersion.objects.get(), blob=store_gold(gold()))
    assert "gold commitment" in found(board), "the same bytes, stored again, are not what was promised"


def test_a_broken_chain_is_named(board):
    stage_phase, stage_track = board.phase, board.track
    from competition.domain.freezing import freeze_leaderboard

    second = freeze_leaderboard(phase=stage_phase, track=stage_track, frozen_by=None, reason="Again.")
    assert found(second) == ""
    edit(board, digest="0" * 64)
    assert "previous digest" in found(second)


def test_the_command_says_what_differs_and_exits_1(board, capsys):
    edit(board.standings.get(team_name="Dora"), primary=0.99)
    with pytest.raises(CommandError) as error:
        call_command("verify_leaderboard", "--all")
    assert error.value.returncode == 1
    assert "row 4 (Dora), primary: stored 0.99, found 0.5" in capsys.readouterr().out
    with pytest.raises(CommandError, match="No such board") as error:
        call_command("verify_leaderboard", "nothing")
    assert error.value.returncode == 2
