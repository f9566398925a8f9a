"""Locking a task's checks: their outcomes on the untouched snapshot, by the production grader."""

from __future__ import annotations

from collections.abc import Sequence

from referee.grade.observed import Observed
from referee.grade.repair import kind_of, observe
from referee.grade.workspace import Bench, bench_in_use
from referee.metric.repair import require_scorable
from referee.record.atomic import write_atomic
from referee.record.fault import BadInput, Infrastructure
from referee.submission.apply import Applied
from referee.task.model import Baseline, BaselineCheck
from referee.task.package import TaskPackage


def lock_baseline(bench: Bench, task: TaskPackage, *, seeds: Sequence[int] = (1, 2)) -> Baseline:
    """Grade the untouched snapshot once per seed, and write `tests/baseline.json`.

    Raises:
        BadInput: the runs disagree, a regression check does not pass, or no private check fails.
    """
    task.require_checks()
    where = task.evaluator.tests / "baseline.json"
    manifest = bench.prepared.snapshot.manifest
    nothing = Applied(manifest, {}, {}, b"")
    with bench_in_use(bench):
        runs = [_observed(bench, task, nothing, seed) for seed in seeds]
    unstable = sorted(
        name
        for name in set().union(*runs)
        if len({run[name].outcome if name in run else None for run in runs}) > 1
    )
    if unstable:
        raise BadInput(
            f"{len(unstable)} checks differ between runs on the untouched snapshot, "
            f"the first is {unstable[0]}",
            where=where,
            hint="make them independent of the seed",
        )
    checks = {name: _locked(name, seen) for name, seen in sorted(runs[0].items())}
    if task.evaluator.regression is not None:
        for name in task.evaluator.regression.ids:
            checks.setdefault(f"regression/{name}", BaselineCheck(kind="regression", passed=False))
    require_scorable(checks)
    baseline = Baseline(task_digest=task.digest, checks=checks)
    write_atomic(where, baseline.model_dump_json(indent=1).encode() + b"\n")
    return baseline


def _observed(bench: Bench, task: TaskPackage, nothing: Applied, seed: int) -> dict[str, Observed]:
    try:
        return observe(bench, task, nothing, seed=seed).checks
    except Infrastructure as fault:
        if fault.reason != "grader_collection":
            raise
        # nobody's checks have been locked yet: the one who writes them can mend them
        what = f"the checks cannot be collected: {fault.detail}"
        raise BadInput(what, where=task.root, hint="mend the test file") from None


def _locked(name: str, seen: Observed) -> BaselineCheck:
    return BaselineCheck(
        kind=kind_of(name), contract=seen.contract, passed=seen.outcome == "passed"
    )
