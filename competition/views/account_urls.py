"""Addresses of the account that are ours; they stand before django-allauth's."""

from __future__ import annotations

from django.urls import path

from competition.views import accounts, tokens

urlpatterns = [
    path("signup/", accounts.SignUp.as_view(), name="account_signup"),
    path("delete/", accounts.delete, name="delete_account"),
    path("tokens/", tokens.tokens, name="api_tokens"),
    path("tokens/<slug:public_id>/revoke/", tokens.revoke, name="revoke_token"),
]
