"""What is written down of calls to a model: each call, and the sums over a trial's."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, JsonValue

from referee.record.model import Frozen

Count = Annotated[int, Field(ge=0)]
CallOutcome = Literal["answered", "rejected", "refused", "provider_error", "unfinished"]
"""`answered`: the upstream answered to the end; `rejected`: it answered with an error of the
caller; `refused`: the gateway did not let the call through; `provider_error`: the upstream could
not be had, or broke off; `unfinished`: the agent ended before the answer did."""


class Tokens(Frozen):
    """Tokens as the upstream counted them. `input` is the whole prompt, with what was read from or
    written to a cache; `cached` and `cache_written` are parts of it. `output` is everything that
    was generated; `reasoning` is part of it."""

    input: Count = 0
    output: Count = 0
    cached: Count = 0
    cache_written: Count = 0
    reasoning: Count = 0


_UNSENT = ("ConnectError", "ConnectTimeout", "PoolTimeout")
"""How the errors of a transport begin that come before the request is sent."""


class Try(Frozen):
    """One request to the upstream: its status or why there was none, and the wait after it."""

    status: int | None = None
    error: str | None = None
    wait_s: float = 0.0

    @property
    def unsent(self) -> bool:
        """Whether it never reached the upstream: nothing was served, and no agent can bring that
        about."""
        return self.error is not None and self.error.startswith(_UNSENT)


class ModelCall(Frozen):
    """One call of an agent. `status` is what the agent was answered; `tokens` is None if the
    upstream did not count them, `cost` (dollars) if that or the price is not known. `charged` is
    what budgets were charged where that is something else: a bound, for a call that the upstream
    may have served without telling its counts. `request` is the body that went to the upstream,
    `left_out` what of it was not passed on, `response` what came back, as text."""

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
    charged: Tokens | None = None
    charged_cost: float | None = None
    begun: str
    first_byte_s: float | None = None
    seconds: float
    client_left: bool = False
    request: JsonValue = None
    left_out: tuple[str, ...] = ()
    response: str = ""


class CallTotals(Frozen):
    """The sums over a trial's calls. `uncounted` were answered without counts; `uncertain` may have
    been served without telling any. `cost` is None as soon as that of one such call, or of one
    answered, is. `charged` and `charged_cost` are what budgets were charged: also bounds for what
    is uncertain."""

    calls: int = 0
    answered: int = 0
    refused: int = 0
    provider_errors: int = 0
    uncounted: int = 0
    uncertain: int = 0
    tokens: Tokens = Tokens()
    cost: float | None = 0.0
    charged: Tokens = Tokens()
    charged_cost: float | None = 0.0


class ModelUse(Frozen):
    """What a trial used of its model. `told` is what the agent itself says, and `agrees` whether
    that is what the upstream counted; `stopped` says why the agent was ended early."""

    profile: str
    totals: CallTotals
    told: Tokens | None = None
    agrees: bool | None = None
    stopped: str | None = None
