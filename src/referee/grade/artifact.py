"""The measure of an artifact task: locked by the task, reported by one trusted check, believed only
if the artifact kept to its contract."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from referee.grade.observed import Observed
from referee.metric.artifact import is_met, is_valid, is_whole
from referee.record.fault import Infrastructure
from referee.record.measure import Measure, Measured, reaches
from referee.record.verdict import CheckResult
from referee.task.model import ArtifactTable

CONTRACT = "requirement"


def only_measure(reported: Mapping[str, Measured]) -> Measured | None:
    """The one measure of a grading; None if no check came so far.

    Raises:
        Infrastructure: `grader_ids`, when several checks reported one.
    """
    if len(reported) > 1:
        raise Infrastructure("grader_ids", f"several checks reported a measure: {list(reported)}")
    return next(iter(reported.values()), None)


def requirement_check(table: ArtifactTable, reported: Measured | None) -> Observed | None:
    """The outcome of the requirement; None for a task without one."""
    if table.requirement is None:
        return None
    value = None if reported is None else reported.value
    if reaches(value, table.requirement, table.better) and is_whole(table.samples, reported):
        return Observed("passed", contract=CONTRACT)
    shown = "no value" if value is None else f"{value:.6g}"
    message = f"{table.measure} is {shown}, and {table.requirement:.6g} is required"
    return Observed("failed", "not-reached", message, CONTRACT)


def measure_of(
    table: ArtifactTable, reported: Measured | None, checks: Sequence[CheckResult]
) -> Measure:
    """The measure of a verdict."""
    valid = is_valid(table.samples, reported, checks)
    value = None if reported is None else reported.value
    return Measure(
        name=table.measure,
        units=table.units,
        scale=table.scale,
        better=table.better,
        planned=table.samples,
        requirement=table.requirement,
        floor=table.floor,
        reported=reported,
        valid=valid,
        met=is_met(valid, value, table.requirement, table.better),
    )
