"""What a trial and a run may use of a model, and what they have used."""

from __future__ import annotations

import math
import threading
import time
from dataclasses import dataclass, field

from referee.agent.gateway.usage import Usage


@dataclass(frozen=True)
class Price:
    """Dollars for a million tokens. Cached input costs as much as other input unless it is said;
    what is written to a cache likewise."""

    input: float
    output: float
    cached_input: float | None = None
    cache_write: float | None = None

    def cost(self, usage: Usage) -> float:
        """Dollars for the tokens of a call."""
        cached = self.input if self.cached_input is None else self.cached_input
        written = self.input if self.cache_write is None else self.cache_write
        plain = usage.input - usage.cached - usage.cache_written
        parts = (
            plain * self.input,
            usage.cached * cached,
            usage.cache_written * written,
            usage.output * self.output,
        )
        return math.fsum(parts) / 1e6


@dataclass(frozen=True)
class Budget:
    """The most that may be used; None is no limit. `cost` in dollars, `wall_s` in seconds from the
    first call."""

    calls: int | None = None
    input_tokens: int | None = None
    output_tokens: int | None = None
    cost: float | None = None
    wall_s: float | None = None

    @property
    def counts_tokens(self) -> bool:
        """True if it cannot be held without the upstream's counts."""
        return self.cost is not None or (self.input_tokens, self.output_tokens) != (None, None)


@dataclass
class Meter:
    """What was used, under one budget; safe to use from several threads.

    A call is `admit`ted before it is sent, which holds the output that it may make, and `settle`d
    after it. What is only held does not count as used: a call that must wait for it is told so. A
    call whose tokens or cost are not known shuts a meter that limits them: a limit that cannot be
    counted is not held. Input and dollars are counted when an answer is complete, so calls that run
    at the same time may together pass a limit by what they cost.
    """

    budget: Budget
    calls: int = 0
    usage: Usage = field(default_factory=Usage)
    cost: float = 0.0
    cost_known: bool = True
    uncounted: int = 0
    _open: int = 0
    _held: int = 0
    _begun: float | None = None
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def begin_with(self, calls: int, usage: Usage, cost: float | None, uncounted: int) -> None:
        """Count what was used before, by an earlier process; its seconds are not known."""
        with self._lock:
            self.calls += calls
            self.usage += usage
            self.uncounted += uncounted
            self.cost += cost or 0.0
            self.cost_known = self.cost_known and cost is not None

    def admit(self, most_output: int | None) -> Grant | str | None:
        """Leave for one call of at most `most_output` (> 0) tokens, the sentence why not, or None:
        what is left is held by calls that have not ended."""
        with self._lock:
            now = time.monotonic()
            self._begun = now if self._begun is None else self._begun
            if (reason := self._spent(now - self._begun, open_calls=0)) is not None:
                return reason
            room = self._output_room()
            if room is not None and not room - self._held > 0:
                return None
            granted = most_output if room is None else min(room - self._held, most_output or room)
            held = 0 if room is None or granted is None else granted
            self.calls += 1
            self._open += 1
            self._held += held
            return Grant(granted, held)

    def settle(self, grant: Grant, usage: Usage | None, cost: float | None) -> None:
        """Count a call that has ended. `usage` is None if the upstream did not tell it."""
        with self._lock:
            self._held -= grant.held
            self._open -= 1
            if usage is None:
                self.uncounted += 1
            else:
                self.usage += usage
            if cost is None:
                self.cost_known = False
            else:
                self.cost += cost

    def give_back(self, grant: Grant) -> None:
        """Undo an admission: the call was not sent."""
        with self._lock:
            self._held -= grant.held
            self._open -= 1
            self.calls -= 1

    def spent(self) -> str | None:
        """Why no further call is admitted, or None. A call that has not ended is not spent."""
        with self._lock:
            since = 0.0 if self._begun is None else time.monotonic() - self._begun
            return self._spent(since, open_calls=self._open)

    def share(self, usage: Usage, calls: int, cost: float | None) -> float:
        """The largest part of any of this meter's limits that such a use is; 0 without limits."""
        budget = self.budget
        parts = [
            used / limit
            for used, limit in (
                (calls, budget.calls),
                (usage.input, budget.input_tokens),
                (usage.output, budget.output_tokens),
                (cost or 0.0, budget.cost),
            )
            if limit
        ]
        return max(parts, default=0.0)

    def _output_room(self) -> int | None:
        limit = self.budget.output_tokens
        return None if limit is None else max(0, limit - self.usage.output)

    def _spent(self, seconds: float, open_calls: int) -> str | None:
        budget, room = self.budget, self._output_room()
        if budget.calls is not None and not self.calls - open_calls < budget.calls:
            return f"the budget of {budget.calls} calls is used up"
        if budget.input_tokens is not None and not self.usage.input < budget.input_tokens:
            return f"the budget of {budget.input_tokens} input tokens is used up"
        if room is not None and not room > 0:
            return f"the budget of {budget.output_tokens} output tokens is used up"
        if budget.cost is not None and not self.cost < budget.cost:
            return f"the budget of {budget.cost:g} dollars is used up"
        if budget.wall_s is not None and not seconds < budget.wall_s:
            return f"the budget of {budget.wall_s:g} seconds is used up"
        if self.uncounted and budget.counts_tokens:
            return "the upstream does not count tokens, so the budget cannot be held"
        if budget.cost is not None and not self.cost_known:
            return "the price of a call is not known, so the budget cannot be held"
        return None


@dataclass(frozen=True)
class Grant:
    """Leave for one call: the most output that it may ask for (None: no limit), and what of it is
    held until it is settled."""

    most_output: int | None
    held: int
