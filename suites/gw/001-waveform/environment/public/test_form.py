"""Public checks: the form of an answer."""

import numpy as np

from referee.wall import contract, probe

GRID = np.arange(-800.0, 100.0, 0.2)


@probe
def answered(q, chi1, chi2, omega0, t):
    from predict import predict

    return predict(q, chi1, chi2, omega0, t)


@contract("interface")
def test_a_binary_gets_one_complex_number_for_each_time(candidate):
    got = candidate(answered, 2.5, np.array([0.2, -0.3, 0.4]), np.zeros(3), 0.025, GRID)
    assert isinstance(got, np.ndarray)
    assert (got.shape, got.dtype) == (GRID.shape, np.dtype(complex))


@contract("interface")
def test_the_answer_is_finite(candidate):
    got = candidate(answered, 6.0, np.zeros(3), np.zeros(3), 0.03, GRID)
    assert np.isfinite(got).all()
