"""Redis may be away. Whoever asks it waits a moment at most, and then leaves it alone for a while."""

from __future__ import annotations

import logging
import time
from typing import Any

from django.core.cache.backends.redis import RedisCache
from redis import RedisError
from redis.backoff import NoBackoff
from redis.retry import Retry

log = logging.getLogger(__name__)

CONNECT_SECONDS = 0.5
ANSWER_SECONDS = 2.0
LEFT_ALONE_SECONDS = 5.0

BOUNDED: dict[str, Any] = {
    "socket_connect_timeout": CONNECT_SECONDS,
    "socket_timeout": ANSWER_SECONDS,
    "retry": Retry(NoBackoff(), 0),
}
"""Options of every connection to Redis: the library's own patience is minutes."""


class Breaker:
    """Opens when Redis does not answer; until it closes again nobody waits for Redis in this process."""

    def __init__(self) -> None:
        self._until = 0.0

    @property
    def is_open(self) -> bool:
        return time.monotonic() < self._until

    def trip(self, what: str, error: Exception) -> None:
        self._until = time.monotonic() + LEFT_ALONE_SECONDS
        log.warning("Redis does not answer (%s): %s", what, type(error).__name__)

    def close(self) -> None:
        self._until = 0.0


breaker = Breaker()


class ForgivingRedisCache(RedisCache):
    """The shared cache. While Redis is away it is empty and remembers nothing: limits are not held, pages go
    on. What must be counted exactly is counted in the database.
    """

    def get(self, key: Any, default: Any = None, version: Any = None) -> Any:
        return self._ask("get", default, key, default, version=version)

    def add(self, key: Any, value: Any, timeout: Any = -1, version: Any = None) -> bool:
        return bool(self._ask("add", True, key, value, version=version, **_given(timeout)))

    def set(self, key: Any, value: Any, timeout: Any = -1, version: Any = None) -> None:
        self._ask("set", None, key, value, version=version, **_given(timeout))

    def touch(self, key: Any, timeout: Any = -1, version: Any = None) -> bool:
        return bool(self._ask("touch", False, key, version=version, **_given(timeout)))

    def delete(self, key: Any, version: Any = None) -> bool:
        return bool(self._ask("delete", False, key, version=version))

    def has_key(self, key: Any, version: Any = None) -> bool:
        return bool(self._ask("has_key", False, key, version=version))

    def incr(self, key: Any, delta: int = 1, version: Any = None) -> Any:
        return self._ask("incr", delta, key, delta, version=version)

    def get_many(self, keys: Any, version: Any = None) -> dict[Any, Any]:
        return dict(self._ask("get_many", {}, keys, version=version))

    def set_many(self, data: Any, timeout: Any = -1, version: Any = None) -> list[Any]:
        return list(self._ask("set_many", [], data, version=version, **_given(timeout)))

    def delete_many(self, keys: Any, version: Any = None) -> None:
        self._ask("delete_many", None, keys, version=version)

    def clear(self) -> None:
        self._ask("clear", None)

    def _ask(self, name: str, otherwise: Any, *arguments: Any, **named: Any) -> Any:
        if breaker.is_open:
            return otherwise
        try:
            return getattr(super(), name)(*arguments, **named)
        except RedisError as error:
            breaker.trip("cache", error)
            return otherwise


def _given(timeout: Any) -> dict[str, Any]:
    """-1 stands for "as configured", which Django marks with an object of its own."""
    return {} if timeout == -1 else {"timeout": timeout}
