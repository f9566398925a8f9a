"""Public checks: the form of the answer, and a glance at its size."""

import numpy as np

from referee.wall import contract, probe


@probe
def predicted(years):
    import predict

    return predict.predict(years)


@contract("interface")
def test_an_answer_has_the_form_that_is_asked_for(candidate):
    years = np.array([1960.25, 1975.5, 1990.0])
    got = candidate(predicted, years)
    assert isinstance(got, np.ndarray)
    assert (got.shape, got.dtype) == ((3,), np.dtype(float))
    assert np.isfinite(got).all()


@contract("interface")
def test_the_answer_is_in_parts_per_million(candidate):
    got = candidate(predicted, np.linspace(1959.0, 1994.0, 36))
    assert ((got > 300) & (got < 380)).all()
