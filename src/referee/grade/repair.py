"""From a submission to a verdict: a fresh sandbox for each phase, a closed world at the end."""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from referee.environment.store import remove_tree
from referee.grade.artifact import measure_of, only_measure, requirement_check, with_data
from referee.grade.build import BuildFailure
from referee.grade.facts import grader_facts
from referee.grade.layers import patched_layers
from referee.grade.observed import Observed
from referee.grade.regression import regression_mount, restored_files, run_regression
from referee.grade.variation import PLAIN, Variation
from referee.grade.workspace import (
    Bench,
    environment_facts,
    open_scratch,
    phase_overlay,
    phase_spec,
)
from referee.metric.artifact import REQUIREMENT
from referee.metric.repair import (
    TRUST,
    close_world,
    refused_checks,
    repair_scores,
    require_scorable,
)
from referee.record.measure import Measure, Measured
from referee.record.text import bounded_text
from referee.record.verdict import CheckKind, CheckResult, EnforcementRow, Verdict
from referee.sandbox.bubblewrap import Bubblewrap
from referee.sandbox.protocol import Enforcement
from referee.submission.apply import Applied, tree_reader
from referee.submission.gate import Submission
from referee.submission.layer import write_layer
from referee.task.contract import ContractTable
from referee.task.model import ArtifactTable, BaselineCheck, Regression
from referee.task.package import TaskPackage
from referee.wall.checks import CheckRequest
from referee.wall.run import run_checks

PYTHON = "/opt/env/bin/python"


@dataclass
class Sight:
    """What one grading saw: outcomes by check id, how limits were enforced, seconds by phase."""

    checks: dict[str, Observed] = field(default_factory=dict)
    enforcement: list[EnforcementRow] = field(default_factory=list)
    timing: dict[str, float] = field(default_factory=dict)
    build_failure: BuildFailure | None = None
    measure: Measured | None = None

    def note(self, phase: str, seconds: float, rows: Iterable[Enforcement]) -> None:
        """Keep the time of a phase, and how its limits were enforced."""
        self.timing[phase] = round(seconds, 6)
        self.enforcement += [
            EnforcementRow(phase=phase, limit=e.limit, by=e.by, value=e.value) for e in rows
        ]


def grade_repair(
    bench: Bench,
    task: TaskPackage,
    submission: Submission,
    applied: Applied | None,
    *,
    seed: int,
    variation: Variation = PLAIN,
) -> Verdict:
    """Grade one submission with the locked checks of the task.

    A refused submission, a failed build, a crash, a time-out or a memory kill of candidate code is
    scored, as failed checks. `seed` draws the inputs of the private checks.

    Raises:
        BadInput: the task cannot be scored (no or a stale baseline).
        Infrastructure: the machine or the grader failed, so there is no verdict.
    """
    expected = task.checked_baseline().checks
    require_scorable(expected)
    sight = Sight()
    if applied is None or submission.refusal is not None:
        reason = submission.refusal.reason if submission.refusal is not None else "not_applicable"
        checks = refused_checks(expected, reason)
    else:
        sight = observe(bench, task, applied, seed=seed, variation=variation)
        checks = close_world(expected, check_results(_seen(sight, expected)))
    refusal, artifact = submission.refusal, bench.file.referee.artifact
    return Verdict(
        task_id=task.label,
        task_digest=task.digest,
        submission_digest=submission.patch,
        base_tree=bench.prepared.snapshot.manifest.digest,
        result_tree=submission.result,
        grader=grader_facts(),
        environment=environment_facts(bench),
        checks=checks,
        scores=repair_scores(checks),
        measure=None if artifact is None else _measured(bench, artifact, sight, checks),
        refusal=None if refusal is None else refusal.reason,
        enforcement=tuple(sight.enforcement),
        timing=sight.timing,
    )


def observe(
    bench: Bench,
    task: TaskPackage,
    applied: Applied,
    *,
    seed: int,
    variation: Variation = PLAIN,
) -> Sight:
    """Run every phase of a grading: build, public, private, regression."""
    scratch = open_scratch(bench.store, "grade")
    sight = Sight()
    try:
        built = patched_layers(bench, applied, scratch)
        if bench.file.referee.build.commands:
            sight.note("build", built.seconds, built.enforcement)
        sight.build_failure = built.failure
        if built.failure is None:
            phases: tuple[tuple[CheckKind, Path], ...] = (
                ("public", task.root / "environment" / "public"),
                ("private", task.evaluator.tests / "private"),
            )
            for kind, tests in phases[1 if variation.pass1_only else 0 :]:
                _wall_phase(bench, kind, tests, built.lowers, scratch, sight, seed, variation)
            _look_at_requirement(bench, sight, variation)
            decided = variation.pass1_only and not _private_passed(task, sight)
            if task.evaluator.regression is not None and not decided:
                where = task.evaluator.tests / "regression.toml"
                regression = task.evaluator.regression
                shorter = variation.timeout(regression.timeout_sec)
                regression = regression.model_copy(update={"timeout_sec": shorter})
                _regression_phase(bench, regression, where, built.lowers, scratch, sight, variation)
    finally:
        remove_tree(scratch)
    return sight


