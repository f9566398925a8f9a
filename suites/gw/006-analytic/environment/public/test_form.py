"""Public checks: the form of the answer, and that there is a formula."""

import numpy as np

from referee.wall import contract, probe

TIMES = np.arange(-1000.0, 100.0, 0.5)


@probe
def waveform(t, q):
    from predict import predict

    return predict(t, q)


@probe
def written():
    with open("expression.txt") as file:
        return file.read()


@contract("interface")
def test_an_answer_has_the_form_that_is_asked_for(candidate):
    got = candidate(waveform, TIMES, 3.0)
    assert isinstance(got, np.ndarray)
    assert (got.shape, got.dtype) == (TIMES.shape, np.dtype(complex))
    assert np.isfinite(got).all()


@contract("closed-form")
def test_there_is_a_formula_of_few_lines(candidate):
    assert 0 < len(candidate(written).strip().splitlines()) < 20
