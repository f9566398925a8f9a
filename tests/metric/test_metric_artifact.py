"""When the measure of an artifact counts."""

from __future__ import annotations

from typing import Any

import pytest

from referee.metric.artifact import REQUIREMENT, is_valid, is_whole, measure_problem
from referee.record.measure import Measure, Measured
from referee.record.verdict import CheckResult


def check(name: str, passed: bool, kind: Any = "private") -> CheckResult:
    return CheckResult(
        id=name,
        kind=kind,
        outcome="passed" if passed else "failed",
        reason=None if passed else "assertion",
        trust="wall",
        baseline_passed=False,
    )


GOOD = [check("private/a", True), check("public/b", False, "public"), check(REQUIREMENT, False)]
TOLD = Measured(value=1.0, samples=(1.0, 1.0))


@pytest.mark.parametrize(
    "told",
    [
        None,
        Measured(value=None, samples=(1.0, 1.0)),
        Measured(value=1.0, samples=(1.0,)),
        Measured(value=1.0, samples=(1.0, 1.0, 1.0)),
    ],
    ids=["nothing", "no value", "a sample short", "a sample more"],
)
def test_a_part_of_a_measure_is_none(told: Measured | None) -> None:
    assert not is_whole(2, told)
    assert not is_valid(2, told, GOOD)


def test_only_the_contract_decides_about_validity() -> None:
    assert is_valid(2, TOLD, GOOD)
    assert not is_valid(2, TOLD, [*GOOD, check("private/c", False)])


@pytest.mark.parametrize(
    ("valid", "met", "said"),
    [
        (True, True, None),
        (True, False, "whether the requirement is met"),
        (False, False, "whether the measure is valid"),
    ],
)
def test_an_audit_sees_what_does_not_follow(valid: bool, met: bool, said: str | None) -> None:
    measure = Measure(
        name="rmse",
        units="1",
        scale="linear",
        better="lower",
        planned=2,
        requirement=1.0,
        reported=TOLD,
        valid=valid,
        met=met,
    )
    problem = measure_problem(measure, GOOD)
    assert (problem is None) if said is None else (said in str(problem))
