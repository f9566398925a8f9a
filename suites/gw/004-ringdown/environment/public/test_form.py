"""Public checks: the form of an answer, and that tones decay."""

import numpy as np

from referee.wall import contract, probe


@probe
def frequencies(spin):
    from predict import predict

    return list(predict(spin))


@contract("interface")
def test_an_answer_is_two_arrays_of_finite_numbers(candidate):
    spin = np.array([0.1, 0.7, 0.95])
    got = candidate(frequencies, spin)
    assert len(got) == 2
    for part in got:
        assert isinstance(part, np.ndarray)
        assert (part.shape, part.dtype) == (spin.shape, np.dtype(float))
        assert np.isfinite(part).all()


@contract("interface")
def test_tones_decay(candidate):
    real, imaginary = candidate(frequencies, np.linspace(0.0, 0.99, 34))
    assert (real > 0).all()
    assert (imaginary < 0).all()
