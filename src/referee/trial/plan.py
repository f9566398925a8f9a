"""Freezing what a run will do, before its first trial."""

from __future__ import annotations

import datetime
import os
import platform
import secrets
from collections.abc import Mapping, Sequence

from pydantic import JsonValue

from referee.grade.facts import grader_facts
from referee.grade.reproduction.scheme import load_scheme
from referee.metric.repair import require_scorable
from referee.record.data import DataFacts
from referee.record.fault import BadInput
from referee.record.plan import Arm, RunPlan, SelectedTask, SuiteFacts, selection_digest
from referee.task.package import TaskPackage


def make_plan(
    suite: str,
    tasks: Sequence[TaskPackage],
    arms: Mapping[str, Arm],
    *,
    attempts: int = 1,
    seed: int | None = None,
    unvalidated: tuple[str, ...] = (),
    limits: Mapping[str, JsonValue] | None = None,
    data: Mapping[str, DataFacts] | None = None,
    judge: Mapping[str, JsonValue] | None = None,
) -> RunPlan:
    """The plan of a run of `arms` at `tasks`; `seed` (63 bits) is drawn if it is not given.

    Raises:
        BadInput: a task cannot be scored, or there is nothing to do.
    """
    if not arms:
        raise BadInput("there is no agent to run", hint="give --agent, for example --agent nop")
    if attempts < 1:
        raise BadInput(f"--attempts {attempts} is not a positive number")
    if seed is not None and not 0 <= seed < 2**63:
        raise BadInput(f"--seed {seed} is not a whole number of 63 bits", hint="leave it out")
    selection = tuple(_selected(task) for task in tasks)
    digest = selection_digest(selection)
    return RunPlan(
        suite=SuiteFacts(name=suite, suite_digest=digest),
        selection=selection,
        selection_digest=digest,
        arms=tuple(arms.values()),
        attempts=attempts,
        unvalidated=unvalidated,
        seed=secrets.randbits(63) if seed is None else seed,
        limits=dict(limits or {}),
        data=dict(data or {}),
        judge=dict(judge or {}),
        grader=grader_facts(),
        host=host_facts(),
        created=datetime.datetime.now(datetime.UTC).strftime("%Y-%m-%dT%H:%M:%SZ"),
    )


def host_facts() -> dict[str, JsonValue]:
    """Facts about this machine that may explain a difference between two runs."""
    return {
        "system": platform.system(),
        "kernel": platform.release(),
        "machine": platform.machine(),
        "python": platform.python_version(),
        "cpus": os.cpu_count() or 1,
        "root": int(os.geteuid() == 0),
    }


def locked_digest(task: TaskPackage) -> str:
    """The digest of what decides about a score: the baseline's checks, or a rubric's scheme.

    Raises:
        BadInput: the task cannot be scored.
    """
    if task.agent.file.referee.kind == "reproduction":
        return load_scheme(task).digest
    baseline = task.checked_baseline()
    require_scorable(baseline.checks)
    return baseline.digest


def _selected(task: TaskPackage) -> SelectedTask:
    facts = task.agent.file.referee
    return SelectedTask(
        task_id=task.label,
        task_digest=task.digest,
        baseline_digest=locked_digest(task),
        paradigm=facts.group,
        domain=facts.domain,
    )
