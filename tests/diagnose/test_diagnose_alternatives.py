"""A claim is recognised as what it is; numbers that look written are told from measured ones."""

from __future__ import annotations

from math import log, nan

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from referee.diagnose.aliases import categories_of, mode_of, plain
from referee.diagnose.alternatives import (
    aggregate,
    alternatives_of_components,
    alternatives_of_logarithms,
    alternatives_of_regression,
    alternatives_of_samples,
    recognise,
    relative,
)
from referee.diagnose.vectors import (
    decimals,
    digits,
    equal_groups,
    is_measured,
    longest_progression,
    spearman,
)
from referee.record.fault import BadInput

RANDOM = np.random.default_rng(5)
TRUTH = RANDOM.uniform(0.0, 0.0135, 300)
PREDICTION = TRUTH + RANDOM.normal(0, 1e-3, 300)
ERROR = PREDICTION - TRUTH
SPAN = TRUTH.max() - TRUTH.min()
NRMSE = np.sqrt(np.mean(ERROR**2)) / SPAN
RATIO = np.log10(np.abs(PREDICTION) / TRUTH)


@pytest.mark.parametrize(
    ("claim", "name"),
    [
        (np.mean(np.abs(ERROR)) / SPAN, "mean"),
        (np.mean(np.abs(ERROR)), "mean absolute, not normalised"),
        (np.sqrt(np.mean(ERROR**2)), "root mean square, not normalised"),
        (np.mean(ERROR**2), "mean square, not normalised"),
        (NRMSE**2, "mean square"),
        (np.median(np.abs(ERROR)) / SPAN, "median"),
        (np.max(np.abs(ERROR)) / SPAN, "maximum"),
        (np.sqrt(np.mean(ERROR**2)) / TRUTH.std(), "root mean square over the standard deviation"),
        (np.sqrt(np.mean(ERROR[:64] ** 2)) / SPAN, "first 64 samples"),
        (
            np.sqrt(np.mean(ERROR[np.linspace(0, 299, 20).astype(int)] ** 2)) / SPAN,
            "20 evenly spaced samples",
        ),
        (NRMSE * 100, "percent"),
    ],
)
def test_a_substituted_metric_of_a_regression_is_named(claim, name):
    known = recognise(float(claim), NRMSE, alternatives_of_regression(TRUTH, PREDICTION))
    assert known.names == (name,)


@pytest.mark.parametrize(
    ("claim", "name"),
    [
        (np.sqrt(np.mean(RATIO**2)) * log(10), "natural logarithm for decimal"),
        (np.mean(np.abs(RATIO)), "mean"),
        (np.mean(np.abs(RATIO)) * log(10), "mean absolute of natural logarithms"),
        (np.sqrt(np.mean((10**RATIO * TRUTH - TRUTH) ** 2)), "root mean square without logarithm"),
    ],
)
def test_a_substituted_metric_of_logarithms_is_named(claim, name):
    canonical = float(np.sqrt(np.mean(RATIO**2)))
    catalogue = alternatives_of_logarithms(TRUTH, 10**RATIO * TRUTH)
    assert recognise(float(claim), canonical, catalogue).names == (name,)


def test_one_component_alone_is_named():
    parts = {"mass 40": list(np.abs(ERROR)), "mass 80": list(np.abs(PREDICTION))}
    canonical = (np.mean(np.abs(ERROR)) + np.mean(np.abs(PREDICTION))) / 2
    known = recognise(
        float(np.mean(np.abs(PREDICTION))), canonical, alternatives_of_components(parts)
    )
    assert known.names == ("mass 80 alone",)


def test_a_number_that_nothing_gives_is_not_recognised():
    known = recognise(NRMSE * 0.37123, NRMSE, alternatives_of_regression(TRUTH, PREDICTION))
    assert known.names == ()
    assert known.distance > 1e-6


def test_alternatives_equal_to_the_canonical_value_explain_nothing():
    same = alternatives_of_samples([0.5, 0.5], "mean")
    assert "root mean square" in same
    assert recognise(0.5, 0.5, same).names == ()
    with pytest.raises(BadInput):
        recognise(0.5, 0.5, {"a": 0.5})


@pytest.mark.parametrize(
    ("truth", "prediction"), [([1.0], [1.0, 2.0]), ([], []), ([nan], [1.0]), ([[1.0]], [[1.0]])]
)
def test_arrays_that_cannot_be_compared_are_refused(truth, prediction):
    for catalogue in (alternatives_of_regression, alternatives_of_logarithms):
        with pytest.raises(BadInput):
            catalogue(truth, prediction)


def test_no_values_have_no_aggregate():
    for call in (
        lambda: aggregate([], "mean"),
        lambda: alternatives_of_samples([], "rms"),
        lambda: alternatives_of_components({"a": [1.0], "b": [1.0, 2.0]}),
    ):
        with pytest.raises(BadInput):
            call()


@given(st.lists(st.floats(0, 1e6), min_size=1, max_size=30))
@settings(deadline=None)
def test_the_root_mean_square_is_not_below_the_mean(values):
    mean, rms = aggregate(values, "mean"), aggregate(values, "rms")
    assert rms >= mean * (1 - 1e-12) - 1e-150


def test_relative_difference_of_zero():
    assert relative(0.0, 0.0) == 0
    assert relative(1.0, 0.0) == float("inf")
    assert relative(1.1, 1.0) == pytest.approx(0.1)


@pytest.mark.parametrize(
    ("value", "places", "significant"),
    [
        (0.58, 2, 2),
        (0.058, 3, 2),
        (1.0, 0, 1),
        (1e-7, 7, 1),
        (300.0, 0, 1),
        (0.9230512871018588, 16, 16),
    ],
)
def test_digits_of_the_shortest_text(value, places, significant):
    assert decimals(value) == places
    assert digits(value) == significant
    assert is_measured(value) == (significant > 6)


def test_equal_steps_are_counted_in_a_row():
    assert longest_progression([0.1, 0.2, 0.3, 0.4]) == 3
    assert longest_progression([0.1, 0.2, 0.3, 0.5, 0.7]) == 2
    assert longest_progression([5.0, 5.0, 5.0]) == 0
    assert longest_progression([]) == 0


def test_groups_and_ranks():
    assert equal_groups({"a": 1, "b": 2, "c": 1}, 2) == [["a", "c"]]
    assert spearman([1.0, 2.0, 5.0]) == pytest.approx(1)
    assert spearman([5.0, 2.0, 1.0]) == pytest.approx(-1)
    assert spearman([1.0, 1.0]) == 0


@given(st.lists(st.floats(-1e9, 1e9), min_size=2, max_size=20))
@settings(deadline=None)
def test_rank_correlation_is_between_minus_one_and_one(values):
    assert -1 - 1e-9 <= spearman(values) <= 1 + 1e-9


def test_names_of_one_thing():
    assert plain("Kimi-K2.6") == plain("kimi_k26")
    assert categories_of("svd_decomp") == ("decomposition",)
    assert categories_of("Kernel / GP") == ("kernel", "interpolation")
    assert categories_of("wizardry") == ()
    assert mode_of("l2/m+2/n0") == mode_of("(2, 2, 0)") == mode_of("l2_m2_n0") == "l2_m2_n0"
    assert mode_of("l3/m-3/n1") == "l3_m-3_n1"
    assert mode_of("fundamental") is None


def test_an_alternative_that_overflows_is_left_out():
    found = alternatives_of_samples([1e300, 1e300], "mean")
    assert "mean square" not in found
    assert "median" in found
