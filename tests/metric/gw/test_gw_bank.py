"""Banks: overlaps equal a double loop, and the size that covers half has its edge cases."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from referee.metric.gw import bank as bank_module
from referee.metric.gw.bank import (
    bank_score,
    maximised_overlaps,
    multimode_overlaps,
    normalised,
    orthonormal_modes,
    overlaps,
)


def rows(seed, *shape):
    rng = np.random.default_rng(seed)
    return rng.standard_normal(shape) + 1j * rng.standard_normal(shape)


def weights(size, seed=9):
    return np.random.default_rng(seed).uniform(0.1, 2.0, size)


def naive(tests, bank, w):
    return np.array(
        [
            [abs(sum(a * b.conjugate() * c for a, b, c in zip(h, t, w, strict=True))) for t in bank]
            for h in tests
        ]
    )


@settings(max_examples=30, deadline=None)
@given(st.integers(1, 6), st.integers(0, 7), st.integers(1, 20), st.sampled_from([1, 100, 1 << 24]))
def test_overlaps_equal_the_double_loop(n_tests, n_bank, size, block):
    tests, bank, w = rows(1, n_tests, size), rows(2, n_bank, size), weights(size)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(bank_module, "_BLOCK_BYTES", block)
        got = overlaps(tests, bank, w)
    assert got.shape == (n_tests, n_bank)
    np.testing.assert_allclose(
        got, naive(tests, bank, w).reshape(got.shape), rtol=1e-12, atol=1e-14
    )


def test_overlaps_of_normalised_waveforms():
    w = weights(50)
    tests, fit = normalised(rows(1, 4, 50), w)
    assert fit.all()
    got = overlaps(tests, tests, w)
    np.testing.assert_allclose(np.diag(got), 1.0, rtol=1e-14)
    np.testing.assert_allclose(got, got.T, rtol=1e-13)
    assert got.max() <= 1 + 1e-14
    np.testing.assert_allclose(overlaps(tests * 1j, tests, w), got, rtol=1e-13)


def test_rows_that_cannot_be_normalised_overlap_with_nothing():
    w = weights(8)
    waveforms = rows(1, 5, 8)
    waveforms[1] = 0
    waveforms[2, 3] = np.nan
    waveforms[3, 0] = np.inf
    made, fit = normalised(waveforms, w)
    assert fit.tolist() == [True, False, False, False, True]
    assert np.isfinite(made).all()
    assert overlaps(made, made, w)[0].tolist()[1:4] == [0.0, 0.0, 0.0]


def test_maximised_overlaps_equal_the_whole_grid():
    pytest.importorskip("scipy")
    size, n_lags = 33, 64
    tests, bank, w = rows(1, 3, size), rows(2, 11, size), weights(size)
    got = maximised_overlaps(tests, bank, w, n_lags)
    k, lag = np.arange(size), np.arange(n_lags)
    turn = np.exp(2j * np.pi * np.outer(lag, k) / n_lags)
    want = [[np.abs(turn @ (h.conj() * t * w)).max() for t in bank] for h in tests]
    np.testing.assert_allclose(got, want, rtol=1e-12)
    assert (got >= overlaps(tests, bank, w) - 1e-12).all()
    with pytest.raises(ValueError, match="do not fit a grid"):
        maximised_overlaps(tests, bank, w, 20)


def test_maximised_overlaps_equal_pycbc():
    pytest.importorskip("pycbc")
    from pycbc.filter import match
    from pycbc.psd import aLIGOZeroDetHighPower
    from pycbc.types import FrequencySeries

    bins, df = 1025, 1.0
    curve = aLIGOZeroDetHighPower(bins, df, 15.0)
    w = np.zeros(bins)
    w[15:990] = 4 * df / curve.numpy()[15:990]
    tests, bank = normalised(rows(1, 2, bins), w)[0], normalised(rows(2, 3, bins), w)[0]
    got = maximised_overlaps(tests, bank, w, 2 * (bins - 1))
    cut = {"low_frequency_cutoff": 15.0, "high_frequency_cutoff": 990.0}
    for row, h in enumerate(tests):
        for column, t in enumerate(bank):
            pair = (FrequencySeries(x, delta_f=df) for x in (h, t))
            assert got[row, column] == pytest.approx(match(*pair, psd=curve, **cut)[0], abs=1e-12)


def published_scheme(templates, w):
    """The reference scheme's own formula for one row: the factor of the reversed covariance."""
    unit = templates / np.sqrt((np.abs(templates) ** 2) @ w)[:, None]
    covariance = (unit * w) @ unit.conj().T
    factor = np.linalg.cholesky(np.linalg.inv(covariance[::-1, ::-1]))[::-1, ::-1]
    return factor.conj().T @ unit


