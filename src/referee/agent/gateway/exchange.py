"""The writer of `model-calls.jsonl`: one line a call, and the sums."""

from __future__ import annotations

import threading
from dataclasses import dataclass, field
from pathlib import Path
from typing import BinaryIO

from referee.agent.gateway.usage import Usage
from referee.record.canonical import canonical_json
from referee.record.model_call import CallOutcome, CallTotals, ModelCall, Tokens


def tokens_of(usage: Usage) -> Tokens:
    """Counts as they are written down."""
    return Tokens(**vars(usage))


@dataclass
class CallLog:
    """Appends calls to a file and keeps their sums; memory does not grow with them. Texts named as
    secret are written as `[key]`. `failures` counts provider errors since the last answer."""

    path: Path
    secrets: tuple[str, ...] = field(default=(), repr=False)
    totals: CallTotals = field(default_factory=CallTotals)
    last: CallOutcome | None = None
    failures: int = 0
    begun: int = 0
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
            self.totals = with_call(self.totals, call)
            if call.outcome != "refused":
                self.last = call.outcome
                self.failures = self.failures + 1 if call.outcome == "provider_error" else 0

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
    sent = call.outcome != "refused"
    new = {} if call.tokens is None else call.tokens.as_json()
    sums = {name: value + new.get(name, 0) for name, value in totals.tokens.as_json().items()}
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
