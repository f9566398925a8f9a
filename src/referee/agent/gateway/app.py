"""The gateway: what an agent may ask of a model, passed on, bounded, counted and written down."""

from __future__ import annotations

import asyncio
import contextlib
import datetime
import hmac
import json
import time
from collections.abc import AsyncIterator
from dataclasses import dataclass, field

import httpx
from starlette.applications import Starlette
from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse, Response, StreamingResponse
from starlette.routing import Route

from referee.agent.gateway.budget import Grant, Meter
from referee.agent.gateway.dialect import DIALECTS, Body, Dialect, upstream_url
from referee.agent.gateway.events import EventCutter
from referee.agent.gateway.exchange import CallLog, tokens_of
from referee.agent.gateway.patience import Patience
from referee.agent.gateway.upstream import Answer, Unanswered, ask
from referee.agent.gateway.usage import Usage
from referee.agent.profile import Profile
from referee.record.model_call import CallOutcome, ModelCall, Try

LARGEST_REQUEST = 64 << 20
_OURS = {401, 402, 403, 404}
"""Statuses that speak of our key, our account or our configuration, not of what an agent asked."""


@dataclass(frozen=True)
class Access:
    """One trial's way to a model: the token that its sandbox knows, what it may use, and where its
    calls are written. `run` is the meter that all trials of a run share."""

    profile: Profile
    token: str
    trial: Meter
    run: Meter
    log: CallLog
    patience: Patience = field(default_factory=Patience)


@dataclass
class _Call:
    """A call on its way."""

    access: Access
    dialect: Dialect
    number: int
    body: Body
    begun: str
    start: float
    grants: tuple[Grant, Grant] | None = None
    answer: Answer | None = None
    usage: Usage | None = None
    first_byte_s: float | None = None
    kept: list[bytes] = field(default_factory=list)
    client_left: bool = False

    @property
    def stream(self) -> bool:
        return self.body.get("stream") is True

    def keep(self, chunk: bytes) -> bytes:
        """What may be passed on of a chunk: an upstream may repeat the key in an error."""
        if self.first_byte_s is None:
            self.first_byte_s = time.monotonic() - self.start
        key = self.access.profile.key.get_secret_value().encode()
        chunk = chunk.replace(key, b"[key]") if key else chunk
        self.kept.append(chunk)
        return chunk


class Refusal(Exception):
    """An answer of the gateway's own."""

    def __init__(self, status: int, kind: str, message: str):
        self.status, self.kind, self.message = status, kind, message
        super().__init__(message)


def gateway_app(access: Access) -> Starlette:
    """The ASGI application of one trial."""

    @contextlib.asynccontextmanager
    async def lifespan(app: Starlette) -> AsyncIterator[None]:
        limits = httpx.Limits(max_connections=None, max_keepalive_connections=64)
        async with httpx.AsyncClient(limits=limits, trust_env=False) as client:
            app.state.client = client
            yield

    routes = []
    for dialect in DIALECTS.values():

        async def endpoint(request: Request, dialect: Dialect = dialect) -> Response:
            return await _serve(access, request.app.state.client, dialect, request)

        # clients differ in whether their base URL ends in /v1
        for path in (dialect.path, dialect.path.removeprefix("/v1")):
            routes.append(Route(path, endpoint, methods=["POST"]))
    return Starlette(routes=routes, lifespan=lifespan)


async def _serve(
    access: Access, client: httpx.AsyncClient, dialect: Dialect, request: Request
) -> Response:
    call = _Call(access, dialect, access.log.next_number(), {}, _now(), time.monotonic())
    try:
        _check_token(access, request)
        call.body = await _body(request)
        _check_model(access, call.body)
        call.grants = _admit(access, dialect, call.body)
        _shape(call)
    except Refusal as refusal:
        return _refused(call, refusal)
    url = upstream_url(access.profile.table.base_url, dialect)
    headers = {"content-type": "application/json", "accept-encoding": "identity"}
    for name in ("anthropic-version", "anthropic-beta", "openai-beta"):
        if name in request.headers:
            headers[name] = request.headers[name]
    key = access.profile.key.get_secret_value()
    headers = {**dialect.key_headers(key), **headers} if key else headers
    try:
        call.answer = await ask(client, url, headers, call.body, access.patience)
        return await _pass_on(call)
    except Unanswered as fault:
        return _unanswered(call, fault)
    except Exception as defect:  # ours: what was admitted is settled, and the agent is answered
        return _unanswered(call, Unanswered(f"{type(defect).__name__}: {defect}"))


