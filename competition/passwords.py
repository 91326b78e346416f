"""One hash says which account of an address a password opens.

Accounts of one address share the salt. With a salt each, a log-in would take one hash for every account: who
measures would learn how many there are, and who signs up a thousand times would keep the first from logging
in. `docs/decisions/0011-an-address-proves-nothing.md` says why an address may have several.
"""

from __future__ import annotations

from collections.abc import Iterable

from django.contrib.auth.hashers import identify_hasher, is_password_usable, make_password
from django.utils.crypto import constant_time_compare


def hash_like(password: str, other: str) -> str:
    """The hash of a password with the salt and the work of another hash."""
    hasher = identify_hasher(other)
    decoded = hasher.decode(other)
    work = {"iterations": decoded["iterations"]} if "iterations" in decoded else {}
    return hasher.encode(password, decoded["salt"], **work)


def first_opened(password: str, hashes: Iterable[str]) -> int | None:
    """The place of the first hash that is of this password. Takes as long where there is none at all."""
    made: dict[str, str] = {}
    found = None
    for place, one in enumerate(hashes):
        if not is_password_usable(one):
            continue
        alike, _, _ = one.rpartition("$")
        if alike not in made:
            made[alike] = hash_like(password, one)
            if is_outdated(one):
                identify_hasher(one).harden_runtime(password, one)  # no less work than a new hash
        if found is None and constant_time_compare(made[alike], one):
            found = place
    if not made:
        make_password(password)
    return found


def is_outdated(encoded: str) -> bool:
    """Whether a new hash would take more work than this one."""
    return identify_hasher(encoded).must_update(encoded)
