"""What is written down of calls to a model: each call, and the sums over a trial's."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, JsonValue

from referee.record.model import Frozen

Count = Annotated[int, Field(ge=0)]
CallOutcome = Literal["answered", "rejected", "refused", "provider_error"]
"""`answered`: the upstream answered to the end; `rejected`: it answered with an error of the
caller; `refused`: the gateway did not let the call through; `provider_error`: the upstream could
not be had, or broke off."""


class Tokens(Frozen):
    """Tokens as the upstream counted them. `input` is the whole prompt, with what was read from or
    written to a cache; `cached` and `cache_written` are parts of it. `output` is everything that
    was generated; `reasoning` is part of it."""

    input: Count = 0
    output: Count = 0
    cached: Count = 0
    cache_written: Count = 0
    reasoning: Count = 0


class Try(Frozen):
    """One request to the upstream: its status or why there was none, and the wait after it."""

    status: int | None = None
    error: str | None = None
    wait_s: float = 0.0


class ModelCall(Frozen):
    """One call of an agent. `status` is what the agent was answered; `tokens` is None if the
    upstream did not count them, `cost` (dollars) if that or the price is not known. `request` is
    the body that went to the upstream, `response` what came back, as text."""

    number: int
    protocol: str
    model: str | None = None
    stream: bool = False
    outcome: CallOutcome
    status: int
    detail: str | None = None
    tries: tuple[Try, ...] = ()
    tokens: Tokens | None = None
    cost: float | None = None
    begun: str
    first_byte_s: float | None = None
    seconds: float
    client_left: bool = False
    request: JsonValue = None
    response: str = ""


class CallTotals(Frozen):
    """The sums over a trial's calls. `cost` is None as soon as that of one answered call is."""

    calls: int = 0
    answered: int = 0
    refused: int = 0
    provider_errors: int = 0
    uncounted: int = 0
    tokens: Tokens = Tokens()
    cost: float | None = 0.0


class ModelUse(Frozen):
    """What a trial used of its model. `told` is what the agent itself says, and `agrees` whether
    that is what the upstream counted; `stopped` says why the agent was ended early."""

    profile: str
    totals: CallTotals
    told: Tokens | None = None
    agrees: bool | None = None
    stopped: str | None = None
