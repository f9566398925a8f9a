# referee-canary climate-001 1b9528ac-1e36-4c2e-ad9d-467820e951dd
"""The model at times that it has not seen; what the times are, and in which order, is ours."""

import csv
from pathlib import Path

import numpy as np
import pytest

from referee.wall import contract, probe


@probe
def predicted(years):
    import predict

    return predict.predict(years)


@pytest.fixture
def validation():
    with (Path(__file__).parent / "data/validation.csv").open(newline="") as stream:
        rows = [(float(row["year"]), float(row["co2_ppm"])) for row in csv.DictReader(stream)]
    return np.array(rows).T


def answers(candidate, years):
    """An answer of the right form, or a failed check."""
    got = candidate(predicted, years)
    assert isinstance(got, np.ndarray)
    assert got.dtype == np.dtype(float)
    assert got.shape == years.shape
    return got


@contract("interface")
def test_every_value_is_finite(candidate, validation):
    assert np.isfinite(answers(candidate, validation[0])).all()


@contract("interface")
def test_a_single_time_and_none_are_answered(candidate):
    assert np.isfinite(answers(candidate, np.array([1979.9]))).all()
    assert answers(candidate, np.empty(0)).size == 0


@contract("independence")
def test_the_order_of_times_does_not_matter(candidate, validation, rng):
    years = validation[0]
    order = rng.permutation(years.size)
    shuffled = answers(candidate, years[order])
    np.testing.assert_allclose(shuffled, answers(candidate, years)[order], rtol=0, atol=1e-6)


@contract("independence")
def test_a_value_does_not_depend_on_what_else_is_asked(candidate, validation, rng):
    years = validation[0]
    whole = answers(candidate, years)
    for _ in range(3):
        part = np.sort(rng.choice(years.size, size=int(rng.integers(1, 40)), replace=False))
        np.testing.assert_allclose(answers(candidate, years[part]), whole[part], rtol=0, atol=1e-6)


@contract("independence")
def test_a_second_answer_is_the_first(candidate, validation):
    first, second = (answers(candidate, validation[0]) for _ in range(2))
    np.testing.assert_array_equal(first, second)


@contract("score")
def test_score(candidate, validation, rng, measure):
    years, values = validation
    order = rng.permutation(years.size)
    got = np.empty_like(values)
    got[order] = answers(candidate, years[order])
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
    )
