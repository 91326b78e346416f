"""`/api/v1/openapi.json`: what the API takes and answers, written from its own address table."""

from __future__ import annotations

import re
from collections.abc import Sequence
from inspect import getdoc
from typing import Any

from django import forms
from django.http import HttpRequest, HttpResponse
from django.urls import URLPattern
from django.urls.converters import get_converters

from competition.enums import TokenScope
from competition.forms.runs import RunUploadForm
from competition.views.api_access import Endpoint, answer, api, gives, needs_no_token, revalidates, scope_of
from competition.views.api_schemas import SCHEMAS, TEXT, Schema, like

ABOUT = (
    "What a team's program needs: the same checks, codes, words and limits as the pages. "
    "Every answer that is no success has `error` with a `code` and a `message`."
)
GIVEN = {"ok": (200, "Found"), "made": (201, "Taken"), "faulty": (422, "Not taken; it says why")}
UNCHANGED = {"description": "You have it already: it is what the ETag you sent belongs to."}
REFUSALS = {
    "401": "No live token",
    "403": "Not with this token, or not without a team",
    "404": "Nothing here, or nothing this token may see",
    "429": "Too often",
    "503": "Busy, or the database does not answer",
    "default": "Any other refusal",
}
RETRY = {"Retry-After": {"schema": {"type": "integer", "minimum": 1}, "description": "Seconds"}}
IDEMPOTENCY = {
    "name": "Idempotency-Key",
    "in": "header",
    "schema": {"type": "string", "maxLength": 64},
    "description": "A request that was cut off can be repeated under its key: it never counts twice.",
}
IF_NONE_MATCH = {
    "name": "If-None-Match",
    "in": "header",
    "schema": TEXT,
    "description": "The ETag of an answer you have.",
}
PART = re.compile(r"<(\w+):(\w+)>")


def described(patterns: Sequence[URLPattern]) -> Endpoint:
    """The view that describes these addresses as they are when it is asked, its own included."""

    @needs_no_token
    @revalidates
    @gives(ok="OpenAPI")
    def show_description(request: HttpRequest, user: Any) -> HttpResponse:
        """This description, in OpenAPI 3.1."""
        return answer(document(patterns))

    return api(GET=show_description)


def document(patterns: Sequence[URLPattern]) -> dict[str, Any]:
    return {
        "openapi": "3.1.0",
        "info": {"title": "Podium", "version": "1", "description": ABOUT},
        "servers": [{"url": "/api/v1"}],
        "security": [{"token": []}],
        "paths": dict(_path(pattern) for pattern in patterns),
        "components": {
            "schemas": SCHEMAS,
            "securitySchemes": {
                "token": {
                    "type": "http",
                    "scheme": "bearer",
                    "description": "Made on the site, under your name, Tokens.",
                }
            },
        },
    }


def _path(pattern: URLPattern) -> tuple[str, dict[str, Any]]:
    route = str(pattern.pattern)
    parts = [_part(name, converter) for converter, name in PART.findall(route)]
    methods = pattern.callback.endpoints  # type: ignore[attr-defined]
    found = {method.lower(): _operation(endpoint) for method, endpoint in methods.items()}
    return "/" + PART.sub(r"{\2}", route), {**({"parameters": parts} if parts else {}), **found}


def _part(name: str, converter: str) -> dict[str, Any]:
    schema = {"type": "string", "pattern": f"^{get_converters()[converter].regex}$"}
    return {"name": name, "in": "path", "required": True, "schema": schema}


def _operation(endpoint: Endpoint) -> dict[str, Any]:
    scope = scope_of(endpoint)
    found: dict[str, Any] = {
        "operationId": endpoint.__name__,
        "summary": " ".join((getdoc(endpoint) or "").split()),
        "responses": _responses(endpoint),
    }
    headers = []
    if scope is None:
        found["security"] = []
    if scope == TokenScope.SUBMIT:
        found["description"] = "Needs a token that may submit."
        found["requestBody"] = {"required": True, "content": {"multipart/form-data": {"schema": _form()}}}
        headers.append(IDEMPOTENCY)
    if hasattr(endpoint, "revalidates"):
        headers.append(IF_NONE_MATCH)
    return {**found, **({"parameters": headers} if headers else {})}


def _responses(endpoint: Endpoint) -> dict[str, Any]:
    given = {GIVEN[name]: schema for name, schema in endpoint.gives.items()}  # type: ignore[attr-defined]
    found = {str(status): _response(words, schema) for (status, words), schema in given.items()}
    if hasattr(endpoint, "revalidates"):
        found["200"]["headers"] = {"ETag": {"schema": TEXT}}
        found["304"] = UNCHANGED
    if "201" in found:
        found["201"]["headers"] = {"Location": {"schema": TEXT}}
        found["409"] = _response("No run is taken now: the window, or the quota", "Error")
    refusals = {status: _response(words, "Error") for status, words in REFUSALS.items()}
    for status in ("429", "503"):
        refusals[status]["headers"] = RETRY
    return found | refusals


def _response(words: str, schema: str) -> dict[str, Any]:
    return {"description": words, "content": {"application/json": {"schema": like(schema)}}}


def _form() -> Schema:
    """The fields a run is sent with, as the form has them."""
    fields = RunUploadForm.base_fields
    return {
        "type": "object",
        "properties": {name: _field(field) for name, field in fields.items()},
        "required": [name for name, field in fields.items() if field.required],
    }


def _field(field: forms.Field) -> Schema:
    if isinstance(field, forms.FileField):
        return {"type": "string", "format": "binary", "description": str(field.label)}
    found: Schema = {"type": "string", "maxLength": getattr(field, "max_length", None)}
    if isinstance(field, forms.URLField):
        found["format"] = "uri"
    if field.help_text:
        found["description"] = str(field.help_text)
    return {key: value for key, value in found.items() if value is not None}
