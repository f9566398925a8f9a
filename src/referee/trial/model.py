"""A trial's way to its model: the gateway while the agent works, and what comes of its calls."""

from __future__ import annotations

import contextlib
import json
import secrets
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from referee.agent.gateway.budget import Budget, Meter
from referee.agent.gateway.exchange import CallLog, tokens_of
from referee.agent.gateway.patience import Patience
from referee.agent.gateway.probe import probe
from referee.agent.gateway.usage import Usage, is_countable
from referee.agent.link import PORT, ModelLink
from referee.agent.profile import Profile
from referee.agent.protocol import AgentReport
from referee.agent.transcript import transcript_of
from referee.record.atomic import write_atomic
from referee.record.fault import Infrastructure
from referee.record.model_call import ModelCall, ModelUse
from referee.sandbox.protocol import Sandbox

CALLS, TRANSCRIPT = "model-calls.jsonl", "transcript.json"
NO_TRANSCRIPT = "no-transcript.txt"
_HOPELESS = 3
"""Calls in a row that the upstream could not answer, each tried several times, after which an agent
that goes on is ended."""


@dataclass(frozen=True)
class Models:
    """The models of a run: the profile of each arm that has one, and what may be used of them;
    `trials` is how many were planned for these arms."""

    profiles: Mapping[str, Profile] = field(default_factory=dict)
    trial: Budget = field(default_factory=Budget)
    run: Meter = field(default_factory=lambda: Meter(Budget()))
    patience: Patience = field(default_factory=Patience)
    trials: int = 1


@dataclass
class ModelSession:
    """One trial's calls while they are made."""

    models: Models
    profile: Profile
    meter: Meter
    log: CallLog
    token: str

    def link(self) -> ModelLink:
        """What the agent gets."""
        table = self.profile.table
        return ModelLink(
            protocol=table.protocol,
            model=table.model,
            token=self.token,
            hopeless=self.hopeless,
            context_window=table.context_window,
            max_output=table.max_output,
            tools=table.tools,
        )

    def hopeless(self) -> str | None:
        """Why no further call can be answered, or None."""
        if (spent := self.meter.spent() or self.models.run.spent()) is not None:
            return spent
        if self.log.failures >= _HOPELESS:
            return f"{self.log.failures} calls in a row were not answered"
        return None

    def use(self, report: AgentReport | None) -> ModelUse:
        """What was used, beside what the agent says of it."""
        told = None
        if report is not None and report.told is not None and is_countable(report.told):
            told = tokens_of(report.told)
        counted = self.log.totals.tokens
        agrees = None
        if told is not None and self.log.totals.uncounted == 0:
            agrees = (told.input, told.output) == (counted.input, counted.output)
        return ModelUse(
            profile=self.profile.name,
            totals=self.log.totals,
            told=told,
            agrees=agrees,
            stopped=None if report is None else report.stopped,
        )

    def require_answered(self) -> None:
        """A trial whose last call the upstream did not answer decides nothing about its agent,
        unless the upstream answers us: then it was the call. Nor does one whose last call the
        budget of the run refused, unless it had used its own share of that.

        Raises:
            Infrastructure: `model_unavailable`, or `model_budget_of_run`.
        """
        if self.log.last in ("provider_error", "unfinished"):
            reason = self._unreached() or probe(self.profile)
            if reason is not None:
                raise Infrastructure("model_unavailable", f"{self.profile.name}: {reason}")
        if self.log.run_refused and not self._had_its_share():
            reason = self.models.run.spent() or "other trials held what was left"
            raise Infrastructure("model_budget_of_run", reason)

    def _unreached(self) -> str | None:
        """Why the last call never reached the upstream, which no agent can bring about; or None."""
        call = self.log.last_call
        if call is None or call.outcome != "provider_error" or not call.tries:
            return None
        return call.tries[-1].error if all(t.unsent for t in call.tries) else None

    def _had_its_share(self) -> bool:
        totals = self.log.totals
        used = Usage(**totals.charged.as_json())
        part = self.models.run.share(used, totals.calls - totals.refused, totals.charged_cost)
        return part * max(1, self.models.trials) >= 1


@contextlib.contextmanager
def model_session(
    models: Models, arm: str, sandbox: Sandbox, logs: Path
) -> Iterator[ModelSession | None]:
    """The gateway of one trial, for as long as its agent works; None for an arm without a model.

    Raises:
        Infrastructure: the gateway does not come up.
    """
    profile = models.profiles.get(arm)
    if profile is None:
        yield None
        return
    # the server and its HTTP client are loaded for runs with a model only
    from referee.agent.gateway.app import Access
    from referee.agent.gateway.server import serving

    log = CallLog(logs / CALLS, (profile.key.get_secret_value(),))
    session = ModelSession(
        models, profile, Meter(models.trial), log, f"trial-{secrets.token_hex(16)}"
    )
    access = Access(profile, session.token, session.meter, models.run, log, models.patience)
    with serving(access, sandbox.listen(PORT)):
        yield session


def write_transcript(logs: Path, *, session: str, agent: str, version: str, model: str) -> None:
    """Make `transcript.json` of the recorded calls, if there are any. It is for readers and decides
    nothing: where it cannot be made, a file says so instead."""
    path = logs / CALLS
    if not path.is_file():
        return
    try:
        with path.open() as lines:
            calls = [ModelCall.model_validate(json.loads(line), strict=False) for line in lines]
        made = transcript_of(calls, session=session, agent=agent, version=version, model=model)
        if made is None:
            return
        data = made.model_dump_json(exclude_none=True, indent=1).encode() + b"\n"
    except (ValueError, RecursionError, TypeError) as defect:
        text = f"no transcript could be made of {CALLS}: {type(defect).__name__}\n"
        write_atomic(logs / NO_TRANSCRIPT, text.encode())
        return
    write_atomic(logs / TRANSCRIPT, data)
