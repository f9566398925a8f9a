"""Grid contracts: each kind with data that keep it and data that do not."""

from __future__ import annotations

import numpy as np
import pytest
from pydantic import TypeAdapter, ValidationError

from referee.evidence.grid import Grid, columns_of, grid_problem

GRID = TypeAdapter(Grid)


def problem(contract, **columns):
    arrays = {name: np.asarray(values, float) for name, values in columns.items()}
    return grid_problem(GRID.validate_python(contract), arrays)


LINEAR = {"kind": "linear", "column": "x", "start": 1, "stop": 2, "step": 0.25, "tolerance": 1e-9}
SEGMENTS = {
    "kind": "segments",
    "column": "x",
    "segments": ({"start": 0, "stop": 1, "step": 1}, {"start": 1, "stop": 1.2, "step": 0.1}),
    "tolerance": 1e-9,
}
REQUIRED = {"kind": "required_values", "column": "x", "values": (0.3, 0.5), "tolerance": 0.01}
MONOTONIC = {
    "kind": "monotonic_unique",
    "column": "x",
    "least": 3,
    "lower": 1.0,
    "upper": 2.0,
    "max_step": 0.5,
}
CARTESIAN = {
    "kind": "cartesian",
    "axes": {"x": {"start": 0, "stop": 1, "step": 1}, "y": {"start": 0, "stop": 2, "step": 1}},
    "tolerance": 1e-9,
}
VALUES = {"kind": "cartesian_values", "axes": {"x": (1, 5), "y": (2,)}, "tolerance": 0.1}
COUNTS = {"kind": "cartesian_counts", "counts": {"x": 2, "y": 2}}
NONEMPTY = {"kind": "nonempty", "columns": ("x", "y"), "least": 2}
PRODUCT = {"x": [0, 0, 0, 1, 1, 1], "y": [0, 1, 2, 0, 1, 2]}


@pytest.mark.parametrize(
    ("contract", "columns"),
    [
        (LINEAR, {"x": [1, 1.25, 1.5, 1.75, 2]}),
        (LINEAR | {"allow_extra": True}, {"x": [0.9, 1, 1.25, 1.3, 1.5, 1.75, 2]}),
        (SEGMENTS, {"x": [0, 1, 1.1, 1.2]}),
        (REQUIRED, {"x": [0.5, 0.7, 0.305]}),
        (MONOTONIC, {"x": [0.9, 1.4, 1.7, 2.1]}),
        (CARTESIAN, PRODUCT),
        (CARTESIAN, {name: values[::-1] for name, values in PRODUCT.items()}),
        (CARTESIAN | {"allow_extra": True}, {n: [*v, 9] for n, v in PRODUCT.items()}),
        (VALUES, {"x": [5.05, 1], "y": [2, 1.95]}),
        (COUNTS, {"x": [7, 7, 9, 9], "y": [0.1, 0.2, 0.2, 0.1]}),
        (NONEMPTY, {"x": [1, 2], "y": [3, 4], "z": []}),
    ],
)
def test_data_that_keep_a_contract(contract, columns):
    assert problem(contract, **columns) is None


@pytest.mark.parametrize(
    ("contract", "columns", "word"),
    [
        (LINEAR, {"x": [1, 1.25, 1.5, 1.75]}, "2.0"),
        (LINEAR, {"x": [1, 1.25, 1.75, 2]}, "1.5"),
        (LINEAR, {"x": [1, 1.25, 1.3, 1.5, 1.75, 2]}, "too many"),
        (LINEAR, {"x": [1, 1.5, 1.25, 1.75, 2]}, "row 3"),
        (LINEAR, {"x": [1, 1, 1.25, 1.5, 1.75, 2]}, "row 2"),
        (LINEAR, {"x": [1, 1.25, 1.5, 1.7501, 2]}, "1.75"),
        (LINEAR, {"y": [1]}, "no column x"),
        (LINEAR, {"x": [[1]]}, "not a column"),
        (SEGMENTS, {"x": [0, 1, 1.2]}, "1.1"),
        (REQUIRED, {"x": [0.5, 0.32]}, "0.3"),
        (MONOTONIC, {"x": [1, 2]}, "2 points"),
        (MONOTONIC, {"x": [1, 1.4, 1.9]}, "last"),
        (MONOTONIC, {"x": [1.1, 1.6, 2]}, "first"),
        (MONOTONIC, {"x": [1, 1.6, 2]}, "step"),
        (MONOTONIC, {"x": [1, 1.5, 1.5, 2]}, "row 3"),
        (CARTESIAN, {name: values[1:] for name, values in PRODUCT.items()}, "no row"),
        (CARTESIAN, {name: [*v, v[0]] for name, v in PRODUCT.items()}, "twice"),
        (CARTESIAN, {name: [*v, 9] for name, v in PRODUCT.items()}, "no point"),
        (CARTESIAN, PRODUCT | {"y": [0, 1]}, "lengths"),
        (VALUES, {"x": [5.2, 1], "y": [2, 2]}, "no point"),
        (COUNTS, {"x": [7, 7, 9], "y": [0.1, 0.2, 0.2]}, "no row"),
        (COUNTS, {"x": [7, 8, 9], "y": [0.1, 0.2, 0.2]}, "different values"),
        (NONEMPTY, {"x": [1], "y": [3]}, "1 rows"),
    ],
)
def test_data_that_do_not(contract, columns, word):
    told = problem(contract, **columns)
    assert told is not None
    assert word in told


@pytest.mark.parametrize(
    "contract",
    [
        {"kind": "linear", "column": "x"},
        LINEAR | {"step": 0.3},
        LINEAR | {"step": 0},
        LINEAR | {"stop": 0.5},
        LINEAR | {"step": 1e-12},
        CARTESIAN | {"axes": {}},
        VALUES | {"axes": {"x": ()}},
        {"kind": "spiral", "column": "x"},
    ],
)
def test_a_contract_that_cannot_be_kept_is_refused(contract):
    with pytest.raises(ValidationError):
        GRID.validate_python(contract)


def test_complex_columns_are_no_grid():
    grid = GRID.validate_python(LINEAR)
    assert "not a column" in grid_problem(grid, {"x": np.array([1j])})
    assert columns_of(grid) == ("x",)
    assert columns_of(GRID.validate_python(CARTESIAN)) == ("x", "y")
