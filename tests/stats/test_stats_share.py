"""The interval of a mean of shares: Wilson for pass or fail, Student's t else, or no estimate."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from referee.stats.cluster import task_mean
from referee.stats.interval import wilson
from referee.stats.share import share_interval

SHARES = st.lists(st.integers(0, 4).map(lambda n: n / 4), min_size=1, max_size=20)


@given(SHARES)
def test_bounded_around_the_mean_in_any_order(shares):
    found = share_interval(shares)
    assert found == share_interval(sorted(shares))
    if found is None:
        assert len(shares) == 1 or len(set(shares)) == 1
        return
    assert 0.0 <= found.low <= found.value <= found.high <= 1.0
    assert found.value == pytest.approx(sum(shares) / len(shares))


@given(st.lists(st.integers(0, 1), min_size=2, max_size=40))
def test_pass_or_fail_is_a_rate(passed):
    assert share_interval(passed) == wilson(sum(passed), len(passed))


def test_all_solved_is_not_certain():
    found = share_interval([1.0] * 10, planned=12)
    assert (found.value, found.high, found.coverage) == (1.0, 1.0, 10 / 12)
    assert found.low < 0.75


def test_several_attempts_are_a_mean_that_is_cut_to_what_is_possible():
    found, uncut = share_interval([0.0, 0.0, 0.5]), task_mean([0.0, 0.0, 0.5])
    assert uncut.low < 0.0 == found.low
    assert (found.high, found.method) == (uncut.high, uncut.method)


def test_no_spread_is_no_estimate():
    assert share_interval([0.5, 0.5, 0.5]) is None
    assert share_interval([1.0]) is None


@pytest.mark.parametrize(
    ("shares", "words"),
    [
        ([], "at least 1 number"),
        ([1.2, 0.0], r"task_means\[0\] must lie between 0 and 1"),
        ([float("nan")], r"task_means\[0\] must be finite"),
    ],
)
def test_bad_input_is_refused(shares, words):
    with pytest.raises(ValueError, match=words):
        share_interval(shares)
