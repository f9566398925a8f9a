"""pass@k and pass^k: exact, equal to counting every draw, and honest about errors."""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from stats_oracles import ORACLES, about

from referee.stats.passk import Attempts, pass_at_k, pass_hat_k, pass_rates, plug_in_pass_at_k


@pytest.mark.parametrize("case", ORACLES["attempts"], ids=lambda c: f"{c['c']}of{c['n']}at{c['k']}")
def test_attempts_of_the_oracles(case):
    n, c, k = case["n"], case["c"], case["k"]
    assert pass_at_k(n, c, k) == Fraction(case["at"][0])
    assert pass_hat_k(n, c, k) == Fraction(case["hat"][0])
    assert float(pass_at_k(n, c, k)) == about(case["at"][1])
    assert float(pass_hat_k(n, c, k)) == about(case["hat"][1])
    assert float(plug_in_pass_at_k(n, c, k)) == about(case["plug_in"])


@pytest.mark.parametrize("n", range(1, 7))
def test_equal_to_counting_every_draw(n):
    for c in range(n + 1):
        for k in range(1, n + 1):
            draws = list(combinations([1] * c + [0] * (n - c), k))
            assert pass_at_k(n, c, k) == Fraction(sum(any(d) for d in draws), len(draws))
            assert pass_hat_k(n, c, k) == Fraction(sum(all(d) for d in draws), len(draws))


@given(st.data(), st.integers(2, 60))
def test_more_tries_find_more_and_hold_less(data, n):
    c, k = data.draw(st.integers(0, n)), data.draw(st.integers(1, n - 1))
    assert pass_at_k(n, c, k) <= pass_at_k(n, c, k + 1)
    assert pass_hat_k(n, c, k) >= pass_hat_k(n, c, k + 1)
    assert 0 <= pass_hat_k(n, c, k) <= Fraction(c, n) <= pass_at_k(n, c, k) <= 1
    assert plug_in_pass_at_k(n, c, k) <= pass_at_k(n, c, k)


@pytest.mark.parametrize(
    ("n", "c", "k", "words"),
    [
        (3, 4, 1, "4 is above 3"),
        (3, -1, 1, "c must be at least 0"),
        (3, 1, 4, "4 is above 3"),
        (3, 1, 0, "k must be at least 1"),
        (0, 0, 1, "1 is above 0"),
        (float("nan"), 0, 1, "n must be a whole number"),
    ],
)
@pytest.mark.parametrize("function", [pass_at_k, pass_hat_k, plug_in_pass_at_k])
def test_impossible_counts_are_refused(function, n, c, k, words):
    with pytest.raises(ValueError, match=words):
        function(n, c, k)


def tasks_of(rows):
    return {f"t{n}": Attempts(len(row), len(row), sum(row)) for n, row in enumerate(rows)}


def test_repeated_attempts_of_the_oracles():
    case = ORACLES["repeated"]
    for k in (1, 2, 3, 4):
        at = pass_rates(tasks_of(case["attempts"]), k)
        hat = pass_rates(tasks_of(case["attempts"]), k, all_of_k=True)
        assert float(at.as_fails) == about(case["at"][str(k)])
        assert float(hat.as_fails) == about(case["hat"][str(k)])
        assert (at.method, hat.method) == (f"pass@{k}", f"pass^{k}")
    first = pass_rates(tasks_of(case["attempts"]), 1)
    assert first.as_fails == Fraction(case["pass1"])
    assert first.as_fails_mean.se == about(case["se_task_means"])
    assert first.as_fails_mean.se > case["se_all_attempts"]


def test_errors_are_missing_data_and_both_rates_are_told():
    tasks = {"a": Attempts(4, 4, 2), "b": Attempts(4, 3, 3), "c": Attempts(4, 1, 0)}
    rates = pass_rates(tasks, 2)
    assert rates.errors == 4
    assert rates.as_fails == Fraction(Fraction(5, 6) + 1 + 0) / 3
    assert rates.excluded == Fraction(Fraction(5, 6) + 1) / 2
    assert (rates.n, rates.planned, rates.coverage) == (2, 3, 2 / 3)
    assert (rates.as_fails_mean.coverage, rates.excluded_mean.coverage) == (1.0, 2 / 3)


def test_no_attempt_with_a_verdict_is_none_and_not_zero():
    rates = pass_rates({"a": Attempts(3, 0, 0), "b": Attempts(3, 1, 1)}, 2)
    assert (rates.excluded, rates.excluded_mean, rates.coverage) == (None, None, 0.0)
    assert rates.as_fails == Fraction(1, 3)


def test_one_task_has_a_rate_and_no_interval():
    rates = pass_rates({"a": Attempts(3, 3, 1)}, 1)
    assert (rates.as_fails, rates.as_fails_mean) == (Fraction(1, 3), None)


@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3)), min_size=2, max_size=9))
def test_the_order_of_tasks_does_not_matter(rows):
    made = [Attempts(3, max(row), min(row)) for row in rows]
    there = {f"t{n}": task for n, task in enumerate(made)}
    back = dict(reversed(there.items()))
    assert pass_rates(there, 2) == pass_rates(back, 2)
    assert pass_rates(there, 1).as_fails <= (pass_rates(there, 1).excluded or 1)


def test_bad_tasks_are_refused():
    with pytest.raises(ValueError, match="no task"):
        pass_rates({}, 1)
    with pytest.raises(ValueError, match=r"k is 3, .* planned at b \(2\)"):
        pass_rates({"a": Attempts(3, 3, 1), "b": Attempts(2, 2, 1)}, 3)
    with pytest.raises(ValueError, match="2 passed, 1 scored"):
        Attempts(3, 1, 2)
    with pytest.raises(ValueError, match="3 scored and 2 planned"):
        Attempts(2, 3, 1)
