"""Ranks: four ways with ties, and intervals that know how little a few tasks decide."""

from __future__ import annotations

import random
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st
from stats_oracles import ORACLES

from referee.stats.ranking import competition_ranks, rank_intervals


@pytest.mark.parametrize("ties", ["standard", "dense", "modified", "fractional"])
def test_ranks_of_the_oracles(ties):
    case = ORACLES["ranks"]
    found = competition_ranks(case["scores"], ties=ties)
    assert list(found.ranks) == case[ties]
    assert (found.method, found.n) == (f"{ties} competition ranking", 7)


@given(st.lists(st.integers(-3, 3), min_size=1, max_size=12))
def test_a_rank_counts_who_is_above(scores):
    standard, modified, fractional = (
        competition_ranks(scores, ties=ties).ranks
        for ties in ("standard", "modified", "fractional")
    )
    for score, best, worst, middle in zip(scores, standard, modified, fractional, strict=True):
        assert best == 1 + sum(other > score for other in scores)
        assert worst == sum(other >= score for other in scores)
        assert middle == (best + worst) / 2


def test_sums_that_were_rounded_apart_are_a_tie():
    assert 0.1 + 0.2 != 0.3
    assert competition_ranks([0.1 + 0.2, 0.3]).ranks == (1.0, 1.0)


def arms_of(solved, tasks=60):
    return {
        arm: {f"t{n:03}": float(n in done) for n in range(tasks)} for arm, done in solved.items()
    }


def test_an_arm_that_always_wins_is_first_for_sure_and_a_twin_is_not():
    scores = arms_of({"weak": range(5), "strong": range(50), "twin": range(10, 60)})
    weak, strong, twin = rank_intervals(scores, resamples=2000)
    assert (strong.rank, twin.rank, weak.rank) == (1, 1, 3)
    assert (weak.low, weak.high, weak.best) == (3, 3, 0.0)
    assert (strong.low, strong.high) == (twin.low, twin.high) == (1, 2)
    assert strong.best + twin.best >= 1.0
    assert (strong.value, strong.n, strong.coverage) == (50 / 60, 60, 1.0)


def test_the_same_tasks_drawn_for_all_make_a_small_lead_sure():
    lead = arms_of({"a": range(30), "b": range(22)})  # b never solves what a does not
    a, b = rank_intervals(lead, resamples=2000)
    assert ((a.low, a.high), (b.low, b.high)) == ((1, 1), (2, 2))


@given(st.integers(1, 6), st.integers(1, 9), st.randoms())
def test_neither_the_order_of_tasks_nor_of_arms_matters(arms, tasks, chance: random.Random):
    scores = {
        f"a{i}": {f"t{j}": chance.randint(0, 3) / 3 for j in range(tasks)} for i in range(arms)
    }
    shuffled = {
        arm: dict(chance.sample(sorted(scores[arm].items()), tasks))
        for arm in chance.sample(sorted(scores), arms)
    }
    there = rank_intervals(scores, resamples=40, seed=2)
    back = rank_intervals(shuffled, resamples=40, seed=2)
    assert sorted(there, key=lambda row: row.arm) == sorted(back, key=lambda row: row.arm)
    assert all(1 <= row.low <= row.high <= arms for row in there)
    assert sum(row.best for row in there) >= 1.0 - 1e-9


def test_ten_thousand_resamples_of_eight_arms_take_less_than_a_second():
    chance = random.Random(1)
    scores = {
        f"a{i}": {f"t{j}": float(chance.random() < 0.4) for j in range(119)} for i in range(8)
    }
    rank_intervals(scores, resamples=1)  # imports SciPy
    began = time.process_time()
    rows = rank_intervals(scores)
    assert time.process_time() - began < 1.0
    assert rows[0].resamples == 10_000


@pytest.mark.parametrize(
    ("scores", "changes", "words"),
    [
        ({}, {}, "no arm to rank"),
        ({"a": {}}, {}, "no task to rank"),
        ({"a": {"t": 1.0}, "b": {}}, {}, r"arm b has no score at 1 task\(s\) \(t\)"),
        ({"a": {"t": float("nan")}}, {}, "score of arm a at task t must be finite"),
        ({"a": {"t": 1.0}}, {"resamples": 0}, "resamples must be at least 1"),
        ({"a": {"t": 1.0}}, {"planned": 0}, "planned must be at least 1"),
        ({"a": {"t": 1.0}}, {"level": 0}, "level must lie between"),
    ],
)
def test_bad_input_is_refused(scores, changes, words):
    with pytest.raises(ValueError, match=words):
        rank_intervals(scores, **changes)


def test_bad_scores_are_refused():
    with pytest.raises(ValueError, match="at least 1 number"):
        competition_ranks([])
    with pytest.raises(ValueError, match=r"scores\[1\] must be finite"):
        competition_ranks([1.0, float("nan")])
    with pytest.raises(ValueError, match=r"ties can be standard, .* not 'olympic'"):
        competition_ranks([1.0], ties="olympic")
