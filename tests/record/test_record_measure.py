"""The measure of an artifact: what may stand in a record, and when a requirement is reached."""

from __future__ import annotations

import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from referee.record.measure import Measure, Measured, reaches

FACTS: dict[str, Any] = {
    "name": "rmse",
    "units": "ppm",
    "scale": "linear",
    "better": "lower",
    "planned": 2,
}
numbers = st.floats(allow_nan=False, allow_infinity=False)


@given(
    value=numbers | st.none(),
    requirement=numbers | st.none(),
    better=st.sampled_from(["lower", "higher"]),
)
def test_nothing_reaches_nothing(
    value: float | None, requirement: float | None, better: Any
) -> None:
    reached = reaches(value, requirement, better)
    if value is None or requirement is None:
        assert not reached
    else:
        assert reached == ((value <= requirement) if better == "lower" else (value >= requirement))
        assert reaches(requirement, requirement, better)


@pytest.mark.parametrize("number", [math.nan, math.inf, -math.inf])
def test_what_is_not_finite_stands_in_no_record(number: float) -> None:
    for fields in (
        {"value": number, "samples": ()},
        {"value": 1.0, "samples": (number,)},
        {"value": 1.0, "samples": (), "components": {"a": number}},
    ):
        with pytest.raises(ValidationError):
            Measured(**fields)


@pytest.mark.parametrize(
    "fields",
    [
        {"valid": True, "met": None},
        {"valid": False, "met": True, "requirement": 1.0},
        {"valid": False, "met": False},
        {"valid": False, "met": None, "requirement": 1.0},
        {
            "valid": True,
            "met": True,
            "requirement": 1.0,
            "reported": Measured(value=2.0, samples=()),
        },
    ],
    ids=["no value", "invalid", "no requirement", "no answer", "worse"],
)
def test_a_measure_that_contradicts_itself_is_refused(fields: dict[str, Any]) -> None:
    with pytest.raises(ValidationError):
        Measure(**FACTS, **fields)


def test_a_measure_goes_into_a_record_and_comes_back() -> None:
    told = Measured(value=0.5, samples=(0.25, None), components={"ahead": 0.75}, flags={"odd": 1})
    made = Measure(**FACTS, requirement=0.6, floor=0.1, reported=told, valid=True, met=True)
    assert Measure.model_validate_json(made.canonical()) == made
    assert made.value == 0.5


def test_ids_name_the_samples_one_each() -> None:
    told = Measured(value=0.5, samples=(0.25, 0.75), ids=("q 2", 7))
    assert Measured.model_validate(told.as_json(), strict=False) == told
    assert Measured(value=0.5, samples=(0.25,)).ids == ()


@pytest.mark.parametrize(
    "ids", [("a",), ("a", "a"), (1, "1"), ("a", ""), ("a", 1.0), ("a", "b", "c")]
)
def test_ids_that_name_no_sample_or_two_are_refused(ids: tuple[Any, ...]) -> None:
    with pytest.raises(ValidationError):
        Measured(value=0.5, samples=(0.25, 0.75), ids=ids)
