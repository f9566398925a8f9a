"""One call to the upstream, sent again within limits while nothing has been passed on."""

from __future__ import annotations

import asyncio
import email.utils
import json
import time
from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import aiohttp

from referee.agent.gateway.patience import Patience
from referee.agent.gateway.transport import Broken, chunks_of, post
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
    response: aiohttp.ClientResponse
    tries: tuple[Try, ...] = ()

    def close(self) -> None:
        """End the exchange; a connection that has come to the end of its answer is kept."""
        self.response.close()


@dataclass
class Unanswered(Exception):
    """The upstream could not be had."""

    detail: str
    tries: tuple[Try, ...] = field(default=())


async def ask(
    session: aiohttp.ClientSession,
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
    while True:
        last = len(tries) >= patience.retries
        try:
            answer = await _once(session, url, headers, body, patience)
        except Broken as error:
            reason, asked = str(error), None
            tries.append(Try(error=reason))
        else:
            if answer.status not in _AGAIN and answer.status < 500:
                tries.append(Try(status=answer.status))
                answer.tries = tuple(tries)
                return answer
            asked = retry_after(answer.response.headers.get("retry-after"))
            reason = f"status {answer.status}"
            tries.append(Try(status=answer.status))
            answer.close()
        if last:
            raise Unanswered(reason, tuple(tries))
        wait = patience.first_wait_s * 2 ** (len(tries) - 1) if asked is None else asked
        wait = min(wait, patience.longest_wait_s)
        tries[-1] = tries[-1].model_copy(update={"wait_s": wait})
        await asyncio.sleep(wait)


async def _once(
    session: aiohttp.ClientSession,
    url: str,
    headers: Mapping[str, str],
    body: Mapping[str, Any],
    patience: Patience,
) -> Answer:
    response = await post(session, url, headers, json.dumps(body).encode(), patience)
    rest = chunks_of(response)
    try:
        first = await anext(rest, b"")
        if response.status == 200:
            if not first:
                raise Broken("RemoteProtocolError: an empty answer")
            if "text/event-stream" not in response.headers.get("content-type", ""):
                first, rest = await _whole(first, rest), _nothing()
    except BaseException:
        response.close()
        raise
    kept = {name: _passable(response.headers[name]) for name in _KEPT if name in response.headers}
    return Answer(response.status, kept, first, rest, response)


def _passable(text: str) -> str:
    """The text of a header as one can be sent."""
    return text.encode("latin-1", "replace").decode("latin-1")


async def _whole(first: bytes, rest: AsyncIterator[bytes]) -> bytes:
    """All bytes of an answer that is no stream; it must be JSON."""
    data = b"".join([first, *[chunk async for chunk in rest]])
    try:
        json.loads(data)
    except (ValueError, RecursionError) as error:
        raise Broken(f"DecodingError: the answer is not JSON: {error}"[:300]) from None
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
