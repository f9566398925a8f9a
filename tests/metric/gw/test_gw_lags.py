"""The greatest modulus over a lag grid equals that of the whole grid."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from referee.metric.gw.lags import _EDGE, _TAPS, _lagrange, greatest_on_grid, moduli_at

pytest.importorskip("scipy")


def whole_grid(q, n_lags):
    """The definition: every lag, by numpy."""
    return np.abs(np.fft.ifft(q, n_lags) * n_lags).max()


def bins(kind, count, rng):
    """Bins whose sum has one sharp peak, a broad one, many like ones, two alike, or one bin."""
    k = np.arange(count)
    noise = rng.standard_normal(count) + 1j * rng.standard_normal(count)
    turn = np.exp(2j * np.pi * k * rng.random())
    return {
        "noise": noise,
        "peak": turn * (1 + 0.01 * noise),
        "broad": turn * np.exp(-k / (1 + count / 50)),
        "chirp": np.exp(1j * k**2 * rng.random() / count),
        "twins": turn + np.exp(-2j * np.pi * k * rng.random()),
        "lone": (k == count // 2).astype(complex),
        "edges": ((k == 0) | (k == count - 1)).astype(complex) * turn,
    }[kind]


KINDS = ("noise", "peak", "broad", "chirp", "twins", "lone", "edges")


@settings(max_examples=150, deadline=None)
@given(
    kind=st.sampled_from(KINDS),
    count=st.integers(1, 400),
    ratio=st.floats(1, 80),
    seed=st.integers(0, 2**32 - 1),
)
@example(kind="edges", count=2, ratio=40.3, seed=0)
@example(kind="twins", count=150, ratio=9.7, seed=3)
def test_equals_the_whole_grid(kind, count, ratio, seed):
    q = bins(kind, count, np.random.default_rng(seed))
    n_lags = max(2, int(ratio * count))
    n_lags = max(n_lags, count)
    want = whole_grid(q, n_lags)
    assert greatest_on_grid(q, n_lags) == pytest.approx(want, rel=2e-13)


@pytest.mark.parametrize("kind", KINDS)
def test_equals_the_whole_grid_at_the_sizes_of_the_suite(kind):
    rng = np.random.default_rng(5)
    for count, n_lags in ((1418, 73800), (7088, 73801), (4001, 60014)):
        q = bins(kind, count, rng)
        assert greatest_on_grid(q, n_lags) == pytest.approx(whole_grid(q, n_lags), rel=2e-13)


def test_two_almost_equal_peaks_far_apart():
    """The greater of two peaks wins, though the coarse grid sees the other one better."""
    count, n_lags = 500, 20_001
    k = np.arange(count)
    for on, off in ((4000, 9000.5), (123, 15_000.4)):
        q = np.exp(-2j * np.pi * k * on / n_lags)
        q = q + 1.0001 * np.exp(-2j * np.pi * k * off / n_lags)
        assert greatest_on_grid(q, n_lags) == pytest.approx(whole_grid(q, n_lags), rel=1e-13)


def test_nothing_is_zero():
    assert greatest_on_grid(np.zeros(50, dtype=complex), 4000) == 0.0


def test_more_bins_than_lags_are_refused():
    with pytest.raises(ValueError, match="do not fit"):
        greatest_on_grid(np.ones(5, dtype=complex), 4)


def test_sums_at_lags_are_the_transform():
    rng = np.random.default_rng(0)
    q = bins("noise", 777, rng)
    lags = np.array([0, 1, 5000, 9999, 10_000, -1])
    got = moduli_at(q, lags, 10_000)
    want = np.abs(np.fft.ifft(q, 10_000) * 10_000)[lags % 10_000]
    np.testing.assert_allclose(got, want, rtol=1e-12)


def test_the_interpolation_error_is_bounded_as_stated():
    """Worst case of the bound's premise: a pure tone at the greatest frequency."""
    step = math.pi / 4
    offset = np.linspace(-0.5, 0.5, 101)
    tone = np.exp(1j * step * _TAPS)
    error = np.abs(_lagrange(offset) @ tone - np.exp(1j * step * offset)).max()
    assert error <= step**9 * _EDGE < 6.1e-5
    np.testing.assert_allclose(_lagrange(_TAPS.astype(float)), np.eye(9), atol=1e-15)
