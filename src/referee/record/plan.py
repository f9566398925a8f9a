"""The frozen plan of a run: everything that is decided before the first trial starts."""

from __future__ import annotations

import hashlib
from typing import Annotated, Any, Literal

from pydantic import Field, JsonValue, StringConstraints, model_validator

from referee.record.canonical import sha256_json
from referee.record.data import DataFacts
from referee.record.model import Frozen
from referee.record.trial import PathName, TrialIdentity
from referee.record.verdict import RECORD_VERSION, GraderFacts, Sha256

Seed = Annotated[int, Field(ge=0, lt=2**63)]


class Arm(Frozen):
    """Agent + model + settings + condition; `digest` (from `Frozen`) names exactly this arm."""

    name: PathName
    agent: str
    agent_version: str
    model: str | None = None
    settings: dict[str, JsonValue] = Field(default_factory=dict)
    condition: dict[str, str] = Field(default_factory=dict)

    @property
    def condition_text(self) -> str:
        """The condition as `factor=level, ...`, or an empty text."""
        return ", ".join(f"{key}={value}" for key, value in sorted(self.condition.items()))


class SelectedTask(Frozen):
    """A task of the selection, with what tables are split by. `baseline_digest` names the locked
    list of checks, or all that decides about the leaves of a reproduction."""

    task_id: PathName
    task_digest: Sha256
    baseline_digest: Sha256
    paradigm: str
    domain: str


class SuiteFacts(Frozen):
    name: str
    suite_digest: Sha256


class RunPlan(Frozen):
    """The whole of `run.json`.

    `unvalidated` names tasks that had not passed validation. `limits` holds limits that the run
    sets on top of the tasks' own, `data` which data the scores of a task rest on, `judge` who
    decides the leaves that code cannot. `host` and
    `created` (UTC, ISO 8601) are facts about the machine
    and the moment; they are no part of `identity_digest`.
    """

    record_version: Literal[1] = RECORD_VERSION
    suite: SuiteFacts
    selection: Annotated[tuple[SelectedTask, ...], Field(min_length=1)]
    selection_digest: Sha256
    arms: Annotated[tuple[Arm, ...], Field(min_length=1)]
    attempts: Annotated[int, Field(ge=1)] = 1
    unvalidated: tuple[PathName, ...] = ()
    seed: Seed = 0
    limits: dict[str, JsonValue] = Field(default_factory=dict)
    data: dict[PathName, DataFacts] = Field(default_factory=dict)
    judge: dict[str, JsonValue] = Field(default_factory=dict)
    grader: GraderFacts
    host: dict[str, JsonValue] = Field(default_factory=dict)
    created: Annotated[str, StringConstraints(pattern=r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d.*Z$")]

    @model_validator(mode="after")
    def _consistent(self) -> RunPlan:
        for what, names in (
            ("task", [task.task_id for task in self.selection]),
            ("arm", [arm.name for arm in self.arms]),
        ):
            if len({name.casefold() for name in names}) != len(names):
                raise ValueError(f"the same {what} name stands twice in the plan")
        if self.selection_digest != selection_digest(self.selection):
            raise ValueError("selection_digest is not the digest of the selection")
        return self

    @property
    def identity_digest(self) -> str:
        """SHA-256 of the plan without `host` and `created`: two plans with the same one are the
        same run, and the second resumes the first."""
        return sha256_json(self.identity())

    def identity(self) -> dict[str, Any]:
        """The plan without `host` and `created`."""
        value = self.as_json()
        del value["host"], value["created"]
        if not self.data:
            del value["data"]  # plans that were made before there were any keep their identity
        if not self.judge:
            del value["judge"]
        return value

    def trials(self) -> tuple[TrialIdentity, ...]:
        """Every planned trial, attempt by attempt, task by task, arm by arm."""
        digests = {arm.name: arm.digest for arm in self.arms}
        return tuple(
            TrialIdentity(
                task_id=task.task_id,
                task_digest=task.task_digest,
                arm=arm.name,
                arm_digest=digests[arm.name],
                attempt=attempt,
                seed=trial_seed(self.seed, task.task_digest, attempt),
            )
            for attempt in range(1, self.attempts + 1)
            for task in self.selection
            for arm in self.arms
        )


def selection_digest(selection: tuple[SelectedTask, ...]) -> str:
    """SHA-256 over the selected tasks; their order does not matter."""
    rows = sorted((task.as_json() for task in selection), key=lambda row: str(row["task_id"]))
    return sha256_json(rows)


def trial_seed(run_seed: int, task_digest: str, attempt: int) -> int:
    """Seed of a trial, 63 bits. It does not depend on the arm, so that arms meet the same draws."""
    text = f"{run_seed}:{task_digest}:{attempt}".encode()
    return int.from_bytes(hashlib.sha256(text).digest()[:8], "big") >> 1
