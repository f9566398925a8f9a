"""Two rates without pairs: oracles, borders, and one sentence where an extra is missing."""

from __future__ import annotations

import sys
from math import hypot

import pytest
from stats_oracles import ORACLES, about

from referee.stats.independent import independent_difference, independent_tests
from referee.stats.interval import standard_error

CASE = ORACLES["independent"]


@pytest.mark.parametrize("method", CASE["intervals"])
def test_intervals_of_the_oracles(method):
    found = independent_difference(CASE["first"], CASE["second"], method=method)
    # the score interval is found by a search that stops at about 1e-10
    assert [found.low, found.high] == pytest.approx(CASE["intervals"][method], abs=1e-9)
    assert found.value == about(CASE["difference"])
    assert (found.n, found.coverage) == (238, 1.0)


def test_tests_of_the_oracles():
    found = independent_tests(CASE["first"], CASE["second"])
    assert found.z == about(CASE["z"])
    assert found.z_pvalue == about(CASE["pvalues"]["z"])
    assert found.fisher == about(CASE["pvalues"]["fisher"])
    # these two maximise over an unknown rate, numerically
    assert found.barnard == pytest.approx(CASE["pvalues"]["barnard"], abs=1e-6)
    assert found.boschloo == pytest.approx(CASE["pvalues"]["boschloo"], abs=1e-6)
    assert hypot(standard_error(*CASE["first"]), standard_error(*CASE["second"])) == about(
        CASE["wald_se"]
    )


def test_no_success_at_all_is_no_difference():
    found = independent_tests((0, 5), (0, 9))
    assert (found.z, found.z_pvalue, found.fisher) == (0.0, 1.0, 1.0)
    assert (found.barnard, found.boschloo) == (1.0, 1.0)
    interval = independent_difference((0, 5), (0, 9))
    assert interval.low < 0.0 < interval.high


def test_bad_input_is_refused():
    with pytest.raises(ValueError, match="6 is above 5"):
        independent_difference((6, 5), (1, 5))
    with pytest.raises(ValueError, match="n is 0"):
        independent_tests((0, 0), (1, 5))
    with pytest.raises(ValueError, match=r"method can be newcombe, .* not 'bayes'"):
        independent_difference((1, 5), (1, 5), method="bayes")
    with pytest.raises(ValueError, match="level must lie between"):
        independent_difference((1, 5), (1, 5), level=95)


def test_a_missing_extra_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "statsmodels.stats.proportion", None)
    with pytest.raises(ModuleNotFoundError, match=r"pip install 'referee\[stats\]'"):
        independent_difference((1, 5), (1, 5))
