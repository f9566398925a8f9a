"""Means over tasks: errors that know clusters and pairs, equal to regression with clusters."""

from __future__ import annotations

import random
from math import sqrt

import numpy as np
import pytest
import statsmodels.api as sm
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy import stats as scipy_stats
from stats_oracles import ORACLES, about

from referee.stats.cluster import clustered_mean, mean_difference, task_mean

SCORES = st.lists(st.integers(0, 12).map(lambda n: n / 12), min_size=2, max_size=30)


def test_clustered_scores_of_the_oracles():
    case = ORACLES["clustered"]
    plain = clustered_mean(case["scores"], case["clusters"], corrected=False)
    corrected = clustered_mean(case["scores"], case["clusters"])
    alone = task_mean(case["scores"])
    assert plain.value == corrected.value == alone.value == case["mean"]
    assert plain.se == about(case["se"]["CR0"])
    assert corrected.se == about(case["se"]["CR1"])
    assert alone.se == about(case["se"]["independent_sample"])
    n = len(case["scores"])
    assert alone.se * sqrt((n - 1) / n) == about(case["se"]["independent"])
    assert (corrected.n, corrected.clusters, corrected.few_clusters) == (12, 4, True)
    assert (alone.clusters, alone.few_clusters) == (None, False)


def test_clusters_of_three_that_agree_count_once():
    case = ORACLES["clustered_alike"]
    found = clustered_mean(case["scores"], case["clusters"], corrected=False)
    n = len(case["scores"])
    independent = found.se_independent * sqrt((n - 1) / n)
    assert found.se == about(case["se"]["CR0"])
    assert independent == about(case["se"]["independent"])
    assert found.se / independent == about(case["ratio"])
    assert found.design_effect == about(case["ratio_squared"] * (n - 1) / n)


@given(SCORES, st.randoms())
def test_equal_to_a_regression_on_a_constant(scores, chance: random.Random):
    clusters = [chance.choice("abcde") for _ in scores]
    assume(len(set(clusters)) > 1)
    for corrected in (False, True):
        ours = clustered_mean(scores, clusters, corrected=corrected)
        fit = sm.OLS(np.array(scores), np.ones(len(scores))).fit(
            cov_type="cluster",
            cov_kwds={
                "groups": np.array([ord(c) for c in clusters]),
                "use_correction": corrected,
            },
        )
        assert ours.se == pytest.approx(float(fit.bse[0]), rel=1e-7, abs=1e-9)


@given(SCORES)
def test_one_cluster_for_each_task_is_no_clustering(scores):
    each = clustered_mean(scores, [f"c{n}" for n in range(len(scores))])
    alone = task_mean(scores)
    assert [each.se, each.low, each.high] == pytest.approx(
        [alone.se, alone.low, alone.high], rel=1e-12, abs=1e-12
    )


@given(SCORES, st.floats(0.5, 0.99))
def test_the_interval_is_that_of_scipy(scores, level):
    found = task_mean(scores, level=level)
    error = scipy_stats.sem(scores)
    assert found.se == pytest.approx(error, rel=1e-12, abs=1e-12)
    if error > 1e-9:
        low, high = scipy_stats.t.interval(level, len(scores) - 1, np.mean(scores), error)
        assert [found.low, found.high] == pytest.approx([low, high], rel=1e-9)


@given(SCORES, st.randoms())
def test_the_order_of_tasks_does_not_matter(scores, chance: random.Random):
    rows = [(score, chance.choice("abc")) for score in scores]
    assume(len({label for _, label in rows}) > 1)
    shuffled = chance.sample(rows, len(rows))
    assert task_mean([s for s, _ in rows]) == task_mean([s for s, _ in shuffled])
    assert clustered_mean(*zip(*rows, strict=True)) == clustered_mean(*zip(*shuffled, strict=True))


@given(SCORES, st.randoms())
def test_paired_difference_is_a_paired_t_test(scores, chance: random.Random):
    first = {f"t{n}": score for n, score in enumerate(scores)}
    second = {task: chance.randint(0, 12) / 12 for task in reversed(first)}
    found = mean_difference(first, second)
    assume(found.se > 1e-6)
    other = scipy_stats.ttest_rel([first[t] for t in first], [second[t] for t in first])
    assert found.pvalue == pytest.approx(float(other.pvalue), rel=1e-6)
    interval = other.confidence_interval(0.95)
    assert [found.low, found.high] == pytest.approx([interval.low, interval.high], rel=1e-6)
    back = mean_difference(second, first)
    assert (back.value, back.low, back.high) == (-found.value, -found.high, -found.low)


def test_paired_difference_in_clusters():
    first = {"a": 1.0, "b": 1.0, "c": 0.0, "d": 0.0}
    second = {"a": 0.0, "b": 0.0, "c": 0.0, "d": 0.0}
    found = mean_difference(first, second, clusters={"a": "x", "b": "x", "c": "y", "d": "y"})
    assert (found.value, found.clusters, found.few_clusters) == (0.5, 2, True)
    assert found.se == about(0.5)
    assert found.pvalue == about(0.5)  # t of 1 with one degree of freedom: a quarter in each tail
    with pytest.raises(ValueError, match="task b has no cluster"):
        mean_difference(first, second, clusters={"a": "x"})


def test_no_spread_is_no_test():
    found = mean_difference({"a": 1.0, "b": 0.5}, {"a": 1.0, "b": 0.5})
    assert (found.value, found.se, found.pvalue, found.design_effect) == (0.0, 0.0, None, None)


def test_coverage_is_told():
    found = task_mean([0.0, 0.5, 1.0], planned=4)
    assert (found.n, found.planned, found.coverage) == (3, 4, 0.75)


@pytest.mark.parametrize(
    ("scores", "changes", "words"),
    [
        ([], {}, "at least 2 number"),
        ([1.0], {}, "at least 2 number"),
        ([1.0, float("nan")], {}, r"scores\[1\] must be finite"),
        ([1.0, None], {}, r"scores\[1\] must be a number"),
        ([1.0, 0.0], {"planned": 1}, "planned must be at least 2"),
        ([1.0, 0.0], {"level": 95}, "level must lie between"),
    ],
)
def test_bad_scores_are_refused(scores, changes, words):
    with pytest.raises(ValueError, match=words):
        task_mean(scores, **changes)
    with pytest.raises(ValueError, match=words):
        clustered_mean(scores, ["a", "b"][: len(scores)], **changes)


def test_bad_clusters_and_unpaired_tasks_are_refused():
    with pytest.raises(ValueError, match="2 scores need 2 cluster labels, and 1 were given"):
        clustered_mean([0.0, 1.0], ["a"])
    with pytest.raises(ValueError, match="at least 2 clusters"):
        clustered_mean([0.0, 1.0], ["a", "a"])
    with pytest.raises(ValueError, match=r"the second has no score at 1 task\(s\) \(b\)"):
        mean_difference({"a": 1.0, "b": 0.0}, {"a": 1.0})
