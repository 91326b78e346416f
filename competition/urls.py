"""Addresses: the organizers' desk, accounts, and the site's own pages."""

from __future__ import annotations

from django.urls import include, path

from competition.admin import desk

urlpatterns = [
    path("admin/", desk.urls),
    path("accounts/", include("competition.views.account_urls")),
    path("accounts/", include("allauth.urls")),
    path("api/v1/", include("competition.views.api_urls")),
    path("", include("competition.views.urls")),
]

handler400 = "competition.views.errors.bad_request"
handler403 = "competition.views.errors.forbidden"
handler429 = "competition.views.errors.too_many"  # django-allauth asks for it
handler404 = "competition.views.errors.not_found"
handler500 = "competition.views.errors.server_error"
