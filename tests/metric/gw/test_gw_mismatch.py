"""The canonical mismatch: equal to a brute-force oracle and to PyCBC, and never at a loss."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from referee.metric.gw.constants import MASSES, MSUN_SEC
from referee.metric.gw.mismatch import mismatch_score, reference, spectral_reference
from referee.metric.gw.noise import band, bands, weights

lalsimulation = pytest.importorskip("lalsimulation")
pytest.importorskip("scipy")

DT = 0.5
SHORT = 12_000


def density(k, df):
    return np.array([lalsimulation.SimNoisePSDaLIGOZeroDetHighPower(j * df) for j in k.tolist()])


def brute_spectra(a, b, df):
    """The definition on a whole grid of lags, by numpy and LALSimulation's own curve."""
    n_lags = 2 * (a.size - 1)
    k = np.arange(int(15 / df), min(int(990 / df), int((n_lags + 1) / 2)))
    s = density(k, df)
    z = np.zeros(n_lags, dtype=complex)
    z[k] = a[k].conj() * b[k] / s
    norms = [np.sum(np.abs(x[k]) ** 2 / s) for x in (a, b)]
    return 1 - np.abs(np.fft.ifft(z) * n_lags).max() / math.sqrt(norms[0] * norms[1])


def brute(predicted, true, dt, mass):
    n = max(len(predicted), len(true))
    a, b = (np.fft.rfft(np.real(x), n) for x in (true, predicted))
    return brute_spectra(a, b, 1.0 / n / (dt * mass * MSUN_SEC))


def chirp(n, q, dt=DT):
    """An inspiral of leading order with a damped end, complex, peak 100 M before the last point."""
    t = (np.arange(n) - n + 1) * dt + 100
    nu = q / (1 + q) ** 2
    theta = nu * (np.maximum(-t, 0) + 5) / 5
    grown = np.exp(-np.maximum(t, 0) / 12)
    return theta**-0.25 * grown * np.exp(-2j * theta**0.625 / nu + 0.5j * np.maximum(t, 0))


def noise(n, seed):
    return np.random.default_rng(seed).standard_normal(n)


@pytest.mark.parametrize("n", [SHORT, SHORT + 1, 12_007, 12_010])
def test_equals_the_whole_grid_of_lags(n):
    true = chirp(n, 1.5)
    ready = reference(true, DT)
    for predicted in (chirp(n, 1.53), chirp(n, 4.0), noise(n, 3), np.roll(true, 777), -true):
        want = [brute(predicted, true, DT, mass) for mass in MASSES]
        got = ready.mismatch(predicted)
        assert got.flags == ()
        np.testing.assert_allclose(got.parts, np.maximum(want, 0), atol=1e-12, rtol=0)
        assert got.value == pytest.approx(np.mean(want), abs=1e-12)


@settings(max_examples=25, deadline=None)
@given(
    n=st.integers(6000, 9000),
    dt=st.floats(0.3, 1.5),
    mass=st.sampled_from(MASSES),
    seeds=st.tuples(st.integers(0, 99), st.integers(0, 99)),
    share=st.sampled_from([0.0, 0.9, 1.0]),
)
def test_random_series_equal_the_whole_grid(n, dt, mass, seeds, share):
    true = noise(n, seeds[0])
    predicted = share * true + (1.001 - share) * noise(n, seeds[1])
    got = reference(true, dt, [mass]).mismatch(predicted)
    assert got.value == pytest.approx(max(0.0, brute(predicted, true, dt, mass)), abs=1e-12)


@settings(max_examples=20, deadline=None)
@given(scale=st.sampled_from([2.0**-900, 1e-150, 1e-21, -3.0, 1e30, 1e150, 2.0**900]))
def test_scale_and_conjugation_do_not_matter(scale):
    true = chirp(SHORT, 2.0)
    predicted = chirp(SHORT, 2.1)
    ready = reference(true, DT)
    want = ready.mismatch(predicted)
    assert ready.mismatch(predicted * scale).parts == pytest.approx(want.parts, abs=1e-14)
    scaled = reference(true * scale, DT)
    assert scaled.mismatch(predicted).parts == pytest.approx(want.parts, abs=1e-14)
    assert ready.mismatch(predicted.conj()) == want
    assert ready.mismatch(predicted.real) == want
    # Only real parts count, so a turn by i is another prediction, though a close one.
    turned = ready.mismatch(1j * predicted)
    assert turned != want
    assert turned.value == pytest.approx(want.value, abs=1e-2)


def test_the_reference_itself_is_perfect_and_orders_are_kept():
    true = chirp(SHORT, 2.0)
    ready = reference(true, DT)
    assert ready.mismatch(true).value <= 1e-15
    values = [ready.mismatch(chirp(SHORT, q)).value for q in (2.0, 2.01, 2.1)]
    assert values == sorted(values)
    assert all(0 <= value <= 1 for value in values)


