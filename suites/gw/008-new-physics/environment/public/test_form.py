"""Public checks: the form of the answer, and where it must be nothing."""

import numpy as np

from referee.wall import contract, probe

GRID = np.arange(0.0, 400.0, 0.5)


@probe
def waveform(f, values, options):
    from candidate_waveform import h_of_f

    return h_of_f(f, *values, **options)


@contract("interface")
def test_an_answer_has_the_form_that_is_asked_for(candidate):
    got = candidate(waveform, GRID, [28.3, 0.22, 410.0], {"f_low": 15, "fmax_over_fisco": 1.0})
    assert isinstance(got, np.ndarray)
    assert (got.shape, got.dtype) == (GRID.shape, np.dtype(complex))
    assert np.isfinite(got).all()


@contract("interface")
def test_there_is_nothing_outside_the_band(candidate):
    got = candidate(waveform, GRID, [40.0, 0.247, 410.0], {"f_low": 20, "fmax_over_fisco": 1.0})
    inside = (GRID >= 20) & (GRID < 40)
    assert (np.abs(got[inside]) > 0).all()
    assert not got[GRID < 20].any()
    assert not got[GRID > 60].any()
