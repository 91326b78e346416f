"""Deleting one's account: who it was goes, what it did stays."""

from __future__ import annotations

from typing import Any

import pytest
from allauth.account.models import EmailAddress
from allauth.mfa.models import Authenticator
from allauth.mfa.totp.internal.auth import TOTP
from django.core import serializers
from django.test import Client

from competition.domain.accounts import delete_account
from competition.domain.tokens import create_token
from competition.exceptions import NotAllowed
from competition.models import AuditEntry, Membership, Submission, Team, User
from tests.support.builders import PASSWORD, make_submission, make_superuser, make_user
from tests.support.pages import Scene, make_scene

pytestmark = [pytest.mark.django_db, pytest.mark.both]


@pytest.fixture
def scene() -> Scene:
    return make_scene()


def confirm(client: Client) -> Any:
    where = "/accounts/delete/"
    return client.post("/accounts/reauthenticate/", {"password": PASSWORD, "next": where}, follow=True)


def test_the_password_comes_first_and_then_all_is_gone(scene: Scene) -> None:
    user = make_user("zoe", display_name="Zoe Zarathustra")
    TOTP.activate(user, "A" * 32)
    secret = create_token(user=user, name="cluster", scope="submit").secret
    Membership.objects.create(team=scene.team, user=user, task=scene.task, joined_at=scene.dev.opens_at)
    run = make_submission(scene.team, scene.dev, scene.track, submitted_by=user)
    client, elsewhere = scene.as_(user), scene.as_(user)
    assert "Aegean" in client.get("/accounts/delete/").content.decode()
    assert client.post("/accounts/delete/")["Location"].startswith("/accounts/reauthenticate/")
    assert User.objects.get(pk=user.pk).is_active, "not yet"
    page = confirm(client).content.decode()
    assert "Your account is deleted." in page
    assert "_auth_user_id" not in client.session
    assert elsewhere.get("/accounts/email/").status_code == 302, "every session ends"
    gone = User.objects.get(pk=user.pk)
    assert (str(gone), gone.email, gone.is_active, gone.has_usable_password()) == (
        "former member",
        "",
        False,
        False,
    )
    assert not EmailAddress.objects.filter(user=gone).exists()
    assert not Authenticator.objects.filter(user=gone).exists()
    assert Client().get("/api/v1/tasks/", headers={"Authorization": f"Bearer {secret}"}).status_code == 401
    assert not scene.team.memberships.filter(user=gone, left_at=None).exists()
    assert Submission.objects.get(pk=run.pk).submitted_by == gone
    everything = [
        *User.objects.all(),
        *AuditEntry.objects.all(),
        *Team.objects.all(),
        *Submission.objects.all(),
    ]
    kept = serializers.serialize("json", everything).lower()
    assert "zoe" not in kept
    assert "zarathustra" not in kept
    assert "former member" in scene.as_(scene.lead).get(scene.team.get_absolute_url()).content.decode()


def test_the_address_is_free_again(scene: Scene) -> None:
    user = make_user("zoe")
    delete_account(user=user)
    assert make_user("zoe").pk != user.pk
    failed = Client().post("/accounts/login/", {"login": "zoe@example.org", "password": "wrong"})
    assert failed.status_code == 200


def test_a_captain_with_team_mates_hands_over_first(scene: Scene) -> None:
    client = scene.as_(scene.lead)
    client.post("/accounts/delete/")
    assert "hand the team over first" in confirm(client).content.decode()
    assert User.objects.get(pk=scene.lead.pk).is_active
    assert scene.team.memberships.filter(left_at=None).count() == 2


def test_a_team_of_one_stays_without_its_person(scene: Scene) -> None:
    delete_account(user=scene.rival)
    scene.rivals.refresh_from_db()
    assert (scene.rivals.captain, scene.rivals.contact) == (None, "")
    assert not scene.rivals.memberships.filter(left_at=None).exists()


def test_organizers_give_their_role_back_first(scene: Scene) -> None:
    for person in (scene.organizer, make_superuser()):
        with pytest.raises(NotAllowed):
            delete_account(user=person)
        assert User.objects.get(pk=person.pk).is_active


def test_looking_at_the_page_changes_nothing(scene: Scene) -> None:
    scene.as_(scene.teammate).get("/accounts/delete/")
    assert User.objects.get(pk=scene.teammate.pk).is_active
    assert Client().get("/accounts/delete/").status_code == 302
