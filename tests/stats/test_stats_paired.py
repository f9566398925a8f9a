"""Two arms at the same tasks: the exact test, its bounds, and what it refuses to pair."""

from __future__ import annotations

from fractions import Fraction
from math import inf, sqrt

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binomtest
from stats_oracles import ORACLES, about
from statsmodels.stats.contingency_tables import mcnemar

from referee.stats.interval import standard_error
from referee.stats.paired import (
    PairedTable,
    conditional_odds_ratio,
    least_significant_split,
    mcnemar_bounds,
    mcnemar_chi_square,
    mcnemar_exact,
    paired_table,
)

COUNT = st.integers(0, 60)
TOTALS = st.integers(1, 40).flatmap(
    lambda n: st.tuples(st.integers(0, n), st.integers(0, n), st.just(n))
)
each_pair = pytest.mark.parametrize("case", ORACLES["paired"], ids=lambda case: case["name"])


@each_pair
def test_tables_of_the_oracles(case):
    table = PairedTable(*case["table"])
    assert (table.n, table.first, table.second) == (case["n"], case["first"], case["second"])
    assert table.discordant == case["discordant"]
    assert table.difference == about(case["difference"])
    assert table.phi == about(case["phi"])
    assert table.standard_error() == about(case["standard_error"]["paired"])
    assert table.standard_error(lost=1) == about(case["standard_error"]["paired_sample"])
    unpaired = [standard_error(k, table.n) for k in (table.first, table.second)]
    assert sqrt(sum(se**2 for se in unpaired)) == about(case["standard_error"]["unpaired"])


@each_pair
def test_tests_of_the_oracles(case):
    table = PairedTable(*case["table"])
    b, c = table.only_first, table.only_second
    exact = mcnemar_exact(b, c)
    assert exact.exact == Fraction(case["exact"]["fraction"])
    assert exact.pvalue == about(case["exact"]["pvalue"])
    assert exact.midp == about(case["exact"]["midp"])
    for name, corrected in (("plain", False), ("corrected", True)):
        test = mcnemar_chi_square(b, c, corrected=corrected)
        assert [test.statistic, test.pvalue] == about(case["chi_square"][name])
    ratio = conditional_odds_ratio(b, c)
    assert ratio.value == about(case["odds_ratio"]["value"])
    assert [ratio.low, ratio.high] == about(case["odds_ratio"]["interval"])
    split = least_significant_split(table.discordant)
    assert [split.more, split.less] == case["least_significant_split"]


def test_totals_alone_can_decide_that_nothing_is_decided():
    case = ORACLES["totals_only"]
    bounds = mcnemar_bounds(case["first"], case["second"], case["n"])
    assert bounds.least_pvalue == about(case["least_pvalue"])
    assert bounds.greatest_pvalue == about(case["greatest_pvalue"])
    best = bounds.least_at
    assert {
        "both": best.both,
        "only_first": best.only_first,
        "only_second": best.only_second,
    } == case["least_at"]


@given(
    st.integers(1, 40).flatmap(
        lambda n: st.tuples(st.integers(0, n), st.integers(0, n), st.just(n))
    )
)
def test_bounds_hold_for_every_overlap(totals):
    first, second, n = totals
    bounds = mcnemar_bounds(first, second, n)
    for table in (bounds.least_at, bounds.greatest_at):
        assert (table.first, table.second, table.n) == totals
    every = [
        mcnemar_exact(first - both, second - both).pvalue
        for both in range(n + 1)
        if both <= min(first, second) and first + second - both <= n
    ]
    assert (bounds.least_pvalue, bounds.greatest_pvalue) == (min(every), max(every))


@given(COUNT, COUNT)
def test_equal_to_scipy_and_statsmodels(b, c):
    found = mcnemar_exact(b, c)
    if b + c:
        assert found.pvalue == pytest.approx(binomtest(b, b + c).pvalue, rel=1e-9)
        other = mcnemar([[0, b], [c, 0]], exact=True).pvalue
        assert found.pvalue == pytest.approx(float(other), rel=1e-9)
        chi = mcnemar([[0, b], [c, 0]], exact=False, correction=False)
        ours = mcnemar_chi_square(b, c)
        assert ours.statistic == pytest.approx(float(chi.statistic), rel=1e-12)
        assert ours.pvalue == pytest.approx(float(chi.pvalue), rel=1e-9)
    else:
        assert (found.pvalue, found.midp, mcnemar_chi_square(b, c).pvalue) == (1.0, 1.0, 1.0)


