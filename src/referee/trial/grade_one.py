"""One patch, one verdict, no run folder: what an author or a CI job asks for."""

from __future__ import annotations

from collections.abc import Callable

from referee.environment.store import Store
from referee.grade.repair import grade_repair
from referee.grade.workspace import bench_in_use
from referee.record.verdict import Verdict
from referee.submission.apply import tree_reader
from referee.submission.gate import Submission, from_patch
from referee.submission.policy import Policy
from referee.task.model import DataSize
from referee.task.package import TaskPackage
from referee.trial.workspace import bench_for


def grade_patch(
    store: Store,
    task: TaskPackage,
    patch: bytes,
    *,
    seed: int,
    size: DataSize = "small",
    say: Callable[[str], None] = lambda _line: None,
) -> tuple[Submission, Verdict]:
    """Grade an external patch as a trial's submission would be graded.

    Raises:
        BadInput: the task cannot be scored, or the environment cannot be built.
        Infrastructure: the machine or the grader failed.
    """
    task.checked_baseline()
    bench = bench_for(store, task, size=size, say=say)
    snapshot = bench.prepared.snapshot
    policy = Policy.of_task(task.agent.file.referee)
    read = tree_reader(snapshot.manifest, snapshot.tree)
    submission, _kept, applied = from_patch(snapshot.manifest, read, patch, policy)
    with bench_in_use(bench):
        return submission, grade_repair(bench, task, submission, applied, seed=seed)
