"""Runs programs on a tree in a sandbox like an agent's."""

from __future__ import annotations

from collections.abc import Sequence

from referee.environment.store import remove_tree
from referee.grade.layers import patched_layers
from referee.grade.workspace import Bench, open_scratch, phase_overlay, phase_spec
from referee.record.fault import BadInput
from referee.sandbox.bubblewrap import Bubblewrap
from referee.sandbox.protocol import Completed
from referee.submission.apply import Applied
from referee.task.package import TaskPackage
from referee.trial.workspace import TASK_INSIDE, TOOLS_INSIDE, data_mounts, visible_mounts

PYTHON = "/opt/env/bin/python"
REPRODUCE = (PYTHON, f"{TASK_INSIDE}/public/reproduce.py")
PUBLIC_CHECKS = (f"{TOOLS_INSIDE}/public-checks", "-q")
TIMEOUT_S = 300.0


def run_visibly(
    bench: Bench, task: TaskPackage, applied: Applied, commands: Sequence[Sequence[str]]
) -> tuple[Completed, ...]:
    """What the commands did, one after the other, in one sandbox with the task as agents see it.

    Raises:
        BadInput: the tree does not build.
        Infrastructure: the sandbox failed.
    """
    scratch = open_scratch(bench.store, "author")
    try:
        built = patched_layers(bench, applied, scratch)
        if built.failure is not None:
            raise BadInput(f"the tree does not build ({built.failure.ended})", where=task.root)
        spec = phase_spec(
            bench,
            phase_overlay(scratch, built.lowers),
            wall_s=TIMEOUT_S * len(commands) + 60,
            mounts=(
                *visible_mounts(bench.store, task.agent, {"science": "with"}),
                *data_mounts(bench.data),
            ),
        )
        sandbox = Bubblewrap(spec, bench.store)
        sandbox.start()
        try:
            return tuple(sandbox.run(list(argv), timeout_s=TIMEOUT_S) for argv in commands)
        finally:
            sandbox.stop()
    finally:
        remove_tree(scratch)
