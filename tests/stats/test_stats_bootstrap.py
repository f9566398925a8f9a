"""Bootstrap over tasks: near its known limit, the same in any order, joint for pairs."""

from __future__ import annotations

import random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from stats_oracles import ORACLES, about

from referee.stats.bootstrap import (
    bootstrap_difference,
    bootstrap_limit,
    bootstrap_mean,
    draw_weights,
)
from referee.stats.cluster import clustered_mean

SCORES = st.lists(st.integers(0, 6).map(lambda n: n / 6), min_size=1, max_size=20)


@pytest.mark.parametrize("case", ORACLES["rates"], ids=lambda case: case["name"])
def test_limits_of_the_oracles(case):
    found = bootstrap_limit(case["k"], case["n"])
    assert [found.low, found.high] == about(case["intervals"]["bootstrap_limit"])


@pytest.mark.parametrize("case", ORACLES["paired"], ids=lambda case: case["name"])
def test_paired_resamples_of_the_oracles(case):
    outcomes = [(1, 1), (1, 0), (0, 1), (0, 0)]
    rows = [pair for pair, n in zip(outcomes, case["table"], strict=True) for _ in range(n)]
    first = {f"t{n}": a for n, (a, _) in enumerate(rows)}
    second = {f"t{n}": b for n, (_, b) in enumerate(rows)}
    found = bootstrap_difference(first, second, resamples=200_000, seed=1)
    # both ends are multiples of 1/91, so another seed gives the same ones
    assert [found.low, found.high] == about(case["bootstrap_200000"])
    assert found.value == about(case["difference"])
    assert (found.n, found.resamples, found.seed, found.clusters) == (91, 200_000, 1, None)


def test_many_resamples_of_a_rate_reach_the_limit():
    found, limit = bootstrap_mean([1.0] * 29 + [0.0] * 62, seed=3), bootstrap_limit(29, 91)
    assert [found.low, found.high] == pytest.approx([limit.low, limit.high], abs=1.01 / 91)


@given(SCORES, st.integers(0, 9), st.randoms())
def test_neither_order_nor_time_changes_a_result(scores, seed, chance: random.Random):
    labelled = [(score, chance.choice("abc")) for score in scores]
    shuffled = chance.sample(labelled, len(labelled))
    assert bootstrap_mean(scores, resamples=50, seed=seed) == bootstrap_mean(
        [score for score, _ in shuffled], resamples=50, seed=seed
    )
    there, back = (
        bootstrap_mean([s for s, _ in rows], clusters=[c for _, c in rows], resamples=50, seed=seed)
        for rows in (labelled, shuffled)
    )
    assert there == back


@given(SCORES, st.floats(0.5, 0.99))
def test_the_interval_stays_among_the_scores(scores, level):
    found = bootstrap_mean(scores, resamples=100, level=level)
    assert min(scores) - 1e-12 <= found.low <= found.high <= max(scores) + 1e-12
    assert 0.0 < found.coverage <= 1.0


def test_clusters_that_agree_widen_the_interval():
    scores = [float(n % 2) for n in range(20) for _ in range(6)]
    labels = [f"c{n}" for n in range(20) for _ in range(6)]
    alone, joint = bootstrap_mean(scores), bootstrap_mean(scores, clusters=labels)
    assert (joint.n, joint.clusters) == (120, 20)
    assert joint.high - joint.low > 2 * (alone.high - alone.low)
    robust = clustered_mean(scores, labels, corrected=False)
    # 1.96 standard errors to either side, and the lattice of twentieths in between
    assert joint.high - joint.low == pytest.approx(2 * 1.96 * robust.se, abs=0.06)


def test_pairs_are_drawn_together():
    first = {f"t{n}": n / 40 for n in range(40)}
    second = {task: score - 0.25 for task, score in first.items()}
    found = bootstrap_difference(first, second)
    assert [found.low, found.value, found.high] == about([0.25, 0.25, 0.25])


def test_blocks_of_draws_hold_every_resample_once():
    blocks = list(draw_weights(1500, 3001, seed=5))
    assert len(blocks) > 1
    assert sum(len(block) for block in blocks) == 3001
    assert all((block.sum(axis=1) == 1500).all() for block in blocks)
    mean = np.concatenate(blocks).mean(axis=0)
    assert mean == pytest.approx(np.ones(1500), abs=6 / np.sqrt(3001))


@pytest.mark.parametrize(
    ("scores", "changes", "words"),
    [
        ([], {}, "at least 1 number"),
        ([float("inf")], {}, r"scores\[0\] must be finite"),
        ([1.0], {"resamples": 0}, "resamples must be at least 1"),
        ([1.0], {"seed": -1}, "seed must be at least 0"),
        ([1.0], {"seed": 0.5}, "seed must be a whole number"),
        ([1.0], {"level": 2}, "level must lie between"),
        ([1.0], {"planned": 0}, "planned must be at least 1"),
        ([1.0], {"clusters": ["a", "b"]}, "1 scores need 1 cluster labels"),
    ],
)
def test_bad_input_is_refused(scores, changes, words):
    with pytest.raises(ValueError, match=words):
        bootstrap_mean(scores, **changes)


def test_unpaired_tasks_are_refused():
    with pytest.raises(ValueError, match=r"the first has no score at 1 task\(s\) \(b\)"):
        bootstrap_difference({"a": 1.0}, {"a": 1.0, "b": 0.0})
