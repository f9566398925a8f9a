"""A small run with made-up trials, for the tests of what is on disk."""

from __future__ import annotations

import itertools
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from referee.metric.repair import repair_scores
from referee.record.canonical import sha256_bytes
from referee.record.plan import Arm, RunPlan, SelectedTask, SuiteFacts, selection_digest
from referee.record.trial import AgentFacts, SubmissionFacts, Trial, Withheld
from referee.record.verdict import CheckResult, GraderFacts, Verdict
from referee.trial.run_folder import open_run

TREE = sha256_bytes(b"tree")


@dataclass(frozen=True)
class FakeRun:
    """`tasks` x `arms` x `attempts` trials; each check's outcome follows from its names."""

    tasks: int = 2
    arms: tuple[str, ...] = ("nop", "oracle")
    attempts: int = 1
    checks: int = 3
    withheld: frozenset[tuple[str, str, int]] = frozenset()
    code: bytes = b"grader"
    baseline: bytes = b"baseline"
    limits: dict = field(default_factory=dict)

    def plan(self, **changes) -> RunPlan:
        selection = tuple(
            SelectedTask(
                task_id=f"t{n}",
                task_digest=sha256_bytes(f"task{n}".encode()),
                baseline_digest=sha256_bytes(self.baseline + str(n).encode()),
                paradigm=("issue-driven", "expert-exploratory")[n % 2],
                domain=f"domain {n % 3}",
            )
            for n in range(self.tasks)
        )
        values = {
            "suite": SuiteFacts(name="fake", suite_digest=TREE),
            "selection": selection,
            "selection_digest": selection_digest(selection),
            "arms": tuple(Arm(name=a, agent=a, agent_version="1") for a in self.arms),
            "attempts": self.attempts,
            "grader": GraderFacts(version="0", code_digest=sha256_bytes(self.code)),
            "limits": self.limits,
            "created": "2026-01-01T00:00:00Z",
        }
        return RunPlan.model_validate(values | changes)

    def patch(self, identity) -> bytes:
        return f"patch of {identity.arm} for {identity.task_id}\n".encode()

    def passes(self, identity, n: int) -> bool:
        return identity.arm == "oracle" or (identity.arm == "half" and n % 2 == 0)

    def verdict(self, identity, **changes) -> Verdict:
        kinds = itertools.cycle(["public", "private", "regression"])
        checks = tuple(
            CheckResult(
                id=f"{kind}-{n}",
                kind=kind,
                outcome="passed" if kind == "regression" or self.passes(identity, n) else "failed",
                reason=None if self.passes(identity, n) else "assertion",
                trust="in-process" if kind == "regression" else "wall",
                baseline_passed=kind == "regression",
            )
            for n, kind in zip(range(self.checks), kinds, strict=False)
        )
        values = {
            "task_id": identity.task_id,
            "task_digest": identity.task_digest,
            "submission_digest": sha256_bytes(self.patch(identity)),
            "base_tree": TREE,
            "result_tree": TREE,
            "grader": self.plan().grader,
            "checks": checks,
            "scores": repair_scores(checks),
        }
        return Verdict.model_validate(values | changes)

    def commit(self, run, identity) -> None:
        partial = run.begin_trial(identity)
        partial.write("agent/transcript.jsonl", b'{"said":"hello"}\n')
        if identity.key in self.withheld:
            trial = Trial(
                identity=identity, outcome="withheld", withheld=Withheld(reason="sandbox_start")
            )
            run.commit_trial(partial, trial)
            return
        verdict, patch = self.verdict(identity), self.patch(identity)
        trial = Trial(
            identity=identity,
            outcome="scored",
            submission=SubmissionFacts(
                submission_digest=sha256_bytes(patch), bytes=len(patch), files=1
            ),
            agent=AgentFacts(ended="exit", exit=0),
            verdict_digest=verdict.content_digest,
            scores=verdict.scores,
            timing={"agent": 0.5},
        )
        run.commit_trial(partial, trial, verdict=verdict, patch=patch)

    def finish(self, path: Path) -> str:
        """Run what is pending, seal, and return the head."""
        with open_run(path, self.plan()) as run:
            for identity in run.pending():
                self.commit(run, identity)
            run.seal()
            return run.head


@pytest.fixture(scope="session")
def fake_run():
    """The class `FakeRun`."""
    return FakeRun
