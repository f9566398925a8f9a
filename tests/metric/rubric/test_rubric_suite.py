"""Suites of reproduction tasks: fixed denominators, exact ranks, bounds."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from referee.metric.rubric.suite import TaskScore, competition_ranks, landscape, suite_score
from referee.record.fault import BadInput

F = Fraction


def scored(task, score, run="r1"):
    return TaskScore(task, run, F(score))


def open_task(task, low=0, high=1, run="r1"):
    return TaskScore(task, run, None, F(low), F(high), withheld="judge_unavailable")


def test_all_scored_gives_mean_and_completion():
    got = suite_score(["a", "b", "c"], [scored("a", 1), scored("b", "9/10"), scored("c", "0.91")])
    assert got.mean == F(281, 300)
    assert got.completion == F(2, 3), "0.9 is not above 0.9"
    assert (got.low, got.high) == (got.mean, got.mean)


def test_withheld_and_missing_are_no_zeros():
    got = suite_score(["a", "b", "c"], [scored("a", 1), open_task("b", "1/2", "19/20")])
    assert (got.mean, got.completion, got.scored_mean) == (None, None, 1)
    assert (got.low, got.high) == (F(1, 2), F(59, 60))
    assert got.withheld == {"b": "judge_unavailable"}
    assert got.missing == ("c",)
    assert (got.completed_low, got.completed_high) == (1, 3)


def test_nothing_scored_has_no_mean_of_the_scored():
    got = suite_score(["a"], [])
    assert (got.scored_mean, got.low, got.high) == (None, 0, 1)


@pytest.mark.parametrize(
    ("planned", "tasks"),
    [
        ([], []),
        (["a", "a"], []),
        (["a"], [scored("b", 1)]),
        (["a"], [scored("a", 1), scored("a", 0)]),
        (["a", "b"], [scored("a", 1, run="r1"), scored("b", 1, run="r2")]),
    ],
)
def test_what_is_no_ones_result_is_refused(planned, tasks):
    with pytest.raises(BadInput):
        suite_score(planned, tasks)


def test_a_task_has_a_score_or_a_reason():
    with pytest.raises(ValueError, match="reason"):
        TaskScore("a", "r", None)
    with pytest.raises(ValueError, match="reason"):
        TaskScore("a", "r", F(1), withheld="x")
    with pytest.raises(ValueError, match="bounds"):
        TaskScore("a", "r", F(3, 2))


def test_ranks_are_1_2_2_4_and_the_withheld_have_none():
    scores = {"p": F(9, 10), "q": F(1, 2), "r": F(1, 2), "s": F(1, 10), "t": None}
    assert competition_ranks(scores) == {"p": 1, "q": 2, "r": 2, "s": 4, "t": None}


def test_near_scores_are_not_tied_and_equal_sums_are():
    near = F(1, 2) + F(1, 10**8)
    assert competition_ranks({"a": F(1, 2), "b": near}) == {"a": 2, "b": 1}
    thirds = sum([F(1, 3)] * 3, F(0)) / 2
    assert competition_ranks({"a": thirds, "b": F(1, 2)}) == {"a": 1, "b": 1}


@settings(max_examples=50)
@given(st.lists(st.integers(0, 9).map(lambda n: F(n, 9)), min_size=1, max_size=12))
def test_a_rank_is_one_more_than_those_ahead(scores):
    named = {str(i): score for i, score in enumerate(scores)}
    ranks = competition_ranks(named)
    assert min(ranks.values()) == 1
    for a in named:
        for b in named:
            assert (named[a] > named[b]) == (ranks[a] < ranks[b])


@settings(max_examples=50)
@given(st.lists(st.integers(0, 20).map(lambda n: F(n, 20)), min_size=1, max_size=8), st.data())
def test_bounds_of_a_suite_hold_its_full_mean(scores, data):
    planned = [f"t{i}" for i in range(len(scores))]
    hidden = data.draw(st.sets(st.sampled_from(planned)))
    full = suite_score(planned, [scored(t, s) for t, s in zip(planned, scores, strict=True)])
    seen = suite_score(
        planned,
        [
            open_task(t) if t in hidden else scored(t, s)
            for t, s in zip(planned, scores, strict=True)
        ],
    )
    assert seen.low <= full.mean <= seen.high
    assert seen.completed_low <= full.completed_low <= seen.completed_high


def test_the_landscape_of_tasks():
    runs = {
        "x": [scored("a", "0.95"), scored("b", "0.2")],
        "y": [scored("a", "0.95", run="r2"), open_task("b", run="r2")],
    }
    got = landscape(["a", "b", "c"], runs)
    assert (got["a"].best, got["a"].by, got["a"].complete) == (F(19, 20), ("x", "y"), 2)
    assert (got["b"].best, got["b"].by, got["b"].scored) == (F(1, 5), ("x",), 1)
    assert (got["c"].best, got["c"].by, got["c"].complete) == (None, (), 0)
