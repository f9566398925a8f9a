"""What a request of an agent must be before it goes on; and the form in which it does."""

from __future__ import annotations

import asyncio
import hmac
import json
from dataclasses import dataclass
from typing import Any, NoReturn

from pydantic import JsonValue, TypeAdapter, ValidationError
from starlette.requests import ClientDisconnect, Request

from referee.agent.gateway.budget import Grant
from referee.agent.gateway.call import Access, Call
from referee.agent.gateway.dialect import Body
from referee.agent.gateway.reach import fetched_address, without_reach
from referee.record.canonical import canonical_json

LARGEST_REQUEST = 32 << 20
MOST_IN_FLIGHT = 256 << 20
_WAIT_S = 0.02
_JSON: TypeAdapter[JsonValue] = TypeAdapter(JsonValue)


class Refusal(Exception):
    """An answer of the gateway's own; `by_run` if the budget of the whole run is why."""

    def __init__(self, status: int, kind: str, message: str, *, by_run: bool = False):
        self.status, self.kind, self.message, self.by_run = status, kind, message, by_run
        super().__init__(message)


@dataclass
class Room:
    """Bytes of requests that are held in memory at a time."""

    used: int = 0

    def take(self, size: int) -> None:
        """Hold some more.

        Raises:
            Refusal: there is no room.
        """
        if self.used + size > MOST_IN_FLIGHT:
            raise Refusal(429, "rate_limit_error", "too much is asked at a time")
        self.used += size


def check_token(access: Access, request: Request) -> None:
    """Raises: Refusal, if the caller does not know the token of the trial."""
    given = request.headers.get("authorization", "").removeprefix("Bearer ").strip()
    given = given or request.headers.get("x-api-key", "")
    if not hmac.compare_digest(given.encode("utf-8", "replace"), access.token.encode()):
        raise Refusal(401, "authentication_error", "the token is not that of this trial")


async def read_body(request: Request, room: Room) -> tuple[Body, int]:
    """The JSON object of a request, and the bytes that `room` holds for it.

    Raises:
        Refusal: it is too large, broke off, or is not plain JSON; nothing is held then.
    """
    data = bytearray()
    try:
        async for chunk in request.stream():
            if len(data) + len(chunk) > LARGEST_REQUEST:
                raise Refusal(413, "request_too_large", "a request holds at most 32 MiB")
            room.take(len(chunk))
            data += chunk
        return _plain(bytes(data)), len(data)
    except ClientDisconnect:
        room.used -= len(data)
        raise Refusal(400, "invalid_request_error", "the request broke off") from None
    except BaseException:
        room.used -= len(data)
        raise


def _plain(data: bytes) -> Body:
    """A JSON object that a record can hold: finite numbers, whole characters, bounded depth."""
    try:
        value = json.loads(data, parse_constant=_no_constant)
        canonical_json(_JSON.validate_python(value))
    except (ValueError, RecursionError, ValidationError):
        raise Refusal(400, "invalid_request_error", "the request is not plain JSON") from None
    if not isinstance(value, dict):
        raise Refusal(400, "invalid_request_error", "the request is not a JSON object")
    return value


def _no_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is not JSON")


def check_asked(access: Access, body: Body) -> None:
    """Raises: Refusal, for a model that is not allowed, a bound that is none, several answers at
    a time, work in the background, or addresses that the provider would fetch."""
    model = body.get("model")
    if not isinstance(model, str) or model not in access.profile.models:
        known = ", ".join(sorted(access.profile.models))
        shown = model[:100] if isinstance(model, str) else type(model).__name__
        raise Refusal(
            403, "permission_error", f"the model {shown!r} is not allowed here; allowed: {known}"
        )
    if body.get("n", 1) not in (1, None) or isinstance(body.get("n"), bool):
        raise Refusal(400, "invalid_request_error", "n: one answer at a time")
    if body.get("background"):
        raise Refusal(400, "invalid_request_error", "background: an answer is waited for")
    if not access.profile.table.provider_tools and (address := fetched_address(body)):
        raise Refusal(
            400, "invalid_request_error", f"{address}: there is no network; send the content"
        )


async def admitted(call: Call) -> tuple[Grant, Grant]:
    """Leave of the trial's and of the run's budget, which may have to be waited for.

    Raises:
        Refusal: one of them is used up, or the bound of the output is none.
    """
    access = call.access
    asked = _asked_bound(call)
    while True:
        own = access.trial.admit(asked)
        if isinstance(own, str):
            raise Refusal(403, "budget_exceeded", f"this trial: {own}")
        if own is not None:
            shared = access.run.admit(own.most_output)
            if isinstance(shared, Grant):
                return own, shared
            access.trial.give_back(own)
            if shared is not None:
                raise Refusal(403, "budget_exceeded", f"this run: {shared}", by_run=True)
        await asyncio.sleep(_WAIT_S)


def _asked_bound(call: Call) -> int | None:
    """The output that a request asks for, or the profile's bound."""
    for name in call.dialect.bounds:
        value: Any = call.body.get(name)
        if value is None:
            continue
        if isinstance(value, bool) or not isinstance(value, int) or value < 1:
            raise Refusal(400, "invalid_request_error", f"{name} is not a positive whole number")
    given = [call.body[name] for name in call.dialect.bounds if call.body.get(name) is not None]
    most = call.access.profile.table.max_output
    return min([*given, *([most] if most is not None else [])], default=None)


def shape(call: Call) -> None:
    """The request as it goes on: bounded output, what the profile says, counts in streams, and
    nothing that would make the provider reach out."""
    if call.grants is None:
        return
    body, most = call.body, call.grants[1].most_output
    named = [name for name in call.dialect.bounds if body.get(name) is not None]
    if most is not None:
        for name in named or call.dialect.bounds[:1]:
            body[name] = most
    table = call.access.profile.table
    if not table.provider_tools:
        call.left_out = without_reach(body)
    body |= {**table.extra, **table.sampling.model_dump(exclude_none=True)}
    if call.dialect.name == "openai-chat" and call.stream:
        options = body.get("stream_options")
        body["stream_options"] = {**(options if isinstance(options, dict) else {})} | {
            "include_usage": True
        }
