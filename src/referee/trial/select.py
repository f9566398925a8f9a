"""From what a user typed to the tasks that are meant."""

from __future__ import annotations

from pathlib import Path

from referee.record.fault import BadInput
from referee.task.package import TaskPackage
from referee.task.suite import Suite, resolve_suite, resolve_task, select_labels


def select_tasks(text: str, tasks: str | None = None) -> tuple[TaskPackage, ...]:
    """The tasks of a suite (all, or those of `--tasks`), or the one task that `text` names."""
    if not (Path(text) / "suite.toml").is_file() and (Path(text) / "task.toml").is_file():
        if tasks is not None:
            raise BadInput("--tasks selects from a suite, and this is one task", where=text)
        return (resolve_task(text),)
    return select_from(resolve_suite(text), tasks)


def select_from(suite: Suite, tasks: str | None) -> tuple[TaskPackage, ...]:
    """The selected tasks of a suite, loaded."""
    return suite.load(select_labels(suite, tasks))