@pytest.mark.parametrize(
    ("predicted", "flag"),
    [
        (np.full(SHORT, math.nan), "nonfinite"),
        (np.where(np.arange(SHORT) == 7, math.inf, 1.0), "nonfinite"),
        (np.where(np.arange(SHORT) == 7, complex(0, math.nan), 1.0), "nonfinite"),
        (np.zeros(SHORT), "zero_norm"),
        (1j * np.ones(SHORT), "zero_norm"),
        (np.ones((SHORT, 1)), "wrong_shape"),
        (np.ones(SHORT - 1), "wrong_shape"),
        (np.ones(SHORT + 1), "wrong_shape"),
        (np.ones(0), "wrong_shape"),
        (np.array(["a"] * SHORT), "wrong_shape"),
        (np.array([None] * SHORT), "wrong_shape"),
        (1.0, "wrong_shape"),
        (None, "wrong_shape"),
        ([[1.0], [1.0, 2.0]], "wrong_shape"),
    ],
)
def test_what_cannot_be_compared_scores_one_and_says_why(predicted, flag):
    got = reference(chirp(SHORT, 2.0), DT).mismatch(predicted)
    assert (got.value, got.parts, got.flags) == (1.0, (1.0,) * 5, (flag,))


def test_other_lengths_are_padded_at_the_end_when_asked_for():
    true = chirp(SHORT, 2.0)
    ready = reference(true, DT)
    for length in (SHORT - 600, SHORT + 501):
        predicted = chirp(max(length, SHORT), 2.1)[:length]
        got = ready.mismatch(predicted, length="pad")
        want = [brute(predicted, true, DT, mass) for mass in MASSES]
        assert got.flags == ("padded",)
        np.testing.assert_allclose(got.parts, want, atol=1e-12, rtol=0)
    assert ready.mismatch(np.zeros(3), length="pad").flags == ("zero_norm", "padded")


@pytest.mark.parametrize(
    ("series", "dt", "words"),
    [
        (np.ones(100), 0.5, "no band"),
        ([], 0.5, "must be a 1-dimensional"),
        ([[1.0]], 0.5, "must be a 1-dimensional"),
        ("x", 0.5, "must be a 1-dimensional"),
        ([1.0, math.nan], 0.5, "not finite"),
        (np.zeros(SHORT), 0.5, "no power"),
        (np.ones(SHORT), 0.0, "positive"),
        (np.ones(SHORT), math.nan, "positive"),
    ],
)
def test_a_wrong_reference_is_the_evaluators_fault(series, dt, words):
    with pytest.raises(ValueError, match=words):
        reference(series, dt)
    with pytest.raises(ValueError, match="positive"):
        reference(np.ones(SHORT), 0.5, [40.0, -1.0])


def spectrum(seed, n=2000):
    rng = np.random.default_rng(seed)
    return (rng.standard_normal(n) + 1j * rng.standard_normal(n)) * np.arange(n) ** 0.5


def test_spectra_equal_the_whole_grid():
    true = spectrum(0)
    ready = spectral_reference(true, 0.5)
    lagged = true * np.exp(2j * np.pi * np.arange(true.size) * 31 / 3998) * 1j
    assert ready.mismatch(lagged).value <= 1e-14
    for predicted in (spectrum(1), true + 0.1 * spectrum(2), true.conj()):
        want = brute_spectra(true, predicted, 0.5)
        assert ready.mismatch(predicted).value == pytest.approx(want, abs=1e-12)
    assert ready.mismatch(spectrum(1)).parts == (ready.mismatch(spectrum(1)).value,)


def test_spectra_of_other_lengths():
    true, other = spectrum(0), spectrum(1)
    ready = spectral_reference(true, 0.5)
    short = true + other
    short[1500:] = 0
    got = ready.mismatch(short[:1500], length="pad")
    assert got.value == pytest.approx(brute_spectra(true, short, 0.5), abs=1e-12)
    longer = np.concatenate((true + other, other[:300]))
    got = ready.mismatch(longer, length="pad")
    want = brute_spectra(np.pad(true, (0, 300)), longer, 0.5)
    assert got.value == pytest.approx(want, abs=1e-12)
    assert got.flags == ("padded",)
    assert ready.mismatch(longer).flags == ("wrong_shape",)
    assert ready.mismatch(np.zeros(2000)).flags == ("zero_norm",)
    with pytest.raises(ValueError, match="positive"):
        spectral_reference(true, -1.0)


