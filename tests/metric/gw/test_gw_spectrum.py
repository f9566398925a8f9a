"""Leading bins of a transform equal numpy's, whatever the length."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from referee.metric.gw.spectrum import _factor_sum, leading_bins

pytest.importorskip("scipy")


@settings(max_examples=60, deadline=None)
@given(n=st.integers(2, 6000), share=st.floats(0, 1), short=st.integers(0, 50), seed=st.integers(0))
def test_equals_numpy(n, share, short, seed):
    count = 1 + int(share * (n // 2))
    series = np.random.default_rng(seed).standard_normal(max(1, n - short))
    want = np.fft.rfft(series, n)[:count]
    got = leading_bins(series, n, count)
    assert got.shape == (count,)
    np.testing.assert_allclose(got, want, atol=1e-13 * np.sqrt(n) * np.abs(series).max())


@pytest.mark.parametrize("n", [65_521, 90_001, 73_808])
def test_long_lengths_with_a_great_prime_factor(n):
    series = np.random.default_rng(1).standard_normal(n)
    assert _factor_sum(n) > 400
    want = np.fft.rfft(series)[:7000]
    np.testing.assert_allclose(leading_bins(series, n, 7000), want, atol=1e-11)


def test_factor_sums():
    assert [_factor_sum(n) for n in (1, 2, 12, 97, 73_808)] == [0, 2, 7, 97, 8 + 7 + 659]
