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
    answered = call.outcome == "answered"
    uncertain = call.outcome in ("provider_error", "unfinished") and call.charged is not None
    told = answered and call.tokens is not None
    charged = call.tokens if call.charged is None else call.charged
    charged_cost = call.cost if call.charged is None else call.charged_cost
    return CallTotals(
        calls=totals.calls + 1,
        answered=totals.answered + answered,
        refused=totals.refused + (call.outcome == "refused"),
        provider_errors=totals.provider_errors + (call.outcome == "provider_error"),
        uncounted=totals.uncounted + (answered and not told),
        uncertain=totals.uncertain + uncertain,
        tokens=_plus(totals.tokens, call.tokens),
        cost=_sum(totals.cost, call.cost, answered or uncertain),
        charged=_plus(totals.charged, charged),
        charged_cost=_sum(totals.charged_cost, charged_cost, answered or uncertain),
    )


def _plus(tokens: Tokens, more: Tokens | None) -> Tokens:
    new = {} if more is None else more.as_json()
    return Tokens(**{name: value + new.get(name, 0) for name, value in tokens.as_json().items()})


def _sum(known: float | None, more: float | None, needed: bool) -> float | None:
    if known is None or (more is None and needed):
        return None
    return known + (more or 0.0)
