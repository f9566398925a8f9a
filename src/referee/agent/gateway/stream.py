"""An answer that comes as a stream: passed on as it comes, and read to its end for its counts."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator

from referee.agent.gateway.call import Call
from referee.agent.gateway.dialect import Dialect, is_providers
from referee.agent.gateway.events import EventCutter
from referee.agent.gateway.transport import Broken

Queue = asyncio.Queue[bytes | None]


class Pump:
    """Reads one stream to its end, whether or not the agent still listens: counts come last."""

    def __init__(self, call: Call) -> None:
        self.call = call
        self.queue: Queue = asyncio.Queue()
        self._cutter = EventCutter()
        self._ended = False
        self._fault: str | None = None

    async def run(self) -> None:
        """Read, pass on, and settle, whatever happens."""
        answer, broken, cut_off = self.call.answer, None, False
        if answer is None:
            raise RuntimeError("there is no answer to read")
        try:
            self._take(answer.first)
            async for chunk in answer.rest:
                self._take(chunk)
        except (Broken, ValueError) as error:
            broken = str(error)
        except asyncio.CancelledError:
            cut_off = True
        finally:
            try:
                self._settle(broken, cut_off)
            finally:
                self.queue.put_nowait(None)
                answer.close()

    def _take(self, chunk: bytes) -> None:
        self.queue.put_nowait(self.call.keep(chunk))
        dialect = self.call.dialect
        for event in self._cutter.feed(chunk):
            self.call.usage = dialect.streamed(self.call.usage, event)
            self._ended = dialect.last(event) or self._ended
            told = dialect.fault(event)
            self._fault = told if told is not None else self._fault

    def _settle(self, broken: str | None, cut_off: bool) -> None:
        self.queue.put_nowait(self.call.keep_rest())
        if self._fault is not None:
            providers = is_providers(self._fault)
            detail = f"the upstream said {self._fault or 'that it failed'}"
            self.call.finish("provider_error" if providers else "rejected", 200, detail)
        elif self._ended:
            self.call.finish("answered", 200)
        elif cut_off:
            self.call.finish("unfinished", 200, "the agent ended before the answer did")
        else:
            detail = broken or "the stream ended before the answer did"
            self.queue.put_nowait(_broken(self.call.dialect, self.call.safe(detail)))
            self.call.finish("provider_error", 200, detail)

    async def chunks(self, task: asyncio.Task[None]) -> AsyncIterator[bytes]:
        """What the agent gets; what is there by now goes out as one piece."""
        ended = False
        try:
            while not ended:
                waiting = [await self.queue.get()]
                while not self.queue.empty():
                    waiting.append(self.queue.get_nowait())
                ended = waiting[-1] is None
                if data := b"".join(chunk for chunk in waiting if chunk is not None):
                    yield data
            await task
        except (asyncio.CancelledError, GeneratorExit):
            self.call.client_left = True
            raise


def _broken(dialect: Dialect, fault: str) -> bytes:
    body = dialect.refusal(502, "api_error", f"the model's answer broke off ({fault})")
    if dialect.name == "openai-chat":
        return b"data: " + json.dumps(body).encode() + b"\n\n"
    if dialect.name == "openai-responses":
        body = {"type": "error", **body["error"]}
    return b"event: error\ndata: " + json.dumps(body).encode() + b"\n\n"
