"""A gateway that serves one trial, in a thread of its own, on a socket that it is given."""

from __future__ import annotations

import asyncio
import contextlib
import resource
import socket
import threading
import time
from collections.abc import Iterator

from referee.agent.gateway.app import Access, gateway_app
from referee.record.fault import Infrastructure

MOST_CONNECTIONS = 512
_START_S = 10.0
_STOP_S = 15.0


@contextlib.contextmanager
def serving(access: Access, listener: socket.socket) -> Iterator[None]:
    """Serve `access` on a listening socket until the end of the block; the socket is closed.

    Raises:
        Infrastructure: `gateway_start`, when it does not come up.
    """
    import uvicorn

    _allow_connections()
    # connections inherit it; without it, the small pieces of a stream wait for acknowledgements
    listener.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    config = uvicorn.Config(
        gateway_app(access),
        http=_bounded_protocol(),
        log_config=None,
        access_log=False,
        ws="none",
        proxy_headers=False,
        server_header=False,
        lifespan="on",
        timeout_graceful_shutdown=2,
    )
    server = uvicorn.Server(config)
    thread = threading.Thread(
        target=server.run, kwargs={"sockets": [listener]}, name="gateway", daemon=True
    )
    thread.start()
    try:
        _wait_until_started(server, thread)
        yield
    finally:
        server.should_exit = True
        thread.join(_STOP_S)
        listener.close()
        access.log.close()


def _bounded_protocol() -> type[asyncio.Protocol]:
    """HTTP connections of which there are only so many: each is a descriptor of ours, and what runs
    in the sandbox may open as many as it likes."""
    from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

    class Bounded(HttpToolsProtocol):
        def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
            super().connection_made(transport)
            if len(self.connections) > MOST_CONNECTIONS:
                transport.abort()

    return Bounded


def _allow_connections() -> None:
    """Room for the descriptors of several gateways beside our own files."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = 16 * MOST_CONNECTIONS
    top = wanted if hard == resource.RLIM_INFINITY else min(wanted, hard)
    if soft != resource.RLIM_INFINITY and soft < top:
        resource.setrlimit(resource.RLIMIT_NOFILE, (top, hard))


def _wait_until_started(server: object, thread: threading.Thread) -> None:
    deadline = time.monotonic() + _START_S
    while not getattr(server, "started", False):
        if not thread.is_alive() or time.monotonic() > deadline:
            raise Infrastructure("gateway_start", "the model gateway did not come up")
        time.sleep(0.005)
