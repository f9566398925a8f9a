"""The measure of an artifact task: locked by the task, reported by one trusted check, believed only
if the artifact kept to its contract."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from referee.grade.observed import Observed
from referee.metric.artifact import is_met, is_valid, is_whole
from referee.record.data import DataFacts
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


def requirement_check(
    table: ArtifactTable, reported: Measured | None, planned: int, *, sensible: bool = False
) -> Observed | None:
    """The outcome of the requirement, or of what is `sensible`; None for a task without one."""
    asked = table.sensible if sensible and table.sensible is not None else table.requirement
    if asked is None:
        return None
    value = None if reported is None else reported.value
    if reaches(value, asked, table.better) and is_whole(planned, reported):
        return Observed("passed", contract=CONTRACT)
    shown = "no value" if value is None else f"{value:.6g}"
    message = f"{table.measure} is {shown}, and {asked:.6g} is required"
    if value is not None and reported is not None and len(reported.samples) != planned:
        message = f"{len(reported.samples)} samples were measured, and {planned} are planned"
    return Observed("failed", "not-reached", message, CONTRACT)


def with_data(reported: Measured | None, data: DataFacts | None) -> Measured | None:
    """A measure that says which data it rests on."""
    if reported is None or data is None:
        return reported
    return reported.model_copy(update={"data": {**reported.data, **data.labels()}})


def measure_of(
    table: ArtifactTable, reported: Measured | None, planned: int, checks: Sequence[CheckResult]
) -> Measure:
    """The measure of a verdict."""
    valid = is_valid(planned, reported, checks)
    value = None if reported is None else reported.value
    return Measure(
        name=table.measure,
        units=table.units,
        scale=table.scale,
        better=table.better,
        planned=planned,
        requirement=table.requirement,
        floor=table.floor,
        reported=reported,
        valid=valid,
        met=is_met(valid, value, table.requirement, table.better),
    )