def _contract(bench: Bench) -> ContractTable | None:
    artifact = bench.file.referee.artifact
    return None if artifact is None else artifact.contract


def _hidden(bench: Bench, kind: CheckKind) -> Path | None:
    return bench.data.hidden if bench.data is not None and kind == "private" else None


def _measured(
    bench: Bench, artifact: ArtifactTable, sight: Sight, checks: Sequence[CheckResult]
) -> Measure:
    return measure_of(artifact, sight.measure, _planned(bench, artifact), checks)


def _planned(bench: Bench, artifact: ArtifactTable) -> int:
    return artifact.planned(None if bench.data is None else bench.data.facts.size)


def _look_at_requirement(bench: Bench, sight: Sight, variation: Variation) -> None:
    artifact = bench.file.referee.artifact
    if artifact is None:
        return
    planned = _planned(bench, artifact)
    seen = requirement_check(artifact, sight.measure, planned, sensible=variation.sensible)
    if seen is not None:
        sight.checks[REQUIREMENT] = seen


def _private_passed(task: TaskPackage, sight: Sight) -> bool:
    private = [n for n, check in task.checked_baseline().checks.items() if check.kind == "private"]
    return all(n in sight.checks and sight.checks[n].outcome == "passed" for n in private)


def _wall_phase(
    bench: Bench,
    kind: CheckKind,
    tests: Path,
    lowers: tuple[Path, ...],
    scratch: Path,
    sight: Sight,
    seed: int,
    variation: Variation,
) -> None:
    """Checks that look through the wall, in a sandbox of their own."""
    file = bench.file
    timeout_s = variation.timeout(file.verifier.timeout_sec)
    spec = phase_spec(bench, phase_overlay(scratch, lowers), wall_s=timeout_s, env=variation.env)
    start = time.monotonic()
    report = run_checks(
        CheckRequest(
            tests=tests,
            sandbox=spec,
            store=bench.store.root,
            python=PYTHON,
            preload=file.referee.wall.preload,
            seed=seed,
            call_timeout_s=variation.call_timeout(file.referee.limits.call_timeout_sec),
            timeout_s=timeout_s,
            order=variation.order,
            trusted_env=variation.env,
            public_data=None if bench.data is None else bench.data.public,
            hidden_data=_hidden(bench, kind),
            contract=_contract(bench),
        )
    )
    sight.note(kind, time.monotonic() - start, report.enforcement)
    if kind == "private":
        facts = None if bench.data is None else bench.data.facts
        sight.measure = with_data(only_measure(report.measures), facts)
    for result in report.results:
        sight.checks[f"{kind}/{result.id}"] = Observed(
            result.outcome, result.reason, result.message, result.contract, result.seconds
        )
        sight.timing[f"{kind}/{result.id}"] = round(result.seconds, 6)


def _regression_phase(
    bench: Bench,
    regression: Regression,
    where: Path,
    lowers: tuple[Path, ...],
    scratch: Path,
    sight: Sight,
    variation: Variation,
) -> None:
    """Upstream tests in the candidate's process, over restored test files."""
    snapshot = bench.prepared.snapshot
    read = tree_reader(snapshot.manifest, snapshot.tree)
    files = restored_files(regression, snapshot.manifest, read, where)
    modes = {path: snapshot.manifest.files[path].mode for path in files}
    restored = write_layer(
        Applied(snapshot.manifest, files, modes, b""), scratch / "restored", snapshot.manifest
    )
    spec = phase_spec(
        bench,
        phase_overlay(scratch, (*lowers, restored)),
        wall_s=regression.timeout_sec,
        mounts=(regression_mount(bench.store, regression),),
        env=variation.env,
    )
    sandbox = Bubblewrap(spec, bench.store)
    sandbox.start()
    try:
        outcomes, seconds = run_regression(sandbox, PYTHON, regression)
    finally:
        sandbox.stop()
    sight.note("regression", seconds, sandbox.enforcement)
    sight.checks.update({f"regression/{name}": seen for name, seen in outcomes.items()})


def _seen(sight: Sight, expected: Mapping[str, BaselineCheck]) -> Mapping[str, Observed]:
    if sight.build_failure is None:
        return sight.checks
    failure = sight.build_failure
    message = f"{' '.join(failure.argv)}: {failure.ended}\n{failure.message}"
    return dict.fromkeys(expected, Observed("failed", "build_failed", message))


def check_results(checks: Mapping[str, Observed]) -> list[CheckResult]:
    """Outcomes as check results, before the world is closed over them. Ids begin with their kind,
    as in `private/test_area.py::test_scaling`."""
    results = []
    for name, seen in checks.items():
        kind = kind_of(name)
        results.append(
            CheckResult(
                id=name,
                kind=kind,
                contract=seen.contract,
                outcome=seen.outcome,
                reason=seen.reason,
                message=bounded_text(seen.message),
                trust=TRUST[kind],
                baseline_passed=False,
            )
        )
    return results


def kind_of(name: str) -> CheckKind:
    """The kind that a check's id begins with.

    Raises:
        ValueError: it begins with none.
    """
    for kind in TRUST:
        if name.startswith(f"{kind}/"):
            return kind
    raise ValueError(f"the check {name!r} is of no known kind")
