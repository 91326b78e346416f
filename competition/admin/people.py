"""People and the audit log on the desk."""

from __future__ import annotations

from typing import Any

from allauth.account.models import EmailAddress
from django.contrib import admin
from django.db.models import Exists, Model, OuterRef
from django.db.models.functions import Lower
from django.http import HttpRequest

from competition import rules
from competition.admin.scope import Own, ReadOnlyAdmin, ScopedAdmin
from competition.admin.site import desk
from competition.models import AuditEntry, SharedTask, User


@admin.register(User, site=desk)
class UserAdmin(ScopedAdmin):
    """Superusers only: addresses are nobody else's business. Passwords are reset by their owners."""

    list_display = [
        *("email", "address", "display_name", "public_id"),
        *("is_active", "is_staff", "is_superuser", "date_joined"),
    ]
    list_filter = ["is_active", "is_staff", "is_superuser"]
    search_fields = ["email", "display_name", "public_id"]
    fields = ["email", "display_name", "is_active", "is_staff", "is_superuser", "public_id", "date_joined"]
    readonly_fields = ["email", "public_id", "date_joined", "is_superuser"]

    def get_queryset(self, request: HttpRequest) -> Any:
        if not rules.is_superuser(request.user):
            return User.objects.none()
        own = EmailAddress.objects.filter(user=OuterRef("pk"), email=Lower(OuterRef("email")))
        others = EmailAddress.objects.filter(email=Lower(OuterRef("email"))).exclude(user=OuterRef("pk"))
        return User.objects.annotate(verified=Exists(own.filter(verified=True)), shared=Exists(others))

    @admin.display(description="address is")
    def address(self, user: Any) -> str:
        """Whether it says who somebody is: nobody is to be taken for another who has the same."""
        return "verified" if user.verified else "other accounts' too" if user.shared else "unverified"

    def task_of(self, row: Any) -> SharedTask:
        raise LookupError("People belong to no shared task.")

    def may(self, request: HttpRequest, row: Model | None) -> bool:
        return rules.is_superuser(request.user)

    def has_module_permission(self, request: HttpRequest) -> bool:
        return rules.is_superuser(request.user)

    def has_add_permission(self, request: HttpRequest) -> bool:
        """People sign up themselves, or `manage.py create_organizer` makes the first one."""
        return False


@admin.register(AuditEntry, site=desk)
class AuditEntryAdmin(ReadOnlyAdmin):
    list_display = ["at", "actor", "action", "target_type", "target_id", "task", "reason"]
    list_filter = [("task", Own), "action"]
    list_select_related = ["actor", "task"]
    search_fields = ["target_id", "reason", "request_id"]
    date_hierarchy = "at"
