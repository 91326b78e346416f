"""Holds what the API answers to what its description says."""

from __future__ import annotations

import json
import re
from datetime import datetime
from typing import Any

from django.test import Client
from jsonschema import Draft202012Validator, FormatChecker
from jsonschema.protocols import Validator

FORMATS = FormatChecker(formats=())


@FORMATS.checks("date-time", raises=ValueError)
def is_moment(value: object) -> bool:
    return not isinstance(value, str) or datetime.fromisoformat(value).tzinfo is not None


@FORMATS.checks("uri")
def is_full_address(value: object) -> bool:
    return not isinstance(value, str) or re.match(r"https?://[^/\s]+/\S*$", value) is not None


class Description:
    """The document as the site serves it. Programs must bear keys it does not name; here each is a fault."""

    def __init__(self) -> None:
        self.document: dict[str, Any] = json.loads(Client().get("/api/v1/openapi.json").content)
        self.met: set[tuple[str, str, str]] = set()

    @property
    def operations(self) -> dict[tuple[str, str], dict[str, Any]]:
        """(path, method) → what is said of it."""
        paths = self.document["paths"].items()
        return {
            (path, method.upper()): said
            for path, methods in paths
            for method, said in methods.items()
            if method != "parameters"
        }

    def hold(self, answer: Any) -> Any:
        """Raise where an answer is none the description allows; returns its JSON."""
        path, method = self._place_of(answer)
        responses = self.operations[path, method]["responses"]
        status = str(answer.status_code)
        said = responses.get(status, responses["default"])
        self.met.add((path, method, status))
        if "content" not in said:
            assert answer.content == b"", (path, status)
            return None
        assert answer["Content-Type"] == "application/json", (path, status)
        content = json.loads(answer.content)
        schema = said["content"]["application/json"]["schema"]
        faults = [f"{path} {status} {one.json_path}: {one.message}" for one in self._faults(schema, content)]
        assert not faults, "\n".join(faults[:10])
        for name in said.get("headers", {}):
            assert name in answer, (path, status, name)
        return content

    def _place_of(self, answer: Any) -> tuple[str, str]:
        address = answer.wsgi_request.path.removeprefix("/api/v1")
        method = answer.wsgi_request.method
        for path, known in self.operations:
            if known == method and re.fullmatch(re.sub(r"{\w+}", "[^/]+", path), address):
                return path, method
        raise AssertionError(f"{method} {address} is not described.")

    def _faults(self, schema: dict[str, Any], content: Any) -> list[Any]:
        whole = {"components": closed(self.document["components"]), **closed(schema)}
        validator: Validator = Draft202012Validator(whole, format_checker=FORMATS)
        return list(validator.iter_errors(content))


def closed(schema: Any) -> Any:
    """The same schema, where no object may have a key it does not name."""
    if isinstance(schema, list):
        return [closed(one) for one in schema]
    if not isinstance(schema, dict):
        return schema
    shut = {key: closed(value) for key, value in schema.items()}
    return {"additionalProperties": False, **shut} if "properties" in schema else shut
