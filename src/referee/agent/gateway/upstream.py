"""One call to the upstream, sent again within limits while nothing has been passed on."""

from __future__ import annotations

import asyncio
import email.utils
import json
import time
from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import httpx

from referee.agent.gateway.patience import Patience
from referee.record.model_call import Try

_AGAIN = {408, 409, 429}
"""Beside every status from 500 on."""
_KEPT = ("content-type", "retry-after", "request-id", "x-request-id")


@dataclass
class Answer:
    """The head of an upstream's answer and the rest of its bytes; `close` it."""

    status: int
    headers: Mapping[str, str]
    first: bytes
    rest: AsyncIterator[bytes]
    response: httpx.Response
    tries: tuple[Try, ...] = ()

    async def close(self) -> None:
        await self.response.aclose()


@dataclass
class Unanswered(Exception):
    """The upstream could not be had."""

    detail: str
    tries: tuple[Try, ...] = field(default=())


async def ask(
    client: httpx.AsyncClient,
    url: str,
    headers: Mapping[str, str],
    body: Mapping[str, Any],
    patience: Patience,
) -> Answer:
    """The upstream's answer to a call, of which the first bytes are there.

    Raises:
        Unanswered: it could not be had, however often it was asked.
    """
    tries: list[Try] = []
    timeout = httpx.Timeout(patience.idle_s, connect=patience.connect_s)
    while True:
        last = len(tries) >= patience.retries
        try:
            answer = await _once(client, url, headers, body, timeout)
        except httpx.HTTPError as error:
            reason, asked = reason_of(error), None
            tries.append(Try(error=reason))
        else:
            if answer.status not in _AGAIN and answer.status < 500:
                tries.append(Try(status=answer.status))
                answer.tries = tuple(tries)
                return answer
            asked = retry_after(answer.response.headers.get("retry-after"))
            reason = f"status {answer.status}"
            tries.append(Try(status=answer.status))
            await answer.close()
        if last:
            raise Unanswered(reason, tuple(tries))
        wait = patience.first_wait_s * 2 ** (len(tries) - 1) if asked is None else asked
        wait = min(wait, patience.longest_wait_s)
        tries[-1] = tries[-1].model_copy(update={"wait_s": wait})
        await asyncio.sleep(wait)


def reason_of(error: Exception) -> str:
    """A transport's error for an agent and a record. What of our own request could not be sent
    is not repeated: it may hold the key."""
    name = type(error).__name__
    if isinstance(error, httpx.LocalProtocolError | UnicodeError):
        return name
    return f"{name}: {error}".rstrip(": ")[:300]


async def _once(
    client: httpx.AsyncClient,
    url: str,
    headers: Mapping[str, str],
    body: Mapping[str, Any],
    timeout: httpx.Timeout,
) -> Answer:
    request = client.build_request(
        "POST", url, headers=dict(headers), content=json.dumps(body).encode(), timeout=timeout
    )
    response = await client.send(request, stream=True)
    try:
        rest = response.aiter_bytes()
        first = await anext(rest, b"")
        if response.status_code == 200:
            if not first:
                raise httpx.RemoteProtocolError("an empty answer")
            if "text/event-stream" not in response.headers.get("content-type", ""):
                first, rest = await _whole(first, rest), _nothing()
    except BaseException:
        await response.aclose()
        raise
    kept = {name: response.headers[name] for name in _KEPT if name in response.headers}
    return Answer(response.status_code, kept, first, rest, response)


async def _whole(first: bytes, rest: AsyncIterator[bytes]) -> bytes:
    """All bytes of an answer that is no stream; it must be JSON."""
    data = b"".join([first, *[chunk async for chunk in rest]])
    try:
        json.loads(data)
    except ValueError as error:
        raise httpx.DecodingError(f"the answer is not JSON: {error}") from None
    return data


async def _nothing() -> AsyncIterator[bytes]:
    empty: tuple[bytes, ...] = ()
    for chunk in empty:
        yield chunk


def retry_after(text: str | None) -> float | None:
    """Seconds that a Retry-After header asks for: a number, or a date (RFC 9110, 10.2.3)."""
    if text is None:
        return None
    try:
        return max(0.0, float(text))
    except ValueError:
        pass
    try:
        when = email.utils.parsedate_to_datetime(text)
    except ValueError:
        return None
    return max(0.0, when.timestamp() - time.time())
