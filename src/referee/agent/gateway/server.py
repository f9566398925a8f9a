"""A gateway that serves one trial, in a thread of its own, on a socket that it is given."""

from __future__ import annotations

import contextlib
import socket
import threading
import time
from collections.abc import Iterator

from referee.agent.gateway.app import Access, gateway_app
from referee.record.fault import Infrastructure

_START_S = 10.0
_STOP_S = 10.0


@contextlib.contextmanager
def serving(access: Access, listener: socket.socket) -> Iterator[None]:
    """Serve `access` on a listening socket until the end of the block; the socket is closed.

    Raises:
        Infrastructure: `gateway_start`, when it does not come up.
    """
    import uvicorn

    # connections inherit it; without it, the small pieces of a stream wait for acknowledgements
    listener.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    config = uvicorn.Config(
        gateway_app(access),
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


def _wait_until_started(server: object, thread: threading.Thread) -> None:
    deadline = time.monotonic() + _START_S
    while not getattr(server, "started", False):
        if not thread.is_alive() or time.monotonic() > deadline:
            raise Infrastructure("gateway_start", "the model gateway did not come up")
        time.sleep(0.005)
