"""Public checks: the form of a prediction."""

import numpy as np

from referee.wall import contract, probe


@probe
def predicted(q, chi1z, chi2z, omega0):
    from predict import predict

    return predict(q, chi1z, chi2z, omega0)


@contract("interface")
def test_each_binary_gets_one_finite_number(candidate):
    some = np.linspace(1.0, 8.0, 7)
    got = candidate(predicted, some, np.zeros(7), some / 10 - 0.4, np.full(7, 0.02))
    assert isinstance(got, np.ndarray)
    assert (got.shape, got.dtype) == ((7,), np.dtype(float))
    assert np.isfinite(got).all()