def _check_token(access: Access, request: Request) -> None:
    given = request.headers.get("authorization", "").removeprefix("Bearer ").strip()
    given = given or request.headers.get("x-api-key", "")
    if not hmac.compare_digest(given.encode(), access.token.encode()):
        raise Refusal(401, "authentication_error", "the token is not that of this trial")


async def _body(request: Request) -> Body:
    data = bytearray()
    try:
        async for chunk in request.stream():
            data += chunk
            if len(data) > LARGEST_REQUEST:
                raise Refusal(413, "request_too_large", "a request holds at most 64 MiB")
    except ClientDisconnect:
        raise Refusal(400, "invalid_request_error", "the request broke off") from None
    try:
        value = json.loads(bytes(data))
    except (ValueError, RecursionError):
        raise Refusal(400, "invalid_request_error", "the request is not JSON") from None
    if not isinstance(value, dict):
        raise Refusal(400, "invalid_request_error", "the request is not a JSON object")
    return value


def _check_model(access: Access, body: Body) -> None:
    model = body.get("model")
    if model not in access.profile.models:
        known = ", ".join(sorted(access.profile.models))
        raise Refusal(
            403, "permission_error", f"the model {model!r} is not allowed here; allowed: {known}"
        )


def _admit(access: Access, dialect: Dialect, body: Body) -> tuple[Grant, Grant]:
    asked = next((body[n] for n in dialect.bounds if isinstance(body.get(n), int)), None)
    own = access.trial.admit(asked if asked is not None else access.profile.table.max_output)
    if isinstance(own, str):
        raise Refusal(403, "budget_exceeded", f"this trial: {own}")
    shared = access.run.admit(own.most_output)
    if isinstance(shared, str):
        access.trial.give_back(own)
        raise Refusal(403, "budget_exceeded", f"this run: {shared}")
    return own, shared


def _shape(call: _Call) -> None:
    """The request as it goes on: bounded output, what the profile says, and counts in streams."""
    if call.grants is None:
        return
    body, most = call.body, call.grants[1].most_output
    named = [name for name in call.dialect.bounds if name in body]
    if most is not None:
        for name in named or call.dialect.bounds[:1]:
            body[name] = most
    table = call.access.profile.table
    body |= {**table.extra, **table.sampling.model_dump(exclude_none=True)}
    if call.dialect.name == "openai-chat" and call.stream:
        options = body.get("stream_options")
        body["stream_options"] = {**(options if isinstance(options, dict) else {})} | {
            "include_usage": True
        }


async def _pass_on(call: _Call) -> Response:
    answer = call.answer
    if answer is None:
        raise RuntimeError("there is no answer to pass on")
    streamed = "text/event-stream" in answer.headers.get("content-type", "")
    if answer.status == 200 and streamed:
        queue: asyncio.Queue[bytes | None] = asyncio.Queue()
        pump = asyncio.create_task(_pump(call, queue))
        return StreamingResponse(
            _chunks(call, queue, pump), headers=dict(answer.headers), status_code=200
        )
    call.keep(answer.first)
    try:
        if answer.status != 200:
            async for chunk in answer.rest:
                call.keep(chunk)
    except httpx.HTTPError:
        pass  # the status says what there is to say
    await answer.close()
    data = b"".join(call.kept)
    if answer.status == 200:
        value = json.loads(data)
        call.usage = call.dialect.usage(value) if isinstance(value, dict) else None
        _finish(call, "answered", 200)
    elif answer.status in _OURS:
        raise Unanswered(f"status {answer.status}", answer.tries)
    else:
        _finish(call, "rejected", answer.status)
    return Response(data, status_code=answer.status, headers=dict(answer.headers))


