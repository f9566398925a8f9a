"""Validation of many tasks: one that cannot be validated is told, and the others go on."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path

from referee.author.parts import package_parts
from referee.author.validate import OnRow, Settings, validate_task
from referee.author.validation import Validation
from referee.environment.store import Store
from referee.grade.facts import grader_facts
from referee.record.atomic import append_durable
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
    record: Path | None = None,
) -> tuple[Outcome, ...]:
    """Validate one task after the other; `showing` gives what shows the cases of one task. Each
    outcome is added to `record`, and tasks that stand there as sound, at their present content, by
    the present grader and the same settings, are not validated again.

    Raises:
        BadInput: the record cannot be read.
        Infrastructure: the disk is full.
    """
    outcomes = []
    earlier = {} if record is None else _recorded(record, settings)
    for number, task in enumerate(tasks, start=1):
        say(f"[{number}/{len(tasks)}] {task.label}")
        held = earlier.get(task.label)
        if held is not None and held.parts == package_parts(task):
            say(f"{task.label}: stands in {record} as sound")
            outcomes.append(Outcome(task.label, held))
            continue
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
            if record is not None:
                append_durable(record, done.model_dump_json().encode() + b"\n")
    return tuple(outcomes)


def _recorded(record: Path, settings: Settings) -> dict[str, Validation]:
    """The sound validations of a record that were made as one would be made now, by task. A last
    line that was torn by an interruption is passed over."""
    if not record.exists():
        return {}
    *lines, rest = record.read_bytes().split(b"\n")
    found = {}
    for number, line in enumerate(lines, start=1):
        try:
            done = Validation.model_validate_json(line)
        except ValueError:
            raise BadInput(
                f"line {number} is no validation", where=record, hint="give another --record"
            ) from None
        made_now = (settings.mode, settings.repeats, grader_facts())
        if done.passed and (done.mode, done.repeats, done.grader) == made_now:
            found[done.task] = done
    if rest:
        record.write_bytes(b"".join(line + b"\n" for line in lines))
    return found
