"""When the measure of an artifact counts: pure rules, the same for grading and for audits."""

from __future__ import annotations

from collections.abc import Iterable

from referee.record.measure import Better, Measure, Measured, reaches
from referee.record.verdict import CheckResult

REQUIREMENT = "private/requirement"
"""The check that the platform itself makes: the measure reaches the task's requirement."""


def is_whole(planned: int, reported: Measured | None) -> bool:
    """Whether a measure was reported with a value, over as many samples as were planned."""
    return reported is not None and reported.value is not None and len(reported.samples) == planned


def is_valid(planned: int, reported: Measured | None, checks: Iterable[CheckResult]) -> bool:
    """Whether an artifact has a rank: its measure is whole, and it kept to its contract, which is
    every private check but the requirement."""
    kept = all(c.passed for c in checks if c.kind == "private" and c.id != REQUIREMENT)
    return kept and is_whole(planned, reported)


def is_met(
    valid: bool, value: float | None, requirement: float | None, better: Better
) -> bool | None:
    """Whether a valid artifact reaches its requirement; None where a task has none."""
    return None if requirement is None else valid and reaches(value, requirement, better)


def measure_problem(measure: Measure, checks: Iterable[CheckResult]) -> str | None:
    """What in a recorded measure does not follow from its checks; None if all does."""
    valid = is_valid(measure.planned, measure.reported, checks)
    if measure.valid != valid:
        return "whether the measure is valid does not follow from the checks"
    met = is_met(valid, measure.value, measure.requirement, measure.better)
    return None if measure.met == met else "whether the requirement is met does not follow"
