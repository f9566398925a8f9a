"""One HTTP request to an upstream, and its answer in pieces; what fails says so in one way."""

from __future__ import annotations

import asyncio
import contextlib
import os
from collections.abc import AsyncIterator, Mapping
from urllib.parse import urlsplit

import aiohttp
import httpx

from referee import __version__
from referee.agent.gateway.patience import Patience

_LONGEST_HEADER = 64 << 10
_KEPT_ALIVE_S = 5.0
_OWN_HEADERS = {
    # without it, some would send an answer packed
    "accept-encoding": "identity",
    "user-agent": f"referee/{__version__}",
}


class Broken(Exception):
    """An exchange with the upstream failed; the text is fit for an agent and a record."""


@contextlib.asynccontextmanager
async def upstream_session(patience: Patience) -> AsyncIterator[aiohttp.ClientSession]:
    """Connections to an upstream: as many as are needed, and nothing that outlives a call but
    they. Trusts what httpx does, so that a question of our own and a call agree."""
    tls = httpx.create_ssl_context(trust_env=False)
    tls.set_alpn_protocols(["http/1.1"])
    connector = aiohttp.TCPConnector(limit=0, keepalive_timeout=_KEPT_ALIVE_S, ssl=tls)
    timeout = aiohttp.ClientTimeout(
        total=None,
        connect=patience.connect_s,
        sock_connect=patience.connect_s,
        sock_read=patience.idle_s,
    )
    async with aiohttp.ClientSession(
        connector=connector,
        cookie_jar=aiohttp.DummyCookieJar(),
        timeout=timeout,
        max_line_size=_LONGEST_HEADER,
        max_field_size=_LONGEST_HEADER,
    ) as session:
        yield session


async def post(
    session: aiohttp.ClientSession,
    url: str,
    headers: Mapping[str, str],
    content: bytes,
    patience: Patience,
) -> aiohttp.ClientResponse:
    """The head of the answer to a request; `close` it.

    Raises:
        Broken: there is none.
    """
    sent = {**_OWN_HEADERS, **headers}
    if "@" in urlsplit(url).netloc:
        # credentials in an address are those that count
        sent.pop("authorization", None)
    # a session waits without end for an upstream that does not read what it is sent
    longest = 2 * (patience.connect_s + patience.idle_s)
    try:
        async with asyncio.timeout(longest):
            return await session.post(url, data=content, headers=sent, allow_redirects=False)
    except (aiohttp.ClientError, OSError, ValueError) as error:
        raise Broken(_reason(error)) from error


async def chunks_of(response: aiohttp.ClientResponse) -> AsyncIterator[bytes]:
    """The bytes of an answer as they come.

    Raises:
        Broken: they do not come to their end.
    """
    try:
        async for chunk in response.content.iter_any():
            yield chunk
    except (aiohttp.ClientError, OSError) as error:
        raise Broken(_reason(error)) from error


def _reason(error: Exception) -> str:
    """What failed, in the names that records have; `ConnectError` and `ConnectTimeout` come before
    anything is sent. Neither addresses nor what of our own request could not be sent are repeated:
    it may hold the key."""
    match error:
        case aiohttp.ConnectionTimeoutError():
            return "ConnectTimeout"
        case aiohttp.ClientConnectorError():
            return f"ConnectError: {_system(error.os_error)}"[:300]
        case aiohttp.SocketTimeoutError():
            return "ReadTimeout"
        case aiohttp.ServerDisconnectedError():
            return "RemoteProtocolError: the upstream disconnected"
        case aiohttp.ClientResponseError():
            return f"RemoteProtocolError: {error.message}"[:300]
        case aiohttp.ClientPayloadError():
            return f"RemoteProtocolError: {error}"[:300]
        case TimeoutError():
            return "WriteTimeout"
        case aiohttp.ClientOSError():
            return f"ReadError: {_system(error)}"[:300]
    return type(error).__name__


def _system(error: OSError) -> str:
    """An error of the system, without the addresses that some texts hold."""
    if type(error) is OSError or isinstance(error, ConnectionError | aiohttp.ClientOSError):
        return os.strerror(error.errno) if error.errno else type(error).__name__
    return str(error)
