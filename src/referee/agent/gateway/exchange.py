"""The writer of `model-calls.jsonl`: one line a call, and the sums."""

from __future__ import annotations

import threading
from dataclasses import dataclass, field
from pathlib import Path
from typing import BinaryIO

from referee.agent.gateway.usage import Usage
from referee.record.canonical import canonical_json
from referee.record.model_call import CallOutcome, CallTotals, ModelCall, Tokens

MOST_BYTES = 1 << 30
MOST_REFUSED = 1000
"""Lines for refused calls, which cost an agent nothing; later ones are counted only."""


def tokens_of(usage: Usage) -> Tokens:
    """Counts as they are written down."""
    return Tokens(**vars(usage))


@dataclass
class CallLog:
    """Appends calls to a file and keeps their sums; memory does not grow with them, and the file
    not without end. Texts named as secret are written as `[key]`. `failures` counts provider errors
    since the last answer; `run_refused` says that the last call was refused by the run's budget."""

    path: Path
    secrets: tuple[str, ...] = field(default=(), repr=False)
    totals: CallTotals = field(default_factory=CallTotals)
    last: CallOutcome | None = None
    last_call: ModelCall | None = field(default=None, repr=False)
    failures: int = 0
    begun: int = 0
    run_refused: bool = False
    _written: int = 0
    _file: BinaryIO | None = None
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def add(self, call: ModelCall, *, by_run: bool = False) -> None:
        """Write one call down; `by_run`: it was refused by the budget of the whole run."""
        bare = call.model_copy(update={"request": None, "response": ""})
        with self._lock:
            if self._written > MOST_BYTES:
                call = bare
            self._count(call, by_run)
            self.last_call = bare
            if call.outcome == "refused" and self.totals.refused > MOST_REFUSED:
                return
            line = canonical_json(call.as_json()) + b"\n"
            for secret in filter(None, self.secrets):
                line = line.replace(secret.encode(), b"[key]")
            if self._file is None:
                self._file = self.path.open("ab")
            self._file.write(line)
            self._file.flush()
            self._written += len(line)

    def _count(self, call: ModelCall, by_run: bool) -> None:
        self.totals = with_call(self.totals, call)
        self.run_refused = by_run and call.outcome == "refused"
        if call.outcome != "refused":
            self.last = call.outcome
            failed = call.outcome in ("provider_error", "unfinished")
            self.failures = self.failures + 1 if failed else 0

    def next_number(self) -> int:
        """The number of a call that begins now; calls may overlap."""
        with self._lock:
            self.begun += 1
            return self.begun

    def close(self) -> None:
        """Close the file."""
        with self._lock:
            if self._file is not None:
                self._file.close()
                self._file = None


def with_call(totals: CallTotals, call: ModelCall) -> CallTotals:
    """The sums with one call more."""
    return sum_of(totals, _of_call(call))


def sum_of(one: CallTotals, other: CallTotals) -> CallTotals:
    """The sums of two."""
    return CallTotals(
        calls=one.calls + other.calls,
        answered=one.answered + other.answered,
        refused=one.refused + other.refused,
        provider_errors=one.provider_errors + other.provider_errors,
        uncounted=one.uncounted + other.uncounted,
        uncertain=one.uncertain + other.uncertain,
        tokens=_tokens(one.tokens, other.tokens),
        cost=_dollars(one.cost, other.cost),
        charged=_tokens(one.charged, other.charged),
        charged_cost=_dollars(one.charged_cost, other.charged_cost),
    )


def _of_call(call: ModelCall) -> CallTotals:
    answered = call.outcome == "answered"
    uncertain = call.outcome in ("provider_error", "unfinished") and call.charged is not None
    bounded = call.charged is not None
    free = None if answered or uncertain else 0.0
    charged_cost = call.charged_cost if bounded else call.cost
    return CallTotals(
        calls=1,
        answered=int(answered),
        refused=int(call.outcome == "refused"),
        provider_errors=int(call.outcome == "provider_error"),
        uncounted=int(answered and call.tokens is None),
        uncertain=int(uncertain),
        tokens=call.tokens or Tokens(),
        cost=free if call.cost is None else call.cost,
        charged=(call.charged if bounded else call.tokens) or Tokens(),
        charged_cost=free if charged_cost is None else charged_cost,
    )


def _tokens(one: Tokens, other: Tokens) -> Tokens:
    here, there = one.as_json(), other.as_json()
    return Tokens(**{name: value + there[name] for name, value in here.items()})


def _dollars(one: float | None, other: float | None) -> float | None:
    return None if one is None or other is None else one + other
