"""The reference of a task as changes to its snapshot, and its baselines as scripts:
evaluator-only knowledge."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache
from pathlib import Path

from referee.agent.scripted import Changes
from referee.environment.snapshot import Snapshot, release_files
from referee.environment.store import Store
from referee.record.fault import BadInput
from referee.submission.apply import apply_patch, tree_reader
from referee.submission.policy import Policy
from referee.submission.refusal import Refusal
from referee.task.model import Reference
from referee.task.package import TaskPackage
from referee.trial.workspace import prepare_task


def reference_of(store: Store, tasks: Mapping[str, TaskPackage]) -> Callable[[str], Changes]:
    """The reference of each task by label, for the agent `oracle`; computed once per task."""

    @cache
    def changes(label: str) -> Changes:
        task = tasks[label]
        return reference_changes(store, task, prepare_task(store, task).snapshot)

    return changes


def baseline_scripts(tasks: Mapping[str, TaskPackage], which: str) -> dict[str, bytes]:
    """The script `solution/baseline/<which>.py` of each task by label.

    Raises:
        BadInput: a task has none.
    """
    scripts = {}
    for label, task in tasks.items():
        path = task.evaluator.solution / "baseline" / f"{which}.py"
        if not path.is_file():
            raise BadInput(
                f"{label} has no {which} baseline",
                where=path,
                hint="choose tasks that have one with --tasks",
            )
        scripts[label] = path.read_bytes()
    return scripts


def reference_changes(store: Store, task: TaskPackage, snapshot: Snapshot) -> Changes:
    """New bytes and mode of each file that the reference changes; None for a deleted file.

    Raises:
        BadInput: the reference does not apply to the snapshot, or names files that are absent.
    """
    reference = task.evaluator.reference
    where = task.evaluator.solution / "reference.toml"
    if reference.patch is not None:
        return _from_patch(task, snapshot, task.evaluator.solution / reference.patch)
    return _from_release(store, reference, where)


def _from_patch(task: TaskPackage, snapshot: Snapshot, file: Path) -> Changes:
    done = apply_patch(
        snapshot.manifest,
        tree_reader(snapshot.manifest, snapshot.tree),
        file.read_bytes(),
        Policy.of_task(task),
    )
    if isinstance(done, Refusal):
        raise BadInput(f"the reference is refused ({done})", where=file)
    return {
        path: None if data is None else (data, int(done.modes[path][-3:], 8))
        for path, data in done.changes.items()
    }


def _from_release(store: Store, reference: Reference, where: Path) -> Changes:
    if reference.release is None:
        raise BadInput("the reference has neither a patch nor a release", where=where)
    tree = release_files(store, reference.release)
    changes: dict[str, tuple[bytes, int] | None] = {}
    for path in reference.files:
        source = tree / path
        if not source.is_file():
            raise BadInput(f"files: the release holds no {path}", where=where)
        changes[path] = (source.read_bytes(), 0o755 if source.stat().st_mode & 0o111 else 0o644)
    return changes
