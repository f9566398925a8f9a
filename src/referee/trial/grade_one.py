"""One patch, one verdict, no run folder: what an author or a CI job asks for."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from referee.environment.store import Store, remove_tree
from referee.grade.repair import grade_repair
from referee.grade.reproduction.grading import Places, grade_reproduction
from referee.grade.workspace import bench_in_use, open_scratch
from referee.record.verdict import Verdict
from referee.submission.gate import Submission
from referee.task.model import DataSize
from referee.task.package import TaskPackage
from referee.trial.layout import JUDGE, REPLAY
from referee.trial.plan import locked_digest
from referee.trial.rubrics import rubrics_for
from referee.trial.workspace import bench_for, hand_in


def grade_patch(
    store: Store,
    task: TaskPackage,
    patch: bytes,
    *,
    seed: int,
    size: DataSize = "small",
    judge: str | None = None,
    evidence: Path | None = None,
    say: Callable[[str], None] = lambda _line: None,
) -> tuple[Submission, Verdict]:
    """Grade an external patch as a trial's submission would be graded. For reproduction tasks,
    `judge` is as in `rubrics_for`, and `evidence` gets what was frozen of the replay (`replay`) and
    the judge's audit (`judge`); it is thrown away without.

    Raises:
        BadInput: the task cannot be scored, or the environment cannot be built.
        Infrastructure: the machine or the grader failed.
    """
    if task.agent.file.referee.kind == "reproduction":
        return _reproduction(store, task, patch, judge, evidence, say)
    locked_digest(task)
    bench = bench_for(store, task, size=size, say=say)
    submission, _kept, applied = hand_in(bench, task, patch)
    with bench_in_use(bench):
        return submission, grade_repair(bench, task, submission, applied, seed=seed)


def _reproduction(
    store: Store,
    task: TaskPackage,
    patch: bytes,
    judge: str | None,
    evidence: Path | None,
    say: Callable[[str], None],
) -> tuple[Submission, Verdict]:
    rubrics = rubrics_for(task, judge)
    bench = bench_for(store, task, say=say)
    submission, _kept, applied = hand_in(bench, task, patch)
    scratch = open_scratch(store, "evidence") if evidence is None else evidence
    try:
        places = Places(scratch / REPLAY, scratch / JUDGE)
        with bench_in_use(bench):
            return submission, grade_reproduction(
                bench, rubrics.scheme, submission, applied, judge=rubrics.judge, places=places
            )
    finally:
        if evidence is None:
            remove_tree(scratch)