def test_modes_are_made_orthonormal_as_in_the_reference_scheme():
    w, modes, tests = weights(40), rows(3, 6, 3, 40), normalised(rows(4, 5, 40), weights(40))[0]
    got = orthonormal_modes(modes, w)
    for row, made in zip(modes, got, strict=True):
        np.testing.assert_allclose((made * w) @ made.conj().T, np.eye(3), atol=1e-13)
        np.testing.assert_allclose(made, published_scheme(row, w), atol=1e-12)
    score = multimode_overlaps(tests, got, w)
    want = [[np.sqrt(sum(abs((h * t.conj()) @ w) ** 2 for t in m)) for m in got] for h in tests]
    np.testing.assert_allclose(score, want, rtol=1e-12)
    assert score.max() <= 1 + 1e-12
    inside = normalised(np.einsum("j,njf->nf", [1, 2j, -0.5], modes), w)[0]
    np.testing.assert_allclose(np.diag(multimode_overlaps(inside, got, w)), 1.0, rtol=1e-12)


def test_modes_without_power_or_of_their_own_add_nothing():
    w, modes = weights(40), rows(3, 2, 3, 40)
    modes[0, 1] = 0
    modes[1, 2] = 2j * modes[1, 0] - modes[1, 1]
    got = orthonormal_modes(modes, w)
    assert not got[0, 1].any()
    assert not got[1, 2].any()
    np.testing.assert_allclose((np.abs(got) ** 2 @ w)[:, 0], 1.0, rtol=1e-13)


@settings(deadline=None)
@given(
    hnp.arrays(
        np.float64, st.tuples(st.integers(1, 9), st.integers(0, 9)), elements=st.floats(0, 1)
    ),
    st.floats(0, 1),
)
def test_score_equals_its_definition(found, threshold):
    got = bank_score(found, threshold=threshold)
    n_tests, n_bank = found.shape
    covered = [int((found[:, : k + 1].max(axis=1) >= threshold).sum()) for k in range(n_bank)]
    reached = [k + 1 for k, count in enumerate(covered) if 2 * count >= n_tests]
    assert got.covered == tuple(covered)
    assert got.k == (reached[0] if reached else n_bank + 1)
    assert got.reached == bool(reached)
    assert got.best == tuple(max(row, default=0.0) for row in found.tolist())
    efficiency = got.relative_efficiency()
    assert efficiency == (27 / got.k if reached else None)
    assert list(got.covered) == sorted(got.covered)


def test_the_published_efficiencies():
    found = np.zeros((2, 100))
    found[0, 61] = found[1, 99] = 0.97
    got = bank_score(found)
    assert (got.k, got.coverage, got.unit) == (62, 1.0, "templates")
    assert got.relative_efficiency() == 27 / 62
    with pytest.raises(ValueError, match="0 templates"):
        got.relative_efficiency(0)


def test_never_reached_and_empty_banks():
    never = bank_score(np.array([[0.99, 0.5], [0.96, 0.969], [0.1, 0.2]]))
    assert (never.k, never.reached, never.covered) == (3, False, (1, 1))
    assert never.coverage == 1 / 3
    empty = bank_score(np.zeros((3, 0)))
    assert (empty.k, empty.reached, empty.coverage, empty.best) == (1, False, 0.0, (0.0,) * 3)
    with pytest.raises(ValueError, match="at least one test"):
        bank_score(np.zeros((0, 3)))


def test_half_of_an_odd_number_is_rounded_up_and_targets_are_exact():
    found = np.eye(5)
    assert bank_score(found).k == 3
    assert bank_score(found, target=Fraction(3, 5)).k == 3
    assert bank_score(found, target=Fraction(1)).k == 5
    with pytest.raises(ValueError, match="target"):
        bank_score(found, target=Fraction(0))


def test_overlaps_that_are_not_finite_count_as_zero():
    got = bank_score(np.array([[np.nan, 0.98], [np.inf, 0.98]]))
    assert (got.k, got.covered, got.nonfinite) == (2, (0, 2), 1)


@pytest.mark.parametrize(
    ("waveforms", "w"),
    [
        (np.ones(3), np.ones(3)),
        (np.ones((2, 3)), np.ones(4)),
        (np.ones((2, 0)), np.ones(0)),
        (np.ones((2, 2)), np.array([1.0, np.nan])),
    ],
)
def test_shapes_and_weights_are_checked(waveforms, w):
    with pytest.raises(ValueError, match="weights"):
        normalised(waveforms, w)
    with pytest.raises(ValueError, match="weights"):
        overlaps(waveforms, waveforms, w)
    with pytest.raises(ValueError, match="shape"):
        orthonormal_modes(np.ones((2, 2)), w)
    with pytest.raises(ValueError, match="shape"):
        multimode_overlaps(waveforms, np.ones((2, 2)), w)
