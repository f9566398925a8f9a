"""From what a user typed to the tasks that are meant."""

from __future__ import annotations

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
