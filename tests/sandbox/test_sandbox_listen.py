"""The one way out of a sandbox: a socket that listens inside and is answered outside."""

from __future__ import annotations

import socket
import threading
from collections.abc import Callable
from typing import Any

import pytest

from referee.sandbox.session import SandboxDown

CONNECT = """
import socket
for port in PORTS:
    try:
        with socket.create_connection(("127.0.0.1", port), timeout=3) as s:
            s.sendall(b"from inside\\n")
            print(s.makefile().readline().strip())
    except OSError as error:
        print(type(error).__name__)
"""


def to(*ports: int) -> str:
    return CONNECT.replace("PORTS", str(list(ports)))


def answer_once(listener: socket.socket, heard: list[bytes]) -> threading.Thread:
    def serve() -> None:
        with listener:
            connection, _address = listener.accept()
            with connection:
                heard.append(connection.recv(64))
                connection.sendall(b"from outside\n")

    thread = threading.Thread(target=serve)
    thread.start()
    return thread


def test_what_connects_inside_is_answered_outside(place: Any) -> None:
    heard: list[bytes] = []
    thread = answer_once(place.sandbox.listen(18711), heard)
    done = place.python(to(18711))
    thread.join(5)
    assert done.stdout == b"from outside\n"
    assert heard == [b"from inside\n"]


def test_other_ports_and_the_hosts_own_are_out_of_reach(place: Any) -> None:
    with socket.create_server(("127.0.0.1", 0)) as outside:
        port = outside.getsockname()[1]
        with place.sandbox.listen(18711):
            done = place.python(to(port, 18712))
    assert done.stdout.split() == [b"ConnectionRefusedError"] * 2


def test_a_port_that_is_taken_and_a_sandbox_that_has_ended(place: Any) -> None:
    with place.sandbox.listen(18711), pytest.raises(OSError, match="in use"):
        place.sandbox.listen(18711)
    place.sandbox.stop()
    with pytest.raises(SandboxDown):
        place.sandbox.listen(18713)


def test_two_sandboxes_have_the_same_port_each_for_itself(make: Callable[..., Any]) -> None:
    first, second = make(), make()
    heard: list[bytes] = []
    thread = answer_once(first.sandbox.listen(18711), heard)
    assert second.python(to(18711)).stdout == b"ConnectionRefusedError\n"
    assert first.python(to(18711)).stdout == b"from outside\n"
    thread.join(5)
