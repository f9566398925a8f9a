"""Power: exact, equal to counting every table, and undone by its own inverse."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from scipy.stats import multinomial
from stats_oracles import ORACLES, about

from referee.stats.paired import mcnemar_exact
from referee.stats.power import (
    detectable_difference,
    detectable_difference_independent,
    mcnemar_power,
    tasks_needed,
)

CASES = ORACLES["power"]


@pytest.mark.parametrize("case", CASES["observed"], ids=lambda case: f"{case['only_first']}")
def test_power_at_what_was_observed(case):
    n = case["n"]
    found = mcnemar_power(case["only_first"] / n, case["only_second"] / n, n)
    assert found.power == about(case["power"])
    assert (found.n, found.alpha) == (n, 0.05)


@pytest.mark.parametrize("case", CASES["paired"], ids=lambda c: f"{c['n']}-{c['discordance']}")
def test_detectable_differences_of_the_oracles(case):
    found = detectable_difference(case["n"], case["discordance"], power=case["power"])
    assert found.effect == pytest.approx(case["effect"], abs=6e-7)  # as many digits as are given
    back = mcnemar_power(
        (case["discordance"] + found.effect) / 2,
        (case["discordance"] - found.effect) / 2,
        case["n"],
    )
    assert back.power == pytest.approx(0.8, abs=1e-9)
    assert back.effect == pytest.approx(found.effect, rel=1e-12)


@pytest.mark.parametrize("n", [91, 119, 500])
def test_unpaired_detectable_differences_of_the_oracles(n):
    case = CASES["independent"]
    found = detectable_difference_independent(n, case["base"], power=case["power"])
    assert found.effect == pytest.approx(case["effect"][str(n)], abs=6e-7)


def test_tasks_needed_of_the_oracles():
    case = CASES["sample_size"]
    within = float(Fraction(case["within"]))
    found = tasks_needed(
        case["difference"],
        between=float(Fraction(case["between"])),
        within=(within, within),
        attempts=(case["attempts"], case["attempts"]),
        power=case["power"],
        alpha=case["level"],
    )
    assert found.exact == about(case["n"])
    assert found.n == 3876
    more = tasks_needed(0.03, between=1 / 9, within=(within, within), attempts=(4, 4))
    assert more.n < found.n


@pytest.mark.parametrize(("p10", "p01", "n"), [(0.3, 0.1, 12), (0.5, 0.2, 9), (0.2, 0.2, 14)])
def test_equal_to_counting_every_table(p10, p01, n):
    counted = sum(
        multinomial.pmf([b, c, n - b - c], n, [p10, p01, 1 - p10 - p01])
        for b in range(n + 1)
        for c in range(n + 1 - b)
        if mcnemar_exact(b, c).pvalue <= 0.05
    )
    assert mcnemar_power(p10, p01, n).power == pytest.approx(counted, rel=1e-9)


@settings(max_examples=30)
@given(st.integers(1, 80), st.floats(0.0, 0.5), st.floats(0.0, 0.5))
@example(7, 0.0, 2.2250738585072014e-308)
def test_a_test_of_no_difference_is_rarely_significant(n, p10, p01):
    assert mcnemar_power(p10, p10, n).power <= 0.05 + 1e-12
    found, mirror = mcnemar_power(p10, p01, n), mcnemar_power(p01, p10, n)
    assert 0.0 <= found.power <= 1.0 + 1e-12
    assert found.power == pytest.approx(mirror.power, rel=1e-9, abs=1e-12)


def test_too_few_discordant_tasks_find_nothing():
    found = detectable_difference(91, 0.01)
    assert (found.effect, found.given) == (None, 0.01)
    assert detectable_difference(5, 0.0).effect is None
    assert mcnemar_power(0.0, 0.0, 50).power == 0.0
    assert mcnemar_power(1.0, 0.0, 5).power == 0.0  # five of five have p = 1/16
    assert mcnemar_power(1.0, 0.0, 6).power == 1.0  # six of six have p = 1/32


def test_more_tasks_find_less():
    found = [detectable_difference(n, 0.2).effect for n in (60, 119, 240)]
    assert found == sorted(found, reverse=True)


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: mcnemar_power(-0.1, 0.2, 5), "at least 0 and at most 1 together"),
        (lambda: mcnemar_power(0.6, 0.6, 5), "at least 0 and at most 1 together"),
        (lambda: mcnemar_power(float("nan"), 0.6, 5), "only_first must be finite"),
        (lambda: mcnemar_power(0.1, 0.1, 0), "n must be at least 1"),
        (lambda: mcnemar_power(0.1, 0.1, 5, alpha=0), "alpha must lie between"),
        (lambda: detectable_difference(5, 1.5), "discordance must lie between"),
        (lambda: detectable_difference(5, 0.5, power=1.0), "power must lie between"),
        (lambda: detectable_difference_independent(5, 1.0), "base must be at least 0"),
        (lambda: detectable_difference_independent(2.5, 0.5), "n must be a whole number"),
        (lambda: tasks_needed(0.0, between=0.1), "an effect of 0"),
        (lambda: tasks_needed(0.1, between=-0.1), "variances must be at least 0"),
        (lambda: tasks_needed(0.1, between=0.0), "one above it"),
        (lambda: tasks_needed(0.1, between=0.1, attempts=(0, 1)), "attempts must be at least 1"),
    ],
)
def test_bad_input_is_refused(call, words):
    with pytest.raises(ValueError, match=words):
        call()