async def _pump(call: _Call, queue: asyncio.Queue[bytes | None]) -> None:
    """Read the stream to its end, whether or not the agent still listens: the counts come last."""
    answer = call.answer
    if answer is None:
        raise RuntimeError("there is no answer to read")
    cutter, ended, fault = EventCutter(), False, None
    try:
        ended = _take(call, cutter, answer.first, queue)
        async for chunk in answer.rest:
            ended = _take(call, cutter, chunk, queue) or ended
    except (httpx.HTTPError, ValueError) as error:
        fault = f"{type(error).__name__}: {error}".rstrip(": ")
    finally:
        await answer.close()
        if not ended:
            fault = fault or "the stream ended before the answer did"
            queue.put_nowait(_broken(call.dialect, fault))
        _finish(call, "answered" if ended else "provider_error", 200, None if ended else fault)
        queue.put_nowait(None)


def _take(
    call: _Call, cutter: EventCutter, chunk: bytes, queue: asyncio.Queue[bytes | None]
) -> bool:
    """Pass a chunk on; True if the answer ended in it."""
    queue.put_nowait(call.keep(chunk))
    ended = False
    for event in cutter.feed(chunk):
        call.usage = call.dialect.streamed(call.usage, event)
        ended = call.dialect.last(event) or ended
    return ended


async def _chunks(
    call: _Call, queue: asyncio.Queue[bytes | None], pump: asyncio.Task[None]
) -> AsyncIterator[bytes]:
    try:
        ended = False
        while not ended:
            waiting = [await queue.get()]
            while not queue.empty():
                waiting.append(queue.get_nowait())
            ended = waiting[-1] is None
            # what is there by now goes out as one piece
            if data := b"".join(chunk for chunk in waiting if chunk is not None):
                yield data
        await pump
    except (asyncio.CancelledError, GeneratorExit):
        call.client_left = True
        raise


def _broken(dialect: Dialect, fault: str) -> bytes:
    body = dialect.refusal(502, "api_error", f"the model's answer broke off ({fault})")
    if dialect.name == "openai-chat":
        return b"data: " + json.dumps(body).encode() + b"\n\n"
    if dialect.name == "openai-responses":
        body = {"type": "error", **body["error"]}
    return b"event: error\ndata: " + json.dumps(body).encode() + b"\n\n"


def _refused(call: _Call, refusal: Refusal) -> Response:
    _record(call, "refused", refusal.status, refusal.message)
    body = call.dialect.refusal(refusal.status, refusal.kind, refusal.message)
    return JSONResponse(body, status_code=refusal.status)


def _unanswered(call: _Call, fault: Unanswered) -> Response:
    if call.grants is not None:
        call.access.trial.settle(call.grants[0], Usage(), 0.0)
        call.access.run.settle(call.grants[1], Usage(), 0.0)
    _record(call, "provider_error", 502, fault.detail, fault.tries)
    body = call.dialect.refusal(502, "api_error", f"the model cannot be reached ({fault.detail})")
    return JSONResponse(body, status_code=502)


def _finish(call: _Call, outcome: CallOutcome, status: int, detail: str | None = None) -> None:
    if call.grants is not None:
        usage = Usage() if outcome == "rejected" and call.usage is None else call.usage
        cost = _cost(call)
        call.access.trial.settle(call.grants[0], usage, cost)
        call.access.run.settle(call.grants[1], usage, cost)
    _record(call, outcome, status, detail)


def _cost(call: _Call) -> float | None:
    price = call.access.profile.price
    return None if price is None or call.usage is None else price.cost(call.usage)


def _record(
    call: _Call,
    outcome: CallOutcome,
    status: int,
    detail: str | None,
    tries: tuple[Try, ...] = (),
) -> None:
    model = call.body.get("model")
    call.access.log.add(
        ModelCall(
            number=call.number,
            protocol=call.dialect.name,
            model=model[:200] if isinstance(model, str) else None,
            stream=call.stream,
            outcome=outcome,
            status=status,
            detail=detail,
            tries=tries or (() if call.answer is None else call.answer.tries),
            tokens=None if call.usage is None else tokens_of(call.usage),
            cost=_cost(call),
            begun=call.begun,
            first_byte_s=None if call.first_byte_s is None else round(call.first_byte_s, 6),
            seconds=round(time.monotonic() - call.start, 6),
            client_left=call.client_left,
            request=call.body or None,
            response=b"".join(call.kept).decode("utf-8", "replace"),
        )
    )


def _now() -> str:
    return datetime.datetime.now(datetime.UTC).isoformat(timespec="milliseconds")
