"""Asks whether a known vulnerability touches what a lock pins: `python .ci/audit.py requirements.txt`.

Exit 1 when one does. Where the service cannot be asked, in whole or in part, it says so in capitals: a
quiet pass would be a lie, and a failure would tie every change to somebody else's network.
"""

from __future__ import annotations

import json
import subprocess
import sys


def ask(lock: str) -> list[dict]:
    """What pip-audit found, one entry a package; empty when it could not answer."""
    options = ["--require-hashes", "--disable-pip", "--progress-spinner=off", "--format=json"]
    asked = subprocess.run(
        [sys.executable, "-m", "pip_audit", "--requirement", lock, *options], capture_output=True, text=True
    )
    try:
        return json.loads(asked.stdout)["dependencies"]
    except (KeyError, ValueError):
        print(asked.stderr[-1000:], file=sys.stderr)
        return []


def main(lock: str) -> int:
    packages = ask(lock)
    judged = [package for package in packages if "vulns" in package]
    hit = [(package, found) for package in judged for found in package["vulns"]]
    for package, found in hit:
        fixed = ", ".join(found["fix_versions"]) or "no version yet"
        print(f"{package['name']} {package['version']}: {found['id']}, fixed in {fixed}")
    if not judged or len(judged) < len(packages):
        known = f"{len(packages) - len(judged)} of {len(packages)} packages" if packages else "any package"
        print(f"NOT AUDITED: the vulnerability service could not be asked about {known} in {lock}.")
    else:
        print(f"{lock}: {len(judged)} packages audited, {len(hit)} known vulnerabilities.")
    return 1 if hit else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
