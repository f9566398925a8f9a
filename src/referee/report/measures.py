"""The table of artifact tasks: what was measured, in its units, beside requirement and floor."""

from __future__ import annotations

import statistics
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from referee.record.load import load_record
from referee.record.measure import Measure
from referee.record.plan import RunPlan
from referee.record.verdict import Verdict
from referee.trial.layout import read_run, trial_entries, verdict_path

ARTIFACT = "artifact"
"""What stands for the paradigm of an artifact task in a plan."""


@dataclass(frozen=True)
class MeasureRow:
    """One arm at one artifact task. `values` are those of its valid trials in the order of
    attempts, `median` theirs; `invalid` counts trials that have no rank."""

    task: str
    arm: str
    name: str
    units: str
    scale: str
    better: str
    planned: int
    scored: int
    invalid: int
    met: int | None
    median: float | None
    values: tuple[float, ...]
    requirement: float | None
    floor: float | None
    data: str | None


def measures_of(run: Path) -> tuple[RunPlan, dict[tuple[str, str], tuple[Measure, ...]]]:
    """The plan of a run, and its measures by task and arm: in the plan's order of tasks and arms,
    each in the order of attempts; none for a run without artifact tasks. A trial counts by the
    first verdict that it got.

    Raises:
        BadInput: this is no run, or it is damaged.
    """
    plan, text = read_run(run)
    tasks = [task.task_id for task in plan.selection if task.paradigm == ARTIFACT]
    found: dict[tuple[str, str], list[Measure]] = defaultdict(list)
    for (task, arm, _attempt), entry in sorted(trial_entries(text.lines).items()):
        if task in tasks and entry.verdicts:
            verdict = load_record(run / entry.path / verdict_path(entry.verdicts[0]), Verdict)
            if verdict.measure is not None:
                found[task, arm].append(verdict.measure)
    order = [(task, arm.name) for task in tasks for arm in plan.arms]
    return plan, {key: tuple(found[key]) for key in order if found[key]}


def measure_rows(run: Path) -> list[MeasureRow]:
    """One row for each task and arm that has a measure (see `measures_of`, which raises)."""
    plan, found = measures_of(run)
    data = {label: facts.text for label, facts in plan.data.items()}
    return [
        _row(task, arm, plan.attempts, measures, data.get(task))
        for (task, arm), measures in found.items()
    ]


def _row(
    task: str, arm: str, planned: int, measures: Sequence[Measure], data: str | None
) -> MeasureRow:
    first = measures[0]
    values = tuple(m.value for m in measures if m.valid and m.value is not None)
    return MeasureRow(
        task=task,
        arm=arm,
        name=first.name,
        units=first.units,
        scale=first.scale,
        better=first.better,
        planned=planned,
        scored=len(measures),
        invalid=len(measures) - len(values),
        met=None if first.requirement is None else sum(bool(m.met) for m in measures),
        median=statistics.median(values) if values else None,
        values=values,
        requirement=first.requirement,
        floor=first.floor,
        data=data,
    )


def measure_cells(rows: Sequence[MeasureRow]) -> tuple[list[str], list[list[str]]]:
    """Heads and cells for people; numbers to four digits, each with its units."""
    with_data = any(row.data is not None for row in rows)
    heads = ["task!", "arm", "measure", "median>", "required>", "floor>", "met>", "invalid>"]
    heads += ["data"] if with_data else []
    cells = [
        [
            row.task,
            row.arm,
            _words(row),
            _shown(row.median, row.units),
            _shown(row.requirement, row.units),
            _shown(row.floor, row.units),
            "-" if row.met is None else f"{row.met}/{row.planned}",
            f"{row.invalid}/{row.scored}",
            *([row.data or "-"] if with_data else []),
        ]
        for row in rows
    ]
    return heads, cells


def _words(row: MeasureRow) -> str:
    """A measure in words, which a narrow column can break."""
    name = row.name.replace("_", " ")
    return name if row.scale == "linear" else f"{name} ({row.scale})"


def _shown(value: float | None, units: str) -> str:
    if value is None:
        return "-"
    return f"{value:.4g}" if units == "1" else f"{value:.4g} {units}"


def as_json(row: MeasureRow) -> dict[str, Any]:
    """Plain values."""
    return {**vars(row), "values": list(row.values)}
