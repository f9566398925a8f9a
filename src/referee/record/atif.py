"""Transcripts in the Agent Trajectory Interchange Format, version 1.8: the parts that we write."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, JsonValue, model_validator

from referee.record.model import Frozen

SCHEMA = "ATIF-v1.8"
Count = Annotated[int, Field(ge=0)]


class ToolCall(Frozen):
    """What a model asked its agent to run."""

    tool_call_id: str
    function_name: str
    arguments: dict[str, JsonValue]


class ObservationResult(Frozen):
    """What came back of one tool call."""

    source_call_id: str | None = None
    content: str | None = None


class Observation(Frozen):
    results: tuple[ObservationResult, ...]


class Metrics(Frozen):
    """Tokens of one model call; `prompt_tokens` holds the cached ones."""

    prompt_tokens: Count | None = None
    completion_tokens: Count | None = None
    cached_tokens: Count | None = None
    cost_usd: float | None = None


class Step(Frozen):
    """One turn: `agent` steps are model calls, with what they asked for and what they were told."""

    step_id: Annotated[int, Field(ge=1)]
    timestamp: str | None = None
    source: Literal["system", "user", "agent"]
    model_name: str | None = None
    message: str = ""
    reasoning_content: str | None = None
    tool_calls: tuple[ToolCall, ...] | None = None
    observation: Observation | None = None
    metrics: Metrics | None = None
    llm_call_count: Count | None = None
    extra: dict[str, JsonValue] | None = None


class FinalMetrics(Frozen):
    total_prompt_tokens: Count | None = None
    total_completion_tokens: Count | None = None
    total_cached_tokens: Count | None = None
    total_cost_usd: float | None = None
    total_steps: Count


class AgentPart(Frozen):
    """Who acted."""

    name: str
    version: str
    model_name: str | None = None


class Trajectory(Frozen):
    """The whole of `transcript.json`."""

    schema_version: Literal["ATIF-v1.8"] = "ATIF-v1.8"
    session_id: str
    agent: AgentPart
    steps: Annotated[tuple[Step, ...], Field(min_length=1)]
    notes: str | None = None
    final_metrics: FinalMetrics | None = None
    extra: dict[str, JsonValue] | None = None

    @model_validator(mode="after")
    def _in_order(self) -> Trajectory:
        if [step.step_id for step in self.steps] != list(range(1, len(self.steps) + 1)):
            raise ValueError("steps are numbered from 1 without a gap")
        return self
