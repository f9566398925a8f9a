"""Intervals of one rate: equal to oracles and to two libraries, bounded, symmetric, monotone."""

from __future__ import annotations

import dataclasses

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binom, binomtest
from stats_oracles import ORACLES, about
from statsmodels.stats.proportion import proportion_confint

from referee.stats import interval
from referee.stats.interval import clopper_pearson, standard_error, wilson

FUNCTIONS = {
    "wald": interval.wald,
    "wilson": interval.wilson,
    "wilson_corrected": interval.wilson_corrected,
    "clopper_pearson": interval.clopper_pearson,
    "agresti_coull": interval.agresti_coull,
    "jeffreys": interval.jeffreys,
}
COUNTS = st.integers(1, 300).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n)))
LEVELS = st.floats(0.5, 0.999)
every_function = pytest.mark.parametrize("function", FUNCTIONS.values(), ids=FUNCTIONS)


@pytest.mark.parametrize("case", ORACLES["rates"], ids=lambda case: case["name"])
@every_function
def test_rates_of_the_oracles(case, function):
    rate = function(case["k"], case["n"])
    assert [rate.low, rate.high] == about(case["intervals"][function.__name__])
    assert rate.value == about(case["value"])
    assert round(100 * rate.value, 2) == case["percent"]
    assert (rate.k, rate.n, rate.level, rate.coverage) == (case["k"], case["n"], 0.95, 1.0)


@pytest.mark.parametrize("case", ORACLES["rates"], ids=lambda case: case["name"])
def test_standard_errors_of_the_oracles(case):
    assert standard_error(case["k"], case["n"]) == about(case["standard_error"]["wald"])
    if case["n"] > 1:
        error = standard_error(case["k"], case["n"], lost=1)
        assert error == about(case["standard_error"]["sample"])
    else:
        with pytest.raises(ValueError, match="more than 1 task"):
            standard_error(case["k"], case["n"], lost=1)


@given(COUNTS, LEVELS)
def test_equal_to_scipy_and_statsmodels(counts, level):
    k, n = counts
    for function, name in (
        (interval.wilson, "wilson"),
        (interval.wilson_corrected, "wilsoncc"),
        (interval.clopper_pearson, "exact"),
    ):
        rate, other = function(k, n, level=level), binomtest(k, n).proportion_ci(level, name)
        assert [rate.low, rate.high] == pytest.approx([other.low, other.high], abs=1e-10)
    for function, name in (
        (interval.wald, "normal"),
        (interval.agresti_coull, "agresti_coull"),
        (interval.jeffreys, "jeffreys"),
    ):
        rate, other = function(k, n, level=level), proportion_confint(k, n, 1 - level, name)
        assert [rate.low, rate.high] == pytest.approx(list(other), abs=1e-10)


@every_function
@given(COUNTS, LEVELS)
def test_bounded_and_symmetric(function, counts, level):
    k, n = counts
    rate, mirror = function(k, n, level=level), function(n - k, n, level=level)
    assert 0.0 <= rate.low <= rate.high <= 1.0
    assert [rate.low, rate.high] == pytest.approx([1 - mirror.high, 1 - mirror.low], abs=1e-9)


@pytest.mark.parametrize(
    "function", [wilson, interval.wilson_corrected, clopper_pearson, interval.jeffreys]
)
@given(COUNTS, LEVELS)
def test_more_successes_never_lower_an_end_and_more_confidence_never_narrows(
    function, counts, level
):
    k, n = counts
    rate, surer = function(k, n, level=level), function(k, n, level=(1 + level) / 2)
    assert surer.low <= rate.low + 1e-12
    assert surer.high >= rate.high - 1e-12
    if k < n:
        more = function(k + 1, n, level=level)
        assert more.low >= rate.low - 1e-12
        assert more.high >= rate.high - 1e-12


@pytest.mark.parametrize(("n", "rate"), [(30, 0.1), (91, 0.32), (119, 0.48), (119, 0.97)])
def test_the_exact_interval_covers_as_often_as_it_says(n, rate):
    covered = sum(
        binom.pmf(k, n, rate)
        for k in range(n + 1)
        if (found := clopper_pearson(k, n)).low <= rate <= found.high
    )
    assert covered >= 0.95


def test_what_was_planned_is_told():
    rate = wilson(57, 119, planned=125)
    assert (rate.n, rate.planned, rate.coverage) == (119, 125, 119 / 125)
    assert rate.method == "Wilson score"
    with pytest.raises(dataclasses.FrozenInstanceError):
        rate.k = 58


@every_function
@pytest.mark.parametrize(
    ("k", "n", "changes", "words"),
    [
        (0, 0, {}, "n is 0"),
        (-1, 5, {}, "k must be at least 0"),
        (6, 5, {}, "6 is above 5"),
        (1, -5, {}, "n must be at least 0"),
        (float("nan"), 5, {}, "k must be a whole number"),
        (2.0, 5, {}, "k must be a whole number"),
        (None, 5, {}, "k must be a whole number"),
        (1, 5, {"level": 1.0}, "level must lie between 0 and 1"),
        (1, 5, {"level": float("nan")}, "level must be finite"),
        (1, 5, {"planned": 4}, "planned must be at least 5"),
    ],
)
def test_bad_input_is_refused(function, k, n, changes, words):
    with pytest.raises(ValueError, match=words):
        function(k, n, **changes)
