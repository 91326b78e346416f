"""No test reaches past this machine."""

from __future__ import annotations

import ipaddress
import socket
from typing import Any


class OutsideWorld(Exception):
    """A test tried to reach a host that is not this machine."""


def is_here(host: str) -> bool:
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host.partition("%")[0]).is_loopback
    except ValueError:
        return False


def _refuse_outside(address: Any) -> None:
    if isinstance(address, tuple) and not is_here(str(address[0])):
        raise OutsideWorld(f"Tests may not connect to {address[0]}.")


def stay_inside() -> None:
    """From here on, a connection or a look-up that leaves this machine raises OutsideWorld."""
    look_up = socket.getaddrinfo

    class Socket(socket.socket):
        def connect(self, address: Any) -> None:
            _refuse_outside(address)
            super().connect(address)

        def connect_ex(self, address: Any) -> int:
            _refuse_outside(address)
            return super().connect_ex(address)

    def look_up_here(host: Any, *arguments: Any, **options: Any) -> Any:
        name = host.decode() if isinstance(host, bytes) else host
        if name and not is_here(name):
            raise OutsideWorld(f"Tests may not look up {name}.")
        return look_up(host, *arguments, **options)

    socket.socket = Socket
    socket.getaddrinfo = look_up_here