@given(COUNT, COUNT)
def test_symmetric_ordered_and_bounded(b, c):
    found, mirror = mcnemar_exact(b, c), mcnemar_exact(c, b)
    assert (found.exact, found.midp) == (mirror.exact, mirror.midp)
    assert 0.0 < found.midp <= found.pvalue <= 1.0
    if b >= c:
        assert mcnemar_exact(b + 1, c).exact <= found.exact
    if b + c:
        assert conditional_odds_ratio(b, c).low == pytest.approx(
            1 / conditional_odds_ratio(c, b).high if b else 0.0, rel=1e-9
        )


def test_a_tie_has_p_of_one():
    assert (mcnemar_exact(7, 7).pvalue, mcnemar_exact(7, 7).midp) == (1.0, 1.0)


@given(st.integers(0, 80), st.sampled_from([0.05, 0.01, 0.0625, 0.5]))
def test_the_least_split_is_significant_and_the_next_is_not(n, alpha):
    split = least_significant_split(n, alpha=alpha)
    if split is None:
        assert mcnemar_exact(n, 0).exact > Fraction(alpha)
        return
    assert (split.more + split.less, split.n) == (n, n)
    assert mcnemar_exact(split.more, split.less).exact <= Fraction(alpha)
    assert mcnemar_exact(split.more - 1, split.less + 1).exact > Fraction(alpha)


def test_a_p_of_just_alpha_counts():
    split = least_significant_split(5, alpha=0.0625)  # 2 / 2^5
    assert (split.more, split.less, split.pvalue) == (5, 0, 0.0625)


@given(st.dictionaries(st.text(max_size=3), st.tuples(st.booleans(), st.booleans()), min_size=1))
def test_a_table_of_outcomes_counts_them_in_any_order(outcomes):
    first = {task: a for task, (a, _) in outcomes.items()}
    second = {task: b for task, (_, b) in reversed(outcomes.items())}
    table = paired_table(first, second)
    pairs = list(outcomes.values())
    assert table == PairedTable(
        pairs.count((True, True)),
        pairs.count((True, False)),
        pairs.count((False, True)),
        pairs.count((False, False)),
    )
    assert (table.difference, table.n) == (-paired_table(second, first).difference, len(outcomes))
    assert table.phi is None or -1.0 - 1e-12 <= table.phi <= 1.0 + 1e-12


def test_what_was_planned_is_told():
    table = paired_table({"a": 1, "b": 0}, {"a": 1, "b": 1}, planned=4)
    assert (table.n, table.coverage) == (2, 0.5)
    assert mcnemar_exact(0, 1, coverage=table.coverage).coverage == 0.5


def test_an_infinite_odds_ratio_says_so():
    ratio = conditional_odds_ratio(4, 0)
    assert (ratio.value, ratio.high, ratio.n) == (inf, inf, 4)
    assert 0.0 < ratio.low < 1.0


@pytest.mark.parametrize(
    ("first", "second", "words"),
    [
        ({}, {}, "pairs are needed|at least 1 task"),
        ({"a": 1}, {"b": 1}, r"the first has no score at 1 task\(s\) \(b\)"),
        ({"a": 1, "b": 0}, {"a": 1}, r"the second has no score at 1 task\(s\) \(b\)"),
        ({"a": 0.5}, {"a": 1}, "neither 0 nor 1"),
        ({"a": float("nan")}, {"a": 1}, "the first score at task a must be finite"),
        ({"a": None}, {"a": 1}, "the first score at task a must be a number"),
    ],
)
def test_what_cannot_be_paired_is_refused(first, second, words):
    with pytest.raises(ValueError, match=words):
        paired_table(first, second)


def test_bad_counts_are_refused():
    with pytest.raises(ValueError, match="b must be at least 0"):
        mcnemar_exact(-1, 2)
    with pytest.raises(ValueError, match="c must be a whole number"):
        mcnemar_chi_square(1, 2.5)
    with pytest.raises(ValueError, match="no task was paired"):
        PairedTable(0, 0, 0, 0)
    with pytest.raises(ValueError, match="neither must be at least 0"):
        PairedTable(1, 0, 0, -1)
    with pytest.raises(ValueError, match="planned must be at least 3"):
        PairedTable(1, 1, 1, 0, planned=2)
    with pytest.raises(ValueError, match="no task is discordant"):
        conditional_odds_ratio(0, 0)
    with pytest.raises(ValueError, match="6 is above 5"):
        mcnemar_bounds(6, 1, 5)
    with pytest.raises(ValueError, match="alpha must lie between"):
        least_significant_split(5, alpha=0)
    with pytest.raises(ValueError, match="more than 1 pair"):
        PairedTable(1, 0, 0, 0).standard_error(lost=1)
