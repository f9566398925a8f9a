"""From recorded model calls to one transcript: each call, command and observation once.

It is made from what the gateway saw, so no agent can write it, and all agents have the same.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import cast

from pydantic import JsonValue

from referee.agent.gateway.plain import clean, clean_text
from referee.agent.gateway.reading import Reply, Said, reply_of, said_in
from referee.record.atif import (
    AgentPart,
    FinalMetrics,
    Metrics,
    Observation,
    ObservationResult,
    Step,
    ToolCall,
    Trajectory,
)
from referee.record.model_call import ModelCall


@dataclass
class _Draft:
    """A step whose observations may still come, by the id of what was asked."""

    step: Step
    answers: dict[str, str] = field(default_factory=dict)

    def asked(self, call: str) -> bool:
        return any(made.tool_call_id == call for made in self.step.tool_calls or ())


def transcript_of(
    calls: Iterable[ModelCall], *, session: str, agent: str, version: str, model: str | None
) -> Trajectory | None:
    """The transcript of a trial's calls, in their order; None if there was none."""
    drafts: list[_Draft] = []
    heard: Counter[tuple[str, str]] = Counter()
    for call in sorted(calls, key=lambda c: c.number):
        said = said_in(call)
        _observe(drafts, [message for message in said if message.role == "tool"])
        here: Counter[tuple[str, str]] = Counter()
        for message in said:
            if message.role == "tool":
                continue
            key = (message.role, clean_text(message.text))
            here[key] += 1
            # with every call the history comes again: new is what it holds more often than before
            if here[key] > heard[key]:
                heard[key] = here[key]
                step = Step(step_id=len(drafts) + 1, source=message.role, message=key[1])
                drafts.append(_Draft(step))
        drafts.append(_called(len(drafts) + 1, call, reply_of(call)))
    if not drafts:
        return None
    steps = tuple(_finished(draft) for draft in drafts)
    return Trajectory(
        session_id=session,
        agent=AgentPart(name=agent, version=version, model_name=model),
        steps=steps,
        final_metrics=_totals(steps),
    )


def _observe(drafts: Sequence[_Draft], results: Sequence[Said]) -> None:
    """An agent sends its history again with every call, and ids may be used again: the results of
    one id belong, in their order, to the last steps that asked with it."""
    by_id: dict[str, list[str]] = {}
    for result in results:
        by_id.setdefault(clean_text(result.call or ""), []).append(clean_text(result.text))
    for call, texts in by_id.items():
        asking = [draft for draft in drafts if draft.asked(call)][-len(texts) :]
        for draft, text in zip(asking, texts[-len(asking) :], strict=False):
            draft.answers.setdefault(call, text)


def _called(number: int, call: ModelCall, reply: Reply) -> _Draft:
    asked = tuple(
        ToolCall(
            tool_call_id=clean_text(a.id) or f"{number}-{n}",
            function_name=clean_text(a.name),
            arguments=cast("dict[str, JsonValue]", clean(a.arguments)),
        )
        for n, a in enumerate(reply.asked)
    )
    tokens = call.tokens
    metrics = None
    if tokens is not None:
        metrics = Metrics(
            prompt_tokens=tokens.input,
            completion_tokens=tokens.output,
            cached_tokens=tokens.cached,
            cost_usd=call.cost,
        )
    fault: dict[str, JsonValue] | None = None
    if call.outcome != "answered":
        fault = {"outcome": call.outcome, "status": call.status, "detail": call.detail}
    step = Step(
        step_id=number,
        timestamp=call.begun,
        source="agent",
        model_name=call.model,
        message=clean_text(reply.text),
        reasoning_content=clean_text(reply.reasoning) or None,
        tool_calls=asked or None,
        metrics=metrics,
        llm_call_count=0 if call.outcome == "refused" else 1,
        extra={"call": call.number, **({"fault": fault} if fault else {})},
    )
    return _Draft(step)


def _finished(draft: _Draft) -> Step:
    if not draft.answers:
        return draft.step
    results = tuple(
        ObservationResult(
            source_call_id=call.tool_call_id, content=draft.answers[call.tool_call_id]
        )
        for call in draft.step.tool_calls or ()
        if call.tool_call_id in draft.answers
    )
    return draft.step.model_copy(update={"observation": Observation(results=results)})


def _totals(steps: tuple[Step, ...]) -> FinalMetrics:
    told = [step.metrics for step in steps if step.metrics is not None]
    costs = [metrics.cost_usd for metrics in told]
    known = [cost for cost in costs if cost is not None]
    return FinalMetrics(
        total_prompt_tokens=sum(m.prompt_tokens or 0 for m in told),
        total_completion_tokens=sum(m.completion_tokens or 0 for m in told),
        total_cached_tokens=sum(m.cached_tokens or 0 for m in told),
        total_cost_usd=sum(known) if len(known) == len(costs) and costs else None,
        total_steps=len(steps),
    )
