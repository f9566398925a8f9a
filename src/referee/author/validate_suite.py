"""Validation of many tasks: one that cannot be validated is told, and the others go on."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass

from referee.author.validate import OnRow, Settings, validate_task
from referee.author.validation import Validation
from referee.environment.store import Store
from referee.record.fault import BadInput, Infrastructure
from referee.task.package import TaskPackage


@dataclass(frozen=True)
class Outcome:
    """What came of one task: a validation, or why there is none."""

    task: str
    validation: Validation | None = None
    fault: BadInput | Infrastructure | None = None

    @property
    def passed(self) -> bool:
        """True if nothing fell short."""
        return self.validation is not None and self.validation.passed

    @property
    def machine(self) -> bool:
        """True if only the machine stood in the way."""
        if self.validation is None:
            return isinstance(self.fault, Infrastructure)
        return self.validation.machine_failed


def validate_tasks(
    store: Store,
    tasks: Sequence[TaskPackage],
    settings: Settings,
    *,
    say: Callable[[str], None],
    showing: Callable[[], AbstractContextManager[OnRow]],
) -> tuple[Outcome, ...]:
    """Validate one task after the other; `showing` gives what shows the cases of one task.

    Raises:
        Infrastructure: the disk is full.
    """
    outcomes = []
    for number, task in enumerate(tasks, start=1):
        say(f"[{number}/{len(tasks)}] {task.label}")
        try:
            with showing() as on_row:
                done = validate_task(store, task, settings, say=say, on_row=on_row)
        except (BadInput, Infrastructure) as fault:
            if isinstance(fault, Infrastructure) and fault.reason == "disk_full":
                raise
            say(f"{task.label}: cannot be validated, the others go on: {fault}")
            outcomes.append(Outcome(task.label, fault=fault))
        else:
            outcomes.append(Outcome(task.label, done))
    return tuple(outcomes)
