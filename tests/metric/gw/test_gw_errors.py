"""Errors of the four regression tasks: formulas, edge cases, and sums that agree with samples."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from referee.metric.gw.errors import log10_rmse, nrmse, qnm_error, relative_rms
from referee.metric.gw.score import root_mean_square

NUMBERS = st.floats(-1e3, 1e3).filter(lambda x: x == 0 or abs(x) > 1e-6)
LENGTHS = st.shared(st.integers(1, 40), key="n")
SERIES = LENGTHS.flatmap(lambda n: hnp.arrays(np.float64, n, elements=NUMBERS))
POSITIVE = LENGTHS.flatmap(lambda n: hnp.arrays(np.float64, n, elements=st.floats(1e-8, 1)))
NOT_NUMBERS = ("text", None, [[1.0]], [], {"a": 1}, ["a", "b"], [1, [2]], np.zeros((2, 2)))


@settings(deadline=None)
@given(SERIES, SERIES)
def test_nrmse(predicted, true):
    got = nrmse(predicted, true)
    plain = math.sqrt(np.mean((predicted - true) ** 2))
    width = np.ptp(true)
    assert got.value == pytest.approx(plain / width if width else plain, rel=1e-12)
    assert root_mean_square(got.samples) == got.value
    assert got.components == {"nrmse_v_k": got.value}
    assert got.notes == (() if width else ("zero_range",))
    assert got.n_flagged == 0


@settings(deadline=None)
@given(SERIES, st.sampled_from([2.0**-20, 0.5, 8.0]), st.integers(-3, 3))
def test_nrmse_does_not_depend_on_unit_or_order(true, unit, shift):
    predicted = true + 0.25
    one = nrmse(predicted, true)
    other = nrmse(np.roll(predicted, shift) * unit, np.roll(true, shift) * unit)
    if np.ptp(true):
        assert other.value == one.value
    assert nrmse(true, true).value == 0.0


@settings(deadline=None)
@given(SERIES, SERIES)
def test_relative_rms(predicted, true):
    got = relative_rms([predicted, true], [true, true])
    used = true != 0
    if not used.any():
        assert got.value == math.inf
        assert got.flags == (("zero_truth",),) * 2
        return
    want = np.sqrt(np.mean(((predicted[used] - true[used]) / true[used]) ** 2))
    assert got.samples == (pytest.approx(want), 0.0)
    assert got.value == pytest.approx(want / 2)


def test_relative_rms_fails_the_one_simulation_only():
    true = [np.array([1.0, 2.0])] * 4
    got = relative_rms([[1.0, 2.0], [1.0, math.nan], [1.0], [1.0, 2.0j]], true)
    assert got.samples == (0.0, math.inf, math.inf, math.inf)
    assert got.flags == ((), ("nonfinite",), ("wrong_shape",), ("wrong_shape",))
    assert (got.value, got.median) == (math.inf, math.inf)


@settings(deadline=None)
@given(SERIES, SERIES, SERIES, SERIES)
def test_qnm_error(real, imaginary, true_real, true_imaginary):
    got = qnm_error((real, imaginary), (true_real, true_imaginary))

    def relative(p, t):
        return [
            abs(a - b) / abs(b) if b else (0.0 if a == 0 else math.inf)
            for a, b in zip(p, t, strict=True)
        ]

    of_real, of_imaginary = relative(real, true_real), relative(imaginary, true_imaginary)
    want = 0.5 * (np.mean(of_real) + np.mean(of_imaginary))
    assert got.value == pytest.approx(want, rel=1e-12)
    assert got.value == sum(got.components.values()) / 2
    assert np.mean(got.samples) == pytest.approx(want, rel=1e-12)
    assert not any(map(math.isnan, got.samples))


def test_qnm_error_at_schwarzschild():
    truth = ([0.3736716844], [-0.0889623157])
    got = qnm_error(([0.3736716844 * (1 + 1e-6)], [-0.0889623157]), truth)
    assert got.value == pytest.approx(5e-7)
    wrong_sign = qnm_error(([0.3736716844], [0.0889623157]), truth)
    assert wrong_sign.components == {"rel_error_omega_real": 0.0, "rel_error_omega_imag": 2.0}


def test_qnm_error_flags_either_part():
    got = qnm_error(([1.0, math.nan], [math.inf, math.nan]), ([1.0, 1.0], [1.0, 1.0]))
    assert got.flags == (("nonfinite",), ("nonfinite",))
    assert got.samples == (math.inf, math.inf)
    assert qnm_error(([1.0], "x"), ([1.0], [1.0])).flags == (("wrong_shape",),)
    with pytest.raises(ValueError, match="different lengths"):
        qnm_error(([1.0], [1.0]), ([1.0], [1.0, 2.0]))


@settings(deadline=None)
@given(POSITIVE, POSITIVE)
def test_log10_rmse(predicted, true):
    got = log10_rmse(predicted, true)
    dex = np.log10(predicted) - np.log10(true)
    assert got.value == pytest.approx(math.sqrt(np.mean(dex**2)), rel=1e-12)
    assert root_mean_square(got.samples) == got.value
    assert (got.scale, got.unit) == ("log10", "dex")
    natural = math.sqrt(np.mean((np.log(predicted) - np.log(true)) ** 2))
    assert natural == pytest.approx(got.value * math.log(10), rel=1e-9, abs=1e-12)


def test_log10_rmse_raises_to_the_floor_and_says_so():
    got = log10_rmse([0.0, -1.0, 1e-31, 1e-30, math.nan], [1e-30, 1e-28, 1e-30, 0.0, 1.0])
    assert got.samples == pytest.approx((0.0, 2.0, 0.0, 0.0, math.inf))
    assert got.flags == (("clipped",), ("clipped",), ("clipped",), (), ("nonfinite",))


@pytest.mark.parametrize("metric", [nrmse, log10_rmse])
@pytest.mark.parametrize("predicted", NOT_NUMBERS)
def test_what_is_no_array_of_the_right_shape(metric, predicted):
    got = metric(predicted, [1.0, 2.0, 3.0])
    assert got.samples == (math.inf,) * 3
    assert got.flags == (("wrong_shape",),) * 3
    assert got.value == math.inf


@pytest.mark.parametrize("metric", [nrmse, log10_rmse])
@pytest.mark.parametrize("true", [[math.nan], [], [[1.0]], [1j], "x", [math.inf, 1.0]])
def test_a_wrong_truth_is_the_evaluators_fault(metric, true):
    with pytest.raises(ValueError, match="the truth"):
        metric([1.0], true)
    with pytest.raises(ValueError, match="the truth"):
        relative_rms([[1.0]], [true])
    with pytest.raises(ValueError, match="the truth"):
        qnm_error(([1.0], [1.0]), (true, [1.0]))


def test_numbers_of_simulations_must_agree():
    with pytest.raises(ValueError, match="2 predictions for 1"):
        relative_rms([[1.0], [2.0]], [[1.0]])
    with pytest.raises(ValueError, match="at least one"):
        relative_rms([], [])


def test_huge_predictions_are_infinitely_wrong_without_a_warning():
    assert nrmse([1e308, -1e308], [-1.0, 1.0]).value == math.inf
    assert relative_rms([[1e308]], [[1e-300]]).value == math.inf
    assert qnm_error(([1e308], [1.0]), ([1e-300], [1.0])).value == math.inf
