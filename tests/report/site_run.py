"""A run with every place in which evaluators' words can stand, each with a token to look for."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

from referee.metric.repair import repair_scores
from referee.record.canonical import sha256_bytes
from referee.record.plan import Arm, RunPlan, SelectedTask, SuiteFacts, selection_digest
from referee.record.trial import AgentFacts, SubmissionFacts, Trial, TrialIdentity, Withheld
from referee.record.verdict import CheckResult, EnforcementRow, GraderFacts, Verdict
from referee.trial.run_folder import open_run

TREE = sha256_bytes(b"tree")
SECRET = "xyzzy4711"
"""Stands in every place that only evaluators may see."""
MARK = "referee-canary 001-tiny 0f8fad5b-d9cb-469f-a165-70867728950e"
"""The mark of an evaluator-only file, as an agent that got hold of one might print it."""

ARMS = (
    Arm(name="nop", agent="nop", agent_version="1"),
    Arm(name="oracle", agent="oracle", agent_version="1"),
    Arm(name="mutants", agent="replay", agent_version="1"),
    Arm(
        name="solver+science=with",
        agent="mini-swe-agent",
        agent_version="2.4",
        model="scripted",
        condition={"science": "with"},
    ),
    Arm(
        name="solver+science=without",
        agent="mini-swe-agent",
        agent_version="2.4",
        model="scripted",
        condition={"science": "without"},
    ),
)
DOMAINS = ("Physics", "Chemistry", "Biology")
PATCH = (
    "diff --git a/tiny/area.py b/tiny/area.py\n--- a/tiny/area.py\n+++ b/tiny/area.py\n"
    "@@ -1,2 +1,2 @@\n def area(r):\n-    return 3 * r\n+    return 3.14 * r * r  # {who}\n"
)


@dataclass(frozen=True)
class SiteRun:
    """`tasks` tasks by the arms above; one trial of `mutants` is withheld."""

    tasks: int = 4
    arms: tuple[Arm, ...] = ARMS

    def plan(self) -> RunPlan:
        selection = tuple(
            SelectedTask(
                task_id=f"00{n}-task",
                task_digest=sha256_bytes(f"task{n}".encode()),
                baseline_digest=sha256_bytes(f"baseline{n}".encode()),
                paradigm=("issue-driven", "expert-exploratory")[n % 2],
                domain=DOMAINS[n % 3],
            )
            for n in range(self.tasks)
        )
        return RunPlan(
            suite=SuiteFacts(name="made-up", suite_digest=TREE),
            selection=selection,
            selection_digest=selection_digest(selection),
            arms=self.arms,
            grader=GraderFacts(version="0.1", code_digest=sha256_bytes(b"grader")),
            created="2026-01-01T00:00:00Z",
        )

    def patch(self, identity: TrialIdentity) -> bytes:
        if identity.arm == "nop":
            return b""
        secret = SECRET if identity.arm in ("oracle", "mutants") else "its own work"
        return PATCH.format(who=secret).encode()

    def passes(self, identity: TrialIdentity, n: int) -> bool:
        task = int(identity.task_id[:3])
        if identity.arm == "oracle":
            return True
        if not identity.arm.startswith("solver"):
            return False
        solved = task % 3 == 2 or (task == 3 and "without" in identity.arm)
        return solved or (task + n + len(identity.arm)) % 3 > 0

    def verdict(self, identity: TrialIdentity) -> Verdict:
        checks = tuple(self._check(identity, n) for n in range(9))
        return Verdict(
            task_id=identity.task_id,
            task_digest=identity.task_digest,
            submission_digest=sha256_bytes(self.patch(identity)),
            base_tree=TREE,
            result_tree=TREE,
            grader=self.plan().grader,
            checks=checks,
            scores=repair_scores(checks),
            enforcement=(
                EnforcementRow(phase="agent", limit="memory_bytes", by="cgroup", value="2048"),
            ),
            timing={"private": 2.0} | {check.id: 0.25 for check in checks},
        )

    def _check(self, identity: TrialIdentity, n: int) -> CheckResult:
        kind = ("public", "private", "private", "regression")[n % 4]
        passed = kind == "regression" or self.passes(identity, n)
        hidden = "" if kind == "public" else f"_{SECRET}"
        contract = ("coverage", f"contract-{SECRET}", None)[n % 3]
        return CheckResult(
            id=f"{kind}/test_area.py::test_{n}{hidden}",
            kind=kind,
            contract=contract if kind == "private" else None,
            outcome="passed" if passed else "failed",
            reason=None if passed else ("assertion", f"said {SECRET}")[n % 2],
            message="" if passed else f"expected 3.14, observed 3.0{hidden} <b>not bold</b>",
            trust="in-process" if kind == "regression" else "wall",
            baseline_passed=kind == "regression",
        )

    def transcript(self, identity: TrialIdentity) -> bytes:
        said = MARK if identity.task_id.startswith("000") else "I look at the area."
        steps = [
            {"step_id": 1, "source": "user", "message": "Mend the area. <script>no()</script>"},
            {
                "step_id": 2,
                "source": "agent",
                "message": said,
                "tool_calls": [
                    {"tool_call_id": "a", "function_name": "bash", "arguments": {"run": "ls"}}
                ],
                "observation": {"results": [{"content": "tiny\u202e area.py"}]},
                "metrics": {"prompt_tokens": 90, "completion_tokens": 10},
            },
        ]
        agent = {"name": identity.arm, "version": "1"}
        made = {"schema_version": "ATIF-v1.8", "session_id": "s", "agent": agent, "steps": steps}
        return json.dumps(made).encode()

    def write(self, path: Path) -> Path:
        """Write the whole run, sealed."""
        with open_run(path, self.plan()) as run:
            for identity in run.pending():
                self.commit(run, identity)
            run.seal()
        return path

    def commit(self, run, identity: TrialIdentity) -> None:
        """Record one trial."""
        partial = run.begin_trial(identity)
        if identity.arm in ("oracle", "mutants"):
            partial.write("agent/stdout.log", f"handed in {SECRET}\n".encode())
        if identity.key == ("001-task", "mutants", 1):
            why = Withheld(reason="grader_crash", detail=f"in test_{SECRET}")
            run.commit_trial(partial, Trial(identity=identity, outcome="withheld", withheld=why))
            return
        use = None
        if identity.arm.startswith("solver"):
            partial.write("agent/transcript.json", self.transcript(identity))
            tokens = {"input": 900 if "without" in identity.arm else 700, "output": 100}
            totals = {"calls": 1, "answered": 1, "tokens": tokens, "cost": 0.25}
            use = {"profile": "scripted", "totals": totals}
        patch, verdict = self.patch(identity), self.verdict(identity)
        trial = Trial.model_validate(
            {
                "identity": identity,
                "outcome": "scored",
                "submission": SubmissionFacts(
                    submission_digest=sha256_bytes(patch), bytes=len(patch), files=1
                ),
                "agent": AgentFacts(ended="exit", exit=0),
                "model": use,
                "verdict_digest": verdict.content_digest,
                "scores": verdict.scores,
                "timing": {"agent": 1.5, "grade": 2.5},
            }
        )
        run.commit_trial(partial, trial, verdict=verdict, patch=patch)
