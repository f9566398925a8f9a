"""From what a user typed to the tasks that are meant."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from referee.record.fault import BadInput
from referee.task.package import TaskPackage
from referee.task.selection import Criteria, select
from referee.task.suite import resolve_suite, resolve_task

EVERYTHING = Criteria()


def select_tasks(text: str, criteria: Criteria = EVERYTHING) -> tuple[TaskPackage, ...]:
    """The tasks of a suite that meet the criteria, or the one task that `text` names.

    Raises:
        BadInput: as `select`; or criteria are given for a single task.
    """
    if not (Path(text) / "suite.toml").is_file() and (Path(text) / "task.toml").is_file():
        if not criteria.plain:
            raise BadInput("options that select need a suite, and this is one task", where=text)
        return (resolve_task(text),)
    return select(resolve_suite(text), criteria)


def tasks_with_data(text: str, names: Sequence[str]) -> tuple[TaskPackage, ...]:
    """The tasks of a suite (or the one task) that have data; with `names`, those that are called
    so: by id, by folder, or by what stands behind the id, as in `template_bank`.

    Raises:
        BadInput: a name fits no task, or none of the tasks has data.
    """
    tasks = select_tasks(text)
    for name in names:
        if not any(_is_called(task, name) for task in tasks):
            known = ", ".join(task.label for task in tasks)
            raise BadInput(f"--task: {name!r} names no task of {text}", hint=f"it has {known}")
    chosen = [t for t in tasks if not names or any(_is_called(t, name) for name in names)]
    found = tuple(t for t in chosen if t.agent.file.referee.data is not None)
    if not found:
        what = f"no task of {text}" if not names else f"none of {', '.join(names)}"
        raise BadInput(f"{what} has data to build", hint="leave this step out")
    return found


def _is_called(task: TaskPackage, name: str) -> bool:
    rest = task.label.partition("-")[2]
    return name.replace("_", "-") in (task.id, task.label, rest)
