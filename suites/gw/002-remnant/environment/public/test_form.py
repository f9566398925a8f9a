"""Public checks: the form of the answer, and a glance at its size."""

import numpy as np

from referee.wall import contract, probe


@probe
def speeds(parameters):
    import predict

    return predict.predict(parameters)


def some(rows):
    """Binaries without spin, from equal masses to three to one."""
    parameters = np.zeros((rows, 8))
    parameters[:, 0] = np.linspace(1.0, 3.0, rows)
    parameters[:, 7] = 0.02
    return parameters


@contract("interface")
def test_an_answer_has_the_form_that_is_asked_for(candidate):
    got = candidate(speeds, some(5))
    assert isinstance(got, np.ndarray)
    assert (got.shape, got.dtype) == ((5,), np.dtype(float))
    assert np.isfinite(got).all()


@contract("interface")
def test_speeds_are_in_units_of_light(candidate):
    """Without spins, three to one gives about 175 km/s, and no mass ratio much more."""
    got = candidate(speeds, some(9))
    assert ((got >= 0) & (got < 3e-3)).all()
