"""A port for a program that is told its number and opens it by itself."""

from __future__ import annotations

import socket

HERE = "127.0.0.1"


def free_port() -> int:
    """A port nobody listens on, and that this machine gives to nobody else for the next minute.

    A port that was only looked at may be gone before the program starts. Over this one a connection has just
    ended: the system draws no such port, and a server that asks for its very number gets it all the same.
    """
    with socket.create_server((HERE, 0)) as server:
        port = int(server.getsockname()[1])
        with socket.create_connection((HERE, port)) as caller:
            answered, _ = server.accept()
            answered.close()  # who hangs up first is remembered
            caller.recv(1)
    return port
