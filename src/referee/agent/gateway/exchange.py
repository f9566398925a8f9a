"""What is kept of each call: the model of one line of `model-calls.jsonl`, and its writer."""

from __future__ import annotations

import threading
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, BinaryIO, Literal

from pydantic import Field, JsonValue

from referee.agent.gateway.usage import Usage
from referee.record.canonical import canonical_json
from referee.record.model import Frozen

CallOutcome = Literal["answered", "rejected", "refused", "provider_error"]
"""`answered`: the upstream answered to the end; `rejected`: it answered with an error of the
caller; `refused`: the gateway did not let the call through; `provider_error`: the upstream could
not be had, or broke off."""


class Tokens(Frozen):
    """`Usage`, as it is written down."""

    input: int
    output: int
    cached: int
    cache_written: int
    reasoning: int

    @classmethod
    def of(cls, usage: Usage) -> Tokens:
        return cls(**vars(usage))


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
    tokens: Tokens = Tokens.of(Usage())
    cost: float | None = Field(default=0.0)


@dataclass
class CallLog:
    """Appends calls to a file and keeps their sums; memory does not grow with them. Texts named as
    secret are written as `[key]`."""

    path: Path
    secrets: tuple[str, ...] = field(default=(), repr=False)
    totals: CallTotals = field(default_factory=CallTotals)
    last: CallOutcome | None = None
    _file: BinaryIO | None = None
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def add(self, call: ModelCall) -> None:
        """Write one call down."""
        line = canonical_json(call.as_json()) + b"\n"
        for secret in filter(None, self.secrets):
            line = line.replace(secret.encode(), b"[key]")
        with self._lock:
            if self._file is None:
                self._file = self.path.open("ab")
            self._file.write(line)
            self._file.flush()
            self.totals = _added(self.totals, call)
            if call.outcome != "refused":
                self.last = call.outcome

    def next_number(self) -> int:
        """How many calls there are, and one more."""
        with self._lock:
            return self.totals.calls + 1

    def close(self) -> None:
        """Close the file."""
        with self._lock:
            if self._file is not None:
                self._file.close()
                self._file = None


def _added(totals: CallTotals, call: ModelCall) -> CallTotals:
    sent = call.outcome != "refused"
    tokens: Mapping[str, Any] = call.tokens.as_json() if call.tokens else {}
    sums = {name: value + tokens.get(name, 0) for name, value in totals.tokens.as_json().items()}
    answered = call.outcome == "answered"
    known = totals.cost is not None and (call.cost is not None or not answered)
    return CallTotals(
        calls=totals.calls + 1,
        answered=totals.answered + answered,
        refused=totals.refused + (not sent),
        provider_errors=totals.provider_errors + (call.outcome == "provider_error"),
        uncounted=totals.uncounted + (answered and call.tokens is None),
        tokens=Tokens(**sums),
        cost=(totals.cost or 0.0) + (call.cost or 0.0) if known else None,
    )
