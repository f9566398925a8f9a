"""Acceptance operators: what holds, what does not, and what cannot be tricked."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import TypeAdapter, ValidationError

from referee.metric.acceptance import Condition, accept, crossings

CONDITION = TypeAdapter(Condition)


def state(value, operator, **more):
    return accept(
        CONDITION.validate_python({"path": "", "operator": operator, **more}), value
    ).state


@pytest.mark.parametrize(
    ("value", "operator", "more"),
    [
        (True, "is_true", {}),
        ([True, True], "is_true", {}),
        (3, "equals", {"expected": 3}),
        ("TM", "equals", {"expected": "TM"}),
        ([1, 2], "equals", {"expected": (1, 2)}),
        (1e300, "finite", {}),
        (1 + 2j, "finite", {}),
        (0.5, "leq", {"upper": 0.5}),
        ([0.1, 0.5], "leq", {"upper": 0.5}),
        (2, "geq", {"lower": 2.0}),
        (3 - 4j, "abs_leq", {"upper": 5.0}),
        ([[1.0], [2.0]], "range", {"lower": 1.0, "upper": 2.0}),
        (1.0001, "rel_close", {"expected": 1.0, "rtol": 2e-4}),
        ([1.0, 2.0], "rel_close", {"expected": (1.0, 2.1), "atol": 0.2}),
        ([1, 2, 4], "monotonic", {"direction": "increasing"}),
        ([2.0, 2.0, 1.0], "monotonic", {"direction": "decreasing", "strict": False}),
        ([3.0, 1.0, 2.01], "set_match", {"expected": (1.0, 2.0, 3.0), "tol": 0.02}),
        ([[0, 1, 2], [0, 1, 1]], "crossing_in", {"level": 0.5, "lower": 0.4, "upper": 0.6}),
    ],
)
def test_what_holds_passes(value, operator, more):
    assert state(value, operator, **more) == "passed"


@pytest.mark.parametrize(
    ("value", "operator", "more"),
    [
        (1, "is_true", {}),
        pytest.param(10**5000, "is_true", {}, id="more digits than Python prints"),
        ("true", "is_true", {}),
        ([True, False], "is_true", {}),
        (1, "equals", {"expected": True}),
        (1.0, "equals", {"expected": 1}),
        ([1, 2, 3], "equals", {"expected": (1, 2)}),
        (math.nan, "finite", {}),
        (complex(0, math.inf), "finite", {}),
        (10**400, "finite", {}),
        (True, "leq", {"upper": 5.0}),
        ("0.1", "leq", {"upper": 0.5}),
        (math.nan, "leq", {"upper": 0.5}),
        (-math.inf, "leq", {"upper": 0.5}),
        ([0.1, 0.6], "leq", {"upper": 0.5}),
        (1j, "leq", {"upper": 0.5}),
        (math.nextafter(2.0, 1.0), "geq", {"lower": 2.0}),
        (3 - 4.001j, "abs_leq", {"upper": 5.0}),
        ({"a": 1}, "abs_leq", {"upper": 5.0}),
        (2.1, "range", {"lower": 1.0, "upper": 2.0}),
        (math.nan, "rel_close", {"expected": 1.0, "rtol": 1.0}),
        ([1.0], "rel_close", {"expected": (1.0, 2.0), "atol": 1.0}),
        ([1, 1, 2], "monotonic", {"direction": "increasing"}),
        ([1], "monotonic", {"direction": "increasing"}),
        ([1.0, 1.0, 2.0], "set_match", {"expected": (1.0, 2.0, 2.0), "tol": 0.1}),
        ([1.0, 2.0, 2.0, 3.0], "set_match", {"expected": (1.0, 2.0, 3.0), "tol": 0.1}),
        ([[0, 1], [0, 1]], "crossing_in", {"level": 0.5, "lower": 0.6, "upper": 0.7}),
        ([[0, 2, 1], [0, 0, 1]], "crossing_in", {"level": 0.5, "lower": 0.0, "upper": 2.0}),
        ([[0, 1, 2], [0, 1, 0]], "crossing_in", {"level": 0.5, "lower": 0.0, "upper": 2.0}),
        ([0, 1], "crossing_in", {"level": 0.5, "lower": 0.0, "upper": 2.0}),
    ],
)
def test_what_does_not_hold_fails(value, operator, more):
    assert state(value, operator, **more) == "failed"


@pytest.mark.parametrize("nothing", [None, [], [[], []]])
def test_nothing_is_unavailable_and_has_not_passed(nothing):
    assert state(nothing, "is_true") == "unavailable"
    result = accept(CONDITION.validate_python({"path": "", "operator": "finite"}), nothing)
    assert result.state == "unavailable"
    assert not result.passed


def test_deep_nesting_is_no_number_and_no_crash():
    deep: list = [1.0]
    for _ in range(100_000):
        deep = [deep]
    assert state(deep, "finite") == "failed"


@pytest.mark.parametrize(
    "condition",
    [
        {"operator": "roughly", "path": ""},
        {"operator": "leq", "path": ""},
        {"operator": "leq", "path": "", "upper": math.inf},
        {"operator": "leq", "path": "x", "upper": 1.0},
        {"operator": "range", "path": "", "lower": 2.0, "upper": 1.0},
        {"operator": "rel_close", "path": "", "expected": 1.0},
        {"operator": "abs_leq", "path": "", "upper": -1.0},
        {"operator": "set_match", "path": "", "expected": (), "tol": 0.1},
        {"operator": "finite", "path": "", "upper": 1.0},
    ],
)
def test_a_condition_that_says_nothing_is_refused(condition):
    with pytest.raises(ValidationError):
        CONDITION.validate_python(condition)


def test_crossings_count_sides_and_not_touches():
    assert crossings([0, 1, 2, 3], [0, 1, 1, 2], 1) == [1.5]
    assert crossings([0, 1, 2], [0, 1, 0], 1) == []
    assert crossings([0, 1, 2, 3], [-1, 1, -1, 3], 0) == [0.5, 1.5, 2.25]
    assert crossings([0, 1], [1, 2], 1) == []


@given(st.lists(st.floats(-1e6, 1e6), min_size=1, max_size=20), st.floats(-1e6, 1e6))
def test_an_array_passes_when_each_of_its_values_does(values, upper):
    each = all(state(v, "leq", upper=upper) == "passed" for v in values)
    assert (state(values, "leq", upper=upper) == "passed") == each


@given(st.permutations([0.5, 1.5, 2.5, 2.5]))
def test_set_match_does_not_see_order(values):
    assert state(values, "set_match", expected=(2.5, 0.5, 2.5, 1.5), tol=0.0) == "passed"
