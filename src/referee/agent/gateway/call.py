"""One call on its way: what it was, what came of it, and that it is settled exactly once."""

from __future__ import annotations

import datetime
import time
from dataclasses import dataclass, field

from referee.agent.gateway.budget import Grant, Meter
from referee.agent.gateway.dialect import Body, Dialect
from referee.agent.gateway.exchange import CallLog, tokens_of
from referee.agent.gateway.patience import Patience
from referee.agent.gateway.redact import Redactor, redacted
from referee.agent.gateway.upstream import Answer
from referee.agent.gateway.usage import Usage
from referee.agent.profile import Profile
from referee.record.canonical import canonical_json
from referee.record.model_call import CallOutcome, ModelCall, Tokens, Try

_DETAIL_CHARS = 500


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

    @property
    def key(self) -> str:
        """The real key; empty if there is none."""
        return self.profile.key.get_secret_value()


@dataclass
class Call:
    """A call while it is served. `finish` settles budgets and writes it down, once."""

    access: Access
    dialect: Dialect
    number: int
    body: Body = field(default_factory=dict)
    left_out: tuple[str, ...] = ()
    grants: tuple[Grant, Grant] | None = None
    answer: Answer | None = None
    usage: Usage | None = None
    first_byte_s: float | None = None
    kept: list[bytes] = field(default_factory=list)
    client_left: bool = False
    done: bool = False
    begun: str = field(
        default_factory=lambda: datetime.datetime.now(datetime.UTC).isoformat(
            timespec="milliseconds"
        )
    )
    start: float = field(default_factory=time.monotonic)

    def __post_init__(self) -> None:
        self._redactor = Redactor(self.access.key)

    @property
    def stream(self) -> bool:
        """Whether the agent asked for a stream."""
        return self.body.get("stream") is True

    def keep(self, chunk: bytes) -> bytes:
        """What may be passed on of a chunk by now; it is kept for the record as well."""
        if self.first_byte_s is None:
            self.first_byte_s = time.monotonic() - self.start
        passed = self._redactor.feed(chunk)
        self.kept.append(passed)
        return passed

    def keep_rest(self) -> bytes:
        """What `keep` held back, at the end of an answer."""
        self.kept.append(self._redactor.end())
        return self.kept[-1]

    def finish(
        self,
        outcome: CallOutcome,
        status: int,
        detail: str | None = None,
        *,
        tries: tuple[Try, ...] | None = None,
        by_run: bool = False,
    ) -> None:
        """Settle the budgets and write the call down; later calls of this do nothing."""
        if self.done:
            return
        self.done = True
        if tries is None:
            tries = () if self.answer is None else self.answer.tries
        uncertain = outcome == "unfinished" or (
            outcome == "provider_error" and (self.answer is not None or _was_sent(tries))
        )
        cost = self._cost(self.usage)
        charged, charged_cost = self.usage, cost
        if uncertain:
            charged = self._bound() or self.usage
            charged_cost = self._cost(charged)
        elif outcome != "answered" and self.usage is None:
            charged, charged_cost = Usage(), 0.0
        if self.grants is not None:
            self.access.trial.settle(self.grants[0], charged, charged_cost)
            self.access.run.settle(self.grants[1], charged, charged_cost)
        self._record(
            outcome,
            status,
            detail,
            tries,
            charged=tokens_of(charged or Usage()) if uncertain else None,
            charged_cost=charged_cost if uncertain else None,
            by_run=by_run,
        )

    def _cost(self, usage: Usage | None) -> float | None:
        """Dollars, for the model that the price is of."""
        price = self.access.profile.price
        priced = self.body.get("model") == self.access.profile.table.model
        return None if price is None or usage is None or not priced else price.cost(usage)

    def _bound(self) -> Usage | None:
        """The most that the upstream can have counted: a token has at least one byte. None if the
        output was not bounded."""
        most = None if self.grants is None else self.grants[1].most_output
        if most is None:
            return None
        window = self.access.profile.table.context_window
        size = len(canonical_json(self.body))
        return Usage(input=size if window is None else min(size, window), output=most)

    def _record(
        self,
        outcome: CallOutcome,
        status: int,
        detail: str | None,
        tries: tuple[Try, ...],
        *,
        charged: Tokens | None,
        charged_cost: float | None,
        by_run: bool,
    ) -> None:
        model = self.body.get("model")
        refused = outcome == "refused"
        self.access.log.add(
            ModelCall(
                number=self.number,
                protocol=self.dialect.name,
                model=model[:200] if isinstance(model, str) else None,
                stream=self.stream,
                outcome=outcome,
                status=status,
                detail=None if detail is None else self.safe(detail),
                tries=tries,
                tokens=None if self.usage is None else tokens_of(self.usage),
                cost=self._cost(self.usage),
                charged=charged,
                charged_cost=charged_cost,
                begun=self.begun,
                first_byte_s=None if self.first_byte_s is None else round(self.first_byte_s, 6),
                seconds=round(time.monotonic() - self.start, 6),
                client_left=self.client_left,
                request=None if refused else self.body or None,
                left_out=self.left_out,
                response=b"".join(self.kept).decode("utf-8", "replace"),
            ),
            by_run=by_run,
        )

    def safe(self, detail: str) -> str:
        """A bounded text that an agent and a record may see."""
        text = redacted(detail, self.access.key)[:_DETAIL_CHARS]
        return text.encode("utf-8", "replace").decode()


def _was_sent(tries: tuple[Try, ...]) -> bool:
    """Whether a try without a status may have been served all the same."""
    return any(t.status is None and not t.unsent for t in tries)
