"""How a request to an upstream may fail, by which name, and what of it is not told."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field

import pytest

from referee.agent.gateway.patience import Patience
from referee.agent.gateway.transport import Broken, chunks_of, post, upstream_session
from referee.record.model_call import Try

KEY = "sk-canary-5f0c2a"
PATIENCE = Patience(connect_s=1.0, idle_s=0.3)
HEAD = b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n"
WHOLE = HEAD + b"set-cookie: c=1\r\ncontent-length: 2\r\n\r\n{}"


@dataclass
class Peer:
    """What an upstream answers to each request, and the requests that it saw."""

    answer: bytes | None
    reads: bool = True
    closes: bool = False
    seen: list[str] = field(default_factory=list)

    async def talk(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while self.reads and (head := await reader.readuntil(b"\r\n\r\n")):
            self.seen.append(head.decode().lower())
            await reader.readexactly(2)
            if self.answer is not None:
                writer.write(self.answer)
            if self.closes:
                writer.close()
                return
        await asyncio.sleep(30)


def said(
    peer: Peer | None,
    *,
    address: str = "http://127.0.0.1:{port}/v1",
    body: bytes = b"{}",
    key: str = KEY,
    times: int = 1,
) -> list[bytes | str]:
    """What came of some requests one after another: the whole answer, or why there is none."""

    async def once(session: object, url: str) -> bytes | str:
        try:
            headers = {"authorization": f"Bearer {key}"}
            response = await post(session, url, headers, body, PATIENCE)  # type: ignore[arg-type]
            return b"".join([chunk async for chunk in chunks_of(response)])
        except Broken as error:
            return str(error)

    async def run() -> list[bytes | str]:
        with socket.create_server(("127.0.0.1", 0)) as listener:
            url = address.format(port=listener.getsockname()[1])
            if peer is None:
                listener.close()
                return await asked(url)
            server = await asyncio.start_server(_quiet(peer.talk), sock=listener)
            try:
                return await asked(url)
            finally:
                server.close()

    async def asked(url: str) -> list[bytes | str]:
        async with upstream_session(PATIENCE) as session:
            return [await once(session, url) for _ in range(times)]

    return asyncio.run(run())


Talk = Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]]


def _quiet(talk: Talk) -> Talk:
    async def served(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            await talk(reader, writer)
        except (asyncio.IncompleteReadError, ConnectionError):
            writer.close()

    return served


def test_an_upstream_that_is_not_there_was_sent_nothing() -> None:
    (reason,) = said(None)
    assert reason == "ConnectError: Connection refused"
    assert Try(error=str(reason)).unsent


def test_an_upstream_that_does_not_speak_tls_was_sent_nothing() -> None:
    peer = Peer(None, reads=False)
    (reason,) = said(peer, address="https://127.0.0.1:{port}/v1")
    assert Try(error=str(reason)).unsent
    assert "127.0.0.1" not in str(reason)


@pytest.mark.parametrize(
    ("peer", "body", "name"),
    [
        (Peer(None), b"{}", "ReadTimeout"),
        (Peer(HEAD + b"content-length: 9\r\n\r\n{}"), b"{}", "ReadTimeout"),
        (Peer(None, reads=False), b"x" * (32 << 20), "WriteTimeout"),
        (Peer(b"", closes=True), b"{}", "RemoteProtocolError"),
        (Peer(HEAD + b"content-length: 9\r\n\r\n{}", closes=True), b"{}", "RemoteProtocolError"),
        (Peer(b"this is no HTTP\r\n\r\n"), b"{}", "RemoteProtocolError"),
    ],
    ids=["silent", "stuck", "does-not-read", "closes", "breaks-off", "no-http"],
)
def test_what_may_have_been_served_is_told_apart(peer: Peer, body: bytes, name: str) -> None:
    (reason,) = said(peer, body=body)
    assert str(reason).startswith(name)
    assert not Try(error=str(reason)).unsent
    assert "127.0.0.1" not in str(reason)


def test_a_key_that_cannot_be_sent_is_not_told() -> None:
    assert said(Peer(WHOLE), key=f"{KEY}\r\nx: y") == ["ValueError"]


def test_nothing_of_an_answer_is_sent_with_the_next_request() -> None:
    peer = Peer(WHOLE)
    assert said(peer, times=2) == [b"{}", b"{}"]
    assert len(peer.seen) == 2
    assert not any("cookie" in head for head in peer.seen)
    assert all(f"authorization: bearer {KEY}" in head for head in peer.seen)


def test_a_redirect_is_not_followed() -> None:
    peer = Peer(b"HTTP/1.1 302 Found\r\nlocation: /elsewhere\r\ncontent-length: 0\r\n\r\n")
    assert said(peer) == [b""]
    assert len(peer.seen) == 1


def test_credentials_in_an_address_count_instead_of_the_key() -> None:
    peer = Peer(WHOLE)
    assert said(peer, address="http://me:secret@127.0.0.1:{port}/v1") == [b"{}"]
    assert "authorization: basic bwu6c2vjcmv0" in peer.seen[0]
    assert KEY not in peer.seen[0]
