"""Histogram, a grid made small, and a linear relation, against NumPy's own and by hand."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from referee.evidence.roots import Evidence, Root
from referee.judge.numbers import OutOfRange, downsampled, histogram, linear_relation
from referee.judge.tools import Toolbox

NUMBERS = st.lists(st.floats(-1e6, 1e6), min_size=1, max_size=60)


@settings(max_examples=30)
@given(NUMBERS, st.integers(1, 100))
def test_a_histogram_counts_everything(values, bins):
    told = histogram(np.array(values), bins)
    assert sum(told["counts"]) == len(values)
    assert len(told["edges"]) == bins + 1


@settings(max_examples=30)
@given(st.integers(1, 12), st.integers(1, 12), st.integers(1, 80), st.integers(1, 80))
def test_a_constant_grid_stays_constant(rows, columns, r, c):
    told = downsampled(np.full((rows, columns), 2.5), r, c)
    assert np.shape(told["means"]) == (min(rows, r), min(columns, c))
    assert np.all(np.asarray(told["means"]) == 2.5)


def test_blocks_are_means():
    told = downsampled(np.arange(16.0).reshape(4, 4), 2, 2)
    assert told["means"] == [[2.5, 4.5], [10.5, 12.5]]
    assert downsampled(np.array([[3 + 4j]]), 1, 1)["means"] == [[5.0]]


def test_a_relation_is_found_and_its_error_told():
    x, y = np.linspace(0, 1, 20), np.linspace(0, 1, 20) ** 2
    told = linear_relation(3 * x - 2 * y + 1, {"x": x, "y": y})
    assert told["coefficients"] == pytest.approx({"x": 3, "y": -2, "constant": 1})
    assert told["largest_residual"] < 1e-12
    assert told["explained"] == pytest.approx(1)
    assert linear_relation(np.ones(5), {"x": np.arange(5.0)})["explained"] is None
    assert linear_relation(x, {"x": x, "again": x})["rank"] == 2


@pytest.mark.parametrize(
    "call",
    [
        lambda: histogram(np.ones(3), 0),
        lambda: histogram(np.ones(3), 101),
        lambda: downsampled(np.ones(3), 2, 2),
        lambda: downsampled(np.ones((3, 3)), 81, 2),
        lambda: linear_relation(np.ones(3), {}),
        lambda: linear_relation(np.ones(2), {"x": np.ones(2)}),
        lambda: linear_relation(np.ones(3), {"x": np.ones(4)}),
        lambda: linear_relation(np.ones(3) * 1j, {"x": np.ones(3)}),
    ],
)
def test_what_numbers_do_not_allow_is_said(call):
    with pytest.raises(OutOfRange):
        call()


def test_the_tools_reach_files_and_count_as_looking(tmp_path: Path):
    grid = [[0.0, 1.0], [2.0, 3.0]]
    (tmp_path / "a.json").write_text(
        json.dumps({"x": [1.0, 2.0, 4.0], "y": [2.0, 4.0, 8.0], "g": grid})
    )
    box = Toolbox(Evidence({"outputs": Root("outputs", tmp_path)}), None)
    place = {"root": "outputs", "path": "a.json"}
    told = json.loads(box.run("histogram", {**place, "array": "/x", "bins": 3}))
    assert told["counts"] == [1, 1, 1]
    told = json.loads(box.run("downsample_2d", {**place, "array": "/g", "rows": 1, "columns": 1}))
    assert told["means"] == [[1.5]]
    told = json.loads(box.run("linear_relation", {**place, "array": "/y", "terms": ["/x"]}))
    assert told["coefficients"]["/x"] == pytest.approx(2)
    assert box.trace.read == {"outputs:a.json": {"numeric"}}
    assert "error" in json.loads(box.run("linear_relation", {**place, "array": "/y", "terms": [1]}))
    assert "error" in json.loads(box.run("histogram", {**place, "array": "/x", "bins": 0}))
