"""Small run folders with artifact tasks, written by the functions that write real ones."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from referee.metric.artifact import REQUIREMENT, is_met, is_valid
from referee.metric.repair import repair_scores
from referee.record.canonical import sha256_bytes
from referee.record.measure import Measure, Measured, reaches
from referee.record.plan import Arm, RunPlan, SelectedTask, SuiteFacts, selection_digest
from referee.record.trial import (
    AgentFacts,
    SubmissionFacts,
    Trial,
    TrialIdentity,
    Withheld,
)
from referee.record.verdict import CheckResult, GraderFacts, Verdict
from referee.trial.run_folder import open_run

TREE = sha256_bytes(b"tree")
TASK = "008-new-physics"


@dataclass(frozen=True)
class Handed:
    """What one trial hands in, and what its one check of the contract says."""

    reported: Measured | None = None
    patch: bytes = b""
    outcome: str = "passed"
    reason: str | None = None
    contract: str | None = None
    message: str = ""
    refusal: str | None = None
    withheld: bool = False


@dataclass(frozen=True)
class MeasuredRun:
    """A run of `tasks` by `arms`. `handed` has what each (task, arm, attempt) hands in; arms are
    names or `Arm`s; `locked` has the task's measure, by task or for all."""

    handed: Mapping[tuple[str, str, int], Handed]
    arms: tuple[str | Arm, ...] = ("one", "two")
    tasks: tuple[str, ...] = (TASK,)
    attempts: int = 1
    paradigm: str = "artifact"
    locked: Mapping[str, Any] = field(default_factory=dict)
    plan_values: Mapping[str, Any] = field(default_factory=dict)

    def plan(self) -> RunPlan:
        selection = tuple(
            SelectedTask(
                task_id=name,
                task_digest=sha256_bytes(name.encode()),
                baseline_digest=TREE,
                paradigm=self.paradigm,
                domain="Gravitational-wave physics",
            )
            for name in self.tasks
        )
        values = {
            "suite": SuiteFacts(name="gw", suite_digest=TREE),
            "selection": selection,
            "selection_digest": selection_digest(selection),
            "arms": tuple(
                Arm(name=a, agent=a, agent_version="1") if isinstance(a, str) else a
                for a in self.arms
            ),
            "attempts": self.attempts,
            "grader": GraderFacts(version="0", code_digest=sha256_bytes(b"grader")),
            "created": "2026-01-01T00:00:00Z",
        }
        return RunPlan.model_validate(values | dict(self.plan_values))

    def table(self, task: str, handed: Handed) -> dict[str, Any]:
        """What a task locked about its measure."""
        named = {
            "name": "mean_fd_mismatch",
            "units": "1",
            "scale": "linear",
            "better": "lower",
            "planned": len(handed.reported.samples) if handed.reported else 4,
            "requirement": 5e-3,
        }
        by_task = set(self.locked) <= set(self.tasks)
        return named | dict(self.locked.get(task, {}) if by_task else self.locked)

    def measure(self, task: str, handed: Handed, checks: Any = ()) -> Measure:
        """The measure in the verdict of one trial."""
        locked = self.table(task, handed)
        valid = is_valid(locked["planned"], handed.reported, checks)
        value = None if handed.reported is None else handed.reported.value
        met = is_met(valid, value, locked["requirement"], locked["better"])
        return Measure(**locked, reported=handed.reported, valid=valid, met=met)

    def verdict(self, identity: TrialIdentity, handed: Handed) -> Verdict:
        value = handed.reported.value if handed.reported else None
        locked = self.table(identity.task_id, handed)
        met = reaches(value, locked["requirement"], locked["better"])
        outcomes = {
            "public/test_form.py::test_public": ("passed", None, ""),
            "private/test_form.py::test_form": (handed.outcome, handed.reason, handed.message),
            REQUIREMENT: ("passed" if met else "failed", None, ""),
        }
        if handed.refusal is not None:
            outcomes = dict.fromkeys(outcomes, ("failed", "refused", ""))
        checks = tuple(
            CheckResult(
                id=name,
                kind="public" if name.startswith("public") else "private",
                outcome=outcome,
                reason=reason,
                message=message,
                contract=handed.contract if name.startswith("private/test") else None,
                trust="wall",
                baseline_passed=False,
            )
            for name, (outcome, reason, message) in outcomes.items()
        )
        return Verdict(
            task_id=identity.task_id,
            task_digest=identity.task_digest,
            submission_digest=sha256_bytes(handed.patch),
            base_tree=TREE,
            result_tree=None if handed.refusal else TREE,
            refusal=handed.refusal,
            grader=self.plan().grader,
            checks=checks,
            scores=repair_scores(checks),
            measure=self.measure(identity.task_id, handed, checks),
        )

    def write(self, path: Path) -> Path:
        """Write the whole run, sealed."""
        with open_run(path, self.plan()) as run:
            for identity in run.pending():
                self._commit(run, identity, self.handed.get(identity.key, Handed()))
            run.seal()
        return path

    def _commit(self, run: Any, identity: TrialIdentity, handed: Handed) -> None:
        partial = run.begin_trial(identity)
        if handed.withheld:
            why = Withheld(reason="sandbox_start")
            run.commit_trial(partial, Trial(identity=identity, outcome="withheld", withheld=why))
            return
        verdict = self.verdict(identity, handed)
        trial = Trial(
            identity=identity,
            outcome="scored",
            submission=SubmissionFacts(
                submission_digest=sha256_bytes(handed.patch),
                bytes=len(handed.patch),
                files=handed.patch.count(b"diff --git "),
                refusal=handed.refusal,
            ),
            agent=AgentFacts(ended="exit", exit=0),
            verdict_digest=verdict.content_digest,
            scores=verdict.scores,
        )
        run.commit_trial(partial, trial, verdict=verdict, patch=handed.patch)


def measured(samples: list[float | None], **changes: Any) -> Measured:
    """A report whose value is the mean of its samples."""
    present = [s for s in samples if s is not None]
    value = sum(present) / len(present) if present else None
    return Measured(**({"value": value, "samples": tuple(samples)} | changes))