def test_the_loss_is_the_mean_over_masses_then_samples():
    refs = [reference(chirp(n, 2.0), DT) for n in (SHORT, SHORT + 100)]
    samples = [refs[0].mismatch(chirp(SHORT, 2.1)), refs[1].mismatch(np.zeros(SHORT + 100))]
    got = mismatch_score(refs, samples)
    assert got.value == (samples[0].value + 1.0) / 2
    assert got.components["mean_fd_mismatch"] == got.value
    assert got.components["mismatch_80Msun"] == (samples[0].parts[1] + 1.0) / 2
    assert list(got.components)[1:] == [f"mismatch_{m:g}Msun" for m in MASSES]
    assert (got.unit, got.scale, got.n_flagged) == ("1", "linear", 1)
    assert got.flags == ((), ("zero_norm",))
    assert got.grid_sha256 != mismatch_score(refs[::-1], samples).grid_sha256
    with pytest.raises(ValueError, match="1 samples for 2"):
        mismatch_score(refs, samples[:1])
    with pytest.raises(ValueError, match="same masses"):
        mismatch_score([refs[0], reference(chirp(SHORT, 2.0), DT, [40.0])], samples)


@pytest.mark.parametrize("df", [0.0173, 0.137, 0.688, 3.1, 7.5001, 14.9])
def test_the_noise_curve_is_lalsimulations(df):
    first, last = int(15 / df), int(990 / df)
    k = np.unique(np.linspace(first, last - 1, 3000).astype(int))
    got = weights(first, last, df)[k - first]
    np.testing.assert_allclose(got * density(k, df), 1.0, atol=1e-13, rtol=0)


def test_bands():
    got = band(7921, 0.125)
    assert (got.first, got.last, got.n_lags) == (120, 7920, 15840)
    odd, even = (bands(n, 0.1, (40.0,))[0] for n in (50_001, 50_000))
    assert odd.n_lags == even.n_lags == 50_000
    with pytest.raises(ValueError, match="no band"):
        band(50, 15.5)


@pytest.fixture(scope="module")
def pycbc_mismatch():
    """PyCBC's loop over masses, as the published evaluator has it."""
    pytest.importorskip("pycbc")
    from pycbc.filter import match
    from pycbc.psd import aLIGOZeroDetHighPower
    from pycbc.types import FrequencySeries, TimeSeries

    cut = {"low_frequency_cutoff": 15.0, "high_frequency_cutoff": 990.0}

    def compare(predicted, true, step, kind="time"):
        n = max(len(predicted), len(true))
        one, other = (np.pad(x, (0, n - len(x))) for x in (predicted, true))
        if kind == "time":
            one, other = (TimeSeries(np.real(x), delta_t=step) for x in (one, other))
            bins, df = n // 2 + 1, 1.0 / n / step
        else:
            one, other = (FrequencySeries(x, delta_f=step) for x in (one, other))
            bins, df = n, step
        curve = aLIGOZeroDetHighPower(bins, df, 15.0)
        return 1 - match(one, other, psd=curve, **cut)[0]

    return compare


@pytest.mark.parametrize(
    ("true", "predicted"),
    [
        (chirp(30_011, 1.5, 0.3), chirp(30_011, 1.53, 0.3)),
        (chirp(30_000, 6.0, 0.3), chirp(30_000, 1.0, 0.3)),
        (noise(16_001, 0), noise(16_001, 1)),
        (noise(16_000, 0), noise(16_000, 0) + 0.1 * noise(16_000, 1)),
        (chirp(20_000, 1.5, 0.3), chirp(19_000, 1.53, 0.3)),
        (chirp(20_000, 1.5, 0.3), chirp(21_501, 1.53, 0.3)),
    ],
)
def test_equals_pycbc(pycbc_mismatch, true, predicted):
    want = [pycbc_mismatch(predicted, true, 0.3 * mass * MSUN_SEC) for mass in MASSES]
    got = reference(true, 0.3).mismatch(predicted, length="pad").parts
    np.testing.assert_allclose(got, want, atol=1e-12, rtol=0)


@settings(max_examples=20, deadline=None)
@given(n=st.integers(6000, 12_000), mass=st.sampled_from(MASSES), seed=st.integers(0, 99))
def test_random_series_equal_pycbc(pycbc_mismatch, n, mass, seed):
    true, predicted = noise(n, seed), noise(n, seed) + noise(n, seed + 1)
    want = pycbc_mismatch(predicted, true, 0.4 * mass * MSUN_SEC)
    got = reference(true, 0.4, [mass]).mismatch(predicted).value
    assert got == pytest.approx(want, abs=1e-12)


def test_spectra_equal_pycbc(pycbc_mismatch):
    true = spectrum(0)
    for predicted in (spectrum(1), true + 0.1 * spectrum(2)):
        want = pycbc_mismatch(predicted, true, 0.5, "frequency")
        assert spectral_reference(true, 0.5).mismatch(predicted).value == pytest.approx(
            want, abs=1e-12
        )
