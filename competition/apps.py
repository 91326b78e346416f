"""What the app does when Django starts, and after each migrate."""

from __future__ import annotations

from typing import Any

from django.apps import AppConfig
from django.db.models.signals import post_migrate


class CompetitionConfig(AppConfig):
    name = "competition"
    verbose_name = "Competition"

    def ready(self) -> None:
        from allauth.account.signals import password_reset
        from allauth.mfa.signals import authenticator_added
        from django.contrib.auth.signals import user_logged_in
        from django.db.models.signals import post_save

        from competition import bell
        from competition.domain.accounts import end_tokens, keep_address
        from competition.middleware import note_log_in
        from competition.views.second_factor import count_as_shown

        post_migrate.connect(prepare_database, sender=self)
        post_save.connect(keep_address, sender="competition.User")
        password_reset.connect(end_tokens)
        authenticator_added.connect(count_as_shown)
        user_logged_in.connect(note_log_in)
        bell.install()


def prepare_database(*, using: str, verbosity: int = 1, **_: Any) -> None:
    """Install the guards of frozen tables and the table of the shared cache.

    After every migrate, not in a migration: SQLite remakes a table that is altered, and
    its triggers go with it.
    """
    from django.core.management import call_command
    from django.db import connections

    from competition import triggers

    triggers.install(connections[using])
    call_command("createcachetable", database=using, verbosity=max(verbosity - 1, 0))
