"""Addresses of the account that are ours; they stand before django-allauth's."""

from __future__ import annotations

from django.urls import path, re_path

from competition.views import accounts, tokens

urlpatterns = [
    path("signup/", accounts.SignUp.as_view(), name="account_signup"),
    re_path(
        r"^confirm-email/(?P<key>[-:\w]+)/$", accounts.ConfirmAddress.as_view(), name="account_confirm_email"
    ),
    path("email/", accounts.email, name="account_email"),
    path("password/reset/", accounts.PasswordReset.as_view(), name="account_reset_password"),
    path("delete/", accounts.delete, name="delete_account"),
    path("tokens/", tokens.tokens, name="api_tokens"),
    path("tokens/<slug:public_id>/revoke/", tokens.revoke, name="revoke_token"),
]
