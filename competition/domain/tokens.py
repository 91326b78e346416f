"""Tokens for programs: made, shown once, found by their digest, revoked."""

from __future__ import annotations

import secrets
from datetime import datetime, timedelta
from typing import NamedTuple

from django.core.cache import cache
from django.db import transaction

from competition import clock
from competition.domain import audit
from competition.domain.digests import token_digest
from competition.exceptions import NotAllowed, Refused
from competition.models import ApiToken, User

MOST_TOKENS = 20
PREFIX = "podium_"
"""So that a token left in a public file is recognised by those who scan for them."""

NOTED_EVERY = timedelta(minutes=1)
NOTES_KEPT = 7 * 24 * 3_600


class Made(NamedTuple):
    """`secret` is kept nowhere: it can be shown this once."""

    token: ApiToken
    secret: str


@transaction.atomic
def create_token(*, user: User, name: str, scope: str) -> Made:
    """A token that reads, or reads and submits, in this person's name. Raises Refused beyond twenty."""
    User.objects.select_for_update().get(pk=user.pk)
    if ApiToken.objects.of(user).live().count() >= MOST_TOKENS:
        raise Refused(f"You have {MOST_TOKENS} tokens already. Revoke one you no longer use.")
    secret = PREFIX + secrets.token_urlsafe(32)
    token = ApiToken.objects.create(
        user=user, name=name, scope=scope, token_digest=token_digest(secret), ending=secret[-4:]
    )
    audit.record(actor=user, action="token made", target=token, after={"scope": scope})
    return Made(token, secret)


@transaction.atomic
def revoke_token(*, token: ApiToken, revoked_by: User) -> ApiToken:
    """From the next request on it opens nothing. Twice changes nothing."""
    if token.user_id != revoked_by.pk:
        raise NotAllowed("Only its owner revokes a token.")
    moment = clock.now()
    if ApiToken.objects.filter(pk=token.pk, revoked_at=None).update(revoked_at=moment):
        audit.record(actor=revoked_by, action="token revoked", target=token, at=moment)
    token.refresh_from_db()
    return token


def find_token(secret: str, *, moment: datetime) -> ApiToken | None:
    """The live token of an active account, and a note that it was used; None for any other text.

    The note lies in the cache until a sweep writes it down: a program that only reads changes no row.
    """
    digest = token_digest(secret)
    token = ApiToken.objects.live().filter(token_digest=digest).select_related("user").first()
    if token is not None and (token.last_used_at is None or moment - token.last_used_at >= NOTED_EVERY):
        cache.add(_note_of(token.pk), moment, timeout=NOTES_KEPT)
    return token


def write_down_uses() -> int:
    """Give each token that was used since the last sweep its moment; returns how many there were."""
    noted = {_note_of(pk): pk for pk in ApiToken.objects.live().values_list("pk", flat=True)}
    found = cache.get_many(noted)
    for note, moment in found.items():
        ApiToken.objects.filter(pk=noted[note]).update(last_used_at=moment)
    cache.delete_many(list(found))
    return len(found)


def _note_of(token: int) -> str:
    return f"token-used:{token}"
