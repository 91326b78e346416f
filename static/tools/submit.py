#!/usr/bin/env python3
"""Send a run to a Podium site from a script: one file, Python 3.9 or newer, nothing to install.

    export PODIUM_TOKEN=podium_...          # made on the site, under your name, Tokens
    python submit.py run.jsonl --site https://podium.example.org --task ebisu --track answers --phase test

Ends with 0 when the run was taken, with --wait also scored; 1 when the file was refused; 2 for anything else.
A send that was cut off is repeated under the same key, so it never counts twice.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import time
import urllib.error
import urllib.request
import uuid
from typing import Any, NoReturn

TRIES = 4
PATIENCE = 60
Answer = tuple[int, dict[str, str], dict[str, Any]]


def main(arguments: list[str] | None = None) -> int:
    options = read_arguments(arguments)
    token = os.environ.get("PODIUM_TOKEN", "")
    try:
        with open(options.file, "rb") as file:
            content = file.read()
    except OSError as error:
        stop(f"{options.file}: {error.strerror}")
    site = options.site.rstrip("/")
    if options.dry_run:
        address = f"{site}/tasks/{options.task}/{options.track}/check/?phase={options.phase}&as=json"
        return say_report(post(address, content, options, "", ""))
    if not token:
        stop("Set PODIUM_TOKEN to a token that may submit: the site's page of your account makes one.")
    address = f"{site}/api/v1/tasks/{options.task}/{options.track}/{options.phase}/submissions/"
    status, _, answer = post(address, content, options, token, str(uuid.uuid4()))
    if status == 422 and "report" in answer:
        return say_report((status, {}, answer["report"]))
    if status not in (200, 201):
        stop(what_was_wrong(status, answer))
    print(f"Run {answer['number']} of {answer['team']}, {answer['lines']} lines, {answer['received_at']}")
    print(f"SHA-256 {answer['sha256']}")
    if status == 200:
        print("The site had this very file already: that is its receipt, and no further attempt was used.")
    print(answer["page"])
    return follow(answer, token) if options.wait else 0


def read_arguments(arguments: list[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Send a run to a Podium site.")
    parser.add_argument("file")
    for name in ("site", "task", "track", "phase"):
        parser.add_argument(f"--{name}", required=True)
    parser.add_argument("--name", default="", help="the run's name, for your team")
    parser.add_argument("-m", "--method", default="", help="a sentence or two about the method")
    parser.add_argument(
        "--dry-run", action="store_true", help="only check the file; nothing is sent or counted"
    )
    parser.add_argument("--wait", action="store_true", help="wait until the run is scored")
    return parser.parse_args(arguments)


def post(address: str, content: bytes, options: argparse.Namespace, token: str, key: str) -> Answer:
    fields = {"run_name": options.name, "method": options.method}
    body, content_type = multipart(fields, os.path.basename(options.file), content)
    headers = {"Content-Type": content_type}
    if key:
        headers["Idempotency-Key"] = key
    return ask(address, token, body, headers)


def multipart(fields: dict[str, str], name: str, content: bytes) -> tuple[bytes, str]:
    """A form with one file, as a browser sends it."""
    boundary = uuid.uuid4().hex
    parts = []
    for field, value in fields.items():
        parts.append(
            f'--{boundary}\r\nContent-Disposition: form-data; name="{field}"\r\n\r\n{value}\r\n'.encode()
        )
    safe = "".join(letter if letter.isprintable() and letter not in '"\\' else "_" for letter in name)
    head = f'--{boundary}\r\nContent-Disposition: form-data; name="file"; filename="{safe}"\r\n'
    parts.append(f"{head}Content-Type: application/jsonl\r\n\r\n".encode() + content)
    parts.append(f"\r\n--{boundary}--\r\n".encode())
    return b"".join(parts), f"multipart/form-data; boundary={boundary}"


def ask(address: str, token: str, body: bytes | None = None, headers: dict[str, str] | None = None) -> Answer:
    """One answer; a site that is away or busy is asked again, after the time it names."""
    sent = {**(headers or {}), "Accept": "application/json"}
    if token:
        sent["Authorization"] = f"Bearer {token}"
    said = "The site does not answer."
    for number in range(TRIES):
        try:
            request = urllib.request.Request(address, data=body, headers=sent)
            with urllib.request.urlopen(request, timeout=PATIENCE) as answer:
                return answer.status, dict(answer.headers), json.loads(answer.read())
        except urllib.error.HTTPError as error:
            if error.code in (429, 502, 503, 504) and number + 1 < TRIES:
                time.sleep(min(float(error.headers.get("Retry-After") or 2**number), PATIENCE))
                continue
            try:
                return error.code, dict(error.headers), json.loads(error.read())
            except ValueError:
                stop(f"The site answered {error.code}.")
        except (urllib.error.URLError, OSError, ValueError) as error:
            said = f"The site does not answer: {error}"
            if body and isinstance(getattr(error, "reason", error), (BrokenPipeError, ConnectionResetError)):
                said = (
                    f"The site stopped reading. Are {len(body) / 1048576:.1f} MiB more than a run may have?"
                )
            time.sleep(2**number if number + 1 < TRIES else 0)
    stop(said)


def follow(answer: dict[str, Any], token: str) -> int:
    """Look again, ever more slowly, until the run is scored or failed."""
    pause = 2.0
    while not answer["final"]:
        print(answer["sentence"], flush=True)
        time.sleep(pause)
        pause = min(pause * 1.5, 10)
        status, _, answer = ask(answer["url"], token)
        if status != 200:
            stop(f"The site answered {status}.")
    print(answer["sentence"])
    for name, value in (answer["scores"] or {}).items():
        print(f"{name}\t{value}")
    return 2 if answer["state"] == "failed" else 0


def what_was_wrong(status: int, answer: dict[str, Any]) -> str:
    """What the site says of a request it did not take, field by field where it tells fields."""
    error = answer.get("error") or f"The site answered {status}."
    if not isinstance(error, dict):
        return str(error)
    said = [f"{name}: {' '.join(faults)}" for name, faults in error.get("fields", {}).items()]
    return "\n".join([error.get("message", f"The site answered {status}."), *said])


def say_report(answer: Answer) -> int:
    """The problems of a file, a line each; as the validator ends, 1 when there are errors."""
    status, _, report = answer
    if "problems" not in report:
        stop(what_was_wrong(status, report))
    for problem in report["problems"]:
        where = f"line {problem['line']}" if problem["line"] else "no line"
        item, hint = problem["item_id"] or "", problem["hint"] or ""
        print(f"{problem['code']} {where} {item} {problem['message']} {hint}")
    print("VALID" if report["ok"] else "INVALID: nothing was counted.")
    return 0 if report["ok"] else 1


def stop(sentence: str) -> NoReturn:
    print(sentence, file=sys.stderr)
    raise SystemExit(2)


if __name__ == "__main__":
    sys.exit(main())
