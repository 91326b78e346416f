"""`python -m competition.operations.secrets FOLDER`: the secrets of a new site, each made once and kept.

It reads no settings, since those refuse to load without a secret. Files that exist stay as they are.
"""

from __future__ import annotations

import secrets
import sys
from pathlib import Path

POSTGRES, REDIS = "postgres:5432", "redis:6379"
"""Where the services stand in compose.yaml."""


def make(folder: Path) -> list[str]:
    """Write what is missing; returns the names written."""
    made: list[str] = []

    def once(name: str, content: str) -> str:
        path = folder / name
        if not path.exists():
            path.write_text(content)
            path.chmod(0o444)  # other services read it, each under a user of its own
            made.append(name)
        return path.read_text()

    once("secret_key", secrets.token_urlsafe(48))
    postgres = once("postgres_password", secrets.token_hex(24))
    redis = once("redis_password", secrets.token_hex(24))
    once("database_url", f"postgres://podium:{postgres}@{POSTGRES}/podium")
    once("redis_url", f"redis://:{redis}@{REDIS}/0")
    once("redis.conf", f'requirepass {redis}\nsave ""\nappendonly no\nmaxmemory-policy noeviction\n')
    return made


if __name__ == "__main__":
    written = make(Path(sys.argv[1]))
    print(f"made: {', '.join(written) or 'nothing, all is there'}")
