"""The third stage: the public package says what is wrong and not how it is decided or repaired."""

from __future__ import annotations

from collections.abc import Callable

from referee.author.evidence import EvidenceLine, append_evidence, require_ready
from referee.author.overlap import measure_overlap
from referee.author.parts import package_parts
from referee.author.variant import open_workpiece
from referee.environment.store import Store
from referee.grade.workspace import bench_in_use
from referee.record.fault import BadInput
from referee.task.package import TaskPackage
from referee.trial.workspace import bench_for


def abstract_task(store: Store, task: TaskPackage, say: Callable[[str], None]) -> EvidenceLine:
    """Measure what the public package gives away, and freeze it.

    Raises:
        BadInput: the stage is out of order, or a threshold is passed.
    """
    require_ready(task, "abstract")
    bench = bench_for(store, task, say=say)
    with bench_in_use(bench):
        overlap = measure_overlap(task, open_workpiece(store, task, bench.prepared.snapshot))
    if problems := overlap.problems():
        raise BadInput(
            "; ".join(problems), where=task.root, hint="say what is wrong, not how it is repaired"
        )
    parts = package_parts(task)
    facts = {**overlap.facts(), "solution": parts["solution"], "task": parts["task"]}
    return append_evidence(task, "abstract", facts)
