"""A trial: one attempt of one arm at one task, scored or withheld."""

from __future__ import annotations

import re
from typing import Annotated, Any, Literal, get_args

from pydantic import Field, StringConstraints, model_validator

from referee.record.canonical import sha256_json
from referee.record.fault import Infrastructure
from referee.record.model import Frozen
from referee.record.model_call import ModelUse
from referee.record.reproduction import ReproductionScore
from referee.record.text import bounded_text
from referee.record.verdict import RECORD_VERSION, Message, Reason, Scores, Sha256, Timing

_PATH_NAME, _LONGEST_NAME = r"^[A-Za-z0-9][A-Za-z0-9._=+-]*$", 120
PathName = Annotated[str, StringConstraints(pattern=_PATH_NAME, max_length=_LONGEST_NAME)]
"""A name that is also a folder: no separators, no leading dot."""


def is_path_name(name: str) -> bool:
    """Whether `name` is a `PathName`."""
    return len(name) <= _LONGEST_NAME and re.fullmatch(_PATH_NAME.strip("^$"), name) is not None


WithheldReason = Literal[
    "sandbox_start",
    "sandbox_died",
    "sandbox_watch",
    "sandbox_lost",
    "environment_damaged",
    "snapshot_damaged",
    "data_damaged",
    "snapshot_changed",
    "layer_not_empty",
    "layer_write",
    "upper_changed",
    "upper_unreadable",
    "oracle_write",
    "baseline_failed",
    "model_unavailable",
    "model_budget_of_run",
    "gateway_start",
    "grader_collection",
    "grader_crash",
    "grader_data",
    "grader_ids",
    "grader_timeout",
    "leaf_ids",
    "evaluator_limit",
    "invalid_evidence",
    "judge_budget_exhausted",
    "judge_compromised",
    "judge_error",
    "judge_invalid",
    "judge_reader_error",
    "judge_unavailable",
    "metric_crash",
    "metric_result",
    "metric_unstable",
    "no_canonical_input",
    "no_hdf5_reader",
    "no_image_reader",
    "no_units",
    "outputs_unstable",
    "runner_error",
    "unit_missing",
    "disk_full",
    "internal_error",
    "other",
]
"""Why a trial can be withheld: only failures of the machine or of referee itself stand here."""

WITHHELD_REASONS: tuple[str, ...] = get_args(WithheldReason)


class TrialIdentity(Frozen):
    """What a trial is an attempt of. `attempt` counts from 1; `seed` seeds everything random."""

    task_id: PathName
    task_digest: Sha256
    arm: PathName
    arm_digest: Sha256
    attempt: Annotated[int, Field(ge=1)]
    seed: Annotated[int, Field(ge=0, lt=2**63)]

    @property
    def key(self) -> tuple[str, str, int]:
        """Task, arm and attempt: unique within a run."""
        return (self.task_id, self.arm, self.attempt)

    @property
    def folder(self) -> str:
        """The trial's folder below the run, POSIX."""
        return f"trials/{self.task_id}/{self.arm}/{self.attempt}"


class Withheld(Frozen):
    """Why a trial has no score."""

    reason: WithheldReason
    detail: Message = ""


def withheld_from(fault: Infrastructure) -> Withheld:
    """The closed reason for a machine fault; a reason that is not on the list becomes `other`
    and keeps its name in the detail."""
    if fault.reason in WITHHELD_REASONS:
        return Withheld.model_validate(
            {"reason": fault.reason, "detail": bounded_text(fault.detail)}
        )
    return Withheld(reason="other", detail=bounded_text(f"{fault.reason}: {fault.detail}"))


class SubmissionFacts(Frozen):
    """What was handed in: digest and size of the canonical patch, and the files it touches."""

    submission_digest: Sha256
    bytes: Annotated[int, Field(ge=0)]
    files: Annotated[int, Field(ge=0)]
    refusal: Reason | None = None


class AgentFacts(Frozen):
    """How the agent's process ended. `exit` is None unless it ended by itself."""

    ended: str
    exit: int | None = None


class Trial(Frozen):
    """The whole of `trial.json`. `timing` is in seconds by phase. A trial at a reproduction task
    has `reproduction` in the place of `scores`; a withheld one with bounds has a verdict all the
    same, of which some leaves are open."""

    record_version: Literal[1] = RECORD_VERSION
    identity: TrialIdentity
    outcome: Literal["scored", "withheld"]
    withheld: Withheld | None = None
    submission: SubmissionFacts | None = None
    agent: AgentFacts | None = None
    model: ModelUse | None = None
    verdict_digest: Sha256 | None = None
    scores: Scores | None = None
    reproduction: ReproductionScore | None = None
    timing: Timing = Field(default_factory=dict)

    @model_validator(mode="after")
    def _outcome_is_not_score(self) -> Trial:
        open_total = self.reproduction is not None and self.reproduction.score is None
        scored = self.scores is not None or (self.reproduction is not None and not open_total)
        graded = self.verdict_digest is not None
        if self.scores is not None and self.reproduction is not None:
            raise ValueError("a trial has scores of checks, or of a reproduction")
        if self.outcome == "scored":
            if not (graded and scored) or self.withheld is not None or self.submission is None:
                raise ValueError(
                    "a scored trial has a submission, a verdict, scores and no withheld reason"
                )
        elif scored or self.withheld is None or graded != open_total:
            raise ValueError("a withheld trial has a reason, and neither verdict nor scores")
        return self

    def content(self) -> dict[str, Any]:
        """The trial without its times."""
        value = self.as_json()
        del value["timing"]
        if self.model is None:  # as in records from before there were models
            del value["model"]
        if self.reproduction is None:
            del value["reproduction"]
        return value

    @property
    def content_digest(self) -> str:
        """SHA-256 of `content()`."""
        return sha256_json(self.content())
