"""The gateway: what an agent may ask of a model, passed on, bounded, counted and written down."""

from __future__ import annotations

import asyncio
import contextlib
import json
from collections.abc import AsyncIterator
from dataclasses import dataclass, field

import aiohttp
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response, StreamingResponse
from starlette.routing import Route

from referee.agent.gateway.asked import (
    Refusal,
    Room,
    admitted,
    check_asked,
    check_token,
    read_body,
    shape,
)
from referee.agent.gateway.call import Access, Call
from referee.agent.gateway.dialect import DIALECTS, Dialect, upstream_url
from referee.agent.gateway.stream import Pump
from referee.agent.gateway.transport import Broken, upstream_session
from referee.agent.gateway.upstream import Answer, Unanswered, ask

__all__ = ["Access", "gateway_app"]

_OURS = {401, 402, 403, 404}
"""Statuses that speak of our key, our account or our configuration, not of what an agent asked."""
_DRAIN_S = 5.0
"""How long streams are read on after the agent has ended: counts come last."""


@dataclass
class _Gateway:
    """One trial's gateway while it serves."""

    access: Access
    session: aiohttp.ClientSession
    room: Room = field(default_factory=Room)
    pumps: set[asyncio.Task[None]] = field(default_factory=set)

    async def drain(self) -> None:
        """Let the streams come to their end, or settle them as they are."""
        if not self.pumps:
            return
        _, late = await asyncio.wait(set(self.pumps), timeout=_DRAIN_S)
        for task in late:
            task.cancel()
        await asyncio.gather(*late, return_exceptions=True)


def gateway_app(access: Access) -> Starlette:
    """The ASGI application of one trial."""

    @contextlib.asynccontextmanager
    async def lifespan(app: Starlette) -> AsyncIterator[None]:
        async with upstream_session(access.patience) as session:
            app.state.gateway = _Gateway(access, session)
            yield
            await app.state.gateway.drain()

    routes = []
    for dialect in DIALECTS.values():

        async def endpoint(request: Request, dialect: Dialect = dialect) -> Response:
            return await _serve(request.app.state.gateway, dialect, request)

        # clients differ in whether their base URL ends in /v1
        for path in (dialect.path, dialect.path.removeprefix("/v1")):
            routes.append(Route(path, endpoint, methods=["POST"]))
    return Starlette(routes=routes, lifespan=lifespan)


async def _serve(gateway: _Gateway, dialect: Dialect, request: Request) -> Response:
    call = Call(gateway.access, dialect, gateway.access.log.next_number())
    held = 0
    try:
        check_token(call.access, request)
        call.body, held = await read_body(request, gateway.room)
        check_asked(call.access, call.body)
        call.grants = await admitted(call)
        shape(call)
        return await _answer(gateway, call, request)
    except Refusal as refusal:
        return _refused(call, refusal)
    except Unanswered as fault:
        return _unanswered(call, fault)
    except asyncio.CancelledError:
        call.finish("unfinished", 499, "the agent ended before the answer did")
        raise
    except Exception as defect:  # ours: what was admitted is settled, and the agent is answered
        return _unanswered(call, Unanswered(f"the gateway failed ({type(defect).__name__})"))
    finally:
        gateway.room.used -= held


async def _answer(gateway: _Gateway, call: Call, request: Request) -> Response:
    url = upstream_url(call.access.profile.table.base_url, call.dialect)
    headers = {"content-type": "application/json"}
    for name in ("anthropic-version", "anthropic-beta", "openai-beta"):
        if name in request.headers:
            headers[name] = request.headers[name]
    if key := call.access.key:
        headers = {**call.dialect.key_headers(key), **headers}
    answer = await ask(gateway.session, url, headers, call.body, call.access.patience)
    call.answer = answer
    if answer.status == 200 and "text/event-stream" in answer.headers.get("content-type", ""):
        pump = Pump(call)
        task = asyncio.create_task(pump.run())
        gateway.pumps.add(task)
        task.add_done_callback(gateway.pumps.discard)
        return StreamingResponse(pump.chunks(task), headers=dict(answer.headers), status_code=200)
    return await _whole(call, answer)


async def _whole(call: Call, answer: Answer) -> Response:
    """An answer that is no stream, passed on once it is all there."""
    call.keep(answer.first)
    with contextlib.suppress(Broken):  # the status says what there is to say
        if answer.status != 200:
            async for chunk in answer.rest:
                call.keep(chunk)
    answer.close()
    call.keep_rest()
    data = b"".join(call.kept)
    if answer.status == 200:
        value = json.loads(data)
        call.usage = call.dialect.usage(value) if isinstance(value, dict) else None
        call.finish("answered", 200)
    elif answer.status in _OURS or not 400 <= answer.status < 500:
        raise Unanswered(f"status {answer.status}", answer.tries)
    else:
        call.finish("rejected", answer.status)
    return Response(data, status_code=answer.status, headers=dict(answer.headers))


def _refused(call: Call, refusal: Refusal) -> Response:
    call.finish("refused", refusal.status, refusal.message, by_run=refusal.by_run)
    body = call.dialect.refusal(refusal.status, refusal.kind, refusal.message)
    return JSONResponse(body, status_code=refusal.status)


def _unanswered(call: Call, fault: Unanswered) -> Response:
    # an answer that refused us was not served
    call.answer = None
    call.finish("provider_error", 502, fault.detail, tries=fault.tries)
    detail = call.safe(fault.detail)
    body = call.dialect.refusal(502, "api_error", f"the model cannot be reached ({detail})")
    return JSONResponse(body, status_code=502)
