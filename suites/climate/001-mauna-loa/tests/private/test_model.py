# referee-canary climate-001 1b9528ac-1e36-4c2e-ad9d-467820e951dd
"""The model at times that it has not seen; what the times are, and in which order, is ours."""

import csv
from pathlib import Path

import numpy as np
import pytest

from referee.wall import contract


@pytest.fixture
def validation():
    with (Path(__file__).parent / "data/validation.csv").open(newline="") as stream:
        rows = [(float(row["year"]), float(row["co2_ppm"])) for row in csv.DictReader(stream)]
    return np.array(rows).T


@contract("interface")
def test_every_value_is_finite(artifact, validation):
    assert artifact(validation[0]).size == validation[0].size  # what is not finite is no answer


@contract("interface")
def test_a_single_time_and_none_are_answered(artifact):
    assert artifact(np.array([1979.9])).size == 1
    assert artifact(np.empty(0)).size == 0


@contract("independence")
def test_the_order_of_times_does_not_matter(artifact, validation, rng):
    years = validation[0]
    order = rng.permutation(years.size)
    shuffled = artifact(years[order])
    np.testing.assert_allclose(shuffled, artifact(years)[order], rtol=0, atol=1e-6)


@contract("independence")
def test_a_value_does_not_depend_on_what_else_is_asked(artifact, validation, rng):
    years = validation[0]
    whole = artifact(years)
    for _ in range(3):
        part = np.sort(rng.choice(years.size, size=int(rng.integers(1, 40)), replace=False))
        np.testing.assert_allclose(artifact(years[part]), whole[part], rtol=0, atol=1e-6)


@contract("independence")
def test_a_second_answer_is_the_first(artifact, validation):
    first, second = (artifact(validation[0]) for _ in range(2))
    np.testing.assert_array_equal(first, second)


@contract("score")
def test_score(artifact, validation, rng, measure):
    years, values = validation
    order = rng.permutation(years.size)
    got = np.empty_like(values)
    got[order] = artifact(years[order])
    errors = got - values
    ahead = years >= 1995

    def rmse(part):
        return float(np.sqrt(np.mean(part**2)))

    measure(
        rmse(errors),
        np.abs(errors).tolist(),
        components={
            "rmse_in_gaps": rmse(errors[~ahead]),
            "rmse_ahead": rmse(errors[ahead]),
            "mean_error": float(errors.mean()),
        },
        data={"validation": "the published record"},
        ids=[f"{year:.4f}" for year in years],
    )
