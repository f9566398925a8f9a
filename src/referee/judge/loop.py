"""The conversation about one leaf: ask, look, ask again, and stop in time."""

from __future__ import annotations

import threading
import time
from dataclasses import dataclass, field
from typing import Any

from referee.evidence.measure import MetricModule
from referee.evidence.roots import Evidence
from referee.judge.conversation import (
    Conversation,
    Result,
    Said,
    Transport,
    Unavailable,
    plainly,
)
from referee.judge.guard import orders_in, wrapped
from referee.judge.pictures import Album
from referee.judge.tools import Toolbox
from referee.judge.verdict import ReaderFailed, Refused, Verdict, require_evidence, verdict_of
from referee.metric.rubric.leaf import Withheld
from referee.metric.rubric.schema import Node


class BudgetExhausted(Exception):
    """The task's budget for judging is used up."""


@dataclass(frozen=True, slots=True)
class Limits:
    """What a conversation and a task may use: rounds of tools, characters of results, times that
    the judge is asked again; calls, tokens, dollars and seconds of the whole task."""

    rounds: int = 16
    calls_a_round: int = 24
    result: int = 65_000
    results: int = 400_000
    floor: int = 4_000
    asked_again: int = 2
    calls: int = 1_000
    tokens: int = 20_000_000
    dollars: float = 50.0
    seconds: float = 3_600.0


RUN_LIMITS = Limits(calls=20_000, tokens=400_000_000, dollars=500.0, seconds=86_400.0)
"""What judging a whole run may use."""


@dataclass
class Ledger:
    """What judging a task has used so far; `input_price` and `output_price` in dollars a token.
    `above` is the ledger of the whole run, which is charged as well; it has no clock of its own
    (`started` None), so that only judging counts as time, and not the agents' work."""

    limits: Limits
    input_price: float = 0.0
    output_price: float = 0.0
    above: Ledger | None = None
    calls: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    spent_s: float = 0.0
    started: float | None = field(default_factory=time.monotonic)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    @property
    def dollars(self) -> float:
        """Cost at the profile's prices."""
        return self.input_tokens * self.input_price + self.output_tokens * self.output_price

    @property
    def seconds(self) -> float:
        """Time that judging took."""
        running = 0.0 if self.started is None else time.monotonic() - self.started
        return self.spent_s + running

    def close(self) -> None:
        """Stop the clock; the whole run is charged with its time."""
        self.spent_s, self.started = self.seconds, None
        if self.above is not None:
            with self.above._lock:
                self.above.spent_s += self.spent_s

    def open_call(self) -> None:
        """Count a call before it is made.

        Raises:
            BudgetExhausted: there is nothing left for it.
        """
        with self._lock:
            within = (
                self.calls < self.limits.calls
                and self.input_tokens + self.output_tokens < self.limits.tokens
                and self.dollars < self.limits.dollars
                and self.seconds < self.limits.seconds
            )
            if not within:
                raise BudgetExhausted
            if self.above is not None:
                self.above.open_call()
            self.calls += 1

    def count(self, said: Said) -> None:
        """Add what an answer used."""
        with self._lock:
            self.input_tokens += said.input_tokens
            self.output_tokens += said.output_tokens
        if self.above is not None:
            self.above.count(said)


@dataclass
class Outcome:
    """How a conversation ended, and all that the private audit keeps of it."""

    value: Any
    verdict: Verdict | None
    audit: dict[str, Any]


def converse(
    talk: Conversation,
    node: Node,
    transport: Transport,
    evidence: Evidence,
    module: MetricModule | None,
    ledger: Ledger,
) -> Outcome:
    """Lead the conversation to a verdict that holds, or to `Withheld`: never to 0 for a fault of
    the judge."""
    about_an_image = any(hint.kind == "image" for hint in node.evidence_inputs)
    box = Toolbox(evidence, module, album=Album(with_ours=about_an_image))
    audit: dict[str, Any] = {"leaf": node.id, "prompt": talk.digest, "said": [], "tools": []}
    flags: list[str] = []
    verdict: Verdict | None = None
    value: Any
    try:
        verdict = _led(talk, node, transport, box, ledger, audit, flags)
        value = verdict.value
    except BudgetExhausted:
        value = Withheld("judge_budget_exhausted")
    except Unavailable as error:
        value, audit["fault"] = Withheld("judge_unavailable"), str(error)
    except ReaderFailed as error:
        value, audit["fault"] = Withheld("judge_reader_error"), str(error)
    except Refused as error:
        value, audit["fault"] = Withheld("judge_invalid"), str(error)
    audit["injection_flags"] = list(dict.fromkeys(flags))[:50]
    audit["withheld"] = value.reason if isinstance(value, Withheld) else None
    return Outcome(value, verdict, audit)


def _led(
    talk: Conversation,
    node: Node,
    transport: Transport,
    box: Toolbox,
    ledger: Ledger,
    audit: dict[str, Any],
    flags: list[str],
) -> Verdict:
    limits = ledger.limits
    rounds, again, shown = 0, 0, 0
    while True:
        final = rounds >= limits.rounds
        ledger.open_call()
        said = plainly(transport.reply(talk, final=final))
        ledger.count(said)
        calls = [[call.id, call.name, call.arguments] for call in said.calls]
        one = {"text": said.text, "calls": calls, "prompt": talk.digest, "tokens": _tokens(said)}
        audit["said"].append(one)
        if said.calls and not final:
            rounds += 1
            results, size = _looked(said, box, limits, shown, audit, flags)
            shown += size
            talk.turns += [said, results]
            if rounds == limits.rounds:
                talk.turns.append("No more tools: answer now.")
            continue
        try:
            verdict = verdict_of(said.text, node)
            require_evidence(verdict, node, box.trace, box.evidence, box.module)
            return verdict
        except Refused as wrong:
            if again >= limits.asked_again:
                raise
            again += 1
            # calls after the end are left out of the history: no result will ever follow them
            talk.turns += [Said(said.text), f"Not accepted: {wrong}. Answer again."]


def _tokens(said: Said) -> list[int]:
    return [said.input_tokens, said.output_tokens]


def _looked(
    said: Said,
    box: Toolbox,
    limits: Limits,
    shown: int,
    audit: dict[str, Any],
    flags: list[str],
) -> tuple[tuple[Result, ...], int]:
    results: list[Result] = []
    size = 0
    for number, call in enumerate(said.calls):
        if number >= limits.calls_a_round:
            content = '{"error": "too many calls at once; call this one again"}'
        else:
            content = box.run(call.name, call.arguments)
        flags += orders_in(content)
        left = max(limits.results - shown - size, limits.floor)
        cap = min(limits.result, left)
        if len(content) > cap:
            content = content[:cap] + f"\n[cut at {cap} characters: ask for less at once]"
        size += len(content)
        audit["tools"].append(
            {"name": call.name, "arguments": call.arguments, "chars": len(content)}
        )
        results.append(Result(call, content, wrapped(content), box.album.take()))
    return tuple(results), size
